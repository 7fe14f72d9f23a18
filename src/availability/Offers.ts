/** A booking option as offered: pure, from a venue, a party, a start and what is free. */
import { Option } from "effect"
import type { Package } from "../catalogue/Package.ts"
import type { Venue } from "../catalogue/Playroom.ts"
import type { TermsView } from "../catalogue/Terms.ts"
import type { ArgumentIssue } from "../kernel/InvalidArguments.ts"
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
  type LocalDate,
  type Weekday,
  weekdayOf
} from "../kernel/LocalTime.ts"
import { bookableStarts, type Calendar, closedUntil } from "./Availability.ts"
import type { BookingOption, NoneBecause } from "./BookingOption.ts"
import { digestOf, pack } from "./OptionId.ts"
import { type Party, shownPrice } from "../catalogue/Price.ts"
import { quote, type Quote } from "../catalogue/Pricing.ts"
import { eachStart, openDay, startsIn, window } from "./Starts.ts"
import { visitTerms } from "../booking/VisitTerms.ts"

/** What options are asked for: a venue, a party, and when its visit may be. */
export interface Request {
  readonly venue: Venue
  readonly party: Party
  readonly start_after?: string | undefined
  readonly end_before?: string | undefined
  /** Only on these days; empty: on any day. */
  readonly weekdays?: ReadonlyArray<Weekday> | undefined
  /** Only starts from this instant on. */
  readonly not_before?: Instant | undefined
}

/** A start that can be booked. */
export interface Opening {
  readonly pkg: Package
  readonly start: Instant
  readonly places_left: number
}

/** The terms of a visit that nothing is paid for yet. */
export const offeredTerms = (
  pkg: Package,
  { deposit, non_refundable, price }: Quote,
  start: Instant,
  time_zone: string,
  now: Instant
): TermsView =>
  visitTerms(
    {
      ...pkg,
      ...price,
      deposit,
      non_refundable,
      outstanding: price.total,
      paid: 0,
      given_back: 0,
      left: 0,
      starts_at: start,
      time_zone
    },
    now
  )

/** An option without its terms, which are longer than all the rest; `non_refundable` (minor units) of what is paid is never refunded. */
export interface PricedOption extends Omit<BookingOption, "terms"> {
  readonly non_refundable: number
}

const withoutTerms = (venue: Venue, party: Party, { pkg, start, places_left }: Opening, quoted: Quote) => {
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
    ...(pkg.mode === "shared" ? { places_left } : {}),
    price: shownPrice(quoted.price),
    cancellation: pkg.cancellation
  }
}

/** The option that an opening is, priced at `now`, as one of many. */
export const priceOption = (venue: Venue, party: Party, opening: Opening, now: Instant): PricedOption => {
  const quoted = quote(venue, opening.pkg, party, opening.start, now)
  return { ...withoutTerms(venue, party, opening, quoted), non_refundable: quoted.non_refundable }
}

/** The option that an opening is, priced at `now`, with its terms. */
export const offer = (venue: Venue, party: Party, opening: Opening, now: Instant): BookingOption => {
  const { pkg, start } = opening
  const quoted = quote(venue, pkg, party, start, now)
  const terms = offeredTerms(pkg, quoted, start, venue.playroom.time_zone, now)
  return { ...withoutTerms(venue, party, opening, quoted), terms }
}

/** What is wrong with clock times between which a visit should lie, both on the date of its start: the end must be the later one. */
export const clockIssues = ({
  start_after,
  end_before
}: {
  readonly start_after?: string | undefined
  readonly end_before?: string | undefined
}): ReadonlyArray<ArgumentIssue> =>
  start_after !== undefined && end_before !== undefined && start_after >= end_before
    ? [
        {
          path: "end_before",
          message: `Expected a time later than start_after, ${start_after}; leave it out for visits that end after midnight`
        }
      ]
    : []

/**
 * Whether the visit keeps to the times that were asked for. Those of the clock are counted from the midnight before its start, so that
 * `24:00` takes the visit that ends at midnight, and no `end_before` one that goes on after it.
 */
export const keepsTo = (request: Request, pkg: Package, start: Instant): boolean => {
  const { start_after, end_before, not_before } = request
  if (not_before !== undefined && start < not_before) return false
  const zone = request.venue.playroom.time_zone
  if (start_after !== undefined && localMinutesOf(zone, start) < minutesOf(start_after)) return false
  if (end_before === undefined) return true
  const end = start + pkg.duration_minutes * minuteMs
  return minutesFrom(zone, localDateOf(zone, start), end) <= minutesOf(end_before)
}

/** Whether a date is on one of the weekdays that were asked for: on any, where none were. */
export const isOnWeekdays = ({ weekdays = [] }: Pick<Request, "weekdays">, date: LocalDate): boolean =>
  weekdays.length === 0 || weekdays.includes(weekdayOf(date))

const nothing: Found = { openings: [], refusals: new Set(), examined: 0 }

/**
 * What was found on some days: openings in order of start (then of the catalogue), why the other starts are none, and how many starts
 * that took.
 */
export interface Found {
  readonly openings: ReadonlyArray<Opening>
  readonly refusals: ReadonlySet<NoneBecause>
  readonly examined: number
}

/** Finds what each date has for a request. What the dates share is computed once. */
export const openingsByDate = (
  request: Request,
  packages: ReadonlyArray<Package>,
  calendar: Calendar,
  now: Instant
): ((date: LocalDate) => Found) => {
  const { venue, party } = request
  const asked = packages.map((pkg) => ({
    pkg,
    answerTo: bookableStarts(venue, pkg, party, calendar, now, () => true)
  }))
  const { earliest } = window(venue, now)
  return (date) => {
    if (!isOnWeekdays(request, date)) return nothing
    const openings: Array<Opening> = []
    const refusals = new Set<NoneBecause>()
    let examined = 0
    const day = openDay(venue.playroom, date)
    const range = dayRange(venue.playroom.time_zone, date)
    // Where the whole day is closed, one start is enough.
    const closed = range.start >= earliest && (closedUntil(calendar, range.start) ?? -Infinity) >= range.end
    for (const { pkg, answerTo } of asked) {
      const examine = (start: Instant): boolean => {
        examined++
        if (!keepsTo(request, pkg, start)) return true
        const answer = answerTo(start)
        if (answer.ok) openings.push({ pkg, start, places_left: answer.places_left })
        else refusals.add(answer.because)
        return !closed
      }
      if (closed) eachStart(day, pkg, examine)
      else startsIn(day, pkg).forEach(examine)
    }
    return { openings: openings.sort((a, b) => a.start - b.start), refusals, examined }
  }
}

/** What one day has for a party. */
export const openingsOn = (
  request: Request,
  packages: ReadonlyArray<Package>,
  date: LocalDate,
  calendar: Calendar,
  now: Instant
): Found => openingsByDate(request, packages, calendar, now)(date)

// No search goes further, whatever the start and the dates are.
const furthestDays = 366

/**
 * Up to `most` openings nearest to a start, nearest first, between two dates: from its day outwards, only so far that no
 * further day can have a nearer one, and never more than a year. It yields for each day how many starts were examined.
 */
export function* nearestOpenings(
  request: Request,
  packages: ReadonlyArray<Package>,
  start: Instant,
  between: { readonly from: LocalDate; readonly to: LocalDate },
  calendar: Calendar,
  now: Instant,
  most: number
): Generator<number, ReadonlyArray<Opening>> {
  const zone = request.venue.playroom.time_zone
  const day = localDateOf(zone, start)
  const distance = (opening: Opening) => Math.abs(opening.start - start)
  const ask = openingsByDate(request, packages, calendar, now)
  const found: Array<Opening> = []
  const furthest = Math.min(furthestDays, Math.max(daysBetween(between.from, day), daysBetween(day, between.to)))
  for (let days = 0; days <= furthest; days++) {
    const [before, after] = [addDays(day, -days), addDays(day, days)]
    for (const date of days === 0 ? [day] : [before, after]) {
      if (date < between.from || between.to < date) continue
      const { openings, examined } = ask(date)
      found.push(...openings)
      yield examined
    }
    found.sort((a, b) => distance(a) - distance(b) || a.start - b.start)
    found.splice(most)
    const further = Math.min(start - dayRange(zone, before).start, dayRange(zone, after).end - start)
    const last = found[most - 1]
    if (last !== undefined && distance(last) <= further) break
  }
  return found
}

/** How far set-up and clean-up of any of these packages may stick out of a day, in milliseconds. */
export const margin = (packages: ReadonlyArray<Package>): number =>
  Math.max(0, ...packages.map((pkg) => pkg.duration_minutes + pkg.setup_minutes + pkg.cleanup_minutes)) * minuteMs

export const packageOf = (venue: Venue, package_id: string): Option.Option<Package> =>
  Option.fromUndefinedOr(venue.packages.find((pkg) => pkg.package_id === package_id))
