/**
 * Named points at which a test can end the work as a crash would. In the service a fault point does nothing and costs
 * one look-up in the fiber's context.
 */
import { Context, Effect } from "effect"

export const faultPoints = [
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

/** Those of letters. */
export const letterFaultPoints = ["letter taken, not sent", "letter sent, not marked"] as const
export type FaultPointName = (typeof faultPoints)[number] | (typeof letterFaultPoints)[number]

/** The effect to run at a fault point: none outside tests. */
export const FaultPoint = Context.Reference<(name: FaultPointName) => Effect.Effect<void>>(
  "playroom/kernel/FaultPoint",
  { defaultValue: () => () => Effect.void }
)

/** Runs the fault point of this name. */
export const faultPoint = (name: FaultPointName): Effect.Effect<void> => Effect.flatMap(FaultPoint, (run) => run(name))
