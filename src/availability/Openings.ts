/**
 * The starts that a party can book, day by day: of one day, those nearest to an instant, or the first of many days. A catalogue may have
 * thousands of starts a day for three years, so a search works in slices, between which other fibers run, and may end at a bound.
 */
import { Effect } from "effect"
import type { Package } from "../catalogue/Package.ts"
import type { Venue } from "../catalogue/Playroom.ts"
import type { Party } from "../catalogue/Price.ts"
import type { ArgumentIssue } from "../kernel/InvalidArguments.ts"
import {
  addDays,
  dayRange,
  daysBetween,
  type Instant,
  type LocalDate,
  localDateOf,
  localMinutesOf,
  minuteMs,
  minutesFrom,
  minutesOf,
  startOfDay,
  type Weekday,
  weekdayOf
} from "../kernel/LocalTime.ts"
import { bookableStarts, type Calendar, closedUntil, type NoneBecause } from "./Availability.ts"
import { eachStart, openDay, startsIn, window } from "./Starts.ts"

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
interface Found {
  readonly openings: ReadonlyArray<Opening>
  readonly refusals: ReadonlySet<NoneBecause>
  readonly examined: number
}

/** Finds what each date has for a request. What the dates share is computed once. */
const openingsByDate = (
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

/** About so many starts are examined at a time; each takes a few microseconds. */
const slice = 2_000

/** Runs a generator that yields how many starts each step examined, and lets other fibers run after every slice. */
export const inSlices = Effect.fnUntraced(function* <A>(work: Generator<number, A>): Effect.fn.Return<A> {
  let since = 0
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
    since += step.value
    if (since >= slice) {
      since = 0
      yield* Effect.yieldNow
    }
  }
})

/** When a search ends. */
export interface SearchBounds {
  readonly enough: (openings: ReadonlyArray<Opening>) => boolean
  /** Whether the refusals are needed. Where they are not, all days of a closure are skipped at once. */
  readonly reasons: boolean
  /** At most so many starts are examined, and so many rows of the calendar read, give or take a day's and a query's. */
  readonly most?: { readonly starts: number; readonly rows: number }
}

/** What a search of a range of days found. */
export interface SearchResult {
  readonly openings: ReadonlyArray<Opening>
  readonly refusals: ReadonlySet<NoneBecause>
  readonly examined: number
  readonly rows: number
  /** Whether a bound ended the search before the end of the range. */
  readonly bounded: boolean
}

/** How many days of the calendar are read at a time: a month, and twice as many each time while it holds few rows. */
const [fewestDays, mostDays, fewRows] = [32, 512, 500]

const rowsOf = ({ closures, taken }: Calendar): number =>
  [...taken.values()].reduce((sum, rows) => sum + rows.length, closures.length)

/** Searches the dates from `from` to `to`, in order and one day at a time, until it has enough or reaches a bound. */
export const searchDays = Effect.fnUntraced(function* <E>(
  request: Request,
  packages: ReadonlyArray<Package>,
  { from, to }: { readonly from: LocalDate; readonly to: LocalDate },
  calendarOf: (from: LocalDate, to: LocalDate) => Effect.Effect<Calendar, E>,
  now: Instant,
  { enough, reasons, most }: SearchBounds
): Effect.fn.Return<SearchResult, E> {
  const zone = request.venue.playroom.time_zone
  const openings: Array<Opening> = []
  const refusals = new Set<NoneBecause>()
  const spent = () => most !== undefined && examined >= most.starts
  let [examined, rows, days] = [0, 0, fewestDays]
  let date = from
  for (;;) {
    if (date > to) break
    const last = daysBetween(date, to) < days ? to : addDays(date, days - 1)
    const calendar = yield* calendarOf(date, last)
    const read = rowsOf(calendar)
    rows += read
    days = read < fewRows ? Math.min(mostDays, days * 2) : fewestDays
    const ask = openingsByDate(request, packages, calendar, now)
    const look = function* () {
      while (date <= last && !spent() && !enough(openings)) {
        const found = ask(date)
        openings.push(...found.openings)
        for (const refusal of found.refusals) refusals.add(refusal)
        examined += found.examined
        yield found.examined + packages.length
        date = addDays(date, 1)
        const closed = reasons ? undefined : closedUntil(calendar, startOfDay(zone, date))
        if (closed !== undefined) date = localDateOf(zone, closed)
      }
    }
    yield* inSlices(look())
    if (enough(openings) || spent() || rows >= (most?.rows ?? Infinity)) break
  }
  return { openings, refusals, examined, rows, bounded: date <= to && !enough(openings) }
})
