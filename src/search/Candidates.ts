/**
 * Playrooms that fit a search by the catalogue's rows, in rank order and page by page. A ranking has tiers, one after
 * the other. Each tier is in an order that an index or a small set gives. A page continues from its position, and stops
 * when it is full or has read the maximum number of rows of a call.
 */
import { Effect, Option, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { PlayroomId } from "../kernel/Ids.ts"
import type { Instant } from "../kernel/LocalTime.ts"
import { Currency, MinorUnits } from "../kernel/Money.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { pricesHold } from "../catalogue/VenueRows.ts"
import { defaultRadiusKm, type SearchQuery } from "./SearchQuery.ts"
import { byTextIndex, CandidateRow } from "./RankingReads.ts"
import {
  distanceTo,
  inBoxes,
  operatorSells,
  playroomConditions,
  visitConditions,
  visitsBy
} from "./SearchConditions.ts"
import type { Words } from "./SearchWords.ts"
import { wordConditions } from "./WordConditions.ts"

/**
 * The position of a row in its ranking: the tier (plus the number of tiers if nothing before it fitted), then the
 * tier's sort key. JSON, for a cursor.
 */
export type Position = readonly [tier: number, ...key: ReadonlyArray<string | number>]

export interface Candidate {
  readonly row: CandidateRow
  readonly position: Position
}

/** A slice of the ranking: its candidates and its end. `end` is undefined if the ranking ends with it. */
interface Slice {
  readonly candidates: ReadonlyArray<Candidate>
  readonly end: Position | undefined
}

const candidateRows = decodeRows(Schema.Array(CandidateRow))

type Fragment = Statement.Fragment

interface Tier {
  readonly where: ReadonlyArray<Fragment>
  /** Conditions that a row `s` matches the words. */
  readonly words: ReadonlyArray<Fragment>
  /** The same for a row `p`, as a condition that the text index answers. It may match more rows. */
  readonly indexed: Fragment | undefined
  /** Tiers of a higher level are read only if those below had no candidate. */
  readonly level: number
}

type Key = ReadonlyArray<string | number>

/** What is read of a tier: conditions beside its own, the most candidates, and the most rows. */
type Found = readonly [
  tier: Tier,
  among: ReadonlyArray<Fragment>,
  from: ReadonlyArray<Fragment>,
  limit: number,
  maxRows: number
]

interface Order {
  readonly columns: Fragment
  /**
   * The condition for rows after a key; undefined for a key that no row can have. Callers send keys back and can forge
   * them.
   */
  readonly after: (key: Key) => Fragment | undefined
  readonly key: (row: CandidateRow) => Key
}

/** `then` of a key that a row could have; otherwise undefined. */
const whereKey = <A>(key: Schema.Codec<A, Key>, then: (key: A) => Fragment) => {
  const decode = Schema.decodeUnknownOption(key)
  return (unchecked: Key): Fragment | undefined => Option.getOrUndefined(Option.map(decode(unchecked), then))
}

const Kilometres = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 21_000 }))

/**
 * Rings around a place, in kilometres. They are read outwards, so that many playrooms near the place cost no more than
 * a page.
 */
const ringsOf = (radius: number): ReadonlyArray<readonly [number, number]> => {
  const edges = [0, radius / 8, radius / 3, radius]
  return edges.slice(1).map((to, i) => [edges[i] ?? 0, to] as const)
}

/** The items, or one undefined if there are none. */
const orUndefined = <A>(items: ReadonlyArray<A>): ReadonlyArray<A | undefined> =>
  items.length === 0 ? [undefined] : items

/** At most this many rows of an index narrow a search to their playrooms. More are not worth it. */
const maxNarrowed = 500

/** The candidates of a search at `now`. `words` come from its `query`, `cities` from its `city` (`cityNames`). */
export const candidatesOf = (
  sql: SqlClient.SqlClient,
  query: SearchQuery,
  words: Words | undefined,
  now: Instant,
  cities: ReadonlyArray<string> = []
) => {
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

  const ringed =
    near === undefined
      ? []
      : order === "distance"
        ? ringsOf(radius).map(([from, to]) => [
            inBoxes(sql, near, to),
            from === 0 ? sql`d.km <= ${to}::float8` : sql`d.km > ${from}::float8 and d.km <= ${to}::float8`
          ])
        : [[inBoxes(sql, near, radius), sql`d.km <= ${radius}::float8`]]
  const tiers = orUndefined(words === undefined ? [] : wordConditions(sql, words, order === "best_match")).flatMap(
    (tier) =>
      orUndefined(ringed).map((ring): Tier => ({
        where: ring ?? [],
        words: tier?.fits ?? [],
        indexed: tier?.indexed,
        level: tier?.level ?? 0
      }))
  )

  const lastLevel = Math.max(...tiers.map(({ level }) => level))

  const own = playroomConditions(sql, query, cities)
  const visits = visitConditions(sql, query, now)
  const visited =
    visits.length === 0
      ? []
      : [sql`(select true from search_visit v where v.playroom_id = s.playroom_id and ${sql.and(visits)} limit 1)`]
  const sells = operatorSells(sql, "s", now)
  const vectors = words === undefined ? sql`` : sql`, p.names_vector, p.search_vector`

  /**
   * Reads at most `maxRows` rows of a tier in its order, and up to `limit` of those that fit. The rows are selected by the conditions that an index answers together with the order. The other
   * conditions are checked row by row, so that none can make a statement read the whole catalogue.
   */
  const foundIn = (...[tier, among, from, limit, maxRows]: Found) => sql`(
  select * from (
    select s.*, coalesce(${sql.and([...tier.words, sells, ...visited])}, false) as fits
    from (
      select r.*, (row_number() over ())::int as place from (
        select p.playroom_id, p.operator_id, d.km${vectors} from playroom p cross join lateral (select ${distance} as km) d
        where p.listed and ${sql.and([sql`true`, ...tier.where, ...own, ...among, ...from])}
        order by ${columns} limit ${maxRows}::int
      ) r
    ) s
  ) f where f.fits or f.place = ${maxRows}::int limit ${limit}::int) t`
  const statement = (...found: Found) => sql`
select p.playroom_id, p.name, p.summary, o.name as operator_name, p.address, p.city, p.country, p.latitude, p.longitude, p.time_zone,
  p.currency, p.capacity, p.age_min, p.age_max, p.amenities, p.from_price, p.from_price_for, ${pricesHold(sql, now)} as from_price_holds,
  p.details #>> '{photos,0,url}' as photo_url, p.details -> 'accessibility_features' as accessibility_features,
  p.details -> 'accessibility_lacks' as accessibility_lacks, t.km as distance_km, t.place, t.fits
from ${foundIn(...found)} join playroom p on p.playroom_id = t.playroom_id join operator o on o.operator_id = p.operator_id
order by t.place`

  const offering = () => visitsBy(sql, visits, maxNarrowed)
  // Materialized: otherwise the planner sees the limit, and reads the table for words that it expects to be frequent.
  const having = (indexed: Fragment) => sql`
with found as materialized (select playroom_id from playroom p where ${sql.and([indexed, ...own])})
select playroom_id from found limit ${maxNarrowed}::int`
  const idRows = decodeRows(Schema.Array(Schema.Struct({ playroom_id: Schema.String })))

  const narrowed = new Map<Fragment | "visits", ReadonlySet<string> | undefined>()
  /** The playrooms that match the visits or words; undefined if there may be many. */
  const narrowedBy = Effect.fnUntraced(function* (
    by: Fragment | "visits"
  ): Effect.fn.Return<ReadonlySet<string> | undefined, SqlError.SqlError> {
    if (!narrowed.has(by)) {
      const found = yield* idRows(
        by === "visits" ? sql`${offering()}`.unprepared : byTextIndex(sql, sql`${having(by)}`.unprepared)
      )
      narrowed.set(by, found.length === maxNarrowed ? undefined : new Set(found.map(({ playroom_id }) => playroom_id)))
    }
    return narrowed.get(by)
  })

  /** The only playrooms that can fit in a tier, if they are few; undefined if there may be many. */
  const narrowedFor = Effect.fnUntraced(function* ({
    indexed
  }: Tier): Effect.fn.Return<ReadonlySet<string> | undefined, SqlError.SqlError> {
    const byVisits = visits.length === 0 ? undefined : yield* narrowedBy("visits")
    if (indexed === undefined || byVisits?.size === 0) return byVisits
    const byWords = yield* narrowedBy(indexed)
    return byVisits === undefined || byWords === undefined
      ? (byVisits ?? byWords)
      : new Set([...byVisits].filter((id) => byWords.has(id)))
  })

  /**
   * The ranking after a position (undefined: from the start) for up to `limit` candidates, reading at most `maxRows`
   * rows. `narrow`: first ask indexes for the only playrooms that can fit, because the rows before had few. Undefined
   * for a position that is not of this ranking.
   */
  const next = Effect.fnUntraced(function* (
    position: Position | undefined,
    limit: number,
    maxRows: number,
    narrow: boolean
  ): Effect.fn.Return<Slice | undefined, SqlError.SqlError> {
    const [place, ...afterKey] = position ?? [tiers.length]
    const at = place % tiers.length
    const start = tiers[at]
    const from = position === undefined ? [] : orUndefined([after(afterKey)])
    if (start === undefined || place < 0 || place >= 2 * tiers.length || from.includes(undefined)) return undefined
    const first = from.filter((fragment) => fragment !== undefined)
    const candidates: Array<Candidate> = []
    const nothingBefore = () => place >= tiers.length && candidates.length === 0
    let rowsRead = 0
    for (let level = start.level; level <= lastLevel; level++) {
      if (level > start.level && !nothingBefore()) break
      for (const [i, tier] of tiers.entries()) {
        if (i < at || tier.level !== level) continue
        const before = rowsRead
        const among = narrow ? yield* narrowedFor(tier) : undefined
        if (among?.size === 0) continue
        const these = among === undefined ? [] : [sql`p.playroom_id = any(${[...among]}::text[])`]
        const found = yield* candidateRows(
          sql`${statement(tier, these, i === at ? first : [], limit - candidates.length, maxRows - before)}`.unprepared
        )
        for (const row of found) {
          const here: Position = [!row.fits && nothingBefore() ? i + tiers.length : i, ...key(row)]
          if (row.fits) candidates.push({ row, position: here })
          rowsRead = before + row.place
          if (candidates.length === limit || rowsRead === maxRows) return { candidates, end: here }
        }
      }
    }
    return { candidates, end: undefined }
  })

  /**
   * The statements of first pages, one per tier, and those that narrow (words run with `byTextIndex`). Tests check their
   * plans.
   */
  const statements = (limit: number, maxRows: number) => tiers.map((tier) => statement(tier, [], [], limit, maxRows))
  const narrowings = () => ({
    visits: visits.length === 0 ? undefined : offering(),
    words: [...new Set(tiers.flatMap(({ indexed }) => indexed ?? []))].map(having)
  })

  return {
    next,
    statements,
    narrowings
  }
}
