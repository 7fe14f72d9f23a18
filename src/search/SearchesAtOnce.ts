/**
 * Which playrooms fit each of several similar searches, by their rows and in one statement. It looks at a bounded number
 * of playrooms: the first that each place, word or visit of the searches leads to. The statement tells which conditions
 * each of them meets; what each search finds follows from that.
 */
import { Effect, Schema, Struct } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { Instant } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { pricesHold } from "../catalogue/VenueRows.ts"
import { NamedRow } from "./RankingReads.ts"
import {
  amenityConditions,
  distanceTo,
  inBoxes,
  operatorSells,
  playroomConditions,
  visitConditions,
  visitsBy
} from "./SearchConditions.ts"
import { defaultRadiusKm, type SearchQuery } from "./SearchQuery.ts"
import type { Words } from "./SearchWords.ts"
import { leastMatch } from "./WordConditions.ts"

type Fragment = Statement.Fragment

/** The first playrooms of all to look at, the most of all others, the most sources, and the most to return of each search. */
const [maxOfAll, maxOfOthers, maxSources, maxFirst] = [50, 100, 6, 6]

/** A condition on a playroom `p` or on a visit `v`. Searches share those with the same key. */
interface Condition {
  readonly key: string
  readonly holds: Fragment
  /** A condition on `p` that an index answers and that follows from it; of visits, undefined. */
  readonly indexed?: Fragment
}

/** The conditions of a search. */
interface Conditions {
  readonly places: ReadonlyArray<Condition>
  readonly visits: ReadonlyArray<Condition>
}

/** Where playrooms come from: a playroom that fits a search with these conditions is among them, if they are few. */
interface Source {
  readonly keys: ReadonlyArray<string>
  readonly ids: Fragment
  readonly limit: number
}

/** What a search finds among the playrooms that were looked at. */
export interface FoundByRows {
  /** The first ones, nearest first if the searches have a place. */
  readonly rows: ReadonlyArray<FoundRow>
  readonly count: number
  /** Whether no other playroom fits. */
  readonly complete: boolean
}

/** What all the searches share. */
export interface SearchedFor {
  /** The search that the others are like: its words, its cities, and the point to which distances are. */
  readonly query: SearchQuery
  readonly words: Words | undefined
  readonly cities: ReadonlyArray<string>
}

/** A playroom that was found. */
export const FoundRow = Schema.Struct({
  ...NamedRow.fields,
  /** From the point of the shared search. */
  km: Schema.optionalKey(Schema.NullOr(Schema.Finite))
})
export type FoundRow = typeof FoundRow.Type

/** What a playroom meets: a letter for each condition, `t` if it holds. */
const Letters = Schema.String

const decode = decodeRows(
  Schema.Array(
    Schema.Struct({
      ...FoundRow.fields,
      /** The number of each source that leads to it, as often as it does. */
      sources: Schema.Array(Schema.Int),
      /** Whether it may be shown. */
      sells: Schema.Boolean,
      places: Letters,
      /** Of each of its visits; visits that meet the same are one. */
      visits: Schema.Array(Letters)
    })
  )
)

/** Each of the conditions once, by its key. */
const distinct = (all: ReadonlyArray<Condition>): ReadonlyArray<Condition> => [
  ...new Map(all.map((condition) => [condition.key, condition])).values()
]

/** Looks at playrooms for several searches at once. */
export const searchesAtOnce = (sql: SqlClient.SqlClient) => {
  const condition = (holds: Fragment, indexed?: Fragment): Condition => ({
    // Compiling each of them takes most of the time of an explanation.
    key: JSON.stringify(holds.segments),
    holds,
    ...(indexed === undefined ? {} : { indexed })
  })

  /** The conditions of similar searches. Those of the same filters are made once. */
  const conditionsOfAny = ({ cities, words }: SearchedFor, now: Instant) => {
    const known = new Map<string, ReadonlyArray<Condition>>()
    const once = (
      filters: SearchQuery,
      make: (filters: SearchQuery) => ReadonlyArray<Condition>
    ): ReadonlyArray<Condition> => {
      const key = JSON.stringify(filters)
      const made = known.get(key) ?? (key === "{}" ? [] : make(filters))
      known.set(key, made)
      return made
    }
    const around = ({ near }: SearchQuery) =>
      near === undefined
        ? []
        : [
            condition(
              sql`${distanceTo(sql, near)} <= ${near.radius_km ?? defaultRadiusKm}::float8`,
              inBoxes(sql, near, near.radius_km ?? defaultRadiusKm)
            )
          ]
    const having = () => (words === undefined ? [] : leastMatch(sql, words)).map((holds) => condition(holds, holds))
    const placed = (search: SearchQuery) =>
      [...playroomConditions(sql, search, cities), ...amenityConditions(sql, search, "p")].map((holds) =>
        condition(holds, holds)
      )
    const visiting = (search: SearchQuery) => visitConditions(sql, search, now).map((holds) => condition(holds))
    return (search: SearchQuery): Conditions => {
      const { amenities = [], near, query, ...others } = search
      return {
        // Those that leave fewest playrooms come first.
        places: [
          ...once(near === undefined ? {} : { near }, around),
          ...once(query === undefined ? {} : { query }, having),
          ...once(Struct.pick(others, ["city"]), placed),
          ...once(Struct.pick(others, ["country"]), placed),
          ...amenities.flatMap((amenity) => once({ amenities: [amenity] }, placed))
        ],
        visits: once(Struct.omit(others, ["city", "country"]), visiting)
      }
    }
  }

  /** The playrooms nearest to a point, or the first ones. */
  const ofAll = ({ query: { near } }: SearchedFor): Source => ({
    keys: [],
    ids: sql`select p.playroom_id from playroom p where p.listed order by ${
      near === undefined
        ? sql`p.playroom_id`
        : sql`point(p.longitude, p.latitude) <-> point(${near.longitude}::float8, ${near.latitude}::float8)`
    } limit ${sql.literal(`${maxOfAll}`)}`,
    limit: maxOfAll
  })

  /** The sources of searches: each place, and the visits of those without a place or with a place each. */
  const sourcesOf = (searches: ReadonlyArray<Conditions>): ReadonlyArray<Source> => {
    const places = distinct(searches.flatMap(({ places }) => places))
    const byVisits = Map.groupBy(
      searches.filter(({ visits }) => visits.length > 0),
      ({ visits }) => visits.map(({ key }) => key).join()
    )
    const visits = [...byVisits.values()].flatMap((same): ReadonlyArray<ReadonlyArray<Condition>> => {
      const [{ visits } = { visits: [] }] = same
      return same.length === 1 && same.every(({ places }) => places.length > 0) ? [] : [visits]
    })
    const [first, more] = [visits.slice(0, 2), places.slice(0, maxSources - 1 - Math.min(2, visits.length))]
    const limit = Math.floor(maxOfOthers / Math.max(2, first.length + more.length))
    return [
      ...first.map((all): Source => {
        const holds = all.map(({ holds }) => holds)
        return { keys: all.map(({ key }) => key), ids: visitsBy(sql, holds, limit), limit }
      }),
      ...more.map(({ indexed, key }): Source => ({
        keys: [key],
        ids: sql`select p.playroom_id from playroom p where p.listed and ${indexed ?? sql`true`} limit ${limit}::int`,
        limit
      }))
    ]
  }

  const statement = (
    places: ReadonlyArray<Condition>,
    visits: ReadonlyArray<Condition>,
    sources: ReadonlyArray<Source>,
    { query: { near } }: SearchedFor,
    now: Instant
  ): Fragment => {
    const letters = (conditions: ReadonlyArray<Condition>) =>
      sql`array_to_string(array[${sql.join(", ", false)(conditions.map(({ holds }) => holds))}]::bool[], '', 'f')`
    const read = sources.map(({ ids }, n) => sql`(select ${n}::int as source, ids.* from (${ids}) ids)`)
    return sql`
with source as materialized (${sql.join(" union all ", false)(read)})
select p.playroom_id, p.name, p.city, p.time_zone, p.currency, p.from_price, ${pricesHold(sql, now)} as from_price_holds,
  ${near === undefined ? sql`null::float8` : distanceTo(sql, near)} as km, looked.sources,
  p.listed and coalesce(${operatorSells(sql, "p", now)}, false) as sells, ${letters(places)} as places,
  ${
    visits.length === 0
      ? sql`'{}'::text[]`
      : sql`array(select distinct ${letters(visits)} from search_visit v where v.playroom_id = p.playroom_id)`
  } as visits
from (select playroom_id, array_agg(source) as sources from source group by playroom_id) looked join playroom p using (playroom_id)
order by km, playroom_id`
  }

  /**
   * What each search finds among likely playrooms, and how many of the first of all fit others. `isKnown` tells whether
   * a playroom has each place and amenity of a search; true if none of these searches is about them.
   */
  return Effect.fn("searchesAtOnce")(function* (
    searches: ReadonlyArray<SearchQuery>,
    shared: SearchedFor,
    now: Instant,
    others: ReadonlyArray<SearchQuery> = []
  ): Effect.fn.Return<
    {
      readonly found: ReadonlyArray<FoundByRows>
      readonly ofAll: ReadonlyArray<Pick<FoundByRows, "count" | "complete">>
      readonly isKnown: (search: SearchQuery) => boolean
    },
    SqlError.SqlError
  > {
    const conditionsOf = conditionsOfAny(shared, now)
    const conditions = searches.map(conditionsOf)
    const ofOthers = others.map(conditionsOf)
    const sources = [ofAll(shared), ...sourcesOf(conditions)]
    const all = [...conditions, ...ofOthers]
    const places = distinct(all.flatMap((search) => search.places))
    const visits = distinct(all.flatMap((search) => search.visits))
    const asked = statement(places, visits, sources, shared, now)
    // With a city or a country, the best plan depends on the values. All else is read from an index, whatever it is.
    const { city, country } = shared.query
    const keepsPlan = city === undefined && country === undefined
    const rows = yield* decode(keepsPlan ? sql`${asked}` : sql`${asked}`.unprepared)

    const numbers = (among: ReadonlyArray<Condition>, its: ReadonlyArray<Condition>) => {
      const keys = new Set(its.map(({ key }) => key))
      return among.flatMap(({ key }, n) => (keys.has(key) ? [n] : []))
    }
    /** The rows that fit, in order. */
    const fitting = (its: Conditions) => {
      const [inPlaces, inVisits] = [numbers(places, its.places), numbers(visits, its.visits)]
      const meets = (letters: string, wanted: ReadonlyArray<number>) => wanted.every((n) => letters[n] === "t")
      return rows.filter(
        (row) =>
          row.sells &&
          meets(row.places, inPlaces) &&
          (inVisits.length === 0 || row.visits.some((visit) => meets(visit, inVisits)))
      )
    }
    const rowsOf = sources.map((_, n) =>
      rows.reduce((sum, row) => sum + row.sources.filter((one) => one === n).length, 0)
    )
    const isComplete = (n: number) => (rowsOf[n] ?? 0) < (sources[n]?.limit ?? 0)
    return {
      found: conditions.map((its): FoundByRows => {
        const keys = new Set([...its.places, ...its.visits].map(({ key }) => key))
        const found = fitting(its)
        return {
          rows: found.slice(0, maxFirst),
          count: found.length,
          complete: sources.some((source, n) => isComplete(n) && source.keys.every((key) => keys.has(key)))
        }
      }),
      ofAll: ofOthers.map((its) => ({
        count: fitting(its).filter((row) => row.sources.includes(0)).length,
        complete: isComplete(0)
      })),
      isKnown: (search) => {
        const keys = new Set(conditionsOf(search).places.map(({ key }) => key))
        return sources.every((source, n) => rowsOf[n] !== 0 || !source.keys.some((key) => keys.has(key)))
      }
    }
  })
}
