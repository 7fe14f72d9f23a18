/**
 * Named points at which a test can end the work as a crash would. In the service a failpoint does nothing and costs
 * one look-up in the fiber's context.
 */
import { Context, Effect } from "effect"

export const failpoints = [
  // Receiving and applying an event. Its effects and its mark commit in one transaction, so there is no point between
  // them.
  "event stored, not answered",
  "event applied, not marked",
  "event marked, not committed",
  // Creating a checkout session.
  "session written, provider not asked",
  "session made at the provider, answer not stored",
  "session stored, not committed",
  "session stored, not answered",
  // Closing a checkout session.
  "close decided, provider not asked",
  "session closed at the provider, answer not applied",
  "session fact applied, not committed",
  "hold asked about, not released",
  "hold released, not committed",
  "move decided, not committed",
  // Refunding.
  "cancellation decided, not committed",
  "refund decided, provider not asked",
  "refund made at the provider, answer not stored",
  "refund settled, not committed",
  "refund settled, task not done",
  "refund corrected, not committed",
  "refund sent again, not committed"
] as const

/** Those of gift vouchers that are sold online. */
export const voucherFailpoints = [
  "sale of a voucher written, provider not asked",
  "voucher's page made, not stored",
  "voucher's payment applied, not committed",
  "voucher's refund made, not stored"
] as const

/** Those of letters. */
export const letterFailpoints = ["letter taken, not sent", "letter sent, not marked"] as const
export type FailpointName =
  | (typeof failpoints)[number]
  | (typeof voucherFailpoints)[number]
  | (typeof letterFailpoints)[number]

/** The effect to run at a failpoint: none outside tests. */
export const Failpoint = Context.Reference<(name: FailpointName) => Effect.Effect<void>>("playroom/kernel/Failpoint", {
  defaultValue: () => () => Effect.void
})

/** Runs the failpoint of this name. */
export const failpoint = (name: FailpointName): Effect.Effect<void> => Effect.flatMap(Failpoint, (run) => run(name))
