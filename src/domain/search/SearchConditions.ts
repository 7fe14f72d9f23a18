/**
 * A search as SQL conditions: its words and needs, from the best match to the least, and its filters on the playroom,
 * on its place and on the visits it can offer. What meets all needs comes first. If nothing does, playrooms come that
 * have some of the words, and at last any: each says what was not found.
 */
import type { SqlClient, Statement } from "effect/sql"
import { datesIn } from "../availability/DateRange.ts"
import { subscriptionGraceMs } from "../catalogue/Operator.ts"
import { type Instant, dayMs, hourMs, minuteMs, minutesOf, weekdayOf, weekdays } from "../../platform/time/LocalTime.ts"
import { type Need, namesOf } from "./AmenityNames.ts"
import { needsOfAmenity, type Word, type Words } from "./SearchWords.ts"
import { type SearchQuery, childrenOf, datesAsked } from "./SearchQuery.ts"

type Fragment = Statement.Fragment

/** A condition of a ranking. */
export interface WordCondition {
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
export const queryOfNeeds = (needs: ReadonlyArray<Need>): string => needs.map((need) => `'need:${need}'`).join(" | ")

/** The conditions in order. `namesFirst`: playrooms with all words in their names and cities come first. */
export const wordConditions = (
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
export const amenityConditions = (
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
export const playroomConditions = (
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
export const visitsBy = (sql: SqlClient.SqlClient, visits: ReadonlyArray<Fragment>, limit: number): Fragment => sql`
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
export const distanceTo = (sql: SqlClient.SqlClient, { latitude, longitude }: Place): Fragment => sql`
(2 * ${earthKm}::float8 * asin(least(1, sqrt(
  power(sin(radians(p.latitude - ${latitude}::float8) / 2), 2) +
  cos(radians(${latitude}::float8)) * cos(radians(p.latitude)) * power(sin(radians(p.longitude - ${longitude}::float8) / 2), 2)))))`

/** That playroom `p` lies in the boxes around a place. An index answers it. */
export const inBoxes = (sql: SqlClient.SqlClient, place: Place, km: number): Fragment =>
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
export const aroundPlace = (sql: SqlClient.SqlClient, place: Place, km: number, limit: number): Fragment =>
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
export const visitConditions = (
  sql: SqlClient.SqlClient,
  query: SearchQuery,
  now: Instant
): ReadonlyArray<Fragment> => {
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
