/**
 * Searching many days for openings, at a bounded cost. A catalogue may have thousands of starts a day for three years. The work is done
 * in slices, and other fibers run in between. Where the answer need not be complete, the search ends at a bound.
 */
import { Effect } from "effect"
import type { Package } from "../catalogue/Package.ts"
import { addDays, daysBetween, type Instant, type LocalDate, localDateOf, startOfDay } from "../kernel/LocalTime.ts"
import { type Calendar, closedUntil } from "./Availability.ts"
import type { NoneBecause } from "./BookingOption.ts"
import { openingsByDate, type Opening, type Request } from "./Offers.ts"

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
