/** A booking's row as the tools show it: pure. */
import { type TermsView, termsView } from "../catalogue/Terms.ts"
import { format } from "../kernel/LocalTime.ts"
import type { BookingRow, BookingView, PaymentSessionView } from "./Booking.ts"

/** What was agreed, in words. Bookings of the first release named a deposit only by what of it is kept. */
export const bookedTerms = ({ starts_at, terms, total }: BookingRow): TermsView => {
  const { non_refundable, price, time_zone } = terms
  const kept = non_refundable > 0 ? { amount: non_refundable, refundable: false } : undefined
  return termsView({
    ...terms,
    currency: price.currency,
    deposit: terms.deposit ?? kept,
    visit: { total, start: starts_at, time_zone }
  })
}

/** The published shape of a booking, with its latest payment session where there is one. */
export const toView = (row: BookingRow, session: PaymentSessionView | undefined): BookingView => {
  const { terms } = row
  const at = (instant: number) => format(terms.time_zone, instant)
  return {
    booking_id: row.booking_id,
    reference: row.reference,
    status: row.status,
    payment_status: row.payment_status,
    playroom_id: row.playroom_id,
    playroom_name: terms.playroom_name,
    address: terms.address,
    package_id: row.package_id,
    package_name: terms.package_name,
    mode: terms.mode,
    start: at(row.starts_at),
    end: at(row.ends_at),
    time_zone: terms.time_zone,
    children: row.children,
    adults: row.adults,
    add_ons: terms.add_ons,
    contact: {
      name: row.contact_name,
      email: row.contact_email,
      ...(row.contact_phone === null ? {} : { phone: row.contact_phone })
    },
    ...(row.child_ages.length === 0 ? {} : { child_ages: row.child_ages }),
    ...(row.notes === null ? {} : { notes: row.notes }),
    price: terms.price,
    cancellation: terms.cancellation,
    terms: bookedTerms(row),
    ...(row.hold_expires_at === null ? {} : { hold_expires_at: at(row.hold_expires_at) }),
    ...(session === undefined ? {} : { payment_session: session }),
    created_at: at(row.created_at)
  }
}
