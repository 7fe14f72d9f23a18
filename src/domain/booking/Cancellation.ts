/** The refund of a cancellation. Pure, so a preview shows exactly what is refunded. */
import { refundDue } from "../catalogue/RefundSchedule.ts"
import type { Instant } from "../../platform/time/LocalTime.ts"
import type { BookingRow, BookingTerms } from "./Booking.ts"

/** A booking's refunds, made or under way, and the rest of its payments: minor units. */
export interface RefundState {
  readonly given_back: number
  readonly left: number
}

/** The refund by the booking's terms for a cancellation at `now`; used by cancellations and previews. */
export const refundByTerms = (
  booking: Pick<BookingRow, "currency" | "paid" | "starts_at"> & {
    readonly terms: Pick<
      BookingTerms,
      "cancellation" | "non_refundable" | "earliest_start" | "most_paid" | "given_back_by_moves"
    >
  },
  { given_back, left }: RefundState,
  now: Instant
): ReturnType<typeof refundDue> => {
  const { currency, paid, starts_at, terms } = booking
  const due = refundDue({ ...terms, currency, paid, refunded: given_back, starts_at, now })
  return { ...due, amount: Math.min(due.amount, left) }
}
