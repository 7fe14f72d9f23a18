/** Another day for a search: the first with a free start after the requested ones, or among the last bookable days. */
import { Effect } from "effect"
import { lastDateOf } from "../availability/DateRange.ts"
import { isOnWeekdays } from "../availability/Openings.ts"
import type { Venue } from "../catalogue/Playroom.ts"
import { addDays, datesFrom, type Instant, type LocalDate, localDateOf } from "../kernel/LocalTime.ts"
import type { FoundRow } from "./SearchesAtOnce.ts"
import type { FoundVenue } from "./RelaxedSearch.ts"
import { fitOnDays, type Fitting } from "./SearchFits.ts"
import { type DatedQuery, datesAsked, type SearchQuery } from "./SearchQuery.ts"

/** The most playrooms whose days are read, and the most days. */
const [maxVenues, maxDays] = [3, 14]

/** A day, and a playroom that fits the search then. */
interface FreeDay {
  readonly date: LocalDate
  readonly row: FoundRow
  readonly fitting: Fitting
}

const lastBookable = ({ playroom }: Venue, now: Instant): LocalDate =>
  addDays(localDateOf(playroom.time_zone, now), playroom.max_advance_days)

/** The first and the last day of a venue that `freeDate` may look at, with the days asked. */
export const freeDays = (
  query: DatedQuery,
  venue: Venue,
  now: Instant
): readonly [first: LocalDate, last: LocalDate] => {
  const latest = addDays(lastBookable(venue, now), -maxDays)
  return [latest < query.date ? latest : query.date, addDays(lastDateOf(query), 1 + maxDays)]
}

/** The day among the first playrooms that fit without a date by their rows; undefined if none is near. */
export const freeDate = Effect.fnUntraced(function* (
  query: SearchQuery,
  found: ReadonlyArray<FoundVenue>,
  now: Instant
): Effect.fn.Return<FreeDay | undefined> {
  const near = found.slice(0, maxVenues)
  const last = near
    .map(({ venue }) => lastBookable(venue, now))
    .toSorted()
    .at(-1)
  if (!datesAsked(query) || last === undefined) return undefined
  const date = lastDateOf(query)
  const tooFar = date > last
  const first = tooFar ? addDays(last, -maxDays) : addDays(date, 1)
  const days = datesFrom(first, addDays(first, maxDays))
  const looks = near.flatMap(({ calendar, row, venue }) => {
    const fitOn = fitOnDays(query, venue, now)
    return calendar === undefined ? [] : [{ row, fitOn: (day: LocalDate) => fitOn(day, calendar) }]
  })
  for (const day of tooFar ? days.toReversed() : days) {
    if (!isOnWeekdays(query, day)) continue
    for (const { fitOn, row } of looks) {
      const fitting = fitOn(day)
      if (fitting !== undefined) return { date: day, row, fitting }
    }
    // A busy catalogue takes long for a day.
    yield* Effect.yieldNow
  }
  return undefined
})
