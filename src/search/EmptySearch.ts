/**
 * Explains an empty search: which filters exclude most, what would fit instead, and which values exist. Runs only for
 * an empty page, with one bounded read per filter, like the search itself.
 */
import { Effect, Schema, Struct } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Occupancy } from "../availability/Occupancy.ts"
import type { Catalogue } from "../catalogue/Catalogue.ts"
import { PlayroomId } from "../kernel/Ids.ts"
import { format, type Instant, whenInWords } from "../kernel/LocalTime.ts"
import { type Candidate, candidatesOf } from "./Candidates.ts"
import { explainReads, type FoundRow } from "./RankingReads.ts"
import { type CityNames, knownValues } from "./KnownValues.ts"
import { argumentsToOmit, findAlternatives, type Relaxation, relaxationsOf } from "./RelaxedSearch.ts"
import { asksPrice, findFits, type Fit } from "./SearchFits.ts"
import { searchIssues, type SearchQuery } from "./SearchQuery.ts"
import type { readWords, Words } from "./SearchWords.ts"

/**
 * A filter, and the number of playrooms it excludes: of those that fit all other filters, or of all playrooms if there
 * are none of those for any filter.
 */
const Exclusion = Schema.Struct({
  filter: Schema.String.annotate({ description: "Argument." }),
  value: Schema.optionalKey(Schema.String.annotate({ description: "Entry of a list." })),
  excluded: Schema.Int.annotate({ description: "Of those that fit all else, or of all." }),
  or_more: Schema.optionalKey(Schema.Boolean.annotate({ description: "At least." }))
})
type Exclusion = typeof Exclusion.Type

/** A playroom that would fit a slightly changed search. */
const NearMiss = Schema.Struct({
  without: Schema.Array(Schema.String).annotate({ description: "Leave out." }),
  instead: Schema.optionalKey(Schema.String.annotate({ description: "Then add these (JSON)." })),
  playroom_id: PlayroomId.annotate({ description: "Then fits." }),
  name: Schema.String.annotate({ description: "Name." }),
  city: Schema.String.annotate({ description: "City." }),
  next_start: Schema.optionalKey(Schema.String.annotate({ description: "First start." })),
  when: Schema.optionalKey(Schema.String.annotate({ description: "It in words." })),
  price: Schema.optionalKey(Schema.String.annotate({ description: "Party's lowest." }))
})
type NearMiss = typeof NearMiss.Type

/** Possible values of a filter. */
const FilterValues = Schema.Struct({
  filter: Schema.String.annotate({ description: "Argument." }),
  values: Schema.Array(Schema.String).annotate({ description: "Some or all." })
})

/** The fields of an empty page. */
export const emptySearchFields = {
  none_because: Schema.optionalKey(Schema.Array(Exclusion).annotate({ description: "If empty: what excludes most." })),
  nearest: Schema.optionalKey(Schema.Array(NearMiss).annotate({ description: "If empty: what would fit." })),
  known_values: Schema.optionalKey(Schema.Array(FilterValues).annotate({ description: "If empty: what there is." }))
}
const EmptySearch = Schema.Struct(emptySearchFields)
export type EmptySearch = typeof EmptySearch.Type

/** Maximum rows of a read, playrooms to count, and playrooms whose times and prices are checked. */
const [maxReadRows, maxCounted, maxChecked] = [1000, 100, 6]
/** Maximum number of near misses. */
const maxNearMisses = 3

/** The playrooms that fit a search. */
interface SearchResult {
  /** The first ones that fit. */
  readonly fits: ReadonlyArray<Fit>
  readonly candidates: ReadonlyArray<Candidate<FoundRow>>
  /** How many fit; at least that many if `more`. */
  readonly count: number
  readonly more: boolean
}

/** A search without one of its filters, and its result. */
type Relaxed = Relaxation & { readonly found: SearchResult }

/** Whether rows alone can't decide: starts, prices and adults are checked playroom by playroom. */
const needsVenueCheck = ({ adults, date, max_total }: SearchQuery): boolean =>
  date !== undefined || adults !== undefined || max_total !== undefined

/** Whether there may be a near miss: a wrong place can be corrected even if nothing fits without it. */
const mayMiss = ({ filter, found }: Relaxed): boolean => found.fits.length > 0 || filter === "near" || filter === "city"

/** Searches that are made at the same time share their reads. */
const together = { concurrency: "unbounded" } as const

const exclusionOf = ({ filter, value }: Relaxation, excluded: number, more: boolean): Exclusion => ({
  filter,
  ...(value === undefined ? {} : { value }),
  excluded,
  ...(more ? { or_more: true } : {})
})

/** Filters that exclude anything, largest number first. */
const byExcludedCount = (exclusions: ReadonlyArray<Exclusion>): ReadonlyArray<Exclusion> =>
  exclusions.filter(({ excluded }) => excluded > 0).toSorted((a, b) => b.excluded - a.excluded)

const nearMissOf = (
  without: ReadonlyArray<string>,
  { candidate: { row }, next_start, price }: Fit,
  instead?: SearchQuery
): NearMiss => ({
  without,
  ...(instead === undefined ? {} : { instead: JSON.stringify(instead) }),
  playroom_id: row.playroom_id,
  name: row.name,
  city: row.city,
  ...(next_start === undefined
    ? {}
    : { next_start: format(row.time_zone, next_start), when: whenInWords(row.time_zone, next_start) }),
  ...(price === undefined ? {} : { price: price.display })
})

/** Explains searches without results. `words` is what `readWords` made of the query. */
export const explainEmptySearch = (
  sql: SqlClient.SqlClient,
  catalogue: Catalogue["Service"],
  occupancy: Occupancy["Service"],
  cities: CityNames,
  wordsOf: ReturnType<typeof readWords>
) => {
  const fitsAmong = findFits(catalogue, occupancy)
  const known = knownValues(sql)
  const alternativesTo = findAlternatives({ catalogue, occupancy, cities, known })

  return Effect.fn("PlayroomSearch.explainEmpty")(function* (
    asked: SearchQuery,
    words: Words | undefined,
    cityKeys: ReadonlyArray<string> | undefined,
    now: Instant
  ): Effect.fn.Return<EmptySearch, SqlError.SqlError> {
    const reads = explainReads(sql)
    const amenities = yield* Effect.cached(known.amenities)
    const query: SearchQuery = Struct.omit(asked, ["cursor", "limit", "sort"])

    const candidatesFor = Effect.fnUntraced(function* (
      other: SearchQuery
    ): Effect.fn.Return<ReturnType<typeof candidatesOf>, SqlError.SqlError> {
      const inCities =
        other.city === undefined ? undefined : other.city === query.city ? cityKeys : yield* cities.keys(other.city)
      const asWords =
        other.query === undefined ? undefined : other.query === query.query ? words : yield* wordsOf(other.query)
      return candidatesOf(sql, other, asWords, now, inCities, reads)
    })

    /** Playrooms that fit a search. If rows alone can't decide, only the first ones are checked. */
    const find = Effect.fnUntraced(function* (
      other: SearchQuery,
      most: number
    ): Effect.fn.Return<SearchResult, SqlError.SqlError> {
      const checksVenues = needsVenueCheck(other)
      const ranking = yield* candidatesFor(other)
      const slice = yield* ranking.find(undefined, checksVenues ? maxChecked : most, maxReadRows, true)
      const candidates = slice?.candidates ?? []
      const fits = yield* fitsAmong(other, asksPrice(other) ? candidates.slice(0, maxChecked) : candidates, now)
      return {
        fits,
        candidates,
        count: checksVenues ? fits.length : candidates.length,
        more: slice?.end !== undefined
      }
    })
    const firstFits = (other: SearchQuery) => Effect.map(find(other, maxChecked), ({ fits }) => fits)

    /**
     * The playrooms that each filter excludes of all playrooms, if no single filter is the reason. Counts among the
     * first playrooms of one order, the same for all filters, so the numbers are lower bounds.
     */
    const exclusionsOfAll = Effect.fnUntraced(function* (
      relaxations: ReadonlyArray<Relaxation>
    ): Effect.fn.Return<ReadonlyArray<Exclusion>, SqlError.SqlError> {
      const first = Effect.fnUntraced(function* (other: SearchQuery) {
        const ranking = yield* candidatesFor({ ...other, sort: "price" })
        return yield* ranking.find(undefined, maxCounted, maxReadRows, true)
      })
      const [all, ...each] = yield* Effect.forEach([{}, ...relaxations.map(({ alone }) => alone)], first, together)
      const ids = new Set(all?.candidates.map(({ row }) => row.playroom_id))
      return yield* Effect.forEach(
        relaxations,
        Effect.fnUntraced(function* (relaxation, n) {
          const { alone } = relaxation
          const able = (each[n]?.candidates ?? []).filter(({ row }) => ids.has(row.playroom_id))
          const checked = needsVenueCheck(alone) ? able.slice(0, maxChecked) : able
          const fits = needsVenueCheck(alone) ? yield* fitsAmong(alone, checked, now) : checked
          const excluded = ids.size - able.length + checked.length - fits.length
          return exclusionOf(relaxation, excluded, all?.end !== undefined || checked.length < able.length)
        }),
        together
      )
    })

    /** A playroom that fits with another value of the filter, or without the filter. */
    const nearMiss = Effect.fnUntraced(function* (
      relaxed: Relaxed
    ): Effect.fn.Return<ReadonlyArray<NearMiss>, SqlError.SqlError> {
      const { filter, found } = relaxed
      for (const instead of yield* alternativesTo(query, relaxed, found, now)) {
        const changed = { ...query, ...instead }
        if (searchIssues(changed, now).length > 0) continue
        const [fit] = yield* firstFits(changed)
        if (fit !== undefined) return [nearMissOf([filter], fit, instead)]
      }
      return found.fits.slice(0, 1).map((fit) => nearMissOf(argumentsToOmit(relaxed, asked), fit))
    })

    /**
     * The possible values of a filter if the requested one is not among them; for lengths, those offered to this party.
     */
    const valuesOf = Effect.fnUntraced(function* ({
      alone,
      filter
    }: Relaxation): Effect.fn.Return<ReadonlyArray<string>, SqlError.SqlError> {
      switch (filter) {
        case "city": {
          if (query.city === undefined || (cityKeys ?? []).length > 0) return []
          return (yield* cities.nearest(query.city)).cities
        }
        case "country":
          return (yield* firstFits(alone)).length === 0 ? yield* known.countries : []
        case "query":
          return (yield* firstFits(alone)).length === 0 ? yield* amenities : []
        case "amenities":
          return (yield* reads.words(known.amenity(alone.amenities?.[0] ?? ""))).length > 0 ? [] : yield* amenities
        case "max_total": {
          const currencies = yield* known.currencies
          return currencies.includes(query.max_total?.currency ?? "") ? [] : currencies
        }
        case "duration_minutes":
          return (yield* firstFits(alone)).length === 0 ? yield* known.lengths : []
        default:
          return []
      }
    })

    const relaxations = relaxationsOf(query)
    const relaxed = yield* Effect.forEach(
      relaxations,
      (relaxation) => Effect.map(find(relaxation.without, maxCounted), (found): Relaxed => ({ ...relaxation, found })),
      together
    )

    /** The first near misses. The next filters are tried if those before had none. */
    const nearMisses = Effect.gen(function* () {
      const nearest: Array<NearMiss> = []
      const untried = relaxed.filter(mayMiss)
      while (nearest.length < maxNearMisses && untried.length > 0) {
        const next = untried.splice(0, maxNearMisses - nearest.length)
        nearest.push(...(yield* Effect.forEach(next, nearMiss, together)).flat())
      }
      return nearest
    })

    const valuesToKnow = Effect.map(
      Effect.forEach(
        relaxations,
        (relaxation) => Effect.map(valuesOf(relaxation), (values) => ({ filter: relaxation.filter, values })),
        together
      ),
      (all) =>
        [...Map.groupBy(all, ({ filter }) => filter).values()].flatMap(
          (ofFilter) => ofFilter.find(({ values }) => values.length > 0) ?? []
        )
    )

    const ofOthers = byExcludedCount(relaxed.map((one) => exclusionOf(one, one.found.count, one.found.more)))
    const [nearest, known_values, ofAll] = yield* Effect.all(
      [
        nearMisses,
        valuesToKnow,
        ofOthers.length > 0 || relaxations.length === 0 ? Effect.succeed([]) : exclusionsOfAll(relaxations)
      ],
      together
    )
    const none_because = ofOthers.length > 0 ? ofOthers : byExcludedCount(ofAll)
    return {
      ...(none_because.length === 0 ? {} : { none_because }),
      ...(nearest.length === 0 ? {} : { nearest }),
      ...(known_values.length === 0 ? {} : { known_values })
    }
  })
}
