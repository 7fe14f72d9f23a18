/** How a booking stands, as its page tells it: one state, one heading. */
import { toView } from "../../booking/BookingViews.ts"
import type { ShownBooking } from "../../payment/BookingPages.ts"

/**
 * `arriving`: the time to pay is over, or a payment is being booked, and a look in a minute tells. `…_kept`: money was paid, and by the
 * terms nothing of it comes back. `…_processing` beside `expired` and `cancelled`: a payment is still on its way.
 */
export type BookingState =
  | "to_pay"
  | "failed"
  | "processing"
  | "arriving"
  | "free"
  | "paid"
  | "balance_due"
  | "balance_overdue"
  | "balance_processing"
  | "over"
  | "expired"
  | "expired_processing"
  | "expired_going_back"
  | "expired_paid_back"
  | "cancelled"
  | "cancelled_kept"
  | "cancelled_processing"
  | "cancelled_going_back"
  | "cancelled_paid_back"

const heldState = ({ booking, summary }: ShownBooking): BookingState => {
  const { hold_expires_at, payment_status } = booking
  const page = summary.session?.purpose === "due_now" ? summary.session.status : undefined
  if (payment_status === "processing" || page === "processing") return "processing"
  if (page === "paid" || hold_expires_at === null || hold_expires_at <= summary.now) return "arriving"
  return payment_status === "failed" ? "failed" : "to_pay"
}

const confirmedState = ({ booking, summary }: ShownBooking): BookingState => {
  const { balance } = toView(booking, summary)
  if (booking.ends_at <= summary.now) return "over"
  if (balance === undefined) return booking.total === 0 ? "free" : "paid"
  if (summary.session?.purpose === "balance" && summary.session.status === "processing") return "balance_processing"
  return Date.parse(balance.due_at) <= summary.now ? "balance_overdue" : "balance_due"
}

/** Where the money of a booking is that is over. */
const moneyState = ({ booking, summary }: ShownBooking) => {
  if (summary.refund_on_its_way > 0 || booking.payment_status === "refund_pending") return "going_back"
  if (booking.refunded > 0) return "paid_back"
  if (booking.payment_status === "processing" || summary.session?.status === "processing") return "processing"
  return booking.paid > 0 ? "kept" : "none"
}

/** Pure. */
export const stateOf = (shown: ShownBooking): BookingState => {
  const { status } = shown.booking
  if (status === "held") return heldState(shown)
  if (status === "confirmed") return confirmedState(shown)
  const money = moneyState(shown)
  if (money === "none") return status
  // What was paid for places that were gone goes back: the refund may not be written down yet.
  if (status === "expired") return money === "kept" ? "expired_going_back" : `expired_${money}`
  return `cancelled_${money}`
}

/** Whether the family is expected: the booking has its places, and the visit is not over. */
export const isAhead = ({ booking, summary }: ShownBooking): boolean =>
  (booking.status === "held" || booking.status === "confirmed") && summary.now < booking.ends_at
