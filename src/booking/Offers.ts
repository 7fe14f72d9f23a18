/** A booking option as offered: pure, from a venue, a party, a start and what is free. */
import { Option } from "effect"
import type { Package } from "../catalogue/Package.ts"
import type { Venue } from "../catalogue/Playroom.ts"
import { termsView } from "../catalogue/Terms.ts"
import {
  addDays,
  dayRange,
  daysBetween,
  format,
  type Instant,
  localDateOf,
  localMinutesOf,
  minuteMs,
  minutesFrom,
  minutesOf,
  type LocalDate
} from "../kernel/LocalTime.ts"
import { bookable, type Calendar } from "./Availability.ts"
import type { BookingOption, NoneBecause } from "./BookingOption.ts"
import { digestOf, pack } from "./OptionId.ts"
import { type Party, quote } from "./Pricing.ts"
import { startsOn } from "./Starts.ts"

/** A package of a venue for a party. */
export interface Request {
  readonly venue: Venue
  readonly party: Party
  readonly start_after?: string | undefined
  readonly end_before?: string | undefined
}

/** A start that can be booked. */
export interface Opening {
  readonly pkg: Package
  readonly start: Instant
  readonly places_left: number
}

/** The option that an opening is, priced at `now`. */
export const offer = (
  venue: Venue,
  party: Party,
  { pkg, start, places_left }: Opening,
  now: Instant
): BookingOption => {
  const quoted = quote(venue, pkg, party, start, now)
  const zone = venue.playroom.time_zone
  const named = {
    package_id: pkg.package_id,
    start,
    ...party,
    digest: digestOf({ pkg, add_ons: party.add_ons, quote: quoted })
  }
  return {
    option_id: pack(named, venue.add_ons),
    package_id: pkg.package_id,
    package_name: pkg.name,
    mode: pkg.mode,
    start: format(zone, start),
    end: format(zone, start + pkg.duration_minutes * minuteMs),
    children: party.children,
    adults: party.adults,
    add_ons: party.add_ons,
    places_left,
    price: quoted.price,
    cancellation: pkg.cancellation,
    terms: termsView({
      ...pkg,
      currency: quoted.price.currency,
      deposit: quoted.deposit,
      visit: { total: quoted.price.total, start, time_zone: zone }
    })
  }
}

/**
 * Whether the visit keeps to the clock times that were asked for. Both are counted from the midnight before its start, so that
 * `24:00` takes the visit that ends at midnight, and no `end_before` one that goes on after it.
 */
const keepsTo = (request: Request, pkg: Package, start: Instant): boolean => {
  const { start_after, end_before } = request
  const zone = request.venue.playroom.time_zone
  if (start_after !== undefined && localMinutesOf(zone, start) < minutesOf(start_after)) return false
  if (end_before === undefined) return true
  const end = start + pkg.duration_minutes * minuteMs
  return minutesFrom(zone, localDateOf(zone, start), end) <= minutesOf(end_before)
}

/** What a day has for a party: openings in order of start (then of the catalogue), and why the other starts are none. */
export const openingsOn = (
  request: Request,
  packages: ReadonlyArray<Package>,
  date: LocalDate,
  calendar: Calendar,
  now: Instant
): { readonly openings: ReadonlyArray<Opening>; readonly refusals: ReadonlyArray<NoneBecause> } => {
  const openings: Array<Opening> = []
  const refusals: Array<NoneBecause> = []
  for (const pkg of packages) {
    for (const start of startsOn(request.venue, pkg, date)) {
      if (!keepsTo(request, pkg, start)) continue
      const answer = bookable(request.venue, pkg, request.party, start, calendar, now)
      if (answer.ok) openings.push({ pkg, start, places_left: answer.places_left })
      else refusals.push(answer.because)
    }
  }
  return { openings: openings.sort((a, b) => a.start - b.start), refusals }
}

// No question looks further, whatever the start and the dates are.
const furthestDays = 366

/**
 * Up to `most` openings nearest to a start, nearest first, between two dates: from its day outwards, only so far that no
 * further day can have a nearer one, and never more than a year.
 */
export const nearestOpenings = (
  request: Request,
  packages: ReadonlyArray<Package>,
  start: Instant,
  between: { readonly from: LocalDate; readonly to: LocalDate },
  calendar: Calendar,
  now: Instant,
  most: number
): ReadonlyArray<Opening> => {
  const zone = request.venue.playroom.time_zone
  const day = localDateOf(zone, start)
  const distance = (opening: Opening) => Math.abs(opening.start - start)
  const found: Array<Opening> = []
  const furthest = Math.min(furthestDays, Math.max(daysBetween(between.from, day), daysBetween(day, between.to)))
  for (let days = 0; days <= furthest; days++) {
    const [before, after] = [addDays(day, -days), addDays(day, days)]
    for (const date of days === 0 ? [day] : [before, after]) {
      if (between.from <= date && date <= between.to)
        found.push(...openingsOn(request, packages, date, calendar, now).openings)
    }
    found.sort((a, b) => distance(a) - distance(b) || a.start - b.start)
    const further = Math.min(start - dayRange(zone, before).start, dayRange(zone, after).end - start)
    const last = found[most - 1]
    if (last !== undefined && distance(last) <= further) break
  }
  return found.slice(0, most)
}

/** How far set-up and clean-up of any of these packages may stick out of a day, in milliseconds. */
export const margin = (packages: ReadonlyArray<Package>): number =>
  Math.max(0, ...packages.map((pkg) => pkg.duration_minutes + pkg.setup_minutes + pkg.cleanup_minutes)) * minuteMs

export const packageOf = (venue: Venue, package_id: string): Option.Option<Package> =>
  Option.fromUndefinedOr(venue.packages.find((pkg) => pkg.package_id === package_id))
