/** What a cancellation of a booking refunds. Pure: a preview shows exactly what is then refunded. */
import { refundDue } from "../catalogue/RefundSchedule.ts"
import type { Instant } from "../kernel/LocalTime.ts"
import type { BookingRow, BookingTerms } from "./Booking.ts"

/** What of a booking's own payments was given back or is on its way, and what is left of them: minor units. */
export interface RefundState {
  readonly given_back: number
  readonly left: number
}

/** What a cancellation of a booking at `now` refunds by its terms: the one rule of cancellations and of their previews. */
export const refundByTerms = (
  booking: Pick<BookingRow, "paid" | "starts_at"> & {
    readonly terms: Pick<
      BookingTerms,
      "cancellation" | "non_refundable" | "earliest_start" | "most_paid" | "given_back_by_moves"
    >
  },
  { given_back, left }: RefundState,
  now: Instant
): ReturnType<typeof refundDue> => {
  const { paid, starts_at, terms } = booking
  const due = refundDue({ ...terms, paid, refunded: given_back, starts_at, now })
  return { ...due, amount: Math.min(due.amount, left) }
}
