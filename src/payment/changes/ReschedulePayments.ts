/** What a booking's payments say of a move: whether it can be made now, and what was settled before. */
import type { BookingRow } from "../../booking/Booking.ts"
import {
  type RescheduleProblem,
  rescheduleRefusal,
  type RescheduleRequest,
  type Settled
} from "../../booking/Reschedule.ts"
import type { Instant } from "../../kernel/LocalTime.ts"
import {
  countsForBooking,
  isBalancePaid,
  isUnsettled,
  ownPayments,
  refundable,
  type RefundRow
} from "../refunds/Refund.ts"
import { isLive, type PaymentSessionRow } from "../sessions/PaymentSession.ts"

/** A booking's payments and refunds. */
export interface Paid {
  readonly all: ReadonlyArray<PaymentSessionRow>
  readonly known: ReadonlyArray<RefundRow>
}

/** The paid amounts of a booking, before it moves. */
export const settledOf = (booking: BookingRow, { all, known }: Paid): Settled => {
  return {
    ...refundable(all, known),
    settled: isBalancePaid(booking, all, known) ? booking.total : booking.due_now,
    sessions: ownPayments(all, known).map(({ payment_session_id }) => payment_session_id)
  }
}

/** Whether a page for the balance can still be paid. */
export const isLiveBalance = (session: PaymentSessionRow): boolean => session.purpose === "balance" && isLive(session)

/**
 * Why a booking can't be rescheduled now, whatever the visit; undefined if it can, once open payment pages are closed.
 */
export const refusalOf = (
  booking: BookingRow,
  { all, known }: Paid,
  by: RescheduleRequest["by"],
  now: Instant
): RescheduleProblem | undefined => {
  const refusal = rescheduleRefusal(booking, by, now)
  if (refusal !== undefined) return refusal
  if (all.some((session) => isLiveBalance(session) && session.status === "processing")) return "payment_processing"
  return known.some((refund) => isUnsettled(refund) && countsForBooking(refund, known)) ? "refund_pending" : undefined
}
