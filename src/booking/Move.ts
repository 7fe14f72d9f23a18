/** A booking that moves to another visit in the same playroom, and what that does to its money. Pure. */
import type { Price } from "../catalogue/Price.ts"
import type { Quote } from "../catalogue/Pricing.ts"
import type { PaymentSessionId } from "../kernel/Ids.ts"
import { format, type Instant, minuteMs, shortDateTime } from "../kernel/LocalTime.ts"
import { display } from "../kernel/Money.ts"
import type { BookingRow } from "./Booking.ts"
import { type Agreement, termsOf } from "./BookingRequest.ts"
import type { RefundState } from "./Cancellation.ts"
import { deadlineStart } from "../catalogue/RefundSchedule.ts"
import { freeRescheduleUntil } from "../catalogue/VisitTerms.ts"
import type { PaymentEvent } from "./Lifecycle.ts"
import { ageIssues } from "../availability/Availability.ts"

/** The payments of a booking before a move: amounts in minor units. */
export interface Settled extends RefundState {
  /** What of the total counts as paid, whatever went back of it since. */
  readonly settled: number
  /** The payments that it came with. */
  readonly sessions: ReadonlyArray<PaymentSessionId>
}

/** Until when a family may move a booking for nothing; undefined where its terms have no free moves. */
export const freeMoveUntil = ({ starts_at, terms }: Pick<BookingRow, "starts_at" | "terms">): Instant | undefined =>
  freeRescheduleUntil(starts_at, terms)

/** The price of the new visit: what is paid of it is due no more, and the rest is its balance, due now where it has no other date. */
const priceAfter = ({ balance_due_at, price }: Quote, settled: number, zone: string, now: Instant): Price => {
  const { balance_due: _, balance_due_at: __, ...rest } = price
  const due_now = Math.min(settled, price.total)
  const balance_due = price.total - due_now
  return {
    ...rest,
    due_now,
    display_due_now: display(due_now, price.currency),
    ...(balance_due > 0 && { balance_due, balance_due_at: format(zone, balance_due_at ?? now) })
  }
}

/** What a move does. */
export interface Moved {
  /** The booking with the new visit; its `payment_status` follows from `payment`. */
  readonly row: BookingRow
  readonly payment: PaymentEvent | undefined
  /** What goes back, as it was paid beyond the new total: minor units. */
  readonly refund: number
}

const paymentOf = ({ payment_status }: BookingRow, row: BookingRow, refund: number): PaymentEvent | undefined => {
  if (refund > 0) return "refund_requested"
  const rest = row.total - row.due_now
  if (rest > 0) return payment_status === "paid" ? "more_due" : undefined
  return payment_status === "deposit_paid" ? "all_paid" : undefined
}

/**
 * The booking after its move. Visit, party and price are the new ones. Refund tiers, deposit and the like stay as agreed, and are
 * measured from the earliest start that the booking ever had.
 */
export const moveBooking = (
  booking: BookingRow,
  agreement: Agreement,
  option_id: string,
  { given_back, left, sessions, settled }: Settled,
  now: Instant
): Moved => {
  const { party, pkg, quote, start, venue } = agreement
  const {
    cancellation: _,
    deposit: __,
    final_headcount_hours_before: ___,
    free_reschedule_hours_before: ____,
    non_refundable: _____,
    ...visit
  } = termsOf(agreement)
  const price = priceAfter(quote, settled, visit.time_zone, now)
  const refund = Math.max(0, Math.min(left, booking.paid - given_back - price.total))
  const { given_back_by_moves = 0, most_paid = 0 } = booking.terms
  const row: BookingRow = {
    ...booking,
    package_id: pkg.package_id,
    option_id,
    starts_at: start,
    ends_at: start + pkg.duration_minutes * minuteMs,
    children: party.children,
    adults: party.adults,
    child_ages: ageIssues(venue.playroom, party.children, booking.child_ages).length === 0 ? booking.child_ages : [],
    total: price.total,
    due_now: price.due_now,
    terms: {
      ...booking.terms,
      ...visit,
      price,
      earliest_start: Math.min(deadlineStart(booking.starts_at, booking.terms), start),
      most_paid: Math.max(most_paid, booking.paid - given_back_by_moves),
      given_back_by_moves: given_back_by_moves + refund,
      settled_sessions: sessions
    }
  }
  return { row, payment: paymentOf(booking, row, refund), refund }
}

const sameAddOns = (a: BookingRow, b: BookingRow): boolean => {
  const text = ({ terms }: BookingRow) =>
    terms.add_ons
      .map(({ add_on_id, quantity }) => `${add_on_id} ${quantity}`)
      .sort()
      .join()
  return text(a) === text(b)
}

/** What a move changes, in a sentence for the history: old → new. */
export const moveText = (from: BookingRow, to: BookingRow): string => {
  const start = ({ starts_at, terms }: BookingRow) => shortDateTime(terms.time_zone, starts_at)
  const party = ({ adults, children }: BookingRow) => `${children} children and ${adults} adults`
  const changes = [
    ...(from.starts_at === to.starts_at ? [] : [`${start(from)} → ${start(to)}`]),
    ...(from.package_id === to.package_id ? [] : [`${from.terms.package_name} → ${to.terms.package_name}`]),
    ...(party(from) === party(to) ? [] : [`${party(from)} → ${party(to)}`]),
    ...(sameAddOns(from, to) ? [] : ["other add-ons"]),
    ...(from.total === to.total ? [] : [`${display(from.total, from.currency)} → ${display(to.total, to.currency)}`]),
    ...(from.child_ages.length > 0 && to.child_ages.length === 0 ? ["the ages that were told do not fit any more"] : [])
  ]
  return changes.join(", ")
}
