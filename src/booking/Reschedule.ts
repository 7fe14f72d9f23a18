/**
 * Rescheduling a booking ("move" in texts for people) to another visit in the same playroom: request, result, refusals,
 * and the new row with its price. Pure.
 */
import { Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { OptionInvalid, PriceChanged } from "../availability/BookingOption.ts"
import type { SlotUnavailable } from "../availability/OptionPage.ts"
import type { VisitRequest } from "../availability/Decision.ts"
import type { OperatorUnavailable } from "../catalogue/Playroom.ts"
import { BookingId, type PaymentSessionId } from "../kernel/Ids.ts"
import { type Price, waivedIn } from "../catalogue/Price.ts"
import { type Quote, waive } from "../catalogue/Pricing.ts"
import { isBelowMinimumCharge } from "../kernel/Charge.ts"
import { dayMs, format, type Instant, minuteMs, shortDateTime } from "../kernel/LocalTime.ts"
import { display, type Money } from "../kernel/Money.ts"
import type { BookingCancelled, BookingNotFound, BookingRow, HoldExpired, KeepsChanging } from "./Booking.ts"
import { type Agreement, termsOf } from "./BookingRequest.ts"
import type { ChangeUnderWay } from "./BookingMutex.ts"
import type { ChangedSinceShown } from "./ShownState.ts"
import { deadlineStart } from "../catalogue/RefundSchedule.ts"
import { freeRescheduleUntil } from "../catalogue/VisitTerms.ts"
import type { RefundState } from "./Cancellation.ts"
import type { PaymentEvent } from "./Lifecycle.ts"
import { ageIssues } from "../availability/Availability.ts"

/** Why a booking is not moved. The last four apply to families. */
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
  "too_many_unpaid"
])
export type RescheduleProblem = typeof RescheduleProblem.Type

/** The problem, and what to do about it. */
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
  too_many_unpaid:
    "Nothing is paid of it, and as many such bookings are on that day as there may be: choose another day, or ask the operator."
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

/** A request to move a booking. */
export interface RescheduleRequest {
  readonly option_id: string
  /** Dry run: return the result without changing anything. */
  readonly preview: boolean
  /** A family keeps package, party and add-ons, pays no more, and must be within the free period of its terms. */
  readonly by: "operator" | "family"
  /** Stored in the history. Required for an operator's move outside the free period. */
  readonly reason?: string
  /** The state that the preview showed (`ShownState.ts`). The move is refused if it has changed. */
  readonly shown?: string
}

/** The result of a move, or of its preview. */
export interface Rescheduled {
  readonly from: BookingRow
  /** The booking after the move. */
  readonly booking: BookingRow
  /** The new total less the old one, in minor units. */
  readonly difference: number
  /** The refund. */
  readonly refund: Money
  /** The amount still to pay. */
  readonly balance: Money
  /** What the new visit costs more, and nobody pays, because it is too little to be charged. */
  readonly waived: Money
  /** Whether the terms allow a free move now. */
  readonly free: boolean
  /** The state before the move, and what it does, for the form or command that makes it (`ShownState.ts`). */
  readonly shown: string
  /**
   * Why the provider could not list earlier refunds. It is asked again before the refund is sent, which may lower it.
   */
  readonly not_asked?: string
}

export type RescheduleError =
  | BookingNotFound
  | BookingCancelled
  | HoldExpired
  | RescheduleRefused
  | ChangedSinceShown
  | ChangeUnderWay
  | OptionInvalid
  | OperatorUnavailable
  | PriceChanged
  | SlotUnavailable
  | KeepsChanging
  | SqlError.SqlError

/** The payments of a booking before a move: amounts in minor units. */
export interface Settled extends RefundState {
  /** The part of the total that counts as paid, before refunds. */
  readonly settled: number
  /** The sessions that paid it. */
  readonly sessions: ReadonlyArray<PaymentSessionId>
}

/** Whether the terms allow a free move at `now`. */
export const isFree = (booking: Pick<BookingRow, "starts_at" | "terms">, now: Instant): boolean =>
  now <= (freeRescheduleUntil(booking.starts_at, booking.terms) ?? -Infinity)

/** Why a booking can't be rescheduled now, for any visit; undefined if it can. Payments are not considered. */
export const rescheduleRefusal = (
  booking: Pick<BookingRow, "starts_at" | "status" | "terms">,
  by: RescheduleRequest["by"],
  now: Instant
): RescheduleProblem | undefined => {
  if (booking.status !== "confirmed") return "not_confirmed"
  if (booking.starts_at <= now) return "begun"
  return by === "family" && !isFree(booking, now) ? "not_free" : undefined
}

/** Whether a visit has the booking's package, party and add-ons. */
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

/** How long a family has to pay a balance that would be due at once, unless the visit starts earlier. */
const balanceAfterMoveMs = 2 * dayMs

/**
 * The price of the new visit. Payments made count as `due_now`; the rest is the balance, due by the package's terms, or
 * in time to be paid if that has passed. A rest that is too little to be charged is waived.
 */
const priceAfter = (
  { balance_due_at, price }: Quote,
  settled: number,
  { now, start, zone }: { readonly now: Instant; readonly start: Instant; readonly zone: string }
): Price => {
  const { balance_due: _, balance_due_at: __, ...quoted } = price
  const due_now = Math.min(settled, price.total)
  const more = price.total - due_now
  const rest = waive(quoted, isBelowMinimumCharge(more, price.currency) ? more : 0)
  const balance_due = rest.total - due_now
  const dueAt = balance_due_at ?? Math.min(start, now + balanceAfterMoveMs)
  return {
    ...rest,
    due_now,
    display_due_now: display(due_now, price.currency),
    ...(balance_due > 0 && { balance_due, balance_due_at: format(zone, dueAt) })
  }
}

/** A move, before it is stored. */
export interface ReschedulePlan {
  /** The booking with the new visit. `payment` changes its `payment_status`. */
  readonly row: BookingRow
  readonly payment: PaymentEvent | undefined
  /** The amount paid beyond the new total, in minor units. */
  readonly refund: number
}

/** What a person is told that a move does, for `ShownState.ts`. The option's id stands for the new visit. */
export const moveOutcome = ({
  refund,
  row: { due_now, option_id, total }
}: Pick<ReschedulePlan, "refund" | "row">) => ({
  option_id,
  total,
  due_now,
  refund
})

const paymentOf = ({ payment_status }: BookingRow, row: BookingRow, refund: number): PaymentEvent | undefined => {
  if (refund > 0) return "refund_requested"
  const rest = row.total - row.due_now
  if (rest > 0) return payment_status === "paid" ? "more_due" : undefined
  return payment_status === "deposit_paid" ? "all_paid" : undefined
}

/**
 * The booking after a move: new visit, party and price. Refund tiers, deposit and deadlines stay as agreed, and count
 * from the earliest start that the booking ever had.
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
    release_unpaid_after_hours: ______,
    ...visit
  } = termsOf(agreement)
  const price = priceAfter(quote, settled, { now, start, zone: visit.time_zone })
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

/** The changes of a move, for the history: old → new. */
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

/** A line of the history about a move: what changed, by whom, why, and what it means for the money. */
export const moveHistory = (from: BookingRow, { refund, row }: ReschedulePlan, { by, reason }: RescheduleRequest) => {
  const waived = waivedIn(row.terms.price)
  const more = row.total - row.due_now - (from.total - from.due_now)
  return [
    rescheduleText(from, row),
    by === "family" ? "by the family on its page" : "by the operator",
    ...(reason === undefined || reason.trim() === "" ? [] : [reason.trim()]),
    ...(refund > 0 ? [`${display(refund, row.currency)} will be refunded`] : []),
    ...(waived > 0 ? [`${display(waived, row.currency)} more is too little to be charged, and waived`] : []),
    ...(more > 0 && row.total > from.total
      ? [`${display(row.total - from.total, row.currency)} more is to be paid`]
      : [])
  ].join("; ")
}
