/**
 * A change of what is booked: another start, package or room of the same operator ("move" in texts for people), or
 * another party at its own start. What it is, and why it is refused. Pure.
 */
import { Schema } from "effect"
import { maxChildren, unitsOf } from "../availability/Availability.ts"
import type { VisitRequest } from "../availability/Decision.ts"
import type { Place } from "../availability/Units.ts"
import type { Package } from "../catalogue/Package.ts"
import type { Playroom } from "../catalogue/Playroom.ts"
import type { Party } from "../catalogue/Pricing.ts"
import { freeRescheduleUntil, partyChangeUntil } from "../catalogue/VisitTerms.ts"
import { BookingId, type PackageId, type PaymentSessionId } from "../../platform/ids/Ids.ts"
import { type Instant, minuteMs } from "../../platform/time/LocalTime.ts"
import type { Money } from "../../platform/money/Money.ts"
import type { BookingRow, RefundState } from "./Booking.ts"
import type { Extra } from "./BookingRequest.ts"
import { isLiveBooking } from "./Lifecycle.ts"
import { childrenText, counted } from "../../platform/text/Text.ts"

/** `move`: to another start or package. `party`: another party at the booking's own start. */
export type ChangeKind = "move" | "party"

/** Why a booking is not changed. */
const ChangeProblem = Schema.Literals([
  "not_confirmed",
  "begun",
  "same_visit",
  "other_playroom",
  "other_currency",
  "payment_open",
  "payment_processing",
  "refund_pending",
  "reason_needed",
  // For families.
  "not_free",
  "headcount_final",
  "other_party",
  "too_many_unpaid",
  // Of another party.
  "not_sold",
  "party_size",
  "no_room",
  "closed"
])
export type ChangeProblem = typeof ChangeProblem.Type

/** The problem, and what to do about it. */
const problems: Record<ChangeProblem, string> = {
  not_confirmed: "It is not paid yet: pay what is due first, or cancel it and book the other option.",
  begun: "The visit has begun or is over.",
  same_visit: "It has this visit already.",
  other_playroom: "The option is for another playroom: ask the operator.",
  other_currency: "The playroom has another currency than the booking: cancel the booking and book anew.",
  payment_open:
    "A page on which its balance can be paid is open, and could not be closed: try again once it is paid, or its time is up.",
  payment_processing: "A payment for it is being processed: try again once that has arrived or failed.",
  refund_pending:
    "Money for it is on its way back, or could not be paid back: try again once that refund is settled (playroom doctor names those that need a person).",
  reason_needed: "Its terms allow no such change now: give the reason, which is kept in the booking's history.",
  not_free: "Its terms give no free move now: ask the operator.",
  headcount_final: "The headcount is final: ask the operator.",
  other_party: "The option is for another package, another party or other add-ons: ask the operator.",
  too_many_unpaid:
    "Nothing is paid of it, and as many such bookings are on that day as there may be: choose another day, or ask the operator.",
  not_sold: "Its package or an add-on of it is no longer sold as it was booked: cancel the booking and book anew.",
  party_size: "Its package is not for a party of that size.",
  no_room: "There is no room for that party at its start.",
  closed: "The playroom is closed at its start."
}

/** What fits instead: how many children and adults the package takes, or how many units are free of the resource. */
export const PartyLimits = Schema.Struct({
  least_children: Schema.optionalKey(Schema.Int),
  most_children: Schema.optionalKey(Schema.Int),
  most_adults: Schema.optionalKey(Schema.Int),
  /** The add-on of which too little is left; absent if it is places. */
  add_on_id: Schema.optionalKey(Schema.String),
  left: Schema.optionalKey(Schema.Int)
})
export type PartyLimits = typeof PartyLimits.Type

const limitsText = ({ add_on_id, least_children, left, most_adults, most_children }: PartyLimits): string => {
  const of = add_on_id === undefined ? "children" : `of ${add_on_id}`
  const parts = [
    ...(least_children === undefined ? [] : [childrenText(least_children, most_children)]),
    ...(most_adults === undefined ? [] : [`up to ${counted(most_adults, "adult")}`]),
    ...(left === undefined ? [] : [`at most ${left} ${of}`])
  ]
  return parts.length === 0 ? "" : ` It takes ${parts.join(", ")}.`
}

/** The booking is not changed at all. */
export class ChangeRefused extends Schema.TaggedError<ChangeRefused>()("ChangeRefused", {
  booking_id: BookingId,
  reason: ChangeProblem,
  limits: Schema.optionalKey(PartyLimits)
}) {
  override get message(): string {
    const { booking_id, limits = {}, reason } = this
    return `${booking_id} is not changed. ${problems[reason]}${limitsText(limits)}`
  }
}

/** The wanted party of a booking and its details. What is left out stays as it is. */
export interface PartyChange extends Partial<Party> {
  /** Empty: none are told. If left out, ages that no longer fit the party are removed. */
  readonly child_ages?: ReadonlyArray<number>
  readonly notes?: string | null
  readonly contact_phone?: string | null
}

/**
 * A package that a booking may move to. `alike`: it has the name and the mode of the booking's own, which it is itself
 * in its own room.
 */
export interface RoomPackage {
  readonly playroom: Playroom
  readonly package_id: PackageId
  readonly package_name: string
  readonly alike: boolean
}

/**
 * Who changes a booking. A family keeps room, package, party and add-ons when it moves, and must be within the
 * deadlines of its terms.
 */
export type ChangedBy = "family" | "staff" | "operator"

/** The result of a change, or of its preview. */
export interface ChangedBooking {
  /** `details`: only the telephone number, the wishes or the ages, which cost nothing and have no deadline. */
  readonly kind: ChangeKind | "details"
  readonly from: BookingRow
  /** The booking after the change. */
  readonly booking: BookingRow
  /** The new total less the old one, in minor units. */
  readonly difference: number
  /** The extras that it lost, because they were not taken along. */
  readonly without: ReadonlyArray<Extra>
  /** The refund. */
  readonly refund: Money
  /** The part of it that was paid at the venue, which gives it back by hand. */
  readonly by_hand: Money
  /**
   * What of a lower price is no refund, because earlier refunds have given it back: the operator's own, or a dispute.
   */
  readonly back_before: Money
  /** What a person gave back beside the price: it stays, and the change does not count it. */
  readonly goodwill: Money
  /** The amount still to pay. */
  readonly balance: Money
  /** What of the new price nobody pays, because it is too little to be charged. */
  readonly waived: Money
  /** Whether the terms allow the change now. */
  readonly free: boolean
  /** The places that it would take, in a preview of one of a plan. */
  readonly places?: ReadonlyArray<Place>
}

/** The payments of a booking before a change: amounts in minor units. */
export interface Settled extends RefundState {
  /** The part of the total that counts as paid, before refunds. */
  readonly settled: number
  /** The sessions that paid it. */
  readonly sessions: ReadonlyArray<PaymentSessionId>
  /** What of a refund of this amount was paid at the venue, which gives it back by hand. */
  readonly byHand: (refund: number) => number
}

/** Until when the terms allow a change of this kind; undefined if never. */
const freeUntil = ({ starts_at, terms }: Pick<BookingRow, "starts_at" | "terms">, kind: ChangedBooking["kind"]) => {
  if (kind === "details") return starts_at
  return kind === "move" ? freeRescheduleUntil(starts_at, terms) : partyChangeUntil(starts_at, terms)
}

/** Whether the terms allow a change of this kind at `now`. */
export const isFree = (
  booking: Pick<BookingRow, "starts_at" | "terms">,
  kind: ChangedBooking["kind"],
  now: Instant
): boolean => now <= (freeUntil(booking, kind) ?? -Infinity)

/** Why a booking can't be changed now, for any visit; undefined if it can. Payments are not considered. */
export const changeRefusal = (
  booking: Pick<BookingRow, "starts_at" | "status" | "terms">,
  kind: ChangeKind,
  by: ChangedBy,
  now: Instant
): ChangeProblem | undefined => {
  if (booking.status !== "confirmed") return "not_confirmed"
  if (booking.starts_at <= now) return "begun"
  if (by !== "family" || isFree(booking, kind, now)) return undefined
  return kind === "move" ? "not_free" : "headcount_final"
}

/**
 * Whether a price in this currency can take the place of a booking's: in another one, nothing that was paid can be set
 * off.
 */
export const isOwnCurrency = (booking: Pick<BookingRow, "currency">, currency: string): boolean =>
  currency === booking.currency

/** Whether the telephone number, the wishes and the ages of a booking can be changed: they cost nothing. */
export const areDetailsOpen = (booking: Pick<BookingRow, "starts_at" | "status">, now: Instant): boolean =>
  isLiveBooking(booking) && now < booking.starts_at

/** The party of a booking. */
export const partyOf = ({ adults, children, terms }: BookingRow): Party => ({
  children,
  adults,
  add_ons: terms.add_ons
})

const addOnsText = ({ add_ons }: Party): string =>
  add_ons
    .map(({ add_on_id, quantity }) => `${add_on_id} ${quantity}`)
    .sort()
    .join()

/** Whether two parties are the same, with the same add-ons. */
export const isSameParty = (a: Party, b: Party): boolean =>
  a.children === b.children && a.adults === b.adults && addOnsText(a) === addOnsText(b)

/** Whether a booking has the same visit at two moments. */
export const isSameVisit = (a: BookingRow, b: BookingRow): boolean =>
  isVisitOf(a, { pkg: b, start: b.starts_at, party: partyOf(b) })

/** Whether a booking has this visit already. */
export const isVisitOf = (
  booking: BookingRow,
  { party, pkg, start }: Pick<VisitRequest, "party" | "start"> & { readonly pkg: Pick<Package, "package_id"> }
): boolean =>
  booking.package_id === pkg.package_id && booking.starts_at === start && isSameParty(partyOf(booking), party)

/** Whether a visit keeps a booking's start and package. A package is of one playroom. */
export const kindOf = (
  { package_id, starts_at }: Pick<BookingRow, "package_id" | "starts_at">,
  { pkg, start }: Pick<VisitRequest, "pkg" | "start">
): ChangeKind => (pkg.package_id === package_id && start === starts_at ? "party" : "move")

/** What of a party's package and add-ons fits, for a refusal. */
export const limitsOf = ({ party, pkg, venue }: Omit<VisitRequest, "agreed">): PartyLimits => {
  const stocks = party.add_ons.flatMap(({ add_on_id }) => {
    const addOn = venue.add_ons.find((one) => one.add_on_id === add_on_id)
    return addOn?.unit === "per_child" && addOn.stock !== undefined ? [unitsOf(venue, add_on_id)] : []
  })
  return {
    least_children: pkg.min_children,
    most_children: Math.min(maxChildren(venue, pkg), ...stocks),
    ...(pkg.max_adults === undefined ? {} : { most_adults: pkg.max_adults })
  }
}

/**
 * Whether a booking's party can be priced today: its add-ons are sold, and its package lasts as long, in the same mode,
 * as when it was booked.
 */
export const isSoldAsBooked = (
  { ends_at, starts_at, terms }: BookingRow,
  { pkg, venue }: Pick<VisitRequest, "pkg" | "venue">
): boolean =>
  pkg.mode === terms.mode &&
  starts_at + pkg.duration_minutes * minuteMs === ends_at &&
  terms.add_ons.every(({ add_on_id }) => venue.add_ons.some((one) => one.add_on_id === add_on_id))
