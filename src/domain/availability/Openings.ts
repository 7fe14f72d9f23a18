/**
 * The starts that a party can book: those nearest to an instant, or the first of many days. A catalogue may have
 * thousands of starts a day for three years. So a search works in slices, lets other fibers run between them, and may
 * stop at a limit.
 */
import { Effect } from "effect"
import type { Package } from "../catalogue/Package.ts"
import type { Venue } from "../catalogue/Playroom.ts"
import type { Party } from "../catalogue/Pricing.ts"
import type { ArgumentIssue } from "../../platform/errors/InvalidArguments.ts"
import {
  addDays,
  dayMinutes,
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
} from "../../platform/time/LocalTime.ts"
import { bookableStarts, type Calendar, closedUntil, isTaken, type NoneBecause } from "./Availability.ts"
import { eachStart, openDay, startsIn, window } from "./Starts.ts"

/** The request: a venue, a party, and when the visit may be. */
export interface Request {
  readonly venue: Venue
  readonly party: Party
  readonly start_after?: string | undefined
  readonly end_before?: string | undefined
  /** Only on these weekdays; on any day if empty. */
  readonly weekdays?: ReadonlyArray<Weekday> | undefined
  /** Only starts from this instant on. */
  readonly not_before?: Instant | undefined
}

/** A bookable start. */
export interface Opening {
  readonly pkg: Package
  readonly start: Instant
  readonly places_left: number
}

/**
 * The issues of the clock times that a visit must lie between. Both are on the date of its start, so the end must be
 * later.
 */
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
 * Whether the visit is within the requested times. Clock times count from the midnight before its start: `24:00`
 * accepts a visit that ends at midnight, and no `end_before` accepts a visit that ends after it.
 */
export const keepsTo = (request: Request, pkg: Package, start: Instant): boolean => {
  const { start_after, end_before, not_before } = request
  if (not_before !== undefined && start < not_before) return false
  const zone = request.venue.playroom.time_zone
  if (start_after !== undefined && localMinutesOf(zone, start) < minutesOf(start_after)) return false
  if (end_before === undefined) return true
  const end = start + pkg.duration_minutes * minuteMs
  const date = localDateOf(zone, start)
  // The day's end is 24:00, also where a clock change skips midnight.
  const minutes = end === dayRange(zone, date).end ? dayMinutes : minutesFrom(zone, date, end)
  return minutes <= minutesOf(end_before)
}

/** Whether a date is on a requested weekday. True if none was requested. */
export const isOnWeekdays = ({ weekdays = [] }: Pick<Request, "weekdays">, date: LocalDate): boolean =>
  weekdays.length === 0 || weekdays.includes(weekdayOf(date))

const nothing: DayOpenings = { openings: [], refusals: new Set(), examined: 0 }

/**
 * The result for some days: openings in order of start (then of the catalogue), why the other starts are refused, and
 * the number of starts examined.
 */
interface DayOpenings {
  readonly openings: ReadonlyArray<Opening>
  readonly refusals: ReadonlySet<NoneBecause>
  readonly examined: number
}

/** Returns a function that examines one date. Computes once what all dates share. `seeTaken` is told what others have. */
export const openingsByDate = (
  request: Request,
  packages: ReadonlyArray<Package>,
  calendar: Calendar,
  now: Instant,
  seeTaken?: (opening: Opening) => void
): ((date: LocalDate) => DayOpenings) => {
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
    // If the whole day is closed, one start is enough.
    const closed = range.start >= earliest && (closedUntil(calendar, range.start) ?? -Infinity) >= range.end
    for (const { pkg, answerTo } of asked) {
      const examine = (start: Instant): boolean => {
        examined++
        if (!keepsTo(request, pkg, start)) return true
        const answer = answerTo(start)
        if (answer.ok) openings.push({ pkg, start, places_left: answer.places_left })
        else {
          refusals.add(answer.because)
          if (seeTaken !== undefined && isTaken(answer.because)) seeTaken({ pkg, start, places_left: 0 })
        }
        return !closed
      }
      if (closed) eachStart(day, pkg, examine)
      else startsIn(day, pkg).forEach(examine)
    }
    return { openings: openings.sort((a, b) => a.start - b.start), refusals, examined }
  }
}

/** Pricing an option costs about as much as examining this many starts. */
export const startsPerPrice = 20

/** So many starts that are taken are priced at most, until enough of them are wanted. */
const mostTaken = 100

/**
 * Of the starts between two dates that others have, the first `most` for which `isWanted`, in order, one of each
 * moment: of the package that comes first. Each is priced to know that. Yields the number of starts examined.
 */
export function* takenStarts(
  request: Request,
  packages: ReadonlyArray<Package>,
  { from, to }: { readonly from: LocalDate; readonly to: LocalDate },
  calendar: Calendar,
  now: Instant,
  isWanted: (opening: Opening) => boolean,
  most: number
): Generator<number, ReadonlyArray<Opening>> {
  const [found, seen]: [Array<Opening>, Array<Opening>] = [[], []]
  const ask = openingsByDate(request, packages, calendar, now, (opening) => seen.push(opening))
  let tried = 0
  for (let date = from; date <= to; date = addDays(date, 1)) {
    yield ask(date).examined + packages.length
    for (const opening of seen.splice(0).sort((a, b) => a.start - b.start)) {
      if (found.at(-1)?.start === opening.start) continue
      if (isWanted(opening)) found.push(opening)
      if (found.length === most || ++tried === mostTaken) return found
      yield startsPerPrice
    }
  }
  return found
}

// No search goes further, for any start and dates.
const furthestDays = 366

/**
 * Up to `most` openings nearest to a start, nearest first, between two dates. Goes outwards from the start's day, until
 * no further day can have a nearer opening, and for a year at most. Yields the number of starts examined, day by day.
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

/**
 * The longest set-up or clean-up of these packages, in milliseconds. A visit's claims may exceed a day by this much.
 */
export const margin = (packages: ReadonlyArray<Package>): number =>
  Math.max(0, ...packages.map((pkg) => pkg.duration_minutes + pkg.setup_minutes + pkg.cleanup_minutes)) * minuteMs

/** About this many starts are examined in one slice. Each takes a few microseconds. */
const slice = 2_000

/** Runs a generator that yields the number of examined starts. Lets other fibers run after every slice. */
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
  /** Whether the refusals are needed. If not, all days of a closure are skipped at once. */
  readonly reasons: boolean
  /** The limits of examined starts and calendar rows. A search may exceed them by one day and one query. */
  readonly limits?: { readonly starts: number; readonly rows: number }
}

/** The result of a search in a range of days. */
export interface SearchResult {
  readonly openings: ReadonlyArray<Opening>
  readonly refusals: ReadonlySet<NoneBecause>
  readonly examined: number
  readonly rows: number
  /** Whether a limit ended the search before the end of the range. */
  readonly bounded: boolean
}

/** The number of days in one read of the calendar: a month, doubled each time if it has few rows. */
const [fewestDays, mostDays, fewRows] = [32, 512, 500]

const rowsOf = ({ closures, taken }: Calendar): number =>
  [...taken.values()].reduce((sum, rows) => sum + rows.length, closures.length)

/** Searches the dates from `from` to `to` in order, one day at a time, until it has enough or reaches a limit. */
export const searchDays = Effect.fnUntraced(function* <E>(
  request: Request,
  packages: ReadonlyArray<Package>,
  { from, to }: { readonly from: LocalDate; readonly to: LocalDate },
  calendarOf: (from: LocalDate, to: LocalDate) => Effect.Effect<Calendar, E>,
  now: Instant,
  { enough, reasons, limits }: SearchBounds
): Effect.fn.Return<SearchResult, E> {
  const zone = request.venue.playroom.time_zone
  const openings: Array<Opening> = []
  const refusals = new Set<NoneBecause>()
  const spent = () => limits !== undefined && examined >= limits.starts
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
    if (enough(openings) || spent() || rows >= (limits?.rows ?? Infinity)) break
  }
  return { openings, refusals, examined, rows, bounded: date <= to && !enough(openings) }
})
