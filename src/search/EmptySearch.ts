/**
 * Explains an empty search: which filters exclude most, what would fit instead, and which values exist. It runs at the
 * end of a search that found nothing, and takes a few statements for any number of filters and playrooms.
 */
import { Effect, Schema, Struct } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { lastDateOf } from "../availability/DateRange.ts"
import type { Occupancy } from "../availability/Occupancy.ts"
import type { Catalogue } from "../catalogue/Catalogue.ts"
import type { Venue } from "../catalogue/Playroom.ts"
import { PlayroomId } from "../kernel/Ids.ts"
import { format, type Instant, whenInWords } from "../kernel/LocalTime.ts"
import { freeDate, freeDays } from "./FreeDate.ts"
import { type CityNames, knownValues } from "./KnownValues.ts"
import { alternativeIn, argumentsToOmit, type FoundVenue, type Relaxation, relaxationsOf } from "./RelaxedSearch.ts"
import { type FoundByRows, type FoundRow, type SearchedFor, searchesAtOnce } from "./SearchesAtOnce.ts"
import { fitOf, type Fitting, needsVenueCheck, venuesOnDays } from "./SearchFits.ts"
import { type DatedQuery, datesAsked, hasRange, searchIssues, type SearchQuery } from "./SearchQuery.ts"
import { isAsked, type readWords, type Words } from "./SearchWords.ts"

/**
 * A filter, and the number of playrooms it excludes: of those that fit all other filters, or of all playrooms if there
 * are none of those for any filter.
 */
const Exclusion = Schema.Struct({
  filter: Schema.String.annotate({ description: "Argument." }),
  value: Schema.optionalKey(Schema.String.annotate({ description: "Entry of a list." })),
  excluded: Schema.Int.annotate({ description: "Of those that fit all else, or of all." }),
  or_more: Schema.optionalKey(Schema.Boolean.annotate({ description: "At least." })),
  text: Schema.optionalKey(Schema.String.annotate({ description: "For the person." }))
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

/** Maximum near misses, and playrooms whose times and prices are checked in all. */
const [maxNearMisses, maxVenues] = [3, 30]

/** A search without one of its filters, and the first playrooms that fit it by their rows. */
interface Relaxed extends Relaxation {
  readonly byRows: FoundByRows
  readonly venues: ReadonlyArray<FoundVenue>
}

/** Those that fit, with times and prices checked. */
const fittingOf = (venues: ReadonlyArray<FoundVenue>) =>
  venues.flatMap(({ fitting, ...found }) => (fitting === undefined ? [] : [{ ...found, fitting }]))

const exclusionOf = ({ filter, value }: Relaxation, excluded: number, more: boolean): Exclusion => ({
  filter,
  ...(value === undefined ? {} : { value }),
  excluded,
  ...(more ? { or_more: true } : {})
})

/** Filters that exclude anything, largest number first. */
const byExcludedCount = (exclusions: ReadonlyArray<Exclusion>): ReadonlyArray<Exclusion> =>
  exclusions.filter(({ excluded }) => excluded > 0).toSorted((a, b) => b.excluded - a.excluded)

const range = (first: number, last: number): string => (first === last ? `${first}` : `${first} to ${last}`)

/** That the playrooms which fit all else don't take these ages, and which they take. */
const agesText = (ages: ReadonlyArray<number>, venues: ReadonlyArray<Pick<FoundVenue, "venue">>): string => {
  const [first, last] = [Math.min(...ages), Math.max(...ages)]
  const taken = new Set(venues.map(({ venue: { playroom } }) => range(playroom.age_min, playroom.age_max)))
  const asked = first === last ? `age ${first}` : `all ages from ${first} to ${last}`
  return `No playroom that fits all else takes ${asked}. The nearest take ages ${[...taken].join(", or ")}.`
}

const nearMissOf = (
  without: ReadonlyArray<string>,
  { fitting: { next_start, price }, row }: { readonly row: FoundRow; readonly fitting: Fitting },
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

const widestKm = 500

/** The same circle with latitude and longitude swapped, as people mistake them; empty if there is none. */
const swapped = ({ near }: SearchQuery): ReadonlyArray<SearchQuery> =>
  near === undefined || Math.abs(near.longitude) > 90
    ? []
    : [{ near: { ...near, latitude: near.longitude, longitude: near.latitude } }]

/** Explains searches without results. `words` is what `readWords` made of the query. */
export const explainEmptySearch = (
  sql: SqlClient.SqlClient,
  catalogue: Catalogue["Service"],
  occupancy: Occupancy["Service"],
  cities: CityNames,
  wordsOf: ReturnType<typeof readWords>
) => {
  const known = knownValues(sql)
  const lookAt = searchesAtOnce(sql)
  const onDays = venuesOnDays(catalogue, occupancy)

  return Effect.fn("PlayroomSearch.explainEmpty")(function* (
    asked: SearchQuery,
    words: Words | undefined,
    cityKeys: ReadonlyArray<string> | undefined,
    now: Instant
  ): Effect.fn.Return<EmptySearch, SqlError.SqlError> {
    const query: SearchQuery = Struct.omit(asked, ["cursor", "limit", "sort"])
    const shared: SearchedFor = { query, words, cities: cityKeys ?? [] }
    const relaxations = relaxationsOf(query)
    if (relaxations.length === 0) return {}
    const nearestCities = yield* Effect.cached(cities.nearest(query.city ?? ""))

    /**
     * Reads the playrooms of some rows once; the result tells how each fits a search of the same days or of none. Of those
     * that fit on other days (`undated`), these are read, too.
     */
    const read = Effect.fnUntraced(function* (
      rows: ReadonlyArray<FoundRow>,
      undated: ReadonlyArray<FoundRow> = []
    ): Effect.fn.Return<
      (search: SearchQuery, rows: ReadonlyArray<FoundRow>) => ReadonlyArray<FoundVenue>,
      SqlError.SqlError
    > {
      const ids = [...new Set(rows.map(({ playroom_id }) => playroom_id))].slice(0, maxVenues)
      const onOtherDays = new Set<string>(undated.map(({ playroom_id }) => playroom_id))
      const daysOf = (asked: DatedQuery) => (venue: Venue) =>
        onOtherDays.has(venue.playroom.playroom_id)
          ? freeDays(asked, venue, now)
          : ([asked.date, lastDateOf(asked)] as const)
      const venues: ReadonlyMap<string, Pick<FoundVenue, "venue" | "calendar">> = datesAsked(query)
        ? yield* onDays(ids, daysOf(query), now)
        : new Map(Array.from(yield* catalogue.venues(ids), ([id, venue]) => [id, { venue }]))
      return (search, its) =>
        its.flatMap((row): ReadonlyArray<FoundVenue> => {
          const found = venues.get(row.playroom_id)
          return found === undefined
            ? []
            : [{ row, ...found, fitting: fitOf(search, found.venue, found.calendar, now) }]
        })
    })

    /** How many fit a search, of the playrooms that were looked at, and whether there may be more. */
    const countOf = (
      search: SearchQuery,
      { complete, count }: FoundByRows,
      venues: ReadonlyArray<FoundVenue>
    ): readonly [count: number, more: boolean] =>
      needsVenueCheck(search) ? [fittingOf(venues).length, !complete || venues.length < count] : [count, !complete]

    /** Searches for another city or other words, with what `lookAt` shares. */
    const otherSearches = Effect.fnUntraced(function* ({
      byRows,
      filter
    }: Relaxed): Effect.fn.Return<ReadonlyArray<readonly [SearchQuery, SearchedFor]>, SqlError.SqlError> {
      const { city, query: text } = query
      if (byRows.count === 0 && byRows.complete) return []
      if (filter === "city" && city !== undefined && shared.cities.length === 0) {
        const nearest = yield* nearestCities
        const [other] = nearest.isMisspelt ? nearest.cities : []
        return other === undefined
          ? []
          : [[{ city: other }, { query: { ...query, city: other }, words, cities: yield* cities.keys(other) }]]
      }
      if (filter !== "query" || text === undefined) return []
      const names = (yield* cities.namedIn(text)).join(" ")
      if (names === "" || names === text) return []
      const asked = yield* wordsOf(names)
      return isAsked(asked) ? [[{ query: names }, { ...shared, query: { ...query, query: names }, words: asked }]] : []
    })

    const swaps = swapped(query)
    const first = yield* lookAt(
      [query, ...relaxations.map(({ without }) => without), ...swaps.map((instead) => ({ ...query, ...instead }))],
      shared,
      now,
      [{}, ...relaxations.map(({ alone }) => alone)]
    )
    const fitsOf = yield* read(
      first.found.slice(1).flatMap(({ rows }) => rows),
      first.found[relaxations.findIndex(({ filter }) => filter === "date") + 1]?.rows
    )
    const relaxed = relaxations.flatMap((relaxation, n): ReadonlyArray<Relaxed> => {
      const byRows = first.found[n + 1]
      return byRows === undefined ? [] : [{ ...relaxation, byRows, venues: fitsOf(relaxation.without, byRows.rows) }]
    })

    /** Around another point, or in a wider circle: coordinates may be swapped, and else the closest playroom will do. */
    const nearby = (venues: ReadonlyArray<FoundVenue>): NearMiss | undefined => {
      const { near } = query
      const swappedRows = first.found[relaxations.length + 1]?.rows ?? []
      for (const instead of swaps) {
        const [other] = fittingOf(fitsOf({ ...query, ...instead }, swappedRows))
        if (other !== undefined) return nearMissOf(["near"], other, instead)
      }
      const [closest] = fittingOf(venues)
      if (closest === undefined || near === undefined) return undefined
      const { latitude, longitude } = closest.venue.playroom
      const isInReach = (closest.row.km ?? Infinity) <= widestKm
      return nearMissOf(["near"], closest, {
        near: isInReach ? { ...near, radius_km: widestKm } : { latitude, longitude }
      })
    }

    /** A playroom that fits with another value of the filter, or without the filter. */
    const nearMiss = Effect.fnUntraced(function* (
      one: Relaxed
    ): Effect.fn.Return<NearMiss | undefined, SqlError.SqlError> {
      const { byRows, filter, venues } = one
      if (filter === "near") return nearby(venues)
      const isAccepted = (changed: SearchQuery) => searchIssues(changed, now).length === 0
      for (const [instead, others] of yield* otherSearches(one)) {
        const { found } = yield* lookAt([others.query], others, now)
        const rows = found.flatMap((its) => its.rows)
        const [other] = fittingOf((yield* read(rows))(others.query, rows))
        if (other !== undefined) return nearMissOf([filter], other, instead)
      }
      const free = filter === "date" ? yield* freeDate(query, venues, now) : undefined
      if (free !== undefined)
        return nearMissOf([filter], free, { date: free.date, ...(hasRange(query) ? { date_to: free.date } : {}) })
      const instead = alternativeIn(one, query, venues)
      const changed = { ...query, ...instead }
      const [other] = instead === undefined || !isAccepted(changed) ? [] : fittingOf(fitsOf(changed, byRows.rows))
      if (other !== undefined) return nearMissOf([filter], other, instead)
      const [anything] = fittingOf(venues)
      return anything === undefined ? undefined : nearMissOf(argumentsToOmit(one, asked), anything)
    })

    /** The first near misses. Nobody's children get other ages for a search, so those stay. */
    const nearMisses = Effect.gen(function* () {
      const nearest: Array<NearMiss> = []
      for (const one of relaxed) {
        if (nearest.length === maxNearMisses) break
        const { filter } = one
        if (filter === "child_ages" || (one.venues.length === 0 && filter !== "near" && filter !== "city")) continue
        const found = yield* nearMiss(one)
        if (found !== undefined) nearest.push(found)
      }
      return nearest
    })

    /** The filters that exclude playrooms which fit all others. */
    const ofOthers = byExcludedCount(
      relaxed.map((one) => {
        const { byRows, filter, venues, without } = one
        const fits = fittingOf(venues)
        return {
          ...exclusionOf(one, ...countOf(without, byRows, venues)),
          ...(filter === "child_ages" && fits.length > 0 ? { text: agesText(query.child_ages ?? [], fits) } : {})
        }
      })
    )

    /**
     * The playrooms that each filter excludes of all by their rows, if no single filter is the reason. Counts among the
     * first ones, the same for all filters.
     */
    const exclusionsOfAll = () => {
      const [all, ...each] = first.ofAll
      return relaxations.map((relaxation, n) =>
        exclusionOf(
          relaxation,
          (all?.count ?? 0) - (each[n]?.count ?? 0),
          all?.complete !== true || needsVenueCheck(relaxation.alone)
        )
      )
    }

    /** What there is of a filter whose value no playroom has. */
    const valuesOf = ({ alone, filter }: Relaxation): Effect.Effect<ReadonlyArray<string>, SqlError.SqlError> => {
      const unlessIn = (values: ReadonlyArray<string>, asked: unknown) => (values.includes(String(asked)) ? [] : values)
      const { city, duration_minutes, max_total } = query
      switch (filter) {
        case "city":
          return city === undefined || (cityKeys ?? []).length > 0
            ? Effect.succeed([])
            : Effect.map(nearestCities, (nearest) => nearest.cities)
        case "country":
          return first.isKnown(alone) ? Effect.succeed([]) : known.countries
        case "amenities":
        case "query":
          return first.isKnown(alone) ? Effect.succeed([]) : known.amenities
        case "max_total":
          return Effect.map(known.currencies, (currencies) => unlessIn(currencies, max_total?.currency))
        case "duration_minutes":
          return Effect.map(known.lengths, (lengths) => unlessIn(lengths, duration_minutes))
        default:
          return Effect.succeed([])
      }
    }
    const valuesToKnow = Effect.map(
      Effect.forEach(relaxations, (relaxation) =>
        Effect.map(valuesOf(relaxation), (values) => ({ filter: relaxation.filter, values }))
      ),
      (all) =>
        [...Map.groupBy(all, ({ filter }) => filter).values()].flatMap(
          (ofFilter) => ofFilter.find(({ values }) => values.length > 0) ?? []
        )
    )

    const nearest = yield* nearMisses
    const known_values = yield* valuesToKnow
    const none_because = ofOthers.length > 0 ? ofOthers : byExcludedCount(exclusionsOfAll())
    return {
      ...(none_because.length === 0 ? {} : { none_because }),
      ...(nearest.length === 0 ? {} : { nearest }),
      ...(known_values.length === 0 ? {} : { known_values })
    }
  })
}
