/** A booking: its row and its errors. */

import { Schema } from "effect"
import type { Guest } from "../../platform/access/ApiKeys.ts"
import { AddOnId, BookingId, PackageId, PaymentSessionId, PlayroomId, Reference } from "../../platform/ids/Ids.ts"
import { Money } from "../../platform/money/Money.ts"
import { InstantFromDate, type Instant } from "../../platform/time/LocalTime.ts"
import { Exception } from "../availability/Exceptions.ts"
import { InvitedGuests } from "./InvitedGuests.ts"
import { Claim } from "../availability/Units.ts"
import { Mode, PriceCode } from "../catalogue/Package.ts"
import { Answers } from "../catalogue/Questions.ts"
import { AddOnChoice, Price } from "../catalogue/Pricing.ts"
import { CancellationTier, refundDue } from "../catalogue/RefundSchedule.ts"
import { Deposit } from "../catalogue/Terms.ts"

export const BookingStatus = Schema.Literals(["held", "confirmed", "expired", "cancelled"])
export type BookingStatus = typeof BookingStatus.Type

export const PaymentStatus = Schema.Literals([
  "not_required",
  "unpaid",
  "processing",
  "deposit_paid",
  "paid",
  "failed",
  "refund_pending",
  "refunded",
  "partially_refunded"
])
export type PaymentStatus = typeof PaymentStatus.Type

/** The payment session as the tools show it. */
export const PaymentSessionView = Schema.Struct({
  payment_session_id: PaymentSessionId.annotate({ description: "Its id." }),
  booking_id: BookingId.annotate({ description: "It pays." }),
  purpose: Schema.Literals(["due_now", "balance"]).annotate({ description: "What it pays." }),
  status: Schema.Literals(["open", "processing", "paid", "failed", "expired"]).annotate({
    description: "State."
  }),
  url: Schema.optionalKey(Schema.String.annotate({ description: "To pay at." })),
  amount: Money.annotate({ description: "To be paid." }),
  expires_at: Schema.optionalKey(Schema.String.annotate({ description: "Pay before." })),
  expires_in: Schema.optionalKey(Schema.String.annotate({ description: "While open." }))
})
export type PaymentSessionView = typeof PaymentSessionView.Type

/** One line of a booking's history. */
export const HistoryEntry = Schema.Struct({
  at: Schema.String.annotate({ description: "RFC 3339." }),
  event: Schema.String.annotate({ description: "What." }),
  detail: Schema.optionalKey(Schema.String.annotate({ description: "More." }))
})
export type HistoryEntry = typeof HistoryEntry.Type

/** What is booked, in what a change of it may change. The start: milliseconds; the total: minor units. */
const VisitFacts = Schema.Struct({
  starts_at: Schema.Int,
  playroom_name: Schema.String,
  package_name: Schema.String,
  children: Schema.Int,
  adults: Schema.Int,
  total: Schema.Int,
  /** The extras in words, where others were chosen; empty: none. */
  extras: Schema.optionalKey(Schema.String),
  /** Whom it is for, where that was corrected. */
  contact_name: Schema.optionalKey(Schema.String),
  contact_email: Schema.optionalKey(Schema.String)
})

/**
 * What a line of the history says beside its event, for a reader of any language (table `booking_history`, column
 * `facts`). Amounts are minor units of the booking's currency.
 */
export const HistoryFacts = Schema.Struct({
  /** What was booked before, and what is since. */
  from: Schema.optionalKey(VisitFacts),
  to: Schema.optionalKey(VisitFacts),
  /** Which other details changed; the history keeps only these names, and of extras what they were. */
  others: Schema.optionalKey(Schema.Array(Schema.Literals(["ages", "extras", "notes", "phone"]))),
  /** The extras that a move loses, in words. */
  without: Schema.optionalKey(Schema.String),
  /** What was paid; below 0 if that was undone. */
  paid: Schema.optionalKey(Schema.Int),
  /** What goes back, or went. */
  refund: Schema.optionalKey(Schema.Int),
  /** How that was paid, or went back, without the provider. */
  way: Schema.optionalKey(Schema.Literals(["cash", "card", "transfer", "voucher"])),
  /** What of a new price is too little to be charged. */
  waived: Schema.optionalKey(Schema.Int),
  /** What the terms would have given back, if it is not that. */
  by_terms: Schema.optionalKey(Schema.Int),
  /** What is still to be paid. */
  left: Schema.optionalKey(Schema.Int),
  /** The rules that the venue set aside. */
  exceptions: Schema.optionalKey(Schema.Array(Exception)),
  /** Why, in the words of who did it. */
  reason: Schema.optionalKey(Schema.String),
  /** Who did it, if that is nobody at the venue, whose names stand beside. */
  by: Schema.optionalKey(Schema.Literal("family"))
})
export type HistoryFacts = typeof HistoryFacts.Type

/** The same for the venue. */
export interface VenueHistoryEntry extends HistoryEntry {
  /** The same as `detail`, in parts; absent for most events, and of lines of earlier releases. */
  readonly facts?: HistoryFacts
  /** Who at the venue did it. */
  readonly done_by?: string
}

/** What a venue marks of a visit: the family arrived, or did not come. */
export const Attendance = Schema.Literals(["arrived", "no_show"])
export type Attendance = typeof Attendance.Type

/** The agreed terms, a snapshot in the booking's `terms` column. Later catalogue edits do not change it. */
export const BookingTerms = Schema.Struct({
  playroom_name: Schema.String,
  operator_name: Schema.String,
  address: Schema.String,
  package_name: Schema.String,
  time_zone: Schema.String,
  /**
   * The start by the clock of that zone, with its offset when the visit was agreed (RFC 3339): a visit stays at its
   * hour, also when a law changes the clock (`WallClock.ts`). Absent, or of another instant, where a release that did
   * not write it made or moved the booking, until a node fills it in.
   */
  local_start: Schema.optionalKey(Schema.String),
  mode: Mode,
  add_ons: Schema.Array(AddOnChoice),
  price: Price,
  cancellation: Schema.Array(CancellationTier),
  /** The part of the payment that no cancellation refunds, in minor units. */
  non_refundable: Schema.Int,
  /** Absent if the whole price was due when booking. */
  deposit: Schema.optionalKey(Deposit),
  claims: Schema.Array(Claim),
  /** The quantity of each add-on, even without stock: stock may be set later. */
  add_ons_used: Schema.Array(Schema.Struct({ add_on_id: AddOnId, quantity: Schema.Int })),
  final_headcount_hours_before: Schema.optionalKey(Schema.Int),
  /** The party may grow, and not become smaller. */
  party_may_shrink: Schema.optionalKey(Schema.Literal(false)),
  free_reschedule_hours_before: Schema.optionalKey(Schema.Int),
  /** What was not due when booking is paid at the venue, and not by link. */
  balance_at_venue: Schema.optionalKey(Schema.Literal(true)),
  /** So long after the balance was due, its places are released if it is unpaid. Absent: they are kept. */
  release_unpaid_after_hours: Schema.optionalKey(Schema.Int),
  /** When the places were released because the balance was unpaid, in milliseconds. */
  released_at: Schema.optionalKey(Schema.Int),
  /**
   * Set by a move, in milliseconds: the earliest start that the booking ever had, and the one before the last move.
   * Deadlines of refunds and free moves count from the earliest, so a move never improves them.
   */
  earliest_start: Schema.optionalKey(Schema.Int),
  moved_from: Schema.optionalKey(Schema.Int),
  /** Set by a move to another room: the name of the one before it. */
  moved_from_room: Schema.optionalKey(Schema.String),
  /**
   * Set by a move or another party, in minor units: the highest amount paid net of refunds by earlier ones, and the sum
   * of their refunds.
   */
  most_paid: Schema.optionalKey(Schema.Int),
  given_back_by_moves: Schema.optionalKey(Schema.Int),
  /** What a person gave back beside the price, in minor units. No later price counts it as paid back. */
  goodwill: Schema.optionalKey(Schema.Int),
  /**
   * Sessions paid before the last move or change of party, or before the last payment of a part at the venue. `due_now`
   * includes them, and a later payment is no duplicate of them.
   */
  settled_sessions: Schema.optionalKey(Schema.Array(PaymentSessionId)),
  /** By how much its price would be below zero, in minor units (`changedPrice`). */
  credit: Schema.optionalKey(Schema.Int),
  /** The code that it was sold with, which holds for it as it was then, whatever it is today. */
  code: Schema.optionalKey(PriceCode)
})
export type BookingTerms = typeof BookingTerms.Type

const NullOr = Schema.NullOr

/** A row of the `booking` table. Instants are milliseconds, money is minor units of `currency`. */
export const BookingRow = Schema.Struct({
  booking_id: BookingId,
  reference: Reference,
  operator_id: Schema.String,
  playroom_id: PlayroomId,
  package_id: PackageId,
  key_id: Schema.String,
  option_id: Schema.String,
  status: BookingStatus,
  payment_status: PaymentStatus,
  starts_at: InstantFromDate,
  ends_at: InstantFromDate,
  children: Schema.Int,
  adults: Schema.Int,
  contact_name: Schema.String,
  contact_email: Schema.String,
  contact_phone: NullOr(Schema.String),
  child_ages: Schema.Array(Schema.Int),
  notes: NullOr(Schema.String),
  /** To the venue's questions. */
  answers: Answers,
  guests: InvitedGuests,
  currency: Schema.String,
  total: Schema.Int,
  due_now: Schema.Int,
  paid: Schema.Int,
  refunded: Schema.Int,
  /** Whether the family came, as the venue marked it. */
  attendance: NullOr(Attendance),
  /** The refunded amount with which a person left it confirmed, though all that was paid had gone back. */
  kept_refunded: NullOr(Schema.Int),
  terms: BookingTerms,
  hold_expires_at: NullOr(InstantFromDate),
  /** A payment session is live at the provider. */
  awaiting_provider: Schema.Boolean,
  /** How often its links were renewed; null: never. */
  link_counter: NullOr(Schema.Int),
  created_at: InstantFromDate
})
export type BookingRow = typeof BookingRow.Type

/**
 * The booking does not exist, belongs to another key, or has another e-mail address. The error is the same, so a key
 * learns nothing of other bookings.
 */
export class BookingNotFound extends Schema.TaggedError<BookingNotFound>()("BookingNotFound", {
  /** The caller is a guest, who can reach a booking in other ways than an API key can. */
  guest: Schema.optionalKey(Schema.Literal(true))
}) {
  override readonly message = "There is no such booking."
}

/** The error for a caller. */
export const notFoundBy = ({ guest }: { readonly guest?: Guest | undefined }): BookingNotFound =>
  new BookingNotFound(guest === undefined ? {} : { guest: true })

/** Look-ups by reference and e-mail address found nothing too often within an hour. */
export class TooManyLookups extends Schema.TaggedError<TooManyLookups>()("TooManyLookups", {
  retry_after_seconds: Schema.Int
}) {
  override readonly message = "Too many look-ups by reference and e-mail address found nothing."
}

/** Another guest has a live booking of this option for this e-mail address and name. It tells nothing more. */
export class AlreadyBooked extends Schema.TaggedError<AlreadyBooked>()("AlreadyBooked", {}) {
  override readonly message = "Another guest's live booking has this option, e-mail address and name."
}

/** The idempotency key was used with other arguments. */
export class IdempotencyConflict extends Schema.TaggedError<IdempotencyConflict>()("IdempotencyConflict", {}) {
  override readonly message = "The idempotency key was used before, with other arguments."
}

/** The catalogue or another call changed during every attempt. Nothing was written. */
export class KeepsChanging extends Schema.TaggedError<KeepsChanging>()("KeepsChanging", {}) {
  override readonly message =
    "The playroom's catalogue, or another call, kept changing what the booking was decided by."
}

/**
 * The limit on live holds is reached: those of an API key or an e-mail address. For guests the limit is on bookings of
 * which nothing is paid: of one guest, of one person on the day of the visit, or of all guests of one network (an IPv4
 * address or a /64 of IPv6: `guest_address`; a /48: `guest_network`) on that day of the playroom.
 */
export class TooManyHolds extends Schema.TaggedError<TooManyHolds>()("TooManyHolds", {
  per: Schema.Literals(["key", "email", "guest", "guest_free", "guest_day", "guest_address", "guest_network"]),
  /** The most allowed. A share has none: it is a part of what others leave. */
  limit: Schema.optionalKey(Schema.Int),
  /** So many were asked for by one call. Absent: one. */
  at_once: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    return `There are as many unpaid bookings already as there may be (${this.per}).`
  }
}

export class HoldExpired extends Schema.TaggedError<HoldExpired>()("HoldExpired", { booking_id: BookingId }) {
  override get message(): string {
    return `The hold of ${this.booking_id} has expired.`
  }
}
export class BookingCancelled extends Schema.TaggedError<BookingCancelled>()("BookingCancelled", {
  booking_id: BookingId
}) {
  override get message(): string {
    return `${this.booking_id} is cancelled already.`
  }
}
/** Nothing is due for this purpose, or no longer. */
export class NothingDue extends Schema.TaggedError<NothingDue>()("NothingDue", {
  booking_id: BookingId,
  why: Schema.String,
  paid: Money,
  /** The amount that must be paid first. */
  due_now: Schema.optionalKey(Money),
  /** The balance that is left, if another purpose was asked for. */
  balance: Schema.optionalKey(Money),
  /** Money has come that is not what was asked for: until a person has decided about it, nothing is to be paid. */
  under_review: Schema.optionalKey(Money)
}) {
  override get message(): string {
    return `There is nothing to pay for ${this.booking_id}: ${this.why}`
  }
}

// The refund of a cancellation. Pure, so a preview shows exactly what is refunded.

/** A booking's refunds, made or under way, and the rest of its payments: minor units. */
export interface RefundState {
  readonly given_back: number
  readonly left: number
  /** Goodwill that failed to go back, and is still owed: no part of `given_back`. Absent: none. */
  readonly goodwill_failed?: number
}

/** What of `given_back` was goodwill, by a booking's terms. Minor units. */
export const goodwillIn = (
  { goodwill = 0 }: Pick<BookingTerms, "goodwill">,
  { goodwill_failed = 0 }: Pick<RefundState, "goodwill_failed">
): number => Math.max(0, goodwill - goodwill_failed)

/** The refund by the booking's terms for a cancellation at `now`; used by cancellations and previews. */
export const refundByTerms = (
  booking: Pick<BookingRow, "currency" | "paid" | "starts_at"> & {
    readonly terms: Pick<
      BookingTerms,
      "cancellation" | "non_refundable" | "earliest_start" | "most_paid" | "given_back_by_moves" | "goodwill"
    >
  },
  state: RefundState,
  now: Instant
): ReturnType<typeof refundDue> => {
  const { currency, paid, starts_at, terms } = booking
  const { given_back: refunded, left } = state
  const due = refundDue({ ...terms, goodwill: goodwillIn(terms, state), currency, paid, refunded, starts_at, now })
  return { ...due, amount: Math.min(due.amount, left) }
}
