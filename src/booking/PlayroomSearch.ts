/** Finding playrooms: what the catalogue ranks, and with a date only what can then be booked. */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Candidate, candidatesOf, type Position } from "../catalogue/Candidates.ts"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { leastPrice } from "../catalogue/FromPrice.ts"
import type { Package } from "../catalogue/Package.ts"
import { InvalidArguments, type PlayroomSummary, type Venue } from "../catalogue/Playroom.ts"
import { childrenOf, plainQuery, searchIssues, type SearchQuery } from "../catalogue/SearchQuery.ts"
import { readWords } from "../catalogue/SearchWords.ts"
import { summaryOf } from "../catalogue/Views.ts"
import { decodeCursor, encodeCursor, foreignCursor } from "../kernel/Cursor.ts"
import { dayRange, format, type Instant, localDateOf } from "../kernel/LocalTime.ts"
import type { Calendar } from "./Availability.ts"
import { Occupancy } from "./Occupancy.ts"
import { margin, openingsOn } from "./Offers.ts"
import { type Party, quote } from "./Pricing.ts"

/** A page of playrooms, never empty with a cursor. */
export interface PlayroomPage {
  readonly playrooms: ReadonlyArray<PlayroomSummary>
  readonly next_cursor?: string
}

/** A page stays below this many characters of JSON, whatever its limit: answers carry it twice, and models read it. */
const longestPage = 21_000
/** Candidates looked at in one go: the first batch is about a page, later ones grow, as most were in vain. */
const largestBatch = 200

interface Fit {
  readonly candidate: Candidate
  readonly next_start: Instant | undefined
}

const partyFor = (query: SearchQuery, pkg: Package): Party => ({
  children: childrenOf(query) ?? pkg.min_children,
  adults: 0,
  add_ons: []
})

/** The packages of a venue that have the mode, the length and the party size. */
const packagesFor = (query: SearchQuery, { packages }: Venue): ReadonlyArray<Package> =>
  packages.filter((pkg) => {
    const { children } = partyFor(query, pkg)
    return (
      (query.mode === undefined || pkg.mode === query.mode) &&
      (query.duration_minutes === undefined || pkg.duration_minutes === query.duration_minutes) &&
      pkg.min_children <= children &&
      children <= pkg.max_children
    )
  })

/** Whether some package may cost no more than `max_total` on some day. */
const affordable = (query: SearchQuery, venue: Venue, now: Instant): boolean => {
  const { max_total } = query
  if (max_total === undefined) return true
  const { tax, time_zone } = venue.playroom
  const today = localDateOf(time_zone, now)
  return packagesFor(query, venue).some(
    (pkg) => leastPrice(pkg, tax, partyFor(query, pkg).children, today) <= max_total.amount
  )
}

/** The first start on the day that can be booked and fits all filters, the price that it then has included. */
const firstStart = (
  query: SearchQuery & { readonly date: string },
  venue: Venue,
  calendar: Calendar,
  now: Instant
): Instant | undefined => {
  const { date, start_after, end_before, max_total } = query
  const starts = packagesFor(query, venue).flatMap((pkg) => {
    const party = partyFor(query, pkg)
    const { openings } = openingsOn({ venue, party, start_after, end_before }, [pkg], date, calendar, now)
    const fits = openings.find(
      ({ start }) => max_total === undefined || quote(venue, pkg, party, start, now).price.total <= max_total.amount
    )
    return fits === undefined ? [] : [fits.start]
  })
  return starts.length === 0 ? undefined : Math.min(...starts)
}

/** From the first moment of the day in any of the venues' zones to the last, with room for set-up and clean-up. */
const spanOf = (venues: Iterable<Venue>, date: string): { readonly from: Instant; readonly to: Instant } => {
  let [from, to, slack] = [Infinity, -Infinity, 0]
  for (const { playroom, packages } of venues) {
    const day = dayRange(playroom.time_zone, date)
    from = Math.min(from, day.start)
    to = Math.max(to, day.end)
    slack = Math.max(slack, margin(packages))
  }
  return { from: from - slack, to: to + slack }
}

const summarize = (query: SearchQuery, { candidate: { row }, next_start }: Fit): PlayroomSummary => ({
  ...summaryOf(
    row,
    { name: row.operator_name },
    {
      from_price: row.from_price,
      photo_url: row.photo_url ?? undefined,
      distance_km: query.near === undefined ? undefined : (row.distance_km ?? undefined)
    }
  ),
  ...(next_start === undefined ? {} : { next_start: format(row.time_zone, next_start) })
})

const positionIn = (cursor: ReadonlyArray<string | number>): Position | undefined => {
  const [lane, ...key] = cursor
  return typeof lane === "number" ? [lane, ...key] : undefined
}

export class PlayroomSearch extends Context.Service<
  PlayroomSearch,
  {
    /**
     * A page of listed playrooms whose operators sell, that fit every filter. Paging neither repeats nor skips a playroom while
     * bookings come and go. Fails with `InvalidArguments` for filters that contradict each other and for a foreign cursor.
     */
    readonly search: (query: SearchQuery) => Effect.Effect<PlayroomPage, InvalidArguments | SqlError.SqlError>
  }
>()("playroom/booking/PlayroomSearch") {
  static readonly layer = Layer.effect(
    PlayroomSearch,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const catalogue = yield* Catalogue
      const occupancy = yield* Occupancy
      const wordsOf = readWords(sql)

      /** Those of a batch that fit, in its order: two queries at most, however many there are. */
      const fitting = Effect.fnUntraced(function* (
        query: SearchQuery,
        batch: ReadonlyArray<Candidate>,
        now: Instant
      ): Effect.fn.Return<ReadonlyArray<Fit>, SqlError.SqlError> {
        const { date } = query
        if (date === undefined && query.max_total === undefined)
          return batch.map((candidate) => ({ candidate, next_start: undefined }))
        const venues = yield* catalogue.venues(batch.map(({ row }) => row.playroom_id))
        if (date === undefined || venues.size === 0)
          return batch.flatMap((candidate): ReadonlyArray<Fit> => {
            const venue = venues.get(candidate.row.playroom_id)
            return venue !== undefined && affordable(query, venue, now) ? [{ candidate, next_start: undefined }] : []
          })
        const { from, to } = spanOf(venues.values(), date)
        const calendars = yield* occupancy.calendars([...venues.keys()], from, to, now)
        return batch.flatMap((candidate): ReadonlyArray<Fit> => {
          const venue = venues.get(candidate.row.playroom_id)
          const calendar = calendars.get(candidate.row.playroom_id)
          if (venue === undefined || calendar === undefined) return []
          const next_start = firstStart({ ...query, date }, venue, calendar, now)
          return next_start === undefined ? [] : [{ candidate, next_start }]
        })
      })

      const search = Effect.fn("PlayroomSearch.search")(function* (asked: SearchQuery) {
        const query = plainQuery(asked)
        const now = yield* Clock.currentTimeMillis
        const { cursor, limit = 10, ...scope } = query
        const position = cursor === undefined ? undefined : positionIn(decodeCursor(scope, cursor) ?? [])
        const issues = [
          ...searchIssues(query, now),
          ...(cursor !== undefined && position === undefined ? [foreignCursor] : [])
        ]
        if (issues.length > 0) return yield* new InvalidArguments({ issues })
        const words = query.query === undefined ? undefined : yield* wordsOf(query.query)
        const candidates = candidatesOf(sql, query, words, now)
        const fits: Array<Fit> = []
        let at = position
        let size = limit + 1
        // One more than the page: whether it exists decides on a cursor.
        while (fits.length <= limit) {
          const batch = yield* candidates.next(at, size)
          if (batch === undefined) return yield* new InvalidArguments({ issues: [foreignCursor] })
          fits.push(...(yield* fitting(query, batch, now)))
          at = batch.at(-1)?.position
          if (batch.length < size || at === undefined) break
          size = Math.min(size * 2, largestBatch)
        }
        const page: Array<PlayroomSummary> = []
        let length = 0
        for (const fit of fits.slice(0, limit)) {
          const summary = summarize(query, fit)
          length += JSON.stringify(summary).length
          if (page.length > 0 && length > longestPage) break
          page.push(summary)
        }
        const last = fits[page.length - 1]
        return {
          playrooms: page,
          ...(last !== undefined && fits.length > page.length
            ? { next_cursor: encodeCursor(scope, last.candidate.position) }
            : {})
        }
      })

      return PlayroomSearch.of({ search })
    })
  )
}
