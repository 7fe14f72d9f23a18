/** Pages of fitting playrooms, in the order of a ranking or in that of exact prices. */
import { Effect, Option, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { Instant } from "../../platform/time/LocalTime.ts"
import { type Budget, type PriceOf, decodePosition, encodePosition, priceOrdered, priceRowsOf } from "./PriceOrder.ts"
import { asksPrice, type findFits, type Fit, type Fitting } from "./SearchFits.ts"
import { hasRange, type SearchQuery } from "./SearchQuery.ts"
import { CandidateRow, type Narrowing, type Tiers, amongIds, orUndefined, type Tier } from "./SearchTiers.ts"
import { PlayroomId } from "../../platform/ids/Ids.ts"
import { decodeRows } from "../../platform/database/Rows.ts"

// Playrooms that fit a search by the catalogue's rows, in rank order and page by page. A ranking has tiers, one after
// the other. Each tier is in an order that an index or a small set gives. A page continues from its position, and stops
// when it is full or has read the maximum number of rows of a call. The order by price has reads of its own
// (`PriceOrder.ts`).

/**
 * The position of a row in its ranking: the tier (plus the number of tiers if nothing before it fitted), then the
 * tier's sort key. JSON, for a cursor.
 */
export type Position = readonly [tier: number, ...key: ReadonlyArray<string | number>]

interface Candidate {
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

type Key = ReadonlyArray<string | number>

/**
 * What is read of a tier: conditions beside its own, the most candidates, and the most rows, of which other tiers had
 * some.
 */
type Found = readonly [
  tier: Tier,
  among: ReadonlyArray<Fragment>,
  from: ReadonlyArray<Fragment>,
  limit: number,
  maxRows: number,
  before?: number
]

interface Order {
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

/** The candidates of a search that is not sorted by price. */
export const candidatesOf = (
  sql: SqlClient.SqlClient,
  { columns, narrowedFor, order, placed, planned, sells, shown, tiers, visits, visitsOf }: Tiers
) => {
  const orders: Record<"best_match" | "distance", Order> = {
    best_match: {
      after: whereKey(Schema.Tuple([PlayroomId]), ([id]) => sql`p.playroom_id > ${id}`),
      key: ({ playroom_id }) => [playroom_id]
    },
    distance: {
      after: whereKey(
        Schema.Tuple([Kilometres, PlayroomId]),
        ([km, id]) => sql`(d.km, p.playroom_id) > (${km}::float8, ${id})`
      ),
      key: ({ distance_km, playroom_id }) => [distance_km ?? 0, playroom_id]
    }
  }
  const { after, key } = orders[order === "distance" ? "distance" : "best_match"]
  const lastLevel = Math.max(...tiers.map(({ level }) => level))
  const visited = visits.length === 0 ? [] : [sql`(select true from ${visitsOf(visits)} limit 1)`]

  /**
   * Reads the rows of a tier in its order that are left of `maxRows`, and up to `limit` of those that fit. The rows
   * that are left are a value, so that the text is the same for any number of them, and its plan is kept. `offset 0`:
   * what fits is decided once, not again for the result.
   */
  const foundIn = (...[tier, among, from, limit, maxRows, before = 0]: Found) => sql`(
  select * from (
    select s.*, coalesce(${sql.and([...tier.fits, sells, ...visited])}, false) as fits
    from (select * from ${placed(tier, [...among, ...from], sql`, d.km`, columns, maxRows)} limit ${maxRows - before}::int) s
    offset 0
  ) f where f.fits or f.place = ${maxRows - before}::int limit ${limit}::int) t`
  const statement = (...found: Found) => sql`
select ${shown}, t.km as distance_km, t.place, t.fits
from ${foundIn(...found)} join playroom p on p.playroom_id = t.playroom_id join operator o on o.operator_id = p.operator_id
order by t.place`

  /**
   * The ranking after a position (undefined: from the start) for up to `limit` candidates, reading at most `maxRows`
   * rows. `narrowing`: first ask indexes for the only playrooms that can fit, because the rows before had few.
   * Undefined for a position that is not of this ranking.
   */
  const next = Effect.fnUntraced(function* (
    position: Position | undefined,
    limit: number,
    maxRows: number,
    narrowing: Narrowing
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
        const among = yield* narrowedFor(tier, narrowing)
        if (among?.size === 0) continue
        const asked = statement(
          tier,
          amongIds(sql, among),
          i === at ? first : [],
          limit - candidates.length,
          maxRows,
          before
        )
        const found = yield* candidateRows(planned(asked))
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

  /** The statements of first pages, one per tier. Tests check their plans. */
  const statements = (limit: number, maxRows: number) => tiers.map((tier) => statement(tier, [], [], limit, maxRows))

  return { next, statements }
}

export type PageFit = Fit<{ readonly row: CandidateRow }>

/** A page that is asked for; `from`: where it begins, if not at the first. */
interface PageAsked {
  readonly query: SearchQuery
  readonly tiers: Tiers
  readonly from: Position | undefined
  readonly limit: number
  readonly now: Instant
}

/** What a page is made of. */
export interface FoundPage {
  /** In order; one more than the page may hold, if there is one. */
  readonly fits: ReadonlyArray<PageFit>
  /** The position after so many of them; undefined if nothing follows. */
  readonly after: (fits: number) => Position | undefined
  /** Sorted by price: the number of fits from which on only the page by itself is sorted. */
  readonly sortedUntil?: number
  /** Sorted by price: whether playrooms, not only these, are sold in several currencies. */
  readonly severalCurrencies?: boolean
}

/** A page of a search that can find nothing. */
export const nothingFound: FoundPage = { fits: [], after: () => undefined }

/** Extra candidates whose free times a call checks, in case some of the page are sold out. */
const spareCandidates = 9
/**
 * Rows of the first read, which most often fills the page; rows of each later read, if few fit; and the maximum number
 * of reads.
 */
const [firstReadRows, laterReadRows, maxReads] = [100, 1000, 3]

/**
 * How a read narrows, after so many reads of which the last one found so many. If the next rows hold more than a page
 * at this rate, they are read: to ask the indexes takes longer.
 */
const narrowingAfter = (reads: number, found: number, limit: number): Narrowing => {
  const isCommon = found * (laterReadRows / firstReadRows) >= 2 * limit
  return reads === 0 || (reads === 1 && isCommon) ? "none" : reads < maxReads - 1 ? "unless common" : "always"
}

/** Playrooms that a call prices exactly: a month of each takes longer. */
const exactPrices = (query: SearchQuery): number => (hasRange(query) ? 60 : 120)

/** The pages of a search. Undefined for a position that is not of its ranking. */
export const searchPages = (sql: SqlClient.SqlClient, fitsAmong: ReturnType<typeof findFits>) => {
  const ranked = Effect.fnUntraced(function* ({
    from,
    limit,
    now,
    query,
    tiers
  }: PageAsked): Effect.fn.Return<FoundPage | undefined, SqlError.SqlError> {
    const candidates = candidatesOf(sql, tiers)
    const fits: Array<PageFit & { readonly candidate: { readonly position: Position } }> = []
    let at = from
    let examined = 0
    let reads = 0
    let found = 0
    while (fits.length <= limit) {
      const size = examined === 0 ? limit + 1 : limit + 1 + spareCandidates - examined
      if (size <= 0 || reads >= maxReads) break
      const slice = yield* candidates.next(
        at,
        size,
        reads === 0 ? Math.max(firstReadRows, size) : laterReadRows,
        narrowingAfter(reads, found, limit)
      )
      if (slice === undefined) return undefined
      fits.push(...(yield* fitsAmong(query, slice.candidates, now)))
      at = slice.end
      if (at === undefined) break
      examined += slice.candidates.length
      if (slice.candidates.length === size) continue
      reads++
      found = slice.candidates.length
    }
    const end = at
    return { fits, after: (count) => (count < fits.length ? fits[count - 1]?.candidate.position : end) }
  })

  const byPrice = Effect.fnUntraced(function* ({
    from,
    limit,
    now,
    query,
    tiers
  }: PageAsked): Effect.fn.Return<FoundPage | undefined, SqlError.SqlError> {
    const reads = priceRowsOf(sql, query, tiers)
    const priceOf: PriceOf<Fitting> = (rows) =>
      Effect.map(
        fitsAmong(
          query,
          rows.map((row) => ({ row })),
          now
        ),
        (fits) =>
          fits.map(({ candidate: { row }, ...fitting }) => ({
            row,
            fitting,
            // What has no price goes by its bound.
            amount: asksPrice(query) ? Math.max(fitting.price?.amount ?? 0, row.bound) : row.bound
          }))
      )
    const count = tiers.tiers.length
    const [place, ...key] = from ?? [count]
    const position = from === undefined ? undefined : decodePosition(key)
    if (tiers.tiers[place % count] === undefined || place < 0 || place >= 2 * count) return undefined
    if (from !== undefined && position === undefined) return undefined
    let found = place < count
    const budget: Budget = { exact: Math.max(exactPrices(query), limit + 1 + spareCandidates), spare: spareCandidates }
    for (const [i, tier] of tiers.tiers.entries()) {
      if (i < place % count) continue
      const here = i === place % count ? position : undefined
      const page = yield* priceOrdered(reads, tier, priceOf, here, limit, budget)
      found ||= page.found
      const after = (fits: number): Position | undefined => {
        const end = page.after(fits)
        return end === undefined ? undefined : [found ? i : i + count, ...encodePosition(end)]
      }
      if (!found && after(0) === undefined) continue
      const shown = page.entries.length === 0 ? [] : yield* reads.shown(page.entries.map(({ row }) => row.playroom_id))
      const rows = new Map(shown.map((row) => [row.playroom_id, row]))
      return {
        fits: page.entries.flatMap(({ fitting, row }) => {
          const whole = rows.get(row.playroom_id)
          return whole === undefined ? [] : [{ candidate: { row: whole }, ...fitting }]
        }),
        after,
        sortedUntil: page.sortedUntil,
        severalCurrencies: shown.some((row) => row.several_currencies)
      }
    }
    return { fits: [], after: () => undefined }
  })

  return (asked: PageAsked) => (asked.tiers.order === "price" ? byPrice(asked) : ranked(asked))
}
