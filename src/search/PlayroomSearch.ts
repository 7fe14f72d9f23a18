/** Searches playrooms in the order of the catalogue's ranking; with a date, only those that can be booked then. */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Candidate, candidatesOf, type Position } from "./Candidates.ts"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { cityNames } from "./KnownValues.ts"
import { type EmptySearch, explainEmptySearch } from "./EmptySearch.ts"
import { findWords, type Found, foundInWords, makeQueryHint } from "./FoundWords.ts"
import { makePlaceHint } from "./PersonCity.ts"
import type { PlayroomSummary } from "../catalogue/Playroom.ts"
import { InvalidArguments } from "../kernel/InvalidArguments.ts"
import { partyIn, plainQuery, searchIssues, type SearchQuery } from "./SearchQuery.ts"
import { readWords } from "./SearchWords.ts"
import { accessOf, summaryOf } from "../catalogue/Views.ts"
import { decodeCursor, encodeCursor, invalidCursor } from "../kernel/Cursor.ts"
import { format, whenInWords } from "../kernel/LocalTime.ts"
import { Occupancy } from "../availability/Occupancy.ts"
import { findFits, type Fit } from "./SearchFits.ts"

/**
 * A page of playrooms. With `next_cursor` it may hold fewer than requested, even none, as a call examines a limited
 * number. If a search has no result at all, its last page says why.
 */
interface PlayroomPage extends EmptySearch {
  readonly playrooms: ReadonlyArray<PlayroomSummary>
  readonly next_cursor?: string
  /** The party, as the search was understood. */
  readonly party?: string
  /** Where the person may be, if no place was asked for. */
  readonly place_hint?: string
  /** What of the words no playroom of the page has, and what was not looked for. */
  readonly query_hint?: string
}

/** The maximum length of a page as JSON, whatever its limit: answers carry it twice, and models read it. */
const maxPageLength = 22_500
/** Extra candidates whose free times a call checks, in case some of the page are sold out. */
const spareCandidates = 9
/**
 * Rows of the first read, which most often fills the page; rows of each later read, if few fit; and the maximum number
 * of reads.
 */
const [firstReadRows, laterReadRows, maxReads] = [100, 1000, 3]

type PageFit = Fit<Candidate>

/** What is told only together with words about it: accessibility, and of the words what was found. */
const toldOfWords = (asksAccess: boolean, row: PageFit["candidate"]["row"], found: Found | undefined) => ({
  ...(asksAccess ? accessOf(row) : {}),
  ...(found === undefined ? {} : foundInWords(found))
})

const summarize = (
  query: SearchQuery,
  { candidate: { row }, next_start, price }: PageFit,
  asksAccess: boolean,
  found: Found | undefined
): PlayroomSummary => ({
  ...summaryOf(
    row,
    { name: row.operator_name },
    {
      // Next to the party's own price, another party's price is shown only if the order uses it.
      from_price: row.from_price_holds && (price === undefined || query.sort === "price") ? row.from_price : undefined,
      from_price_for: row.from_price_for ?? undefined,
      photo_url: row.photo_url ?? undefined,
      distance_km: query.near === undefined ? undefined : (row.distance_km ?? undefined)
    }
  ),
  ...(price === undefined ? {} : { price_for_party: price }),
  ...(next_start === undefined
    ? {}
    : { next_start: format(row.time_zone, next_start), when: whenInWords(row.time_zone, next_start) }),
  ...toldOfWords(asksAccess, row, found)
})

/** A fit, and its summary on the page. */
type Entry = readonly [fit: PageFit, summary: PlayroomSummary]

/** By the shown price, grouped by currency. */
const byPrice = ([one]: Entry, [other]: Entry): number => {
  const [a, b] = [one.candidate.row, other.candidate.row]
  if (a.currency !== b.currency) return a.currency < b.currency ? -1 : 1
  return (one.price?.amount ?? a.from_price) - (other.price?.amount ?? b.from_price)
}

/** The time limit for explaining an empty search. */
const explanationTimeout = "3 seconds"

/** First in the cursor of a search whose pages so far had no playroom. */
const nothingYet = "none"

/** The position in a cursor, and whether a page before it had a playroom. */
const positionIn = (
  cursor: ReadonlyArray<string | number>
): { readonly position: Position; readonly shown: boolean } | undefined => {
  const shown = cursor[0] !== nothingYet
  const [tier, ...key] = shown ? cursor : cursor.slice(1)
  return typeof tier === "number" ? { position: [tier, ...key], shown } : undefined
}

export class PlayroomSearch extends Context.Service<
  PlayroomSearch,
  {
    /**
     * A page of listed playrooms that fit every filter, of operators that may sell. Paging neither repeats nor skips a
     * playroom while others book or cancel. Fails with `InvalidArguments` for contradictory filters and for a foreign
     * cursor.
     */
    readonly search: (query: SearchQuery) => Effect.Effect<PlayroomPage, InvalidArguments | SqlError.SqlError>
  }
>()("playroom/search/PlayroomSearch") {
  static readonly layer = Layer.effect(
    PlayroomSearch,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const catalogue = yield* Catalogue
      const occupancy = yield* Occupancy
      const wordsOf = readWords(sql)
      const cities = cityNames(sql)

      const wordsAt = findWords(sql)
      const queryHintFor = makeQueryHint(sql)
      const placeHintFor = makePlaceHint(sql, cities)

      const fitsAmong = findFits(catalogue, occupancy)
      const explanationOf = explainEmptySearch(sql, catalogue, occupancy, cities, wordsOf)
      /** The reasons are optional: if finding them takes too long or fails, the page is empty without them. */
      const explain = (...asked: Parameters<typeof explanationOf>): Effect.Effect<EmptySearch> =>
        explanationOf(...asked).pipe(
          Effect.timeoutOrElse({ duration: explanationTimeout, orElse: () => Effect.succeed({}) }),
          Effect.catchTag("SqlError", (error) =>
            Effect.as(Effect.logWarning("An empty search was not explained", error), {})
          )
        )

      const search = Effect.fn("PlayroomSearch.search")(function* (asked: SearchQuery) {
        const query = plainQuery(asked)
        const now = yield* Clock.currentTimeMillis
        const { cursor, limit = 10, ...scope } = query
        const from = cursor === undefined ? undefined : positionIn(decodeCursor(scope, cursor) ?? [])
        const issues = [
          ...searchIssues(query, now),
          ...(cursor !== undefined && from === undefined ? [invalidCursor] : [])
        ]
        if (issues.length > 0) return yield* new InvalidArguments({ issues })
        const words = query.query === undefined ? undefined : yield* wordsOf(query.query)
        const cityKeys = query.city === undefined ? undefined : yield* cities.keys(query.city)
        const candidates = candidatesOf(sql, query, words, now, cityKeys)
        const fits: Array<PageFit> = []
        let at = from?.position
        let examined = 0
        let reads = 0
        // One more than the page: it decides whether there is a cursor.
        while (fits.length <= limit) {
          const size = examined === 0 ? limit + 1 : limit + 1 + spareCandidates - examined
          if (size <= 0 || reads >= maxReads) break
          const slice = yield* candidates.next(
            at,
            size,
            reads === 0 ? Math.max(firstReadRows, size) : laterReadRows,
            reads > 0
          )
          if (slice === undefined) return yield* new InvalidArguments({ issues: [invalidCursor] })
          fits.push(...(yield* fitsAmong(query, slice.candidates, now)))
          at = slice.end
          if (at === undefined) break
          examined += slice.candidates.length
          if (slice.candidates.length === size) continue
          reads++
        }
        const page: Array<Entry> = []
        let length = 0
        const shown = fits.slice(0, limit)
        const ids = shown.map(({ candidate }) => candidate.row.playroom_id)
        const asksAccess = query.amenities !== undefined || (words?.needs ?? []).length > 0
        const found = words === undefined ? undefined : yield* wordsAt(words, ids)
        for (const fit of shown) {
          const summary = summarize(query, fit, asksAccess, found?.get(fit.candidate.row.playroom_id))
          length += JSON.stringify(summary).length
          if (page.length > 0 && length > maxPageLength) break
          page.push([fit, summary])
        }
        const end = fits.length > page.length ? fits[page.length - 1]?.candidate.position : at
        // The ranking uses lowest prices. The page is sorted by this party's prices.
        const entries = query.sort === "price" ? page.toSorted(byPrice) : page
        /** Whether this page and all before it have no playroom. */
        const none = page.length === 0 && from?.shown !== true
        const party = partyIn(query)
        const onPage = page.flatMap(([fit]) => found?.get(fit.candidate.row.playroom_id) ?? [])
        const query_hint = words === undefined ? undefined : yield* queryHintFor(words, onPage)
        const place_hint = page.length === 0 ? undefined : yield* placeHintFor(query)
        return {
          playrooms: entries.map(([, summary]) => summary),
          ...(party === undefined ? {} : { party }),
          ...(place_hint === undefined ? {} : { place_hint }),
          ...(query_hint === undefined ? {} : { query_hint }),
          ...(none && end === undefined ? yield* explain(query, words, cityKeys, now) : {}),
          ...(end === undefined ? {} : { next_cursor: encodeCursor(scope, none ? [nothingYet, ...end] : end) })
        }
      })

      return PlayroomSearch.of({ search })
    })
  ).pipe(Layer.provide([Catalogue.layer, Occupancy.layer]))
}
