/**
 * Playrooms that fit a search as far as the catalogue itself can tell, in rank order and page by page. A ranking is a row of
 * lanes, each in an order that an index or a small set gives: a page reads on from its position and stops when it is full, or
 * when it has looked at so many rows in vain as a call may.
 */
import { Effect, Option, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { PlayroomId } from "../kernel/Ids.ts"
import type { Instant } from "../kernel/LocalTime.ts"
import { Currency, MinorUnits } from "../kernel/Money.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { AccessibilityFeature } from "../catalogue/Playroom.ts"
import { subscriptionGraceMs } from "../catalogue/Operator.ts"
import { defaultRadiusKm, type SearchQuery } from "./SearchQuery.ts"
import { distanceTo, inBoxes, playroomConditions, visitConditions } from "./SearchConditions.ts"
import type { Asked, Words } from "./SearchWords.ts"

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
  accessibility_features: Schema.NullOr(Schema.Array(AccessibilityFeature)),
  accessibility_lacks: Schema.NullOr(Schema.Array(AccessibilityFeature)),
  from_price: Schema.Int,
  from_price_for: Schema.NullOr(Schema.String),
  /** Whether that is the lowest price of today: it is derived anew when the calendar changes it. */
  from_price_holds: Schema.Boolean,
  photo_url: Schema.NullOr(Schema.String),
  distance_km: Schema.NullOr(Schema.Finite),
  /** Its place among the rows looked at, from 1. */
  place: Schema.Int,
  /** False only of the last row that was looked at, which then says no more than how far the look went. */
  fits: Schema.Boolean
})

/**
 * Where a row stands in its ranking: the lane (plus the number of lanes where nothing before it fitted), then the lane's sort key.
 * JSON, for a cursor.
 */
export type Position = readonly [lane: number, ...key: ReadonlyArray<string | number>]

export interface Candidate {
  readonly row: typeof CandidateRow.Type
  readonly position: Position
}

/** A stretch of the ranking: those of its rows that fit, and where it ended; undefined where the ranking did. */
export interface Stretch {
  readonly candidates: ReadonlyArray<Candidate>
  readonly end: Position | undefined
}

type Fragment = Statement.Fragment

interface Lane {
  readonly where: ReadonlyArray<Fragment>
  /** That a row `s` has the words. */
  readonly words: ReadonlyArray<Fragment>
  /** The same of a row `p`, in a way that the text index answers; more rows may have it. */
  readonly indexed: Fragment | undefined
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

/**
 * Plans what is inside without some kinds of scans, so that an index is all that is left. The planner takes filters that come
 * together for independent: where nothing has them all, it would rather read the whole table, in the belief of soon having found
 * enough.
 */
const plannedWithout =
  (kinds: "seqscan" | "seqscan, bitmapscan") =>
  <A, E, R>(sql: SqlClient.SqlClient, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    sql.withTransaction(
      Effect.andThen(
        sql`select set_config('enable_' || kind, 'off', true) from unnest(string_to_array(${kinds}::text, ', ')) as kind`,
        effect
      )
    )
/** Row by row along an index. */
export const byIndex = plannedWithout("seqscan, bitmapscan")
/** By the text index, which gathers before it reads. */
export const byTextIndex = plannedWithout("seqscan")

/** Playrooms are few up to so many rows that name them. */
const mostNarrowed = 500

/** The candidates of one search at `now`; `words` are those of its `query`, `cities` what its `city` stands for (`CityNames.ts`). */
export const candidatesOf = (
  sql: SqlClient.SqlClient,
  query: SearchQuery,
  words: Words | undefined,
  now: Instant,
  cities: ReadonlyArray<string> = []
) => {
  const rows = decodeRows(Schema.Array(CandidateRow))
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

  const tiers = (asked: Fragment, fallback: boolean): ReadonlyArray<Lane> => {
    const has = (row: "s" | "p", vector: "names" | "search") =>
      sql`${sql.literal(`${row}.${vector}_vector`)} @@ (${asked})`
    const [named, anywhere] = [has("s", "names"), has("s", "search")]
    return order === "best_match"
      ? [
          { where: [], words: [named], indexed: has("p", "names"), fallback },
          { where: [], words: [anywhere, sql`not ${named}`], indexed: has("p", "search"), fallback }
        ]
      : [{ where: [], words: [anywhere], indexed: has("p", "search"), fallback }]
  }
  const spelt = (text: string) => sql`to_tsquery('english'::regconfig, ${text})`
  const parts = (asked: Words, how: keyof Asked): ReadonlyArray<Fragment> => [
    ...(asked.spelt === undefined ? [] : [spelt(asked.spelt[how])]),
    ...(asked.unbounded === undefined ? [] : [sql`${asked.unbounded[how]}::tsquery`])
  ]
  const all = (asked: Words): Fragment => sql.join(" && ")(parts(asked, "all"))
  /** Where there is more than one word. */
  const any = (asked: Words): ReadonlyArray<Fragment> => {
    const some = parts(asked, "any")
    const one = some.length === 1 && [asked.spelt, asked.unbounded].every((words) => words?.all === words?.any)
    return one ? [] : [sql.join(" || ")(some)]
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
    words === undefined ? [] : [...tiers(all(words), false), ...any(words).flatMap((asked) => tiers(asked, true))]
  ).flatMap((tier) =>
    one(ringed).map((ring): Lane => ({
      where: ring ?? [],
      words: tier?.words ?? [],
      indexed: tier?.indexed,
      fallback: tier?.fallback ?? false
    }))
  )

  const own = playroomConditions(sql, query, cities)
  const visits = visitConditions(sql, query, now)
  const visited =
    visits.length === 0
      ? []
      : [sql`(select true from search_visit v where v.playroom_id = s.playroom_id and ${sql.and(visits)} limit 1)`]
  const sells = sql`(select true from operator o where o.operator_id = s.operator_id and o.suspended_at is null
    and o.connected_account_id is not null
    and (o.billing_customer_id is null or o.paid_through > ${new Date(now - subscriptionGraceMs)}::timestamptz) limit 1)`
  const vectors = words === undefined ? sql`` : sql`, p.names_vector, p.search_vector`

  /**
   * `look` rows of a lane at most, in its order, and up to `limit` of them that fit. What an index answers together with the order
   * is asked of the rows that are looked at, the rest row by row, so that neither can make a statement read the whole catalogue.
   */
  const statement = (
    lane: Lane,
    among: ReadonlyArray<Fragment>,
    from: ReadonlyArray<Fragment>,
    limit: number,
    look: number
  ) => sql`
select p.playroom_id, p.name, p.summary, o.name as operator_name, p.address, p.city, p.country, p.latitude, p.longitude, p.time_zone,
  p.currency, p.capacity, p.age_min, p.age_max, p.amenities, p.from_price, p.from_price_for, p.from_price_until > ${new Date(now)}::timestamptz as from_price_holds,
  p.details #>> '{photos,0,url}' as photo_url, p.details -> 'accessibility_features' as accessibility_features,
  p.details -> 'accessibility_lacks' as accessibility_lacks, t.km as distance_km, t.place, t.fits
from (
  select * from (
    select s.playroom_id, s.km, s.place, coalesce(${sql.and([...lane.words, sells, ...visited])}, false) as fits
    from (
      select r.*, (row_number() over ())::int as place from (
        select p.playroom_id, p.operator_id, d.km${vectors} from playroom p cross join lateral (select ${distance} as km) d
        where p.listed and ${sql.and([sql`true`, ...lane.where, ...own, ...among, ...from])}
        order by ${columns} limit ${look}::int
      ) r
    ) s
  ) f where f.fits or f.place = ${look}::int limit ${limit}::int
) t join playroom p on p.playroom_id = t.playroom_id join operator o on o.operator_id = p.operator_id
order by t.place`
  // Planned each time, for the filters at hand: what is best for a rare one is worst for a common one.
  const read = (
    lane: Lane,
    among: ReadonlyArray<Fragment>,
    from: ReadonlyArray<Fragment>,
    limit: number,
    look: number
  ) => rows(statement(lane, among, from, limit, look).unprepared)

  const offering = () => sql`select playroom_id from search_visit v where ${sql.and(visits)} limit ${mostNarrowed}::int`
  // Materialized: with the limit in view, the planner would rather read the table for words that it takes for frequent.
  const having = (indexed: Fragment) => sql`
with found as materialized (select playroom_id from playroom p where ${sql.and([indexed, ...own])})
select playroom_id from found limit ${mostNarrowed}::int`
  const idRows = decodeRows(Schema.Array(Schema.Struct({ playroom_id: Schema.String })))

  const narrowed = new Map<Fragment | "visits", ReadonlySet<string> | undefined>()
  const few = Effect.fnUntraced(function* (
    by: Fragment | "visits"
  ): Effect.fn.Return<ReadonlySet<string> | undefined, SqlError.SqlError> {
    if (!narrowed.has(by)) {
      const found =
        by === "visits"
          ? yield* byIndex(sql, idRows(offering().unprepared))
          : yield* byTextIndex(sql, idRows(having(by).unprepared))
      narrowed.set(by, found.length === mostNarrowed ? undefined : new Set(found.map(({ playroom_id }) => playroom_id)))
    }
    return narrowed.get(by)
  })

  /** The only playrooms that can fit in a lane, where they are few; undefined where they may be many. */
  const only = Effect.fnUntraced(function* ({
    indexed
  }: Lane): Effect.fn.Return<ReadonlySet<string> | undefined, SqlError.SqlError> {
    const byVisits = visits.length === 0 ? undefined : yield* few("visits")
    if (indexed === undefined || byVisits?.size === 0) return byVisits
    const byWords = yield* few(indexed)
    return byVisits === undefined || byWords === undefined
      ? (byVisits ?? byWords)
      : new Set([...byVisits].filter((id) => byWords.has(id)))
  })

  /**
   * The ranking after a position (undefined: from the first on) as far as up to `limit` candidates need it, of `look` rows at
   * most. `narrow`: ask indexes first for the only playrooms that can fit, as what was looked at before had few of them. Answers
   * undefined for a position that is not of this ranking.
   */
  const next = Effect.fnUntraced(function* (
    position: Position | undefined,
    limit: number,
    look: number,
    narrow: boolean
  ): Effect.fn.Return<Stretch | undefined, SqlError.SqlError> {
    const [place, ...afterKey] = position ?? [lanes.length]
    const at = place % lanes.length
    const start = lanes[at]
    const from = position === undefined ? [] : one([after(afterKey)])
    if (start === undefined || place < 0 || place >= 2 * lanes.length || from.includes(undefined)) return undefined
    const first = from.filter((fragment) => fragment !== undefined)
    const candidates: Array<Candidate> = []
    const nothingBefore = () => place >= lanes.length && candidates.length === 0
    let looked = 0
    for (const fallback of start.fallback ? [true] : [false, true]) {
      if (fallback && !start.fallback && !nothingBefore()) break
      for (const [i, lane] of lanes.entries()) {
        if (i < at || lane.fallback !== fallback) continue
        const before = looked
        const among = narrow ? yield* only(lane) : undefined
        if (among?.size === 0) continue
        const these = among === undefined ? [] : [sql`p.playroom_id = any(${[...among]}::text[])`]
        const found = yield* read(lane, these, i === at ? first : [], limit - candidates.length, look - before)
        for (const row of found) {
          const here: Position = [!row.fits && nothingBefore() ? i + lanes.length : i, ...key(row)]
          if (row.fits) candidates.push({ row, position: here })
          looked = before + row.place
          if (candidates.length === limit || looked === look) return { candidates, end: here }
        }
      }
    }
    return { candidates, end: undefined }
  })

  /** The statements of first pages, one a lane, and those that narrow (of visits run `byIndex`, of words `byTextIndex`): for whoever wants to see their plans. */
  const statements = (limit: number, look: number) => lanes.map((lane) => statement(lane, [], [], limit, look))
  const narrowings = () => ({
    visits: visits.length === 0 ? undefined : offering(),
    words: [...new Set(lanes.flatMap(({ indexed }) => indexed ?? []))].map(having)
  })

  return { next, statements, narrowings }
}
