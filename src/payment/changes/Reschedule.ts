/** What moving a booking asks and answers, why it is refused, and what it goes by: pure. */
import { Schema } from "effect"
import type {
  BookingCancelled,
  BookingNotFound,
  BookingRow,
  HoldExpired,
  KeepsChanging
} from "../../booking/Booking.ts"
import type { OptionInvalid, PriceChanged, SlotUnavailable } from "../../availability/BookingOption.ts"
import type { VisitRequest } from "../../availability/Decision.ts"
import { freeMoveUntil, type Settled } from "../../booking/Move.ts"
import type { OperatorUnavailable } from "../../catalogue/Playroom.ts"
import { BookingId } from "../../kernel/Ids.ts"
import type { Instant } from "../../kernel/LocalTime.ts"
import type { Money } from "../../kernel/Money.ts"
import type { SqlError } from "effect/sql"
import {
  countsForBooking,
  isBalancePaid,
  isOpen,
  ownPayments,
  refundable,
  type RefundRow,
  settledByDashboard
} from "../refunds/Refund.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"

/** Why a booking is not moved. The last five are about what a family may do itself. */
const MoveProblem = Schema.Literals([
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
export type MoveProblem = typeof MoveProblem.Type

/** What is wrong, and what to do. */
const problems: Record<MoveProblem, string> = {
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
export class MoveRefused extends Schema.TaggedError<MoveRefused>()("MoveRefused", {
  booking_id: BookingId,
  reason: MoveProblem
}) {
  override get message(): string {
    return `${this.booking_id} is not moved. ${problems[this.reason]}`
  }
}

/** A move that is asked for. */
export interface MoveRequest {
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
export interface Move {
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

export type MoveError =
  | BookingNotFound
  | BookingCancelled
  | HoldExpired
  | MoveRefused
  | OptionInvalid
  | OperatorUnavailable
  | PriceChanged
  | SlotUnavailable
  | KeepsChanging
  | SqlError.SqlError

/** A booking's payments, and what went back of them. */
export interface Payments {
  readonly all: ReadonlyArray<PaymentSessionRow>
  readonly known: ReadonlyArray<RefundRow>
}

/** Whether money that is to go back has not gone back yet. */
export const isUnsettled = (refund: RefundRow, known: ReadonlyArray<RefundRow>): boolean =>
  countsForBooking(refund, known) &&
  (isOpen(refund) || (refund.status === "failed" && refund.failure !== settledByDashboard))

/** What of a booking is paid, before it moves. */
export const settledBy = (booking: BookingRow, { all, known }: Payments): Settled => {
  return {
    ...refundable(all, known),
    settled: isBalancePaid(booking, all, known) ? booking.total : booking.due_now,
    sessions: ownPayments(all, known).map(({ payment_session_id }) => payment_session_id)
  }
}

/** Whether the terms give a free move at `now`. */
export const isFree = (booking: BookingRow, now: Instant): boolean => now <= (freeMoveUntil(booking) ?? -Infinity)

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
