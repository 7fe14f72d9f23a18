/**
 * The conditions of a search in tiers: what a better match of the words or a nearer place puts first. A ranking reads
 * them one after the other.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { type Instant, dayMs, hourMs, minuteMs, minutesOf, weekdayOf, weekdays } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { AccessibilityFeature } from "../catalogue/Playroom.ts"
import { pricesHold } from "../catalogue/Catalogue.ts"
import { PlayroomId } from "../../platform/ids/Ids.ts"
import { defaultRadiusKm, type SearchQuery, childrenOf, datesAsked } from "./SearchQuery.ts"
import { type Words, needsOfAmenity, type Word } from "./SearchWords.ts"
import { datesIn } from "../availability/DateRange.ts"
import { subscriptionGraceMs } from "../catalogue/Operator.ts"
import { type Need, namesOf } from "./AmenityNames.ts"

// A search as SQL conditions: its words and needs, from the best match to the least, and its filters on the playroom,
// on its place and on the visits it can offer. What meets all needs comes first. If nothing does, playrooms come that
// have some of the words, and at last any: each says what was not found.

type Fragment = Statement.Fragment

/** A condition of a ranking. */
interface WordCondition {
  /** For a row `s` with the vectors of a playroom. */
  readonly fits: ReadonlyArray<Fragment>
  /** The same for a row `p`, as a condition that the text index answers. It may match more rows; undefined: all. */
  readonly indexed: Fragment | undefined
  /** A condition of a higher level counts only if nothing matched those below. */
  readonly level: number
}

type Joint = "&" | "|"

/** A query of the text index for words: for all of them, or for any. */
const queryOfWords = (sql: SqlClient.SqlClient, words: ReadonlyArray<Word>, joint: Joint): ReadonlyArray<Fragment> => {
  const text = (kind: Word["kind"]) =>
    words.flatMap((word) => (word.kind === kind ? [`(${word.text})`] : [])).join(` ${joint} `)
  const [segmented, letters] = [text("words"), text("letters")]
  return [
    ...(segmented === "" ? [] : [sql`to_tsquery('english'::regconfig, ${segmented})`]),
    ...(letters === "" ? [] : [sql`${letters}::tsquery`])
  ]
}

/** A query of the text index for any of some needs, by what `search_playroom` in the database writes for them. */
const queryOfNeeds = (needs: ReadonlyArray<Need>): string => needs.map((need) => `'need:${need}'`).join(" | ")

/** The conditions in order. `namesFirst`: playrooms with all words in their names and cities come first. */
const wordConditions = (
  sql: SqlClient.SqlClient,
  { needs, words }: Words,
  namesFirst: boolean
): ReadonlyArray<WordCondition> => {
  /**
   * As a subquery, which is computed once and not for each row, and of which the planner expects few rows whatever the
   * words are. By statistics it would read the whole table for several common words, though no row may have them all.
   */
  const has = (row: "s" | "p", vector: "names" | "search", asked: ReadonlyArray<Fragment>, joint: "&&" | "||" = "&&") =>
    sql`${sql.literal(`${row}.${vector}_vector`)} @@ (select ${sql.join(` ${joint} `)(asked)})`
  const [allWords, anyWord] = [queryOfWords(sql, words, "&"), queryOfWords(sql, words, "|")]
  const needed = (joint: Joint): ReadonlyArray<Fragment> =>
    needs.length === 0
      ? []
      : [sql`${needs.map((asked) => `(${queryOfNeeds(asked.needs)})`).join(` ${joint} `)}::tsquery`]
  const [allNeeds, anyNeed] = [needed("&"), needed("|")]

  /** What has all or any of the words, and all needs; first what has the words in its names. */
  const matches = (asked: ReadonlyArray<Fragment>, joint: "&&" | "||", level: number): ReadonlyArray<WordCondition> => {
    const all = (row: "s" | "p", vector: "names" | "search") =>
      sql.and([
        ...(asked.length === 0 ? [] : [has(row, vector, asked, joint)]),
        ...(allNeeds.length === 0 ? [] : [has(row, "search", allNeeds)])
      ])
    const anywhere = { fits: [all("s", "search")], indexed: all("p", "search"), level }
    return namesFirst && asked.length > 0
      ? [
          { fits: [all("s", "names")], indexed: all("p", "names"), level },
          { ...anywhere, fits: [...anywhere.fits, sql`not ${has("s", "names", asked, joint)}`] }
        ]
      : [anywhere]
  }

  const full = matches(allWords, "&&", 0)
  const some = words.length > 1 ? matches(anyWord, "||", 1) : []
  if (needs.length === 0) return [...full, ...some]
  const any = [...anyWord, ...anyNeed]
  const meetsAll = has("s", "search", allNeeds)
  const unmet = sql`not ${meetsAll}`
  const named = has("s", "names", anyWord, "||")
  return [
    ...full,
    ...some,
    ...(words.length === 0
      ? []
      : [
          {
            fits: [meetsAll, sql`not ${has("s", "search", anyWord, "||")}`],
            indexed: has("p", "search", allNeeds),
            level: 1
          }
        ]),
    ...(words.length + needs.length === 1
      ? []
      : [
          // A city is most often what the words name.
          ...(!namesFirst || words.length === 0
            ? []
            : [{ fits: [named, unmet], indexed: has("p", "names", anyWord, "||"), level: 1 }]),
          {
            fits: [
              has("s", "search", any, "||"),
              unmet,
              ...(!namesFirst || words.length === 0 ? [] : [sql`not ${named}`])
            ],
            indexed: has("p", "search", any, "||"),
            level: 1
          }
        ]),
    { fits: [], indexed: undefined, level: 2 }
  ]
}

/** That a playroom is in one of the cities, or in the city with this exact spelling if none is known. */
const inCity = (sql: SqlClient.SqlClient, city: string, [first, ...others]: ReadonlyArray<string>): Fragment =>
  first === undefined
    ? sql`p.city_key = search_fold(${city}::text)`
    : others.length === 0
      ? sql`p.city_key = ${first}`
      : sql`p.city_key = any(${[first, ...others]}::text[])`

/**
 * That a playroom `p`, or a row `s` of one, has each amenity by any of its names, or meets the need of that name. As
 * subqueries, for the reasons that `wordConditions` has: by statistics the whole table would be read for what hardly
 * any playroom has.
 */
const amenityConditions = (
  sql: SqlClient.SqlClient,
  { amenities = [] }: SearchQuery,
  row: "p" | "s"
): ReadonlyArray<Fragment> =>
  amenities.map((amenity) => {
    const needs = needsOfAmenity(amenity)
    const listed = sql`${sql.literal(row)}.amenity_keys && (select search_fold(${namesOf(amenity)}::text[]))`
    return needs.length === 0
      ? listed
      : sql`(${listed} or ${sql.literal(row)}.search_vector @@ (select ${queryOfNeeds(needs)}::tsquery))`
  })

/**
 * The conditions on a playroom `p` that an index answers in the order of a ranking. `cities` come from the query's
 * city.
 */
const playroomConditions = (
  sql: SqlClient.SqlClient,
  query: SearchQuery,
  cities: ReadonlyArray<string>
): ReadonlyArray<Fragment> => [
  ...(query.city === undefined ? [] : [inCity(sql, query.city, cities)]),
  ...(query.country === undefined ? [] : [sql`p.country = ${query.country.toUpperCase()}`]),
  ...(query.max_total === undefined || query.sort !== "price" ? [] : [sql`p.currency = ${query.max_total.currency}`])
]

/** That the operator of a row may sell at `now`. */
export const operatorSells = (sql: SqlClient.SqlClient, row: "p" | "s", now: Instant): Fragment => sql`
(select true from operator o where o.operator_id = ${sql.literal(row)}.operator_id and o.suspended_at is null
  and o.connected_account_id is not null and o.closed_account is distinct from o.connected_account_id
  and (o.billing_customer_id is null or o.paid_through > ${new Date(now - subscriptionGraceMs)}::timestamptz) limit 1)`

/**
 * Playrooms that may offer such visits, at most `limit` rows. The order has no meaning but for the planner, which then
 * reads the index in that order. Without it, it expects enough rows soon and reads the whole table if there are none.
 */
const visitsBy = (sql: SqlClient.SqlClient, visits: ReadonlyArray<Fragment>, limit: number): Fragment => sql`
select v.playroom_id from search_visit v where ${sql.and(visits)} order by v.last_start <-> 0 limit ${sql.literal(`${limit}`)}`

/** Mean radius of the Earth, km (IUGG). */
const earthKm = 6371.0088
const degrees = (radians: number): number => (radians * 180) / Math.PI
const radians = (deg: number): number => (deg * Math.PI) / 180

interface Place {
  readonly latitude: number
  readonly longitude: number
}

interface Box {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/** Boxes of degrees that together hold every point within `km`: two if the circle crosses the 180th meridian. */
export const boxesAround = ({ latitude, longitude }: Place, km: number): ReadonlyArray<Box> => {
  const angle = km / earthKm
  // A little wider than the circle, so that rounding excludes no playroom.
  const slack = 1e-6
  const south = latitude - degrees(angle) - slack
  const north = latitude + degrees(angle) + slack
  if (south <= -90 || north >= 90) return [{ west: -180, east: 180, south, north }]
  // The circle's widest meridians touch it north or south of its middle.
  const spread = degrees(Math.asin(Math.min(1, Math.sin(angle) / Math.cos(radians(latitude))))) + slack
  const west = longitude - spread
  const east = longitude + spread
  if (west < -180)
    return [
      { west: -180, east, south, north },
      { west: west + 360, east: 180, south, north }
    ]
  if (east > 180)
    return [
      { west, east: 180, south, north },
      { west: -180, east: east - 360, south, north }
    ]
  return [{ west, east, south, north }]
}

/** Kilometres from a place to playroom `p` (haversine). */
const distanceTo = (sql: SqlClient.SqlClient, { latitude, longitude }: Place): Fragment => sql`
(2 * ${earthKm}::float8 * asin(least(1, sqrt(
  power(sin(radians(p.latitude - ${latitude}::float8) / 2), 2) +
  cos(radians(${latitude}::float8)) * cos(radians(p.latitude)) * power(sin(radians(p.longitude - ${longitude}::float8) / 2), 2)))))`

/** That playroom `p` lies in the boxes around a place. An index answers it. */
const inBoxes = (sql: SqlClient.SqlClient, place: Place, km: number): Fragment =>
  sql.or(
    boxesAround(place, km).map(
      ({ west, south, east, north }) =>
        sql`point(p.longitude, p.latitude) <@ box(point(${west}::float8, ${south}::float8), point(${east}::float8, ${north}::float8))`
    )
  )

/**
 * Playrooms in the circle that holds each box, and so all within `km`: at most `limit` of each, nearest to its middle
 * first. In this order an index is read until there are enough; a box alone is collected whole before its first row.
 */
const aroundPlace = (sql: SqlClient.SqlClient, place: Place, km: number, limit: number): Fragment =>
  sql.join(
    " union all ",
    false
  )(
    boxesAround(place, km).map(({ west, south, east, north }) => {
      const away = sql`point(p.longitude, p.latitude) <-> point(${(west + east) / 2}::float8, ${(south + north) / 2}::float8)`
      return sql`
select playroom_id from (select p.playroom_id, ${away} as away from playroom p where p.listed order by ${away} limit ${sql.literal(`${limit}`)}) n
where away <= ${Math.hypot(east - west, north - south) / 2}::float8`
    })
  )

/**
 * The longest visit between two clock times, in minutes. It may be two hours longer if the clocks may be put back in
 * between.
 */
const maxDurationBetween = (from: string, to: string): number =>
  minutesOf(to) - minutesOf(from) + (from < "05:00" || to > "21:00" ? 120 : 0)

/**
 * That a package can offer such a visit at all, by its row `v` of `search_visit`; empty if any visit will do. Today is
 * another date in another zone, so a row passes if it fits in one of them.
 */
const visitConditions = (sql: SqlClient.SqlClient, query: SearchQuery, now: Instant): ReadonlyArray<Fragment> => {
  const { mode, duration_minutes, start_after, end_before, max_total } = query
  const ages = query.child_ages ?? []
  const children = childrenOf(query)
  const conditions = [
    ...(mode === undefined ? [] : [sql`v.mode = ${mode}`]),
    ...(duration_minutes === undefined ? [] : [sql`v.duration_minutes = ${duration_minutes}::int`]),
    ...(children === undefined ? [] : [sql`v.children @> ${children}::int`]),
    ...(ages.length === 0
      ? []
      : [sql`v.ages @> int4range(${Math.min(...ages)}::int, ${Math.max(...ages)}::int, '[]')`]),
    ...(max_total === undefined
      ? []
      : [sql`v.currency = ${max_total.currency} and v.least_total <= ${max_total.amount}::int`]),
    ...(max_total === undefined || children === undefined
      ? []
      : [sql`v.least_per_child <= ${Math.floor(max_total.amount / children)}::int`])
  ]
  if (!datesAsked(query)) return conditions
  const days = datesIn(query)
  const [first = query.date, last = first] = [days[0], days.at(-1)]
  const on = [...new Set(days.map((day) => weekdays.indexOf(weekdayOf(day))))]
  const midnight = Date.parse(`${last}T00:00:00Z`)
  // Clocks are 12 hours behind UTC to 14 ahead.
  const furthest = new Date(now + 14 * hourMs).toISOString().slice(0, 10)
  const minutesLeft = Math.floor((midnight + dayMs + 12 * hourMs - now) / minuteMs)
  return [
    ...conditions,
    days.length === 1
      ? sql`v.weekdays @> ${on[0] ?? 0}::int and v.dates @> ${first}::date`
      : sql`v.weekdays && ${`{${on.map((day) => `[${day},${day}]`).join(",")}}`}::int4multirange
          and v.dates && daterange(${first}::date, ${last}::date, '[]')`,
    sql`v.advance_days >= ${first}::date - ${furthest}::date and v.lead_minutes <= ${minutesLeft}::int`,
    ...(start_after === undefined ? [] : [sql`v.last_start >= ${minutesOf(start_after)}::int`]),
    ...(end_before === undefined ? [] : [sql`v.first_end <= ${minutesOf(end_before)}::int`]),
    ...(start_after === undefined || end_before === undefined
      ? []
      : [sql`v.duration_minutes <= ${maxDurationBetween(start_after, end_before)}::int`])
  ]
}

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
