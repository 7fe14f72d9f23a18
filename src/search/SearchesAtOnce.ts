/**
 * Which playrooms fit each of several similar searches, by their rows and in one statement. It looks at a bounded number
 * of playrooms: the first that each place, word or visit of the searches leads to.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { Instant } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { pricesHold } from "../catalogue/VenueRows.ts"
import { NamedRow } from "./RankingReads.ts"
import {
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

/** The most playrooms to look at, the most sources of them, and the most to return of each search. */
const [maxLooked, maxSources, maxFirst] = [150, 6, 6]

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
  readonly ids: (limit: number) => Fragment
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

const decode = decodeRows(
  Schema.Array(
    Schema.Struct({
      sources: Schema.Record(Schema.String, Schema.Int),
      found: Schema.Array(Schema.Struct({ search: Schema.Int, count: Schema.Int, ...FoundRow.fields }))
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
    key: JSON.stringify(sql`${holds}`.compile()),
    holds,
    ...(indexed === undefined ? {} : { indexed })
  })

  const conditionsOf = (search: SearchQuery, { cities, words }: SearchedFor, now: Instant): Conditions => {
    const { near } = search
    const radius = near?.radius_km ?? defaultRadiusKm
    const having = search.query === undefined || words === undefined ? [] : leastMatch(sql, words)
    return {
      // Those that leave fewest playrooms come first.
      places: [
        ...(near === undefined
          ? []
          : [condition(sql`${distanceTo(sql, near)} <= ${radius}::float8`, inBoxes(sql, near, radius))]),
        ...[...having, ...playroomConditions(sql, search, cities)].map((holds) => condition(holds, holds))
      ],
      visits: visitConditions(sql, search, now).map((holds) => condition(holds))
    }
  }

  /** The playrooms nearest to a point, or the first ones. */
  const any = ({ query: { near } }: SearchedFor): Source => ({
    keys: [],
    ids: (limit) =>
      sql`select p.playroom_id from playroom p where p.listed order by ${
        near === undefined
          ? sql`p.playroom_id`
          : sql`point(p.longitude, p.latitude) <-> point(${near.longitude}::float8, ${near.latitude}::float8)`
      } limit ${limit}::int`
  })

  /** The sources of searches: each place, and the visits of those without a place or with a place each. */
  const sourcesOf = (searches: ReadonlyArray<Conditions>): ReadonlyArray<Source> => {
    const places = distinct(searches.flatMap(({ places }) => places)).map(({ key, indexed }): Source => ({
      keys: [key],
      ids: (limit) =>
        sql`select p.playroom_id from playroom p where p.listed and ${indexed ?? sql`true`} limit ${limit}::int`
    }))
    const byVisits = Map.groupBy(
      searches.filter(({ visits }) => visits.length > 0),
      ({ visits }) => visits.map(({ key }) => key).join()
    )
    const visits = [...byVisits.values()].flatMap((same): ReadonlyArray<Source> => {
      const [{ visits } = { visits: [] }] = same
      if (same.length === 1 && same.every(({ places }) => places.length > 0)) return []
      const all = visits.map(({ holds }) => holds)
      return [{ keys: visits.map(({ key }) => key), ids: (limit) => visitsBy(sql, all, limit) }]
    })
    return [...visits.slice(0, 2), ...places].slice(0, maxSources - 1)
  }

  /** The statement; the columns of conditions and searches are named by their numbers. */
  const statement = (
    searches: ReadonlyArray<Conditions>,
    sources: ReadonlyArray<Source>,
    limit: number,
    { query: { near } }: SearchedFor,
    now: Instant
  ): Fragment => {
    const [places, visits] = [
      distinct(searches.flatMap((search) => search.places)),
      distinct(searches.flatMap((search) => search.visits))
    ]
    const list = sql.join(", ", false)
    const columns = (conditions: ReadonlyArray<Condition>, letter: string) =>
      list([
        sql`true as ${sql.literal(`${letter}_`)}`,
        ...conditions.map(({ holds }, n) => sql`(${holds}) as ${sql.literal(`${letter}${n}`)}`)
      ])
    const all = (conditions: ReadonlyArray<Condition>, among: ReadonlyArray<Condition>, letter: string) =>
      sql.literal(
        [
          `${letter}_`,
          ...among.flatMap(({ key }, n) => (conditions.some((one) => one.key === key) ? [`${letter}${n}`] : []))
        ].join(" and ")
      )
    const offered = searches.map((search, n) =>
      search.visits.length === 0
        ? sql`true as ${sql.literal(`o${n}`)}`
        : sql`coalesce(bool_or(${all(search.visits, visits, "v")}), false) as ${sql.literal(`o${n}`)}`
    )
    const fits = searches.map((search, n) => sql`${all(search.places, places, "p")} and ${sql.literal(`o${n}`)}`)
    const read = sources.map((source, n) => sql`(select ${n}::int as source, ids.* from (${source.ids(limit)}) ids)`)
    return sql`
with source as materialized (${sql.join(" union all ", false)(read)}),
looked as (
  select p.playroom_id, place.km, array[${list(fits)}] as fits
  from (select distinct playroom_id from source) one join playroom p using (playroom_id)
  cross join lateral (
    select ${near === undefined ? sql`null::float8` : distanceTo(sql, near)} as km, ${columns(places, "p")} offset 0) place
  cross join lateral (
    select count(*), ${list(offered)} from (select ${columns(visits, "v")} from search_visit v
      where v.playroom_id = p.playroom_id and ${visits.length > 0} offset 0) visit
  ) visited
  where p.listed and ${operatorSells(sql, "p", now)}
),
fitting as (
  select playroom_id, km, search::int, (row_number() over (partition by search order by km, playroom_id))::int as place,
    (count(*) over (partition by search))::int as count
  from looked cross join unnest(fits) with ordinality as each (fits_it, search) where fits_it
)
select
  (select coalesce(jsonb_object_agg(source, rows), '{}') from (select source, count(*)::int as rows from source group by source) read) as sources,
  (select coalesce(jsonb_agg(jsonb_build_object('search', f.search - 1, 'count', f.count, 'km', f.km, 'playroom_id', p.playroom_id,
    'name', p.name, 'city', p.city, 'time_zone', p.time_zone, 'currency', p.currency, 'from_price', p.from_price,
    'from_price_holds', ${pricesHold(sql, now)}) order by f.search, f.place), '[]')
    from fitting f join playroom p using (playroom_id) where f.place <= ${maxFirst}::int) as found`
  }

  /**
   * What each search finds among likely playrooms, or among the first of all. `isKnown` tells whether a playroom has
   * each place and amenity of a search; true if none of these searches is about them.
   */
  return Effect.fn("searchesAtOnce")(function* (
    searches: ReadonlyArray<SearchQuery>,
    shared: SearchedFor,
    now: Instant,
    among: "first" | "likely" = "likely"
  ): Effect.fn.Return<
    { readonly found: ReadonlyArray<FoundByRows>; readonly isKnown: (search: SearchQuery) => boolean },
    SqlError.SqlError
  > {
    const conditions = searches.map((search) => conditionsOf(search, shared, now))
    const sources = [any(shared), ...(among === "first" ? [] : sourcesOf(conditions))]
    const limit = Math.floor(maxLooked / Math.max(3, sources.length))
    // Not prepared: it is planned for these values, and hardly ever asked again.
    const [read] = yield* decode(sql`${statement(conditions, sources, limit, shared, now)}`.unprepared)
    const rowsOf = (n: number) => read?.sources[n] ?? 0
    return {
      found: conditions.map(({ places, visits }, n): FoundByRows => {
        const keys = new Set([...places, ...visits].map(({ key }) => key))
        const rows = read?.found.filter(({ search }) => search === n) ?? []
        return {
          rows,
          count: rows[0]?.count ?? 0,
          complete: sources.some((source, i) => rowsOf(i) < limit && source.keys.every((key) => keys.has(key)))
        }
      }),
      isKnown: (search) => {
        const { places } = conditionsOf(search, shared, now)
        return sources.every((source, i) => rowsOf(i) > 0 || !places.some(({ key }) => source.keys.includes(key)))
      }
    }
  })
}
