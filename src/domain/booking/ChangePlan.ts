/** What a change makes of a booking: the new row with its price, and what goes back. Pure. */
import { ageIssues, claimsFor, type Taking, maxChildren, unitsOf } from "../availability/Availability.ts"
import type { SoldWith, VenueAsSold } from "../catalogue/Catalogue.ts"
import { type Playroom, type Venue, withAnyAccount } from "../catalogue/Playroom.ts"
import {
  type Price,
  waivedIn,
  changedPrice,
  quote as quoteOf,
  totalAt,
  type Quote,
  waive,
  type Party
} from "../catalogue/Pricing.ts"
import { countedRefunds, deadlineStart } from "../catalogue/RefundSchedule.ts"
import { type Extra, type Agreement, termsOf } from "./BookingRequest.ts"
import { isBelowMinimumCharge } from "../../platform/money/Charge.ts"
import { dayMs, format, type Instant, minuteMs, shortDateTime } from "../../platform/time/LocalTime.ts"
import { display, money, type Money } from "../../platform/money/Money.ts"
import { type BookingRow, goodwillIn, type HistoryFacts, type RefundState } from "./Booking.ts"
import { type Change, isErased } from "./BookingRecords.ts"
import { type PaymentEvent, isLiveBooking } from "./Lifecycle.ts"
import { childrenText, counted } from "../../platform/text/Text.ts"
import { Schema, Struct } from "effect"
import type { VisitRequest } from "../availability/Decision.ts"
import { type Exception, exceptionsText } from "../availability/Exceptions.ts"
import type { Place } from "../availability/Units.ts"
import { pricesByAge } from "../catalogue/ChildPrices.ts"
import { keepingCode } from "../catalogue/Codes.ts"
import type { Package } from "../catalogue/Package.ts"
import { freeRescheduleUntil, partyChangeUntil } from "../catalogue/VisitTerms.ts"
import { BookingId, type PackageId, type PaymentSessionId } from "../../platform/ids/Ids.ts"

// A change of what is booked: another start, package or room of the same operator ("move" in texts for people), or
// another party at its own start. What it is, and why it is refused. Pure.

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
  "only_grows",
  "other_party",
  "too_many_unpaid",
  // Of another party.
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
  only_grows: "By its terms the party may grow, but not become smaller: ask the operator.",
  other_party: "The option is for another package, another party or other add-ons: ask the operator.",
  too_many_unpaid:
    "Nothing is paid of it, and as many such bookings are on that day as there may be: choose another day, or ask the operator.",
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
  readonly contact_name?: string
  readonly contact_email?: string
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
  /** `details`: only the contact, the wishes or the ages, which cost nothing and have no deadline. */
  readonly kind: ChangeKind | "details"
  readonly from: BookingRow
  /** The booking after the change. */
  readonly booking: BookingRow
  /** The rules that the venue sets aside for it. */
  readonly exceptions: ReadonlyArray<Exception>
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

/** Whether the wishes and the ages of a booking can be changed: they cost nothing. */
export const areDetailsOpen = (booking: Pick<BookingRow, "starts_at" | "status">, now: Instant): boolean =>
  isLiveBooking(booking) && now < booking.starts_at

const isContactAlone = (details: PartyChange): boolean =>
  Object.keys(Struct.omit(details, ["contact_email", "contact_name", "contact_phone"])).length === 0

/**
 * Whether these details of a booking can be changed. Whom it is for can be corrected as long as that is known: letters
 * are written after the visit, too, and after a cancellation.
 */
export const canChangeDetails = (
  booking: Pick<BookingRow, "contact_email" | "starts_at" | "status">,
  details: PartyChange,
  now: Instant
): boolean => areDetailsOpen(booking, now) || (isContactAlone(details) && !isErased(booking))

/** The party of a booking, with the code that it was sold with. Ages are told of all its children, or of none. */
export const partyOf = ({ adults, child_ages, children, terms }: BookingRow): Party => ({
  children,
  adults,
  ...(child_ages.length === 0 ? {} : { child_ages }),
  add_ons: terms.add_ons,
  ...(terms.code === undefined ? {} : { code: terms.code.code })
})

/** Whether a party's ages make it cheaper than a booking's own, beside which only the further children have theirs. */
const isCheaperByAge = (
  { child_ages }: Pick<BookingRow, "child_ages">,
  { party, pkg, start, venue }: Omit<VisitRequest, "agreed">
): boolean => {
  if (party.child_ages === undefined || !pricesByAge(pkg)) return false
  const further = party.child_ages.toSorted((a, b) => a - b)
  for (const age of child_ages) if (further.includes(age)) further.splice(further.indexOf(age), 1)
  const own = child_ages.length === 0 ? [] : [...child_ages, ...further].slice(0, party.children)
  return totalAt(venue, pkg, party, start) < totalAt(venue, pkg, { ...party, child_ages: own }, start)
}

/**
 * Whether a visit is for fewer children or adults than a booking, or for children whose ages cost less, where the terms
 * allow no smaller party.
 */
export const shrinksAgainstTerms = (
  booking: Pick<BookingRow, "adults" | "child_ages" | "children" | "terms">,
  to: Omit<VisitRequest, "agreed">
): boolean =>
  booking.terms.party_may_shrink === false &&
  (to.party.children < booking.children || to.party.adults < booking.adults || isCheaperByAge(booking, to))

const addOnsText = ({ add_ons }: Party): string =>
  add_ons
    .map(({ add_on_id, quantity }) => `${add_on_id} ${quantity}`)
    .sort()
    .join()

/** Whether two parties are the same, with the same add-ons, whatever their ages are. */
export const isSameParty = (a: Party, b: Party): boolean =>
  a.children === b.children && a.adults === b.adults && addOnsText(a) === addOnsText(b)

/** Whether a booking has the same visit at two moments, for children of the same ages: its price may go by them. */
export const isSameVisit = (a: BookingRow, b: BookingRow): boolean =>
  isVisitOf(a, { pkg: b, start: b.starts_at, party: partyOf(b) }) && a.child_ages.join() === b.child_ages.join()

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

/** What a booking was sold with, for the catalogue. */
export const soldWith = ({ package_id, playroom_id, terms }: BookingRow): SoldWith => ({
  playroom_id,
  package_id,
  add_on_ids: terms.add_ons.map(({ add_on_id }) => add_on_id)
})

/**
 * The venue of a booking, by which its own party, ages, code and extras are within the limits, whatever these are today. What has
 * left the catalogue stays as it was, and the booking can't have more of it.
 */
export const asSold = (
  { adults, child_ages, children, package_id, terms }: BookingRow,
  { left, venue: today }: Pick<VenueAsSold, "left" | "venue">
): Venue => {
  const venue = keepingCode(today, terms.code)
  const own = new Map<string, number>(terms.add_ons.map(({ add_on_id, quantity }) => [add_on_id, quantity]))
  const { age_max, age_min } = venue.playroom
  return {
    ...withAnyAccount(venue),
    playroom: {
      ...venue.playroom,
      age_min: Math.min(age_min, ...child_ages),
      age_max: Math.max(age_max, ...child_ages)
    },
    packages: venue.packages.map((pkg) =>
      pkg.package_id !== package_id
        ? pkg
        : {
            ...pkg,
            min_children: Math.min(pkg.min_children, children),
            max_children: Math.max(pkg.max_children, children),
            ...(pkg.max_adults === undefined ? {} : { max_adults: Math.max(pkg.max_adults, adults) })
          }
    ),
    add_ons: venue.add_ons.map((addOn) => {
      const quantity = own.get(addOn.add_on_id)
      if (quantity === undefined) return addOn
      const hasLeft = left.includes(addOn.add_on_id)
      return {
        ...addOn,
        // Only items are more than one.
        unit: quantity > 1 ? "per_item" : addOn.unit,
        max_quantity: hasLeft ? quantity : Math.max(addOn.max_quantity, quantity)
      }
    })
  }
}

/** The package of a booking for a change of its party, which keeps its time and its mode. */
export const keepingVisit = ({ ends_at, starts_at, terms }: BookingRow, pkg: Package): Package => ({
  ...pkg,
  mode: terms.mode,
  duration_minutes: (ends_at - starts_at) / minuteMs
})

/** Whether a booking has all that a party takes. */
export const hasParty = (booking: BookingRow, { add_ons, adults, children }: Party): boolean =>
  children <= booking.children &&
  adults <= booking.adults &&
  add_ons.every(({ add_on_id, quantity }) =>
    booking.terms.add_ons.some((own) => own.add_on_id === add_on_id && quantity <= own.quantity)
  )

/** A change, before it is stored. `from`: the booking before it. */
export interface ChangePlan extends Pick<ChangedBooking, "from" | "kind" | "without"> {
  /** The booking after the change. `payment` changes its `payment_status`. */
  readonly row: BookingRow
  readonly payment: PaymentEvent | undefined
  /** The rules that the venue sets aside for it. */
  readonly exceptions: ReadonlyArray<Exception>
  /** Whether it makes the party smaller, or cheaper by age, against its terms. */
  readonly shrinks: boolean
  /** The extras in words, before and after. */
  readonly extras: readonly [from: string, to: string]
  /** In minor units: paid beyond the new total; still to pay; of the new price, what is too little to be charged. */
  readonly refund: number
  readonly balance: number
  /** The part of the refund that was paid at the venue. */
  readonly by_hand: number
  /** What of a lower price went back before. */
  readonly back_before: number
  readonly waived: number
}

/** How long a family has to pay a balance that would be due at once, unless the visit starts earlier. */
const balanceAfterChangeMs = 2 * dayMs

/**
 * The price after a change. Payments made count as `due_now`; the rest is the balance. A rest that is too little to be
 * charged is waived. `due_at`: when the rest is due; if undefined, in time to be paid.
 */
const priceAfter = (
  asked: Price,
  settled: number,
  due_at: Instant | undefined,
  { now, start, zone }: { readonly now: Instant; readonly start: Instant; readonly zone: string }
): Price => {
  const { balance_due: _, balance_due_at: __, ...quoted } = asked
  const due_now = Math.min(settled, asked.total)
  const more = asked.total - due_now
  const rest = waive(quoted, isBelowMinimumCharge(more, asked.currency) ? more : 0)
  const balance_due = rest.total - due_now
  return {
    ...rest,
    due_now,
    display_due_now: display(due_now, asked.currency),
    ...(balance_due > 0 && {
      balance_due,
      balance_due_at: format(zone, due_at ?? Math.min(start, now + balanceAfterChangeMs))
    })
  }
}

/**
 * When the balance of a booking with another party is due: what is unpaid stays due when it was, so that no change puts
 * it off. A new balance is due by the terms, if that is still ahead.
 */
const dueAfter = ({ terms, total }: BookingRow, { balance_due_at }: Quote, settled: number, now: Instant) => {
  const agreed = terms.price.balance_due_at === undefined ? undefined : Date.parse(terms.price.balance_due_at)
  return agreed !== undefined && (settled < total || agreed > now) ? agreed : balance_due_at
}

/** The time that a booking takes in its playroom, with set-up and clean-up; that of the visit if it has no claim. */
export const timeOf = ({ ends_at, playroom_id, starts_at, terms }: BookingRow): Taking => {
  const room = terms.claims.find(({ resource_id }) => resource_id === playroom_id)
  return { start: room?.start ?? starts_at, end: room?.end ?? ends_at }
}

/** The booking with other details. Ages that are not given and no longer fit the children are removed. */
const withDetails = (
  row: BookingRow,
  { child_ages, contact_email, contact_name, contact_phone, notes }: PartyChange,
  playroom: Pick<Playroom, "age_max" | "age_min"> | undefined
): BookingRow => ({
  ...row,
  child_ages:
    child_ages ??
    (playroom === undefined || ageIssues(playroom, row.children, row.child_ages).length === 0 ? row.child_ages : []),
  contact_name: contact_name ?? row.contact_name,
  contact_email: contact_email ?? row.contact_email,
  contact_phone: contact_phone === undefined ? row.contact_phone : contact_phone,
  notes: notes === undefined ? row.notes : notes
})

/** A change of details alone: it costs nothing, and needs no place. */
export const planDetails = (
  booking: BookingRow,
  { settled }: Settled,
  details: PartyChange,
  exceptions: ReadonlyArray<Exception>
): ChangePlan => ({
  kind: "details",
  from: booking,
  row: withDetails(booking, details, undefined),
  payment: undefined,
  exceptions,
  shrinks: false,
  extras: ["", ""],
  refund: 0,
  by_hand: 0,
  back_before: 0,
  balance: booking.total - settled,
  waived: 0,
  without: []
})

const paymentOf = ({ payment_status }: BookingRow, row: BookingRow, refund: number): PaymentEvent | undefined => {
  if (refund > 0) return "refund_requested"
  const rest = row.total - row.due_now
  if (rest > 0) return payment_status === "paid" ? "more_due" : undefined
  return payment_status === "deposit_paid" ? "all_paid" : undefined
}

/** The new price of a booking and its terms. A booking whose party changes keeps all that was agreed of its visit. */
const agreedAfter = (booking: BookingRow, agreement: Agreement, settled: number, by: ChangedBy, now: Instant) => {
  const { party, pkg, quote, start, venue } = agreement
  const {
    cancellation: _,
    deposit: __,
    final_headcount_hours_before: ___,
    free_reschedule_hours_before: ____,
    non_refundable: _____,
    release_unpaid_after_hours: ______,
    balance_at_venue: _______,
    party_may_shrink: ________,
    ...visit
  } = termsOf(agreement)
  const at = { now, start, zone: visit.time_zone }
  const atVenue = booking.terms.balance_at_venue === true
  if (kindOf(booking, agreement) === "move") {
    const { playroom_id, starts_at } = booking
    const { credit: _credit, ...terms } = booking.terms
    const countedFrom = deadlineStart(starts_at, terms)
    const earliest_start = by === "family" ? Math.min(countedFrom, start) : countedFrom
    const price = priceAfter(quote.price, settled, atVenue ? start : quote.balance_due_at, at)
    return {
      ...terms,
      ...visit,
      price,
      earliest_start,
      ...(start === starts_at ? {} : { moved_from: starts_at }),
      ...(venue.playroom.playroom_id === playroom_id ? {} : { moved_from_room: terms.playroom_name })
    }
  }
  const before = quoteOf(venue, pkg, partyOf(booking), start, now)
  const { credit: earlier, ...agreed } = booking.terms
  const { credit, price: asked } = changedPrice({ price: agreed.price, credit: earlier }, before.price, quote.price)
  const due_at = atVenue ? start : dueAfter(booking, quote, settled, now)
  return {
    ...agreed,
    ...(credit === 0 ? {} : { credit }),
    add_ons: party.add_ons,
    add_ons_used: visit.add_ons_used,
    claims: claimsFor(venue, pkg, party, start, timeOf(booking)),
    price: priceAfter(asked, settled, due_at, { ...at, zone: agreed.time_zone })
  }
}

/** Whether a booking pays as much for a price as for its own: a difference may be too little to be charged. */
export const costsTheSame = ({ currency, payment_status, total }: BookingRow, price: number): boolean =>
  price === total || (payment_status === "paid" && isBelowMinimumCharge(price - total, currency))

/** What further children cost of a booking: the first one, and whether each of the others costs the same. */
export interface FurtherChildren {
  readonly amount: number
  readonly each: boolean
  /** With them. */
  readonly most_children: number
}

/** The same at a moment, as a change of its party prices it; undefined if there can be none, or if it can't be told. */
export const furtherChildren = (
  booking: BookingRow,
  { pkg, venue }: Pick<VisitRequest, "pkg" | "venue">,
  now: Instant
): FurtherChildren | undefined => {
  const { children, currency, starts_at, terms } = booking
  const party = partyOf(booking)
  const { most_children = children } = limitsOf({ party, pkg, start: starts_at, venue })
  // What was credited by earlier changes makes it less (`changedPrice`), and so does the age of who comes.
  if (most_children <= children || (terms.credit ?? 0) > 0 || pricesByAge(pkg)) return undefined
  const totalOf = (count: number) => {
    const { price } = quoteOf(venue, pkg, { ...party, children: count }, starts_at, now)
    return price.total + waivedIn(price)
  }
  const beyond = (count: number) => totalOf(count) - totalOf(children)
  const amount = beyond(children + 1)
  if (amount < 0 || (amount > 0 && isBelowMinimumCharge(amount, currency))) return undefined
  return { amount, each: beyond(most_children) === amount * (most_children - children), most_children }
}

/**
 * The booking after a change: new visit or party, and its price. `without`: the extras that it loses. A move is priced
 * anew; another party costs the difference of today's prices (`changedPrice`). Refund tiers, deposit and deadlines stay
 * as agreed (`RefundSchedule.ts`).
 */
export const planChange = (
  booking: BookingRow,
  agreement: Agreement,
  option_id: string,
  { byHand, left, sessions, settled, ...state }: Settled,
  by: ChangedBy,
  now: Instant,
  without: ReadonlyArray<Extra> = [],
  details: PartyChange = {},
  exceptions: ReadonlyArray<Exception> = []
): ChangePlan => {
  const { party, pkg, start, venue } = agreement
  const terms = agreedAfter(booking, agreement, settled, by, now)
  const { price } = terms
  const extrasIn = ({ add_ons }: Pick<Party, "add_ons">) =>
    extrasText(
      add_ons.map(({ add_on_id, quantity }) => ({
        name: venue.add_ons.find((one) => one.add_on_id === add_on_id)?.name ?? add_on_id,
        quantity
      }))
    )
  const counted = countedRefunds({ refunded: state.given_back, goodwill: goodwillIn(booking.terms, state) })
  const beyond = booking.paid - price.total
  const refund = Math.max(0, Math.min(left, beyond - counted))
  const back_before = Math.max(0, Math.min(counted, beyond) - Math.max(0, booking.paid - booking.total))
  const { given_back_by_moves = 0, most_paid = 0 } = booking.terms
  const row: BookingRow = {
    ...booking,
    playroom_id: venue.playroom.playroom_id,
    package_id: pkg.package_id,
    option_id,
    starts_at: start,
    ends_at: start + pkg.duration_minutes * minuteMs,
    children: party.children,
    adults: party.adults,
    total: price.total,
    due_now: price.due_now,
    // A mark was of the visit at the former start.
    attendance: start === booking.starts_at ? booking.attendance : null,
    terms: {
      ...terms,
      most_paid: Math.max(most_paid, booking.paid - given_back_by_moves),
      given_back_by_moves: given_back_by_moves + refund,
      settled_sessions: sessions
    }
  }
  return {
    kind: kindOf(booking, agreement),
    from: booking,
    row: withDetails(row, details, venue.playroom),
    payment: paymentOf(booking, row, refund),
    exceptions,
    shrinks: shrinksAgainstTerms(booking, agreement),
    extras: [extrasIn(booking.terms), extrasIn(party)],
    refund,
    by_hand: byHand(refund),
    back_before,
    balance: price.total - price.due_now,
    waived: waivedIn(price),
    without
  }
}

const detailsOf = ({ child_ages, contact_email, contact_name, contact_phone, notes }: BookingRow) => [
  child_ages,
  contact_phone,
  notes,
  contact_name,
  contact_email
]

/**
 * What a person is told that a change does, for `VersionToken.ts`. The option's id stands for the new visit. `details`:
 * whether it names any, even if these are the booking's own.
 */
export const changeOutcome = (
  { exceptions, from, refund, row }: ChangePlan,
  details: boolean
): Readonly<Record<string, string | number>> => ({
  option_id: row.option_id,
  total: row.total,
  due_now: row.due_now,
  refund,
  ...(exceptions.length === 0 ? {} : { exceptions: exceptions.join() }),
  ...(details ? { details: JSON.stringify([detailsOf(from), detailsOf(row)]) } : {})
})

/** A change for whoever asked for it. */
export const changedBooking = (plan: ChangePlan, now: Instant): ChangedBooking => {
  const { back_before, balance, by_hand, exceptions, from, kind, refund, row, shrinks, waived, without } = plan
  return {
    kind,
    from,
    booking: row,
    exceptions,
    without,
    difference: row.total - from.total,
    refund: money(refund, from.currency),
    by_hand: money(by_hand, from.currency),
    back_before: money(back_before, from.currency),
    goodwill: money(from.terms.goodwill ?? 0, from.currency),
    balance: money(balance, from.currency),
    waived: money(waived, from.currency),
    free: isFree(from, kind, now) && !shrinks
  }
}

const agesText = (from: BookingRow, to: BookingRow): ReadonlyArray<string> => {
  if (from.child_ages.join() === to.child_ages.join()) return []
  return [to.child_ages.length === 0 ? "the ages that were told are removed" : "other ages"]
}

/** Whether a booking is in one room before a change and in another one after it. */
export const isOtherRoom = (from: BookingRow, to: BookingRow): boolean => from.playroom_id !== to.playroom_id

/** A room and its package, where a change makes them differ. */
const roomText = (from: BookingRow, to: BookingRow): ReadonlyArray<string> => {
  const [was, is] = [from.terms, to.terms]
  if (!isOtherRoom(from, to))
    return from.package_id === to.package_id ? [] : [`${was.package_name} → ${is.package_name}`]
  return [
    `${was.playroom_name} → ${is.playroom_name}`,
    ...(was.package_name === is.package_name ? [] : [`${was.package_name} → ${is.package_name}`])
  ]
}

/** Extras in words: `2 × Cake, 1 × Host`. */
export const extrasText = (extras: ReadonlyArray<Extra>): string =>
  extras.map(({ name, quantity }) => `${quantity} × ${name}`).join(", ")

/** Whether other extras were chosen. Another room has others in any case. */
const hasOtherExtras = (from: BookingRow, to: BookingRow): boolean => {
  const bare = (row: BookingRow) => ({ ...partyOf(row), children: 0, adults: 0 })
  return !isOtherRoom(from, to) && !isSameParty(bare(from), bare(to))
}

/**
 * What a change changes, for the history: old → new. Of what a family wrote only whom it is for is repeated. Another room has other
 * add-ons in any case: which of them are missing is told beside it (`without`).
 */
export const changeText = (from: BookingRow, to: BookingRow, extras?: ChangePlan["extras"]): string => {
  const start = ({ starts_at, terms }: BookingRow) => shortDateTime(terms.time_zone, starts_at)
  const party = ({ adults, children }: BookingRow) => `${childrenText(children)} and ${counted(adults, "adult")}`
  const changes = [
    ...(from.starts_at === to.starts_at ? [] : [`${start(from)} → ${start(to)}`]),
    ...roomText(from, to),
    ...(party(from) === party(to) ? [] : [`${party(from)} → ${party(to)}`]),
    ...(hasOtherExtras(from, to)
      ? [extras === undefined ? "other add-ons" : extras.map((named) => named || "no add-ons").join(" → ")]
      : []),
    ...(from.total === to.total ? [] : [`${display(from.total, from.currency)} → ${display(to.total, to.currency)}`]),
    ...agesText(from, to),
    ...(from.contact_name === to.contact_name ? [] : [`name ${from.contact_name} → ${to.contact_name}`]),
    ...(from.contact_email === to.contact_email ? [] : [`e-mail address ${from.contact_email} → ${to.contact_email}`]),
    ...(from.contact_phone === to.contact_phone ? [] : ["another telephone number"]),
    ...(from.notes === to.notes ? [] : ["other wishes"])
  ]
  return changes.join(", ")
}

/** Who made a change, and why; the reason may be empty. */
interface Made {
  readonly by: ChangedBy
  readonly reason: string
}

/** A line of the history about a change: what changed, by whom, why, and what it means for the money. */
const changeHistory = (
  { balance, exceptions, extras, from, refund, row, waived, without }: ChangePlan,
  { by, reason }: Made
): string =>
  [
    changeText(from, row, extras),
    ...(without.length === 0 ? [] : [`without ${extrasText(without)}`]),
    by === "family" ? "by the family on its page" : "by the operator",
    ...(exceptions.length === 0 ? [] : [exceptionsText(exceptions)]),
    ...(reason === "" ? [] : [reason]),
    ...(refund > 0 ? [`${display(refund, row.currency)} will be refunded`] : []),
    ...(waived > 0 ? [`${display(waived, row.currency)} more is too little to be charged, and waived`] : []),
    ...(balance > 0 && row.total > from.total
      ? [`${display(row.total - from.total, row.currency)} more is to be paid`]
      : [])
  ].join("; ")

const visitFacts = (of: BookingRow, other: BookingRow) => {
  const { adults, children, contact_email, contact_name, starts_at, terms, total } = of
  const { package_name, playroom_name } = terms
  return {
    starts_at,
    playroom_name,
    package_name,
    children,
    adults,
    total,
    ...(contact_name === other.contact_name ? {} : { contact_name }),
    ...(contact_email === other.contact_email ? {} : { contact_email })
  }
}

/** The same in parts. Which telephone number, ages or wishes are others is not told in any. */
const changeFacts = (
  { balance, exceptions, extras, from, refund, row, waived, without }: ChangePlan,
  { by, reason }: Made
): HistoryFacts => {
  const [had, has] = hasOtherExtras(from, row) ? extras.map((named) => ({ extras: named })) : []
  const others = [
    ...(hasOtherExtras(from, row) ? (["extras"] as const) : []),
    ...(from.child_ages.join() === row.child_ages.join() ? [] : (["ages"] as const)),
    ...(from.contact_phone === row.contact_phone ? [] : (["phone"] as const)),
    ...(from.notes === row.notes ? [] : (["notes"] as const))
  ]
  return {
    from: { ...visitFacts(from, row), ...had },
    to: { ...visitFacts(row, from), ...has },
    ...(others.length === 0 ? {} : { others }),
    ...(without.length === 0 ? {} : { without: extrasText(without) }),
    ...(exceptions.length === 0 ? {} : { exceptions }),
    ...(refund > 0 ? { refund } : {}),
    ...(waived > 0 ? { waived } : {}),
    ...(balance > 0 && row.total > from.total ? { left: balance } : {}),
    ...(reason === "" ? {} : { reason }),
    ...(by === "family" ? { by } : {})
  }
}

/** The change of the booking's row, with its line in the history. */
export const changeOf = (plan: ChangePlan, { by, reason }: Made): Change => {
  const { from, payment, row } = plan
  const made = { by, reason: reason.trim() }
  return {
    ...(payment === undefined ? {} : { payment }),
    note: true,
    event: from.starts_at === row.starts_at && !isOtherRoom(from, row) ? "changed" : "moved",
    detail: changeHistory(plan, made),
    facts: changeFacts(plan, made)
  }
}
