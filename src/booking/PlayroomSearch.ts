/** Finding playrooms: what the catalogue ranks, and with a date only what can then be booked. */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Candidate, candidatesOf, type Position } from "../catalogue/Candidates.ts"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { readCity } from "../catalogue/CityNames.ts"
import { InvalidArguments, type PlayroomSummary, type PriceForParty, type Venue } from "../catalogue/Playroom.ts"
import { plainQuery, searchIssues, type SearchQuery } from "../catalogue/SearchQuery.ts"
import { readWords } from "../catalogue/SearchWords.ts"
import { accessOf, summaryOf } from "../catalogue/Views.ts"
import { decodeCursor, encodeCursor, foreignCursor } from "../kernel/Cursor.ts"
import { dayRange, format, type Instant } from "../kernel/LocalTime.ts"
import type { Calendar } from "./Availability.ts"
import { Occupancy } from "./Occupancy.ts"
import { margin, openingsOn } from "./Offers.ts"
import { asksPrice, lowestAt, lowestFor, packagesFor, partyFor, type Priced, priceForParty } from "./PartyPrices.ts"
import { quote } from "./Pricing.ts"

/** A page of playrooms. With `next_cursor` it may hold fewer than asked for, even none: so far a call looks, and no further. */
export interface PlayroomPage {
  readonly playrooms: ReadonlyArray<PlayroomSummary>
  readonly next_cursor?: string
}

/** A page stays below this many characters of JSON, whatever its limit: answers carry it twice, and models read it. */
const longestPage = 22_500
/** Candidates whose free times a call looks at besides those of its page, where they turn out to be sold out. */
const mostInVain = 9
/** Rows of the ranking that a look goes over: a first one that most often fills the page, then, where few fit, long ones. */
const [firstLook, longLook, mostLooks] = [300, 1000, 3]

interface Fit {
  readonly candidate: Candidate
  /** With a date. */
  readonly next_start?: Instant
  /** What the party pays, where the search says enough of it. */
  readonly price?: PriceForParty
}

/** A search of one day. */
type Dated = SearchQuery & { readonly date: string }

/**
 * The first start on the day that can be booked and fits all filters, the price that it then has included. The price is that of the
 * cheapest package which then starts.
 */
const firstStart = (
  query: Dated,
  venue: Venue,
  calendar: Calendar,
  now: Instant
): { readonly start: Instant; readonly price: Priced | undefined } | undefined => {
  const { date, start_after, end_before, max_total } = query
  const starts = packagesFor(query, venue).flatMap((pkg) => {
    const party = partyFor(query, pkg)
    const { openings } = openingsOn({ venue, party, start_after, end_before }, [pkg], date, calendar, now)
    const fits = openings.find(
      ({ start }) => max_total === undefined || quote(venue, pkg, party, start, now).price.total <= max_total.amount
    )
    return fits === undefined ? [] : [fits]
  })
  if (starts.length === 0) return undefined
  const start = Math.min(...starts.map((opening) => opening.start))
  const then = starts.filter((opening) => opening.start === start).map(({ pkg }) => pkg)
  return { start, price: asksPrice(query) ? lowestAt(query, venue, then, start, now) : undefined }
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

const summarize = (query: SearchQuery, { candidate: { row }, next_start, price }: Fit): PlayroomSummary => ({
  ...summaryOf(
    row,
    { name: row.operator_name },
    {
      // Beside the party's own price, that of another party is only there where the order goes by it.
      from_price: row.from_price_holds && (price === undefined || query.sort === "price") ? row.from_price : undefined,
      from_price_for: row.from_price_for ?? undefined,
      photo_url: row.photo_url ?? undefined,
      distance_km: query.near === undefined ? undefined : (row.distance_km ?? undefined)
    }
  ),
  ...(query.amenities === undefined ? {} : accessOf(row)),
  ...(price === undefined ? {} : { price_for_party: price }),
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
      const citiesOf = readCity(sql)

      /** Those of a batch that fit, in its order: two queries at most, however many there are. */
      const fitting = Effect.fnUntraced(function* (
        query: SearchQuery,
        batch: ReadonlyArray<Candidate>,
        now: Instant
      ): Effect.fn.Return<ReadonlyArray<Fit>, SqlError.SqlError> {
        const { date, max_total } = query
        if (batch.length === 0 || (date === undefined && !asksPrice(query)))
          return batch.map((candidate) => ({ candidate }))
        const venues = yield* catalogue.venues(batch.map(({ row }) => row.playroom_id))
        const priced = (venue: Venue, price: Priced | undefined) =>
          price === undefined ? {} : { price: priceForParty(query, venue, price) }
        if (date === undefined || venues.size === 0)
          return batch.flatMap((candidate): ReadonlyArray<Fit> => {
            const venue = venues.get(candidate.row.playroom_id)
            if (venue === undefined || packagesFor(query, venue).length === 0) return []
            const lowest = lowestFor(query, venue, now)
            return max_total === undefined || (lowest !== undefined && lowest.total <= max_total.amount)
              ? [{ candidate, ...priced(venue, lowest) }]
              : []
          })
        const { from, to } = spanOf(venues.values(), date)
        const calendars = yield* occupancy.calendars([...venues.keys()], from, to, now)
        return batch.flatMap((candidate): ReadonlyArray<Fit> => {
          const venue = venues.get(candidate.row.playroom_id)
          const calendar = calendars.get(candidate.row.playroom_id)
          if (venue === undefined || calendar === undefined) return []
          const first = firstStart({ ...query, date }, venue, calendar, now)
          return first === undefined ? [] : [{ candidate, next_start: first.start, ...priced(venue, first.price) }]
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
        const cities = query.city === undefined ? undefined : yield* citiesOf(query.city)
        const candidates = candidatesOf(sql, query, words, now, cities)
        const fits: Array<Fit> = []
        let at = position
        let examined = 0
        let looks = 0
        // One more than the page: whether it exists decides on a cursor.
        while (fits.length <= limit) {
          const size = examined === 0 ? limit + 1 : limit + 1 + mostInVain - examined
          if (size <= 0 || looks >= mostLooks) break
          const stretch = yield* candidates.next(
            at,
            size,
            looks === 0 ? Math.max(firstLook, size) : longLook,
            looks > 0
          )
          if (stretch === undefined) return yield* new InvalidArguments({ issues: [foreignCursor] })
          fits.push(...(yield* fitting(query, stretch.candidates, now)))
          at = stretch.end
          if (at === undefined) break
          examined += stretch.candidates.length
          if (stretch.candidates.length === size) continue
          looks++
        }
        const page: Array<PlayroomSummary> = []
        let length = 0
        for (const fit of fits.slice(0, limit)) {
          const summary = summarize(query, fit)
          length += JSON.stringify(summary).length
          if (page.length > 0 && length > longestPage) break
          page.push(summary)
        }
        const end = fits.length > page.length ? fits[page.length - 1]?.candidate.position : at
        return {
          playrooms: page,
          ...(end === undefined ? {} : { next_cursor: encodeCursor(scope, end) })
        }
      })

      return PlayroomSearch.of({ search })
    })
  )
}
