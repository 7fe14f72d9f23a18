/**
 * Playrooms that fit a search as far as the catalogue itself can tell, in rank order and page by page. A ranking is a row of
 * lanes, each in an order that an index or a small set gives: a page reads on from its position and stops when it is full.
 */
import { Effect, Option, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { PlayroomId } from "../kernel/Ids.ts"
import { addDays, type Instant, weekdayOf } from "../kernel/LocalTime.ts"
import { Currency, MinorUnits } from "../kernel/Money.ts"
import { decoded } from "../kernel/Rows.ts"
import { distanceTo, inBoxes } from "./Nearby.ts"
import { subscriptionGraceMs } from "./Operator.ts"
import { childrenOf, defaultRadiusKm, type SearchQuery } from "./SearchQuery.ts"
import type { Words } from "./SearchWords.ts"

const CandidateRow = Schema.Struct({
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
  photo_url: Schema.NullOr(Schema.String),
  distance_km: Schema.NullOr(Schema.Finite)
})

/** Where a candidate stands in its ranking: the lane, then the lane's sort key. JSON, for a cursor. */
export type Position = readonly [lane: number, ...key: ReadonlyArray<string | number>]

export interface Candidate {
  readonly row: typeof CandidateRow.Type
  readonly position: Position
}

type Fragment = Statement.Fragment

interface Lane {
  readonly where: ReadonlyArray<Fragment>
  /** Only where no lane before it had anything: then one of the words is enough. */
  readonly fallback: boolean
}

type Key = ReadonlyArray<string | number>

interface Order {
  readonly columns: Fragment
  /** What comes after a key; undefined for one that no row can have. Keys come back from callers, who can forge them. */
  readonly after: (key: Key) => Fragment | undefined
  readonly key: (row: typeof CandidateRow.Type) => Key
}

/** `then` of a key that a row could have. */
const whereKey = <A>(key: Schema.Codec<A, Key>, then: (key: A) => Fragment) => {
  const decode = Schema.decodeUnknownOption(key)
  return (unchecked: Key): Fragment | undefined => Option.getOrUndefined(Option.map(decode(unchecked), then))
}

const Kilometres = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 21_000 }))

/** Rings are read from the middle outwards, so that a crowded place costs no more than a page of it. */
const ringsOf = (radius: number): ReadonlyArray<readonly [number, number]> => {
  const edges = [0, radius / 8, radius / 3, radius]
  return edges.slice(1).map((to, i) => [edges[i] ?? 0, to] as const)
}

const one = <A>(items: ReadonlyArray<A>): ReadonlyArray<A | undefined> => (items.length === 0 ? [undefined] : items)

/** The candidates of one search at `now`; `words` are those of its `query`. */
export const candidatesOf = (sql: SqlClient.SqlClient, query: SearchQuery, words: Words | undefined, now: Instant) => {
  const rows = decoded(Schema.Array(CandidateRow))
  const { near } = query
  const radius = near?.radius_km ?? defaultRadiusKm
  const distance = near === undefined ? sql`null::float8` : distanceTo(sql, near)
  const sort = query.sort ?? "best_match"
  const order = sort === "best_match" && words === undefined && near !== undefined ? "distance" : sort

  const orders: Record<NonNullable<SearchQuery["sort"]>, Order> = {
    best_match: {
      columns: sql`p.playroom_id`,
      after: whereKey(Schema.Tuple([PlayroomId]), ([id]) => sql`p.playroom_id > ${id}`),
      key: ({ playroom_id }) => [playroom_id]
    },
    price: {
      columns: sql`p.currency, p.from_price, p.playroom_id`,
      after: whereKey(
        Schema.Tuple([Currency, MinorUnits, PlayroomId]),
        ([currency, price, id]) => sql`(p.currency, p.from_price, p.playroom_id) > (${currency}, ${price}::int, ${id})`
      ),
      key: ({ currency, from_price, playroom_id }) => [currency, from_price, playroom_id]
    },
    distance: {
      columns: sql`d.km, p.playroom_id`,
      after: whereKey(
        Schema.Tuple([Kilometres, PlayroomId]),
        ([km, id]) => sql`(d.km, p.playroom_id) > (${km}::float8, ${id})`
      ),
      key: ({ distance_km, playroom_id }) => [distance_km ?? 0, playroom_id]
    }
  }
  const { columns, after, key } = orders[order]

  const tiers = (text: string, fallback: boolean): ReadonlyArray<Lane> => {
    const asked = sql`to_tsquery('english'::regconfig, ${text})`
    const [named, anywhere] = [sql`p.names_vector @@ ${asked}`, sql`p.search_vector @@ ${asked}`]
    return order === "best_match"
      ? [
          { where: [named], fallback },
          { where: [anywhere, sql`not ${named}`], fallback }
        ]
      : [{ where: [anywhere], fallback }]
  }
  const ringed =
    near === undefined
      ? []
      : order === "distance"
        ? ringsOf(radius).map(([from, to]) => [
            inBoxes(sql, near, to),
            from === 0 ? sql`d.km <= ${to}::float8` : sql`d.km > ${from}::float8 and d.km <= ${to}::float8`
          ])
        : [[inBoxes(sql, near, radius), sql`d.km <= ${radius}::float8`]]
  const lanes = one(
    words === undefined ? [] : [...tiers(words.all, false), ...(words.any === undefined ? [] : tiers(words.any, true))]
  ).flatMap((tier) =>
    one(ringed).map((ring): Lane => ({
      where: [...(tier?.where ?? []), ...(ring ?? [])],
      fallback: tier?.fallback ?? false
    }))
  )

  const filters = [...ownFilters(sql, query), ...packageFilters(sql, query), ...dateFilters(sql, query, now)]

  const statement = (lane: Lane, from: ReadonlyArray<Fragment>, limit: number) => sql`
select p.playroom_id, p.name, p.summary, o.name as operator_name, p.address, p.city, p.country, p.latitude, p.longitude, p.time_zone,
  p.currency, p.capacity, p.age_min, p.age_max, p.amenities, p.from_price, p.details #>> '{photos,0,url}' as photo_url,
  d.km as distance_km
from playroom p join operator o on o.operator_id = p.operator_id cross join lateral (select ${distance} as km) d
where p.listed and o.suspended_at is null and o.connected_account_id is not null
  and (o.billing_customer_id is null or o.paid_through > ${new Date(now - subscriptionGraceMs)}::timestamptz)
  and ${sql.and([...lane.where, ...filters, ...from])}
order by ${columns} limit ${limit}::int`
  // Planned each time, for the words and filters at hand: what is best for a rare word is worst for a common one.
  const read = (lane: Lane, from: ReadonlyArray<Fragment>, limit: number) =>
    rows(statement(lane, from, limit).unprepared)

  /**
   * Up to `limit` candidates after a position (undefined: from the first on); fewer only where there are no more. Answers
   * undefined for a position that is not of this ranking.
   */
  const next = Effect.fnUntraced(function* (
    position: Position | undefined,
    limit: number
  ): Effect.fn.Return<ReadonlyArray<Candidate> | undefined, SqlError.SqlError> {
    const [at, ...afterKey] = position ?? [0]
    const start = lanes[at]
    const from = position === undefined ? [] : one([after(afterKey)])
    if (start === undefined || from.includes(undefined)) return undefined
    const first = from.filter((fragment) => fragment !== undefined)
    const readFrom = Effect.fnUntraced(function* (fallback: boolean) {
      const found: Array<Candidate> = []
      for (const [i, lane] of lanes.entries()) {
        if (i < at || lane.fallback !== fallback || found.length >= limit) continue
        const more = yield* read(lane, i === at ? first : [], limit - found.length)
        found.push(...more.map((row): Candidate => ({ row, position: [i, ...key(row)] })))
      }
      return found
    })
    const found = yield* readFrom(start.fallback)
    return found.length === 0 && position === undefined ? yield* readFrom(true) : found
  })

  /** The statements of first pages, one a lane, for whoever wants to see their plans. */
  const statements = (limit: number) => lanes.map((lane) => statement(lane, [], limit))

  return { next, statements }
}

/** A condition on JSON that mostly holds: the planner would take it for one in a thousand, and gather all that the rest leaves. */
const usually = (sql: SqlClient.SqlClient, condition: Fragment): Fragment =>
  sql`case when ${condition} then true else false end`

/** What a playroom is by itself. */
const ownFilters = (sql: SqlClient.SqlClient, query: SearchQuery): ReadonlyArray<Fragment> => {
  const ages = query.child_ages ?? []
  return [
    ...(query.city === undefined ? [] : [sql`p.city_key = search_fold(${query.city}::text)`]),
    ...(query.country === undefined ? [] : [sql`p.country = ${query.country.toUpperCase()}`]),
    ...(query.amenities === undefined || query.amenities.length === 0
      ? []
      : [sql`p.amenity_keys @> search_fold(${query.amenities}::text[])`]),
    ...(ages.length === 0
      ? []
      : [sql`p.age_min <= ${Math.min(...ages)}::int and p.age_max >= ${Math.max(...ages)}::int`]),
    ...(query.max_total === undefined
      ? []
      : [sql`p.currency = ${query.max_total.currency} and p.from_price <= ${query.max_total.amount}::int`])
  ]
}

/** That one package on sale has the mode, the length, the party size and the weekday, all of them. */
const packageFilters = (sql: SqlClient.SqlClient, query: SearchQuery): ReadonlyArray<Fragment> => {
  const { mode, duration_minutes, date } = query
  const children = childrenOf(query)
  if (mode === undefined && duration_minutes === undefined && children === undefined && date === undefined) return []
  return [
    sql`exists (select from package k where k.playroom_id = p.playroom_id and k.on_sale and ${sql.and([
      ...(mode === undefined ? [] : [sql`k.mode = ${mode}`]),
      ...(duration_minutes === undefined ? [] : [sql`k.duration_minutes = ${duration_minutes}::int`]),
      ...(children === undefined ? [] : [sql`${children}::int between k.min_children and k.max_children`]),
      ...(date === undefined
        ? []
        : [
            usually(
              sql,
              sql`coalesce(k.terms #> '{schedule,weekdays}' @> ${JSON.stringify(weekdayOf(date))}::jsonb, true)`
            )
          ])
    ])})`
  ]
}

/** Days that cannot be, seen from any time zone; what they leave is checked start by start. */
const dateFilters = (sql: SqlClient.SqlClient, { date }: SearchQuery, now: Instant): ReadonlyArray<Fragment> => {
  if (date === undefined) return []
  const today = new Date(now).toISOString().slice(0, 10)
  return [
    sql`${date}::date >= ${addDays(today, -1)}::date`,
    sql`(p.details ->> 'max_advance_days')::int >= ${date}::date - ${addDays(today, 1)}::date`,
    usually(
      sql,
      // Hours of the day before may go on past midnight.
      sql.or(
        [date, addDays(date, -1)].flatMap((day) => [
          sql`p.details -> 'opening_hours' @> ${JSON.stringify([{ weekday: weekdayOf(day) }])}::jsonb`,
          sql`p.details -> 'overrides' @> ${JSON.stringify([{ date: day }])}::jsonb`
        ])
      )
    )
  ]
}
