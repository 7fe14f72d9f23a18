/** What a change makes of a booking: the new row with its price, and what goes back. Pure. */
import { ageIssues, claimsFor, type Taking } from "../availability/Availability.ts"
import type { Playroom } from "../catalogue/Playroom.ts"
import { type Price, waivedIn, changedPrice, quote as quoteOf, type Quote, waive } from "../catalogue/Pricing.ts"
import { countedRefunds, deadlineStart } from "../catalogue/RefundSchedule.ts"
import { type Extra, type Agreement, termsOf } from "./BookingRequest.ts"
import { isBelowMinimumCharge } from "../../platform/money/Charge.ts"
import { dayMs, format, type Instant, minuteMs, shortDateTime } from "../../platform/time/LocalTime.ts"
import { display, money } from "../../platform/money/Money.ts"
import { type BookingRow, goodwillIn, type HistoryFacts } from "./Booking.ts"
import type { Change } from "./BookingRecords.ts"
import type { PaymentEvent } from "./Lifecycle.ts"
import {
  type ChangedBooking,
  type ChangedBy,
  isFree,
  isSameParty,
  kindOf,
  type PartyChange,
  partyOf,
  type Settled
} from "./VisitChange.ts"
import { childrenText, counted } from "../../platform/text/Text.ts"

/** A change, before it is stored. `from`: the booking before it. */
export interface ChangePlan extends Pick<ChangedBooking, "from" | "kind" | "without"> {
  /** The booking after the change. `payment` changes its `payment_status`. */
  readonly row: BookingRow
  readonly payment: PaymentEvent | undefined
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
  { child_ages, contact_phone, notes }: PartyChange,
  playroom: Pick<Playroom, "age_max" | "age_min"> | undefined
): BookingRow => ({
  ...row,
  child_ages:
    child_ages ??
    (playroom === undefined || ageIssues(playroom, row.children, row.child_ages).length === 0 ? row.child_ages : []),
  contact_phone: contact_phone === undefined ? row.contact_phone : contact_phone,
  notes: notes === undefined ? row.notes : notes
})

/** A change of details alone: it costs nothing, and needs no place. */
export const planDetails = (booking: BookingRow, { settled }: Settled, details: PartyChange): ChangePlan => ({
  kind: "details",
  from: booking,
  row: withDetails(booking, details, undefined),
  payment: undefined,
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
  details: PartyChange = {}
): ChangePlan => {
  const { party, pkg, start, venue } = agreement
  const terms = agreedAfter(booking, agreement, settled, by, now)
  const { price } = terms
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
    refund,
    by_hand: byHand(refund),
    back_before,
    balance: price.total - price.due_now,
    waived: waivedIn(price),
    without
  }
}

const detailsOf = ({ child_ages, contact_phone, notes }: BookingRow) => [child_ages, contact_phone, notes]

/**
 * What a person is told that a change does, for `VersionToken.ts`. The option's id stands for the new visit. `details`:
 * whether it names any, even if these are the booking's own.
 */
export const changeOutcome = (
  { from, refund, row }: ChangePlan,
  details: boolean
): Readonly<Record<string, string | number>> => ({
  option_id: row.option_id,
  total: row.total,
  due_now: row.due_now,
  refund,
  ...(details ? { details: JSON.stringify([detailsOf(from), detailsOf(row)]) } : {})
})

/** A change for whoever asked for it. */
export const changedBooking = (plan: ChangePlan, now: Instant): ChangedBooking => {
  const { back_before, balance, by_hand, from, kind, refund, row, waived, without } = plan
  return {
    kind,
    from,
    booking: row,
    without,
    difference: row.total - from.total,
    refund: money(refund, from.currency),
    by_hand: money(by_hand, from.currency),
    back_before: money(back_before, from.currency),
    goodwill: money(from.terms.goodwill ?? 0, from.currency),
    balance: money(balance, from.currency),
    waived: money(waived, from.currency),
    free: isFree(from, kind, now)
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
 * What a change changes, for the history: old → new. What a family wrote is not repeated. Another room has other
 * add-ons in any case: which of them are missing is told beside it (`without`).
 */
export const changeText = (from: BookingRow, to: BookingRow): string => {
  const start = ({ starts_at, terms }: BookingRow) => shortDateTime(terms.time_zone, starts_at)
  const party = ({ adults, children }: BookingRow) => `${childrenText(children)} and ${counted(adults, "adult")}`
  const changes = [
    ...(from.starts_at === to.starts_at ? [] : [`${start(from)} → ${start(to)}`]),
    ...roomText(from, to),
    ...(party(from) === party(to) ? [] : [`${party(from)} → ${party(to)}`]),
    ...(hasOtherExtras(from, to) ? ["other add-ons"] : []),
    ...(from.total === to.total ? [] : [`${display(from.total, from.currency)} → ${display(to.total, to.currency)}`]),
    ...agesText(from, to),
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
const changeHistory = ({ balance, from, refund, row, waived, without }: ChangePlan, { by, reason }: Made): string =>
  [
    changeText(from, row),
    ...(without.length === 0 ? [] : [`without ${extrasText(without)}`]),
    by === "family" ? "by the family on its page" : "by the operator",
    ...(reason === "" ? [] : [reason]),
    ...(refund > 0 ? [`${display(refund, row.currency)} will be refunded`] : []),
    ...(waived > 0 ? [`${display(waived, row.currency)} more is too little to be charged, and waived`] : []),
    ...(balance > 0 && row.total > from.total
      ? [`${display(row.total - from.total, row.currency)} more is to be paid`]
      : [])
  ].join("; ")

const visitFacts = ({ adults, children, starts_at, terms: { package_name, playroom_name }, total }: BookingRow) => ({
  starts_at,
  playroom_name,
  package_name,
  children,
  adults,
  total
})

/** The same in parts. Which telephone number, ages or wishes are others is not told in any. */
const changeFacts = (
  { balance, from, refund, row, waived, without }: ChangePlan,
  { by, reason }: Made
): HistoryFacts => {
  const others = [
    ...(hasOtherExtras(from, row) ? (["extras"] as const) : []),
    ...(from.child_ages.join() === row.child_ages.join() ? [] : (["ages"] as const)),
    ...(from.contact_phone === row.contact_phone ? [] : (["phone"] as const)),
    ...(from.notes === row.notes ? [] : (["notes"] as const))
  ]
  return {
    from: visitFacts(from),
    to: visitFacts(row),
    ...(others.length === 0 ? {} : { others }),
    ...(without.length === 0 ? {} : { without: extrasText(without) }),
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
