/**
 * Whether a party can book a start: `starts − closures − occupancy` at one moment. Pure: the clock is an argument. The
 * steps from the calendar to the answer: `Starts.ts` → `Starts` → `Openings` (starts that a party can book) →
 * `BookingOption` (one opening with its price) → `OptionPage`.
 */
import { mergeSpans, type Span, isStart, window } from "./Starts.ts"
import { pricedAges } from "../catalogue/ChildPrices.ts"
import { ruleOf } from "../catalogue/Codes.ts"
import { type AddOn, type Package, stockOf } from "../catalogue/Package.ts"
import type { Closure, Playroom, Venue } from "../catalogue/Playroom.ts"
import { Schema } from "effect"
import { type ArgumentIssue, boundedInt, boundedList } from "../../platform/errors/InvalidArguments.ts"
import { addDays, type Instant, minuteMs, startOfDay } from "../../platform/time/LocalTime.ts"
import { maximumCharge } from "../../platform/money/Charge.ts"
import { type Claim, type Taken, freeUnits } from "./Units.ts"
import type { AddOnChoice, Party } from "../catalogue/Pricing.ts"
import { addOnsFit } from "./OptionId.ts"
import { maxPrice } from "../catalogue/PriceTimes.ts"

/** Number of children in the party. */
export const ChildCount = boundedInt(1, 10_000)
/** Number of adults in the party. */
export const AdultCount = boundedInt(0, 10_000)
/** Ages of some or all children, in years. */
export const ChildAges = boundedList(boundedInt(0, 17), 500)

/**
 * A venue's closures, and the occupied units of each resource by its id (without lapsed holds). It must cover every
 * visit it is used for, including set-up and clean-up. Don't change its lists after the first use (see `freeUnits`).
 */
export interface Calendar {
  readonly closures: ReadonlyArray<Closure>
  readonly taken: ReadonlyMap<string, ReadonlyArray<Taken>>
}

const addOnOf = (venue: Pick<Venue, "add_ons">, id: string): AddOn | undefined =>
  venue.add_ons.find(({ add_on_id }) => add_on_id === id)

/** The stock that a party's add-ons take units of, by resource: how many, and how many of these for each child. */
const stockFor = (venue: Pick<Venue, "add_ons">, party: Party) => {
  const wanted = new Map<string, { readonly quantity: number; readonly eachChild: number }>()
  for (const { add_on_id, quantity } of addOnsUsed(venue, party)) {
    const addOn = addOnOf(venue, add_on_id)
    const resource_id = addOn && stockOf(addOn)
    if (addOn === undefined || resource_id === undefined) continue
    const before = wanted.get(resource_id) ?? { quantity: 0, eachChild: 0 }
    const eachChild = before.eachChild + (addOn.unit === "per_child" ? 1 : 0)
    wanted.set(resource_id, { quantity: before.quantity + quantity, eachChild })
  }
  return wanted
}

/** The time that a visit occupies, including set-up and clean-up. */
export type Taking = Pick<Claim, "start" | "end">

const during = (pkg: Package, start: Instant): Taking => ({
  start: start - pkg.setup_minutes * minuteMs,
  end: start + (pkg.duration_minutes + pkg.cleanup_minutes) * minuteMs
})

/** The quantity of each add-on that a visit uses, with or without stock. Each add-on is listed once. */
export const addOnsUsed = (venue: Pick<Venue, "add_ons">, party: Party): ReadonlyArray<AddOnChoice> => {
  const quantities = new Map<AddOnChoice["add_on_id"], number>()
  for (const { add_on_id, quantity } of party.add_ons) {
    const addOn = addOnOf(venue, add_on_id)
    if (addOn === undefined) continue
    const used = { per_booking: 1, per_child: party.children, per_item: quantity }[addOn.unit]
    quantities.set(add_on_id, (quantities.get(add_on_id) ?? 0) + used)
  }
  return Array.from(quantities, ([add_on_id, quantity]) => ({ add_on_id, quantity }))
}

/**
 * The claims of a booking, in order of resource id and one per resource, including set-up and clean-up. It claims units
 * of the playroom (all of them for an exclusive package, one per child for a shared one) and of the stock of its
 * add-ons.
 */
export const claimsFor = (
  venue: Venue,
  pkg: Package,
  party: Party,
  start: Instant,
  { end, start: from }: Taking = during(pkg, start)
): ReadonlyArray<Claim> => {
  const whole = pkg.mode === "exclusive"
  const { playroom_id, capacity } = venue.playroom
  const claims: Array<Claim> = [
    { resource_id: playroom_id, quantity: whole ? capacity : party.children, whole, start: from, end }
  ]
  for (const [resource_id, { quantity }] of stockFor(venue, party))
    claims.push({ resource_id, quantity, whole: false, start: from, end })
  return claims.sort((a, b) => (a.resource_id < b.resource_id ? -1 : 1))
}

/** The number of units of a resource: the playroom's capacity, or the stock that its add-ons take from. */
export const unitsOf = (venue: Venue, resource_id: string): number =>
  resource_id === venue.playroom.playroom_id
    ? venue.playroom.capacity
    : (venue.add_ons.find((addOn) => stockOf(addOn) === resource_id)?.stock ?? 0)

/** The largest number of children that a package takes. */
export const maxChildren = (venue: Venue, pkg: Package): number => Math.min(pkg.max_children, venue.playroom.capacity)

/**
 * Why this party can never book this package, on any day. A party is also too large if per-child add-ons have too
 * little stock for it, or if its price could exceed the largest payable amount.
 */
export const partyProblem = (
  venue: Venue,
  pkg: Package,
  party: Party
): "party_too_large" | "party_too_small" | undefined => {
  if (party.children < pkg.min_children) return "party_too_small"
  if (party.children > maxChildren(venue, pkg) || party.adults > (pkg.max_adults ?? maxAdults)) return "party_too_large"
  for (const [resource_id, { eachChild, quantity }] of stockFor(venue, party))
    if (eachChild > 0 && quantity > unitsOf(venue, resource_id)) return "party_too_large"
  return maxPrice(venue, pkg, party) > maximumCharge(venue.playroom.currency) ? "party_too_large" : undefined
}

/** Parties that leave out add-ons with stock: each one of them, then all. */
export const withoutStock = (venue: Pick<Venue, "add_ons">, party: Party): ReadonlyArray<Party> => {
  const stocked = party.add_ons.filter(({ add_on_id }) => addOnOf(venue, add_on_id)?.stock !== undefined)
  const less = stocked.map((one) => party.add_ons.filter((other) => other !== one))
  const least = party.add_ons.filter((one) => !stocked.includes(one))
  return (stocked.length > 1 ? [...less, least] : less).map((add_ons) => ({ ...party, add_ons }))
}

/** The add-ons of a party that another one leaves out. */
export const leftOut = (party: Party, { add_ons }: Party): ReadonlyArray<AddOnChoice["add_on_id"]> =>
  party.add_ons.flatMap(({ add_on_id }) => (add_ons.some((one) => one.add_on_id === add_on_id) ? [] : [add_on_id]))

/** The limit of adults for a package without its own. */
const maxAdults = 10_000

/**
 * The issues of a party's add-ons, by path into the arguments. Empty if the add-ons are valid, as the other functions
 * here expect.
 */
export const addOnIssues = (venue: Pick<Venue, "add_ons" | "packages">, party: Party): ReadonlyArray<ArgumentIssue> => {
  const seen = new Set<string>()
  const issues = party.add_ons.flatMap(({ add_on_id, quantity }, i) => {
    const path = `add_ons[${i}]`
    const addOn = addOnOf(venue, add_on_id)
    if (addOn === undefined) {
      return [
        {
          path: `${path}.add_on_id`,
          message: `This playroom has no such add-on: take one that get_playroom lists, or leave ${path} out`
        }
      ]
    }
    if (seen.has(add_on_id)) {
      return [
        { path: `${path}.add_on_id`, message: `${add_on_id} is here twice: give one quantity, or leave ${path} out` }
      ]
    }
    seen.add(add_on_id)
    const most = Math.min(addOn.max_quantity, addOn.stock ?? addOn.max_quantity)
    const wrong =
      !Number.isInteger(quantity) || quantity < 1
        ? "Expected a whole number from 1"
        : addOn.unit !== "per_item"
          ? quantity !== 1 && `${add_on_id} is priced ${addOn.unit}: its quantity is 1, or leave ${path} out`
          : quantity > most && `At most ${most} of ${add_on_id} in one booking, or leave ${path} out`
    return wrong === false ? [] : [{ path: `${path}.quantity`, message: wrong }]
  })
  if (issues.length === 0) issues.push(...sharedIssues(venue, party))
  const ages = venue.packages.some((pkg) => pricedAges(pkg, party) !== undefined)
  const code = venue.packages.some((pkg) => ruleOf(pkg, party.code) !== undefined)
  return issues.length > 0 || addOnsFit(venue.add_ons, party.add_ons, { ages, code })
    ? issues
    : [{ path: "add_ons", message: "Too many different add-ons in one booking: take fewer, or leave add_ons out" }]
}

/** Several add-ons, each within its stock, that together take more than they share. */
const sharedIssues = (venue: Pick<Venue, "add_ons">, party: Party): ReadonlyArray<ArgumentIssue> =>
  Array.from(stockFor(venue, party)).flatMap(([resource_id, { eachChild, quantity }]) => {
    const sharing = venue.add_ons.filter((addOn) => stockOf(addOn) === resource_id)
    const most = sharing[0]?.stock ?? quantity
    // A party may be too large for what each child gets, which is no fault of the arguments.
    if (eachChild > 0 || quantity <= most) return []
    const names = sharing.flatMap(({ add_on_id, name }) =>
      party.add_ons.some((chosen) => chosen.add_on_id === add_on_id) ? [name] : []
    )
    return [{ path: "add_ons", message: `There are only ${most} for ${names.join(" and ")} together: take fewer` }]
  })

/** The ages that the playroom is not for, in order. */
export const agesOutside = (
  { age_max, age_min }: Pick<Playroom, "age_min" | "age_max">,
  child_ages: ReadonlyArray<number> = []
): ReadonlyArray<number> =>
  [...new Set(child_ages.filter((age) => age < age_min || age_max < age))].sort((a, b) => a - b)

/** What an assistant does about ages that a playroom is not for. The venue itself may make an exception. */
export const otherAges =
  ": tell the person so, and find another playroom with search_playrooms and child_ages; only the venue could make an exception"

/**
 * The issues of the given ages: at most one for their count, and one for ages outside the playroom's range. Ages are
 * optional, so there is no issue without them. `advice`: what to do about ages outside.
 */
export const ageIssues = (
  playroom: Pick<Playroom, "age_min" | "age_max">,
  children: number,
  child_ages: ReadonlyArray<number> = [],
  advice = ""
): ReadonlyArray<ArgumentIssue> => {
  if (child_ages.length === 0) return []
  const { age_max, age_min } = playroom
  const outside = agesOutside(playroom, child_ages)
  return [
    ...(child_ages.length === children
      ? []
      : [
          {
            path: "child_ages",
            message: `Expected one age for each of the ${children} children of the option, not ${child_ages.length}: ask the person for all of them,${outside.length === 0 ? " leave child_ages out," : ""} or take an option for as many children as come`
          }
        ]),
    ...(outside.length === 0
      ? []
      : [
          {
            path: "child_ages",
            message: `This playroom is for ages ${age_min} to ${age_max}, not for ${outside.join(", ")}${advice}`
          }
        ])
  ]
}

const none: ReadonlyArray<Taken> = []

/** Why a start can't be booked. */
export const NoneBecause = Schema.Literals([
  "closed",
  "fully_booked",
  "add_ons_taken",
  "too_soon",
  "too_far_ahead",
  "party_too_large",
  "party_too_small"
])
export type NoneBecause = typeof NoneBecause.Type

/** Whether what can't be booked could be had if others gave their places back. */
export const isTaken = (because: NoneBecause): boolean => because === "fully_booked" || because === "add_ons_taken"

/** Whether a start can be booked and by how many children, or why it can't be booked. */
type Bookable =
  | { readonly ok: true; readonly places_left: number }
  | { readonly ok: false; readonly because: NoneBecause }

const no = (because: NoneBecause): Bookable => ({ ok: false, because })

const closedRanges = new WeakMap<Calendar["closures"], ReadonlyArray<Span>>()

/** A venue's closures as instants. Closures that touch are merged. */
const closedIn = ({ closures }: Calendar): ReadonlyArray<Span> => {
  let ranges = closedRanges.get(closures)
  if (ranges === undefined) {
    ranges = mergeSpans(closures.map(({ start, end }) => ({ first: start, last: end })))
    closedRanges.set(closures, ranges)
  }
  return ranges
}

/** The first of some sorted ranges that ends after an instant. There may be hundreds, so it is a binary search. */
const firstEndingAfter = (ranges: ReadonlyArray<Span>, instant: Instant): Span | undefined => {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ranges[middle]?.last ?? Infinity) <= instant) low = middle + 1
    else high = middle
  }
  return ranges[low]
}

/** The end of the closures without a gap that contain an instant; undefined if the venue is not closed then. */
export const closedUntil = (calendar: Calendar, instant: Instant): Instant | undefined => {
  const closure = firstEndingAfter(closedIn(calendar), instant)
  return closure !== undefined && closure.first <= instant ? closure.last : undefined
}

/**
 * Returns a function that checks whether there is room for a party at a time that includes set-up and clean-up: it
 * computes once what does not depend on the time. `places_left` is the number of children for whom there is room then
 * with the same add-ons, including this party, by however many bookings. Add-ons must be valid (`addOnIssues`).
 */
const roomAt = (venue: Venue, pkg: Package, party: Party, calendar: Calendar): ((time: Taking) => Bookable) => {
  const closed = closedIn(calendar)
  const stock = stockFor(venue, party)
  const wanted = claimsFor(venue, pkg, party, 0).map(({ resource_id, quantity }) => {
    const isRoom = resource_id === venue.playroom.playroom_id
    // One place for each child, and so many units of stock.
    const eachChild = isRoom ? 1 : (stock.get(resource_id)?.eachChild ?? 0)
    return {
      isRoom,
      units: unitsOf(venue, resource_id),
      taken: calendar.taken.get(resource_id) ?? none,
      quantity,
      eachChild,
      others: isRoom ? 0 : quantity - eachChild * party.children
    }
  })
  return ({ end, start }) => {
    if ((firstEndingAfter(closed, start)?.first ?? Infinity) < end) return no("closed")
    let places_left = venue.playroom.capacity
    let isFree = true
    for (const { eachChild, isRoom, others, quantity, taken, units } of wanted) {
      const free = freeUnits(units, taken, start, end, quantity)
      if (free < quantity && isRoom) return no("fully_booked")
      isFree &&= free >= quantity
      if (eachChild > 0) places_left = Math.min(places_left, Math.floor((free - others) / eachChild))
    }
    return isFree ? { ok: true, places_left } : no("add_ons_taken")
  }
}

/**
 * Returns a function that checks whether this party can book this package at a start, at `now`. Both the display of
 * options and the claims of bookings use it. `isOurs` is whether an instant is a start of the package.
 */
export const bookableStarts = (
  venue: Venue,
  pkg: Package,
  party: Party,
  calendar: Calendar,
  now: Instant,
  isOurs: (start: Instant) => boolean
): ((start: Instant) => Bookable) => {
  const problem = partyProblem(venue, pkg, party)
  if (problem !== undefined) return () => no(problem)
  const { earliest, lastDate } = window(venue, now)
  const horizon = startOfDay(venue.playroom.time_zone, addDays(lastDate, 1))
  const room = roomAt(venue, pkg, party, calendar)
  return (start) => {
    if (start < earliest) return no("too_soon")
    if (start >= horizon) return no("too_far_ahead")
    return isOurs(start) ? room(during(pkg, start)) : no("closed")
  }
}

/**
 * Whether another party can have the visit of a booking, whose own places the calendar leaves out. The booking has its
 * start and its time: notice, horizon and schedule were those of when it was booked.
 */
export const bookableParty = (venue: Venue, pkg: Package, party: Party, time: Taking, calendar: Calendar): Bookable => {
  const problem = partyProblem(venue, pkg, party)
  return problem === undefined ? roomAt(venue, pkg, party, calendar)(time) : no(problem)
}

/** The same check for one instant, which need not be a start of the package. */
export const bookable = (
  venue: Venue,
  pkg: Package,
  party: Party,
  start: Instant,
  calendar: Calendar,
  now: Instant
): Bookable => bookableStarts(venue, pkg, party, calendar, now, (instant) => isStart(venue, pkg, instant))(start)

/**
 * The main reason why a range of dates has no option, from the reasons of all examined starts and packages. A day
 * without any start adds "closed", or nothing.
 *
 * - The party's size is the reason only if there is no other reason: if another package takes the party, the date is
 *   the reason. "party_too_large" comes before "party_too_small".
 * - "add_ons_taken": the room is free for the party at a start, but not what its add-ons take of their stock.
 * - "fully_booked": a start exists and is taken.
 * - "too_soon", then "too_far_ahead": this holds for every start.
 * - "closed": there is no start at all.
 */
export const noneBecause = (reasons: Iterable<NoneBecause>): NoneBecause => {
  const seen = new Set(reasons)
  const order = [
    "add_ons_taken",
    "fully_booked",
    "too_soon",
    "too_far_ahead",
    "closed",
    "party_too_large",
    "party_too_small"
  ] as const
  return order.find((reason) => seen.has(reason)) ?? "closed"
}
