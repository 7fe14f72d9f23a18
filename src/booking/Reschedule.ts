/**
 * A booking is rescheduled ("moved", people read): another visit in the same playroom, and what that does to its money. What is asked
 * and answered, why it is refused, and the booking after it. Pure.
 */
import { Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { OptionInvalid, PriceChanged, SlotUnavailable } from "../availability/BookingOption.ts"
import type { VisitRequest } from "../availability/Decision.ts"
import type { OperatorUnavailable } from "../catalogue/Playroom.ts"
import { BookingId, type PaymentSessionId } from "../kernel/Ids.ts"
import type { Price } from "../catalogue/Price.ts"
import type { Quote } from "../catalogue/Pricing.ts"
import { format, type Instant, minuteMs, shortDateTime } from "../kernel/LocalTime.ts"
import { display, type Money } from "../kernel/Money.ts"
import type { BookingCancelled, BookingNotFound, BookingRow, HoldExpired, KeepsChanging } from "./Booking.ts"
import { type Agreement, termsOf } from "./BookingRequest.ts"
import { deadlineStart } from "../catalogue/RefundSchedule.ts"
import { freeRescheduleUntil } from "../catalogue/VisitTerms.ts"
import type { RefundState } from "./Cancellation.ts"
import type { PaymentEvent } from "./Lifecycle.ts"
import { ageIssues } from "../availability/Availability.ts"

/** Why a booking is not moved. The last five are about what a family may do itself. */
const RescheduleProblem = Schema.Literals([
  "not_confirmed",
  "begun",
  "same_visit",
  "other_playroom",
  "other_currency",
  "payment_open",
  "payment_processing",
  "refund_pending",
  "reason_needed",
  "not_free",
  "other_party",
  "costs_more",
  "changed"
])
export type RescheduleProblem = typeof RescheduleProblem.Type

/** What is wrong, and what to do. */
const problems: Record<RescheduleProblem, string> = {
  not_confirmed: "It is not paid yet: pay what is due first, or cancel it and book the other option.",
  begun: "The visit has begun or is over.",
  same_visit: "It has this visit already.",
  other_playroom: "The option is for another playroom: cancel the booking and book there.",
  other_currency: "The playroom has another currency than when it was booked: cancel the booking and book anew.",
  payment_open:
    "A page on which its balance can be paid is open, and could not be closed: try again once it is paid, or its time is up.",
  payment_processing: "A payment for it is being processed: try again once that has arrived or failed.",
  refund_pending:
    "Money for it is on its way back, or could not be paid back: try again once that refund is settled (playroom doctor names those that need a person).",
  reason_needed: "Its terms give no free move now: give the reason, which is kept in the booking's history.",
  not_free: "Its terms give no free move now: ask the operator.",
  other_party: "The option is for another package, another party or other add-ons: ask the operator.",
  costs_more: "The new visit costs more: ask the operator.",
  changed: "The price, or what goes back, is not what was shown any more: look at it again."
}

/** The booking is not moved, and nothing was changed. */
export class RescheduleRefused extends Schema.TaggedError<RescheduleRefused>()("RescheduleRefused", {
  booking_id: BookingId,
  reason: RescheduleProblem
}) {
  override get message(): string {
    return `${this.booking_id} is not moved. ${problems[this.reason]}`
  }
}

/** A move that is asked for. */
export interface RescheduleRequest {
  readonly option_id: string
  /** Says what the move would do, and changes nothing. */
  readonly preview: boolean
  /** A family moves to the same package, party and add-ons, at no higher price, and while its terms say that this is free. */
  readonly by: "operator" | "family"
  /** Kept in the history. An operator's move outside the free period needs one. */
  readonly reason?: string
  /** Total and refund as they were shown, in minor units: where they are not the same any more, nothing is moved. */
  readonly shown?: { readonly total: number; readonly refund: number }
}

/** What a move does, or would do. */
export interface Rescheduled {
  readonly from: BookingRow
  /** The booking after it. */
  readonly booking: BookingRow
  /** The new total less the old one, in minor units. */
  readonly difference: number
  /** What goes back. */
  readonly refund: Money
  /** What is still to be paid after it. */
  readonly balance: Money
  /** Whether the terms say that moving is free now. */
  readonly free: boolean
  /** Why the provider could not be asked what went back before: it is asked before the refund is sent, which may then be less. */
  readonly not_asked?: string
}

export type RescheduleError =
  | BookingNotFound
  | BookingCancelled
  | HoldExpired
  | RescheduleRefused
  | OptionInvalid
  | OperatorUnavailable
  | PriceChanged
  | SlotUnavailable
  | KeepsChanging
  | SqlError.SqlError

/** The payments of a booking before a move: amounts in minor units. */
export interface Settled extends RefundState {
  /** What of the total counts as paid, whatever went back of it since. */
  readonly settled: number
  /** The payments that it came with. */
  readonly sessions: ReadonlyArray<PaymentSessionId>
}

/** Whether the terms give a free move at `now`. */
export const isFree = (booking: Pick<BookingRow, "starts_at" | "terms">, now: Instant): boolean =>
  now <= (freeRescheduleUntil(booking.starts_at, booking.terms) ?? -Infinity)

/** Why a booking can't be rescheduled now, whatever the visit and its payments; undefined if nothing stands against it. */
export const rescheduleRefusal = (
  booking: Pick<BookingRow, "starts_at" | "status" | "terms">,
  by: RescheduleRequest["by"],
  now: Instant
): RescheduleProblem | undefined => {
  if (booking.status !== "confirmed") return "not_confirmed"
  if (booking.starts_at <= now) return "begun"
  return by === "family" && !isFree(booking, now) ? "not_free" : undefined
}

/** Whether a visit has the package, the party and the add-ons of a booking. */
export const isSameParty = (
  { adults, children, package_id, terms }: BookingRow,
  { party, pkg }: VisitRequest
): boolean =>
  pkg.package_id === package_id &&
  party.children === children &&
  party.adults === adults &&
  party.add_ons.length === terms.add_ons.length &&
  party.add_ons.every(({ add_on_id, quantity }) =>
    terms.add_ons.some((one) => one.add_on_id === add_on_id && one.quantity === quantity)
  )

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
export interface ReschedulePlan {
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
export const planReschedule = (
  booking: BookingRow,
  agreement: Agreement,
  option_id: string,
  { given_back, left, sessions, settled }: Settled,
  now: Instant
): ReschedulePlan => {
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
export const rescheduleText = (from: BookingRow, to: BookingRow): string => {
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
