/** The findings about disputes, by their states. */
import { inUtc } from "../../platform/time/LocalTime.ts"
import { display } from "../../platform/money/Money.ts"
import { type DisputeRow, type DisputeState, disputeState } from "../../domain/payment/refunds/Disputes.ts"
import type { Finding } from "./Finding.ts"

const disputed = {
  what: "payment disputed" as const,
  notice: "disputed" as const,
  fix: () => "answer it in the provider's dashboard; the payer may have had a refund, or mean another booking"
}

/** The finding for each state of a dispute, and what to do before it is settled. */
export const disputeFindings = {
  inquiry: disputed,
  open: disputed,
  appealed: disputed,
  lost: {
    what: "dispute lost" as const,
    notice: "dispute_lost" as const,
    fix: (booking_id: string) =>
      `the payer has the money back, twice if it was refunded as well: playroom booking show ${booking_id}, and decide about the visit, unless it was cancelled`
  },
  closed: {
    what: "dispute won after it was lost" as const,
    notice: "dispute_won" as const,
    fix: (booking_id: string) =>
      `the operator has the money again, and what a cancellation owes is sent by itself: playroom booking show ${booking_id}; if the visit was cancelled for the dispute, ask the family whether it wants to book again`
  }
} as const satisfies Record<
  DisputeState,
  { readonly what: string; readonly notice: string; readonly fix: (booking_id: string) => string }
>

/** What a person has to know of a dispute in its present state, and to do about it. */
export const disputeFinding = (dispute: DisputeRow) => {
  const { amount, booking_id, currency, dispute_id, due_by, reason, status } = dispute
  const { fix, what } = disputeFindings[disputeState(status)]
  const by = due_by === null || what !== "payment disputed" ? "" : `, to be answered by ${inUtc(due_by)}`
  return {
    what,
    id: dispute_id,
    detail: `${display(amount, currency)} of ${booking_id}: ${status} (${reason})${by}`,
    fix: `${fix(booking_id)}; then playroom doctor --settle ${dispute_id}`
  } satisfies Finding
}
