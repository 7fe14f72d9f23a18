/** Searches playrooms in the order of the catalogue's ranking; with a date, only those that can be booked then. */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Position, type FoundPage, type PageFit, nothingFound, searchPages } from "./SearchPages.ts"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { cityNames, knownValues } from "./KnownValues.ts"
import { type EmptySearch, explainEmptySearch, type Understood } from "./EmptySearch.ts"
import { findWords, findWordsNowhere, type Found, foundInWords, queryHint } from "./FoundWords.ts"
import { makePlaceHint, partyIn, plainQuery, searchIssues, type SearchQuery } from "./SearchQuery.ts"
import type { PlayroomSummary } from "../catalogue/Playroom.ts"
import { InvalidArguments } from "../../platform/errors/InvalidArguments.ts"
import { isAsked, isFoundNowhere, readWords } from "./SearchWords.ts"
import { accessOf, summaryOf } from "../catalogue/Views.ts"
import { decodeCursor, encodeCursor, invalidCursor } from "../../platform/ids/Ids.ts"
import { format, type Instant, whenInWords } from "../../platform/time/LocalTime.ts"
import { pageBudget, fitPage } from "../../platform/text/ResponseBudget.ts"
import { Occupancy } from "../availability/Occupancy.ts"
import { findFits } from "./SearchFits.ts"
import { fewOf, tiersOf } from "./SearchTiers.ts"
import { BookingOptions, CallerKey } from "../availability/BookingOptions.ts"
import type { AppConfig } from "../../platform/config/AppConfig.ts"
import { ReadReplica } from "../../platform/database/ReadReplica.ts"

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
  /** Sorted by price: what the order means where it is not one order of amounts. */
  readonly order?: string
  /** What of the words no playroom of the page has, and what was not looked for. */
  readonly query_hint?: string
}

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

/** A fit, and what the page says of it. */
interface Entry {
  readonly fit: PageFit
  readonly found: Found | undefined
  readonly summary: PlayroomSummary
}

/** By the shown price, in one currency. */
const byPrice = ({ fit: one }: Entry, { fit: other }: Entry): number => {
  const [a, b] = [one.candidate.row, other.candidate.row]
  return (one.price?.amount ?? a.from_price) - (other.price?.amount ?? b.from_price)
}

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

/** What an answer says of its order by price, where it is not one order of amounts. */
const groupsText =
  "Free playrooms come first, then one currency after the other (by its code), each in order of price: amounts of different currencies are not compared."

/** The text for a page; undefined if there is nothing to say. `currency`: that of playrooms sorted only in the page. */
const orderText = (several: boolean, currency: string | undefined): string | undefined => {
  const texts = [
    ...(several ? [groupsText] : []),
    ...(currency === undefined
      ? []
      : [
          `From here on, prices in ${currency} are in order within each page only: too many playrooms cost less at other times or for other parties. A city, or other filters, give the true order.`
        ])
  ]
  return texts.length === 0 ? undefined : texts.join(" ")
}

/** Whether a page sorted by price, or the pages beside it, hold several currencies. `isFirst`: no page is before it. */
const hasCurrencies = ({ fits, after, severalCurrencies }: FoundPage, shown: number, isFirst: boolean): boolean =>
  new Set(fits.slice(0, shown).map(({ candidate }) => candidate.row.currency)).size > 1 ||
  (severalCurrencies === true && (after(shown) !== undefined || !isFirst))

export class PlayroomSearch extends Context.Service<
  PlayroomSearch,
  {
    /**
     * A page of listed playrooms that fit every filter, of operators that may sell. Paging neither repeats nor skips a
     * playroom while others book or cancel. Fails with `InvalidArguments` for contradictory filters and for a foreign
     * cursor.
     */
    readonly search: (query: SearchQuery) => Effect.Effect<PlayroomPage, InvalidArguments | SqlError.SqlError>
    /** The first cities, by name, with a listed playroom of an operator that may sell. The result may be a minute old. */
    readonly cities: Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
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
      const wordsNowhere = findWordsNowhere(sql)
      const placeHintFor = makePlaceHint(sql, cities)
      const known = knownValues(sql)
      const pageOf = searchPages(sql, findFits(catalogue, occupancy))

      /** Reads the words and the city of a search, unless a search that is like it has the same. */
      const understand = Effect.fnUntraced(function* (
        query: SearchQuery,
        like?: Understood
      ): Effect.fn.Return<Understood, SqlError.SqlError> {
        const { city, query: text } = query
        return {
          query,
          words: text === undefined ? undefined : text === like?.query.query ? like.words : yield* wordsOf(text),
          cities: city === undefined ? [] : city === like?.query.city ? like.cities : yield* cities.keys(city)
        }
      })

      const tiersFor = ({ cities, query, words }: Understood, now: Instant) =>
        tiersOf(sql, query, words !== undefined && isAsked(words) ? words : undefined, now, cities)

      /** A page of what fits; undefined for a foreign position. What no playroom can have is not looked for. */
      const look = (asked: Understood, limit: number, now: Instant, from?: Position) => {
        const { query, words } = asked
        return from === undefined && words !== undefined && isAsked(words) && isFoundNowhere(words)
          ? Effect.succeed(nothingFound)
          : pageOf({ query, tiers: tiersFor(asked, now), from, limit, now })
      }

      const explain = explainEmptySearch({
        catalogue,
        cities,
        fewMeeting: (asked, now) =>
          fewOf(
            sql,
            asked.map((one) => tiersFor(one, now))
          ),
        known,
        look,
        understand,
        wordsAt
      })

      /** What the page says of its first `limit` fits. */
      const entriesOf = Effect.fnUntraced(function* ({ query, words }: Understood, fits: ReadonlyArray<PageFit>) {
        const ids = fits.map(({ candidate }) => candidate.row.playroom_id)
        const asksAccess = query.amenities !== undefined || (words?.needs ?? []).length > 0
        const found = words === undefined || !isAsked(words) ? undefined : yield* wordsAt(words, ids)
        return fits.map((fit): Entry => {
          const at = found?.get(fit.candidate.row.playroom_id)
          return { fit, found: at, summary: summarize(query, fit, asksAccess, at) }
        })
      })

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
        const understood = yield* understand(query)
        const { words } = understood
        const fitting = yield* look(understood, limit, now, from?.position)
        if (fitting === undefined) return yield* new InvalidArguments({ issues: [invalidCursor] })
        const entries = yield* entriesOf(understood, fitting.fits.slice(0, limit))
        const isPriced = query.sort === "price" && query.max_total === undefined
        const several = isPriced && hasCurrencies(fitting, entries.length, from === undefined)
        /** Whether this page and all before it have no playroom. */
        const none = entries.length === 0 && from?.shown !== true
        const party = partyIn(query)
        const nowhere = words === undefined || entries.length > 0 ? [] : yield* wordsNowhere(words)
        const place_hint = entries.length === 0 ? undefined : yield* placeHintFor(query)
        const page = fitPage(pageBudget(query.limit), entries.length, (count): PlayroomPage => {
          const first = entries.slice(0, count)
          const { sortedUntil = count } = fitting
          const unsorted = first.slice(sortedUntil)
          const order = orderText(several, unsorted[0]?.fit.candidate.row.currency)
          const onPage = first.flatMap(({ found }) => found ?? [])
          const query_hint = words === undefined ? undefined : queryHint(words, onPage, nowhere)
          const end = fitting.after(count)
          return {
            playrooms: [...first.slice(0, sortedUntil), ...unsorted.toSorted(byPrice)].map(({ summary }) => summary),
            ...(party === undefined ? {} : { party }),
            ...(place_hint === undefined ? {} : { place_hint }),
            ...(order === undefined ? {} : { order }),
            ...(query_hint === undefined ? {} : { query_hint }),
            ...(end === undefined ? {} : { next_cursor: encodeCursor(scope, none ? [nothingYet, ...end] : end) })
          }
        })
        return none && page.next_cursor === undefined ? { ...page, ...(yield* explain(understood, now)) } : page
      })

      return PlayroomSearch.of({ search, cities: known.cities })
    })
  ).pipe(Layer.provide([Catalogue.layer, Occupancy.layer]))
}

// The reads of the public tools and pages if there is a replica: the same services as elsewhere, built a second time over the
// replica, with their own caches. Only these tools and pages can reach them, so nothing that decides a write, or shows a
// booking, reads from a replica.

const services = Layer.mergeAll(PlayroomSearch.layer, BookingOptions.layer, Catalogue.layer)

/** The three services, which read from the replica if they can. Open dependency: the same over the primary. */
export const publicReads: Layer.Layer<
  PlayroomSearch | Catalogue | BookingOptions,
  never,
  AppConfig | PlayroomSearch | Catalogue | BookingOptions | ReadReplica
> = Layer.effectContext(
  Effect.gen(function* () {
    const search = yield* PlayroomSearch
    const catalogue = yield* Catalogue
    const options = yield* BookingOptions
    const { client, read } = yield* ReadReplica
    const primary = Context.make(PlayroomSearch, search).pipe(
      Context.add(Catalogue, catalogue),
      Context.add(BookingOptions, options)
    )
    if (client === undefined) return primary
    const replica = yield* Layer.build(
      Layer.fresh(services.pipe(Layer.provide(Layer.succeed(SqlClient.SqlClient, client))))
    )
    const onReplica = {
      search: Context.get(replica, PlayroomSearch),
      catalogue: Context.get(replica, Catalogue),
      options: Context.get(replica, BookingOptions)
    }
    return primary.pipe(
      Context.add(
        PlayroomSearch,
        PlayroomSearch.of({
          search: (query) => read(onReplica.search.search(query), search.search(query)),
          cities: read(onReplica.search.cities, search.cities)
        })
      ),
      Context.add(
        Catalogue,
        Catalogue.of({
          ...catalogue,
          shown: (id) => read(onReplica.catalogue.shown(id), catalogue.shown(id)),
          view: (id) => read(onReplica.catalogue.view(id), catalogue.view(id))
        })
      ),
      Context.add(
        BookingOptions,
        BookingOptions.of({
          ...options,
          // A caller with a key sees its own latest bookings, on any node: with a key, free times come from the
          // primary.
          list: (query) =>
            Effect.flatMap(CallerKey, (key) =>
              key === undefined ? read(onReplica.options.list(query), options.list(query)) : options.list(query)
            )
        })
      )
    )
  })
)
