/**
 * The conditions of a search in tiers: what a better match of the words or a nearer place puts first. A ranking reads
 * them one after the other.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { Instant } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { AccessibilityFeature } from "../catalogue/Playroom.ts"
import { pricesHold } from "../catalogue/Catalogue.ts"
import { PlayroomId } from "../../platform/ids/Ids.ts"
import { defaultRadiusKm, type SearchQuery } from "./SearchQuery.ts"
import {
  type WordCondition,
  amenityConditions,
  aroundPlace,
  distanceTo,
  inBoxes,
  operatorSells,
  playroomConditions,
  visitConditions,
  visitsBy,
  wordConditions
} from "./SearchConditions.ts"
import type { Words } from "./SearchWords.ts"

type Fragment = Statement.Fragment

/** A row of a ranking, with all that a page shows. */
export const CandidateRow = Schema.Struct({
  playroom_id: PlayroomId,
  name: Schema.String,
  summary: Schema.String,
  operator_name: Schema.String,
  address: Schema.String,
  city: Schema.String,
  country: Schema.String,
  latitude: Schema.Finite,
  longitude: Schema.Finite,
  time_zone: Schema.String,
  currency: Schema.String,
  capacity: Schema.Int,
  age_min: Schema.Int,
  age_max: Schema.Int,
  amenities: Schema.Array(Schema.String),
  from_price: Schema.Int,
  from_price_for: Schema.NullOr(Schema.String),
  /** Whether it is today's lowest price. It is recomputed when the calendar changes it. */
  from_price_holds: Schema.Boolean,
  photo_url: Schema.NullOr(Schema.String),
  accessibility_features: Schema.NullOr(Schema.Array(AccessibilityFeature)),
  accessibility_lacks: Schema.NullOr(Schema.Array(AccessibilityFeature)),
  distance_km: Schema.NullOr(Schema.Finite),
  /** Its number among the examined rows, from 1. */
  place: Schema.Int,
  /** False only for the last examined row, which then only marks the end of the read. */
  fits: Schema.Boolean
})
export type CandidateRow = typeof CandidateRow.Type

export interface Tier {
  readonly where: ReadonlyArray<Fragment>
  /** Conditions that a row `s` matches the words and has the amenities. */
  readonly fits: ReadonlyArray<Fragment>
  /** The same for a row `p`, as a condition that indexes answer. It may match more rows. */
  readonly indexed: Fragment | undefined
  /** Tiers of a higher level are read only if those below had no candidate. */
  readonly level: number
}

/**
 * Rings around a place, in kilometres. They are read outwards, so that many playrooms near the place cost no more than
 * a page.
 */
const ringsOf = (radius: number): ReadonlyArray<readonly [number, number]> => {
  const edges = [0, radius / 8, radius / 3, radius]
  return edges.slice(1).map((to, i) => [edges[i] ?? 0, to] as const)
}

/** The items, or one undefined if there are none. */
export const orUndefined = <A>(items: ReadonlyArray<A>): ReadonlyArray<A | undefined> =>
  items.length === 0 ? [undefined] : items

/** One condition for each level: whatever meets one of them. */
const byLevel = (sql: SqlClient.SqlClient, conditions: ReadonlyArray<WordCondition>): ReadonlyArray<WordCondition> =>
  [...new Set(conditions.map(({ level }) => level))].map((level) => {
    const these = conditions.filter((one) => one.level === level)
    const indexed = these.flatMap((one) => one.indexed ?? [])
    return {
      level,
      fits: [sql.or(these.map(({ fits }) => sql.and([sql`true`, ...fits])))],
      indexed: indexed.length < these.length ? undefined : sql.or(indexed)
    }
  })

/** At most this many rows of an index narrow a search to their playrooms. More are not worth it. */
const maxNarrowed = 500

/** Words and amenities are common if so many of the first rows of a tier have them. */
const [leastCommon, sampled] = [5, 200]

/**
 * Whether indexes first say which playrooms alone can fit: not at all, unless what is asked is common, or whatever it
 * is.
 */
export type Narrowing = "none" | "unless common" | "always"

/** What a ranking goes by: the sort of the query; without one, what is near comes first if there are no words. */
const orderOf = ({ near, sort = "best_match" }: SearchQuery, words: Words | undefined) =>
  sort === "best_match" && words === undefined && near !== undefined ? "distance" : sort

/** The tiers of a search at `now`. `words` come from its `query`, `cities` from its `city` (`cityNames`). */
export const tiersOf = (
  sql: SqlClient.SqlClient,
  query: SearchQuery,
  words: Words | undefined,
  now: Instant,
  cities: ReadonlyArray<string>
) => {
  const { near } = query
  const radius = near?.radius_km ?? defaultRadiusKm
  const order = orderOf(query, words)
  const ringed =
    near === undefined
      ? []
      : order === "distance"
        ? ringsOf(radius).map(([from, to]) => [
            inBoxes(sql, near, to),
            from === 0 ? sql`d.km <= ${to}::float8` : sql`d.km > ${from}::float8 and d.km <= ${to}::float8`
          ])
        : // The planner takes any box for a small one, and would sort all that is in it.
          [[sql`d.km <= ${radius}::float8`]]
  const conditions = words === undefined ? [] : wordConditions(sql, words, order === "best_match")
  const tiers = orUndefined(order === "price" ? byLevel(sql, conditions) : conditions).flatMap((tier) => {
    const answered = [...(tier?.indexed === undefined ? [] : [tier.indexed]), ...amenityConditions(sql, query, "p")]
    const indexed = answered.length === 0 ? undefined : sql.and(answered)
    const fits = [...(tier?.fits ?? []), ...amenityConditions(sql, query, "s")]
    return orUndefined(ringed).map((ring): Tier => ({ where: ring ?? [], fits, indexed, level: tier?.level ?? 0 }))
  })

  const own = playroomConditions(sql, query, cities)
  const visits = visitConditions(sql, query, now)
  const sells = operatorSells(sql, "s", now)
  const compared =
    words === undefined && query.amenities === undefined
      ? sql``
      : sql`, p.names_vector, p.search_vector, p.amenity_keys`
  const distance = near === undefined ? sql`null::float8` : distanceTo(sql, near)
  /** The order of a tier, unless the search is sorted by price. */
  const columns = order === "distance" ? sql`d.km, p.playroom_id` : sql`p.playroom_id`

  /**
   * The first `maxRows` rows `s` of a tier in the order of `columns`, each with its `place`. The rows are selected by
   * the conditions that an index answers together with the order. The other conditions are checked row by row, so that
   * none can make a statement read the whole catalogue. The limit is part of the text, so that every plan knows it.
   */
  const placed = (
    tier: Tier,
    where: ReadonlyArray<Fragment>,
    selected: Fragment,
    columns: Fragment,
    maxRows: number
  ): Fragment => sql`(
      select r.*, (row_number() over ())::int as place from (
        select p.playroom_id, p.operator_id${selected}${compared} from playroom p cross join lateral (select ${distance} as km) d
        where p.listed and ${sql.and([sql`true`, ...tier.where, ...own, ...where])}
        order by ${columns} limit ${sql.literal(`${maxRows}`)}
      ) r
    ) s`

  /** The columns of a `CandidateRow` but for those of the ranking, from `playroom p` and `operator o`. */
  const shown = sql`p.playroom_id, p.name, p.summary, o.name as operator_name, p.address, p.city, p.country, p.latitude, p.longitude, p.time_zone,
  p.currency, p.capacity, p.age_min, p.age_max, p.amenities, p.from_price, p.from_price_for, ${pricesHold(sql, now)} as from_price_holds,
  p.details #>> '{photos,0,url}' as photo_url, p.details -> 'accessibility_features' as accessibility_features,
  p.details -> 'accessibility_lacks' as accessibility_lacks`

  /**
   * The visits `v` of a row `s`, which are few. `offset 0`: found by the playroom, however rare such visits seem to be.
   */
  const visitsOf = (conditions: ReadonlyArray<Fragment>): Fragment =>
    sql`(select * from search_visit where playroom_id = s.playroom_id offset 0) v where ${sql.and(conditions)}`

  /**
   * Whether a plan of rows that are `placed` is right for any values: of cities, one has many playrooms, another few.
   */
  const keepsPlan = own.length === 0
  /** Runs a statement about such rows. It is planned once, if it may be. */
  const planned = (statement: Fragment) => (keepsPlan ? sql`${statement}` : sql`${statement}`.unprepared)

  const offering = () => visitsBy(sql, visits, maxNarrowed)
  const having = (indexed: Fragment) =>
    sql`select playroom_id from playroom p where ${sql.and([indexed, ...own])} limit ${sql.literal(`${maxNarrowed}`)}`
  /**
   * The same, but only a null if words and amenities are common: an index takes long for these, as it finds all of
   * them.
   */
  const havingUnlessCommon = (tier: Tier, indexed: Fragment, among: ReadonlySet<string> | undefined) => sql`
with common as materialized (
  select count(*) >= ${leastCommon}::int as yes from ${placed(tier, amongIds(sql, among), sql``, columns, sampled)}
  where ${sql.and(tier.fits)}
)
select null as playroom_id from common where yes
union all (${having(sql`not (select yes from common) and ${indexed}`)})`
  const idRows = decodeRows(Schema.Array(Schema.Struct({ playroom_id: Schema.NullOr(Schema.String) })))

  const inCircle = near === undefined || order === "distance" ? undefined : aroundPlace(sql, near, radius, maxNarrowed)

  const narrowed = new Map<Fragment | "visits" | "circle", ReadonlySet<string> | undefined>()
  /** The playrooms that a statement finds; undefined if there may be many. */
  const narrowedBy = Effect.fnUntraced(function* (
    by: Fragment | "visits" | "circle",
    rows: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
  ): Effect.fn.Return<ReadonlySet<string> | undefined, SqlError.SqlError> {
    if (!narrowed.has(by)) {
      const found = (yield* idRows(rows)).map(({ playroom_id }) => playroom_id)
      if (found.includes(null)) return undefined
      const ids = new Set(found.filter((id) => id !== null))
      narrowed.set(by, found.length >= maxNarrowed ? undefined : ids)
    }
    return narrowed.get(by)
  })

  const both = (one: ReadonlySet<string> | undefined, other: ReadonlySet<string> | undefined) =>
    one === undefined || other === undefined ? (one ?? other) : new Set([...one].filter((id) => other.has(id)))

  /**
   * The only playrooms that can fit in a tier, if they are few; undefined if there may be many. Those in a circle are
   * looked for in any case. The best plan for words, amenities and a circle is the same for any, so it is kept; for
   * visits it depends on the values.
   */
  const narrowedFor = Effect.fnUntraced(function* (
    tier: Tier,
    narrowing: Narrowing
  ): Effect.fn.Return<ReadonlySet<string> | undefined, SqlError.SqlError> {
    const { indexed } = tier
    const around = inCircle === undefined ? undefined : yield* narrowedBy("circle", sql`${inCircle}`)
    if (narrowing === "none" || around?.size === 0) return around
    const visiting = both(
      around,
      visits.length === 0 ? undefined : yield* narrowedBy("visits", sql`${offering()}`.unprepared)
    )
    if (indexed === undefined || visiting?.size === 0) return visiting
    const words = narrowing === "always" ? having(indexed) : havingUnlessCommon(tier, indexed, visiting)
    return both(visiting, yield* narrowedBy(indexed, planned(words)))
  })

  /** The statements that narrow. Tests check their plans. */
  const narrowings = () => ({
    visits: visits.length === 0 ? undefined : offering(),
    circle: inCircle,
    words: tiers.flatMap((tier) =>
      tier.indexed === undefined ? [] : [having(tier.indexed), havingUnlessCommon(tier, tier.indexed, undefined)]
    )
  })

  /** The only playrooms that can fit, at most `limit` rows: by visits, one may have several. A null: all can. */
  const possible = (limit: number): Fragment => {
    if (visits.length > 0) return visitsBy(sql, visits, limit)
    const indexed = tiers.flatMap((tier) => tier.indexed ?? [])
    const conditions = [
      ...own,
      ...(near === undefined ? [] : [inBoxes(sql, near, radius)]),
      ...(indexed.length < tiers.length ? [] : [sql.or(indexed)])
    ]
    return conditions.length === 0
      ? sql`select null`
      : sql`select p.playroom_id from playroom p where p.listed and ${sql.and(conditions)} limit ${sql.literal(`${limit}`)}`
  }

  return {
    order,
    columns,
    possible,
    tiers,
    visits,
    visitsOf,
    sells,
    distance,
    placed,
    keepsPlan,
    planned,
    shown,
    narrowedFor,
    narrowings
  }
}
export type Tiers = ReturnType<typeof tiersOf>

/** That a row is one of these playrooms; no condition if they are undefined. */
export const amongIds = (sql: SqlClient.SqlClient, ids: ReadonlySet<string> | undefined): ReadonlyArray<Fragment> =>
  ids === undefined ? [] : [sql`p.playroom_id = any((select ${[...ids]}::text[])::text[])`]

/** So many rows tell the only playrooms that can fit a search; if there are more, all may. */
const maxFew = 100
const fewRows = decodeRows(Schema.Array(Schema.Struct({ ids: Schema.Array(Schema.NullOr(Schema.String)) })))

/** For each search the only playrooms that can fit; undefined if there may be many. One statement. */
export const fewOf = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  searches: ReadonlyArray<Tiers>
): Effect.fn.Return<ReadonlyArray<ReadonlySet<string> | undefined>, SqlError.SqlError> {
  if (searches.length === 0) return []
  const each = searches.map(({ possible }, n) => sql`select ${n}::int as n, array(${possible(maxFew + 1)}) as ids`)
  const rows = yield* fewRows(sql`select ids from (${sql.join(" union all ", false)(each)}) s order by n`.unprepared)
  return rows.map(({ ids }) =>
    ids.length > maxFew || ids.includes(null) ? undefined : new Set(ids.filter((id) => id !== null))
  )
})
