/**
 * The order by price over all pages: free playrooms first, then by the exact price for the party, one currency after
 * the other. Exact prices are computed for few playrooms a call. Rows come in the order of a lower bound, so a playroom
 * is next once its price is no higher than the bound of each that is not priced or not read yet. If a call ends before
 * that is known of any, the rest of its currency is paged in the order of the bound, and each page is sorted by itself.
 */
import { Effect, Option, Order, Schema } from "effect"
import type { SqlError, SqlClient, Statement } from "effect/sql"
import { type Tier, amongIds, CandidateRow, type Tiers } from "./SearchTiers.ts"
import { PlayroomId } from "../../platform/ids/Ids.ts"
import { Currency, MinorUnits } from "../../platform/money/Money.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { sizeOf } from "./SearchFacts.ts"
import { asksPrice } from "./SearchFits.ts"
import { childrenOf, type SearchQuery } from "./SearchQuery.ts"

// What the order by price reads of the catalogue: short rows with lower bounds of each playroom's price, in an order
// that an index gives.

type Fragment = Statement.Fragment

/** A price in its currency, and the playroom whose it is. Amounts of different currencies are not compared. */
export type PriceKey = readonly [currency: string, amount: number, playroom_id: string]

export const PriceRow = Schema.Struct({
  playroom_id: PlayroomId,
  currency: Schema.String,
  /** The lowest price of parties of such a size at any time. Rows are read in its order. */
  least: Schema.Int,
  /** A lower bound of the price for the party on the days asked; at least `least`. */
  bound: Schema.Int,
  /** Its number among the examined rows, from 1. */
  place: Schema.Int,
  /** False only for the last examined row, which then only marks the end of the read. */
  fits: Schema.Boolean,
  /** Whether any playroom may be free, whatever the search asks for. */
  any_free: Schema.Boolean,
  /** Whether it is read among those that may be free. What is free only by age is not: it is the first of its currency. */
  among_free: Schema.Boolean
})
export type PriceRow = typeof PriceRow.Type

/** Reads at most `size` rows; in `narrow` reads, indexes first say which playrooms alone can fit. */
interface Read {
  readonly size: number
  readonly narrow: boolean
}

const priceRows = decodeRows(Schema.Array(PriceRow))
const shownRows = decodeRows(
  Schema.Array(
    Schema.Struct({
      ...CandidateRow.fields,
      /** Whether playrooms, not only these, are sold in several currencies. */
      several_currencies: Schema.Boolean
    })
  )
)

type Rows = Effect.Effect<ReadonlyArray<PriceRow>, SqlError.SqlError>

/** Where the rows of a tier come from, step by step. */
export interface PriceReads {
  /** Playrooms that may be free for the party, by id: those after `after`. */
  readonly free: (tier: Tier, after: string | undefined, how: Read) => Rows
  /** Rows in the order of `least`: from `from` on, or after it, without those whose `bound` is before `done`. */
  readonly priced: (
    tier: Tier,
    from: { readonly key: PriceKey | undefined; readonly inclusive: boolean },
    done: PriceKey | undefined,
    how: Read
  ) => Rows
}

/** The reads of a search that is sorted by price. */
export const priceRowsOf = (
  sql: SqlClient.SqlClient,
  query: SearchQuery,
  { distance, narrowedFor, placed, planned, sells, shown, visits, visitsOf }: Tiers
) => {
  const children = childrenOf(query)
  // As the indexes have it.
  const least =
    children === undefined || !asksPrice(query)
      ? sql`p.from_price`
      : sql.literal(
          `(coalesce(case when p.told_until = p.derived_until then p.least_by_children[${sizeOf(children)}] end, p.from_price))`
        )
  const offered =
    visits.length === 0
      ? sql`0`
      : sql`(select min(greatest(v.least_total, v.least_per_child * ${children ?? 0}::int)) from ${visitsOf(visits)})`
  // Without a party, the order goes by the lowest price of all.
  const bound = asksPrice(query) ? sql`greatest(q.least, q.offered)` : sql`q.least`

  // `offset 0`: the planner would look for what is offered once for each use of it.
  const statement = (
    tier: Tier,
    where: ReadonlyArray<Fragment>,
    columns: Fragment,
    fits: ReadonlyArray<Fragment>,
    size: number
  ): Fragment => sql`
select f.playroom_id, f.currency, f.least, f.bound, f.place, f.fits, f.among_free,
  (select true from playroom p where p.listed and p.from_price = 0 limit 1) is not null as any_free
from (
  select q.*, ${bound} as bound,
    coalesce(${sql.and([sql`q.meets`, sql`q.offered is not null`, ...fits])}, false) as fits
  from (
    select s.*, ${offered} as offered, coalesce(${sql.and([...tier.fits, sells])}, false) as meets
    from ${placed(tier, where, sql`, p.currency, ${least} as least, p.from_price = 0 as among_free`, columns, size)}
    offset 0
  ) q
) f where f.fits or f.place = ${sql.literal(`${size}`)} order by f.place`

  const read = Effect.fnUntraced(function* (
    tier: Tier,
    { narrow }: Read,
    of: (where: ReadonlyArray<Fragment>) => Fragment
  ): Effect.fn.Return<ReadonlyArray<PriceRow>, SqlError.SqlError> {
    const among = yield* narrowedFor(tier, narrow ? "always" : "none")
    return among?.size === 0 ? [] : yield* priceRows(planned(of(amongIds(sql, among))))
  })

  /**
   * The key stands in subqueries, so that the plan is the same for any, and is kept. By statistics hardly a row comes
   * after a key of the last currency.
   */
  const startingFrom = ([currency, amount, id]: PriceKey, inclusive: boolean) =>
    sql`(p.currency, ${least}, p.playroom_id) ${sql.literal(inclusive ? ">=" : ">")}
      ((select ${currency}::text), (select ${amount}::int), (select ${id}::text))`

  const freeStatement = (tier: Tier, where: ReadonlyArray<Fragment>, size: number) =>
    statement(tier, [sql`p.from_price = 0`, ...where], sql`p.playroom_id`, [sql`${bound} = 0`], size)
  const pricedStatement = (tier: Tier, where: ReadonlyArray<Fragment>, done: PriceKey | undefined, size: number) =>
    statement(
      tier,
      where,
      sql`p.currency, ${least}, p.playroom_id`,
      done === undefined
        ? []
        : [sql`(q.currency, ${bound}, q.playroom_id) >= (${done[0]}, ${done[1]}::int, ${done[2]})`],
      size
    )

  const reads: PriceReads = {
    free: (tier, after, how) =>
      read(tier, how, (among) =>
        freeStatement(tier, [...among, ...(after === undefined ? [] : [sql`p.playroom_id > ${after}`])], how.size)
      ),
    priced: (tier, from, done, how) =>
      read(tier, how, (among) => {
        if (from.key === undefined) return pricedStatement(tier, among, done, how.size)
        return pricedStatement(tier, [...among, startingFrom(from.key, from.inclusive)], done, how.size)
      })
  }

  return {
    ...reads,
    /** What a page shows of playrooms, by their ids. */
    shown: (ids: ReadonlyArray<string>) =>
      shownRows(
        sql`select ${shown}, d.km as distance_km, 0 as place, true as fits,
            (select coalesce(min(currency) <> max(currency), false) from playroom where listed) as several_currencies
          from playroom p join operator o on o.operator_id = p.operator_id cross join lateral (select ${distance} as km) d
          where ${sql.and(amongIds(sql, new Set(ids)))}`
      ),
    /** The statements of a tier's first reads, and of a later one. Tests check their plans. */
    statements: (tier: Tier, size: number) => [
      freeStatement(tier, [], size),
      pricedStatement(tier, [], undefined, size),
      pricedStatement(tier, [startingFrom(["GBP", 1000, "playroom_"], false)], undefined, size)
    ]
  }
}

/** Where a page begins. */
export type PricePosition =
  /** Among free playrooms, after an id. */
  { readonly part: "free"; readonly after?: string } | PricedPosition
type PricedPosition =
  /**
   * In the true order, after `last`. Rows before `low` are done, and rows whose bound is before `bound`. Without them,
   * from the start.
   */
  | { readonly part: "price"; readonly low?: PriceKey; readonly bound?: PriceKey; readonly last?: PriceKey }
  /** Within one currency, after the row `low`. `last` was the last in the true order. */
  | { readonly part: "window"; readonly low: PriceKey; readonly last?: PriceKey }

const keyFrom = Schema.decodeUnknownOption(Schema.Tuple([Currency, MinorUnits, PlayroomId]))
const isId = Schema.is(PlayroomId)

/** A position as a list, for a cursor. */
export const encodePosition = (position: PricePosition): ReadonlyArray<string | number> => {
  const { part } = position
  if (part === "free") return [part, ...(position.after === undefined ? [] : [position.after])]
  const keys = part === "window" ? [position.low, position.last] : [position.low, position.bound, position.last]
  return [part, ...keys.flatMap((key) => key ?? [])]
}

/** The position of a list; undefined if it is none. */
export const decodePosition = ([part, ...rest]: ReadonlyArray<string | number>): PricePosition | undefined => {
  if (part === "free") {
    const [after] = rest
    if (after === undefined) return { part }
    return rest.length === 1 && typeof after === "string" && isId(after) ? { part, after } : undefined
  }
  if (part !== "price" && part !== "window") return undefined
  const count = Math.ceil(rest.length / 3)
  const keys = Array.from({ length: count }, (_, i) => Option.getOrUndefined(keyFrom(rest.slice(3 * i, 3 * i + 3))))
  const [low, second, third] = keys
  if (keys.includes(undefined) || count > 3) return undefined
  if (part === "price") {
    if (low === undefined) return { part }
    return second === undefined
      ? undefined
      : { part, low, bound: second, ...(third === undefined ? {} : { last: third }) }
  }
  return low === undefined || third !== undefined
    ? undefined
    : { part, low, ...(second === undefined ? {} : { last: second }) }
}

const firstPriced: PricedPosition = { part: "price" }

/** By currency, price and id, as the database compares them. */
const byKey: Order.Order<PriceKey> = Order.Tuple([Order.String, Order.Number, Order.String])
const lower = Order.min(byKey)
const leastKey = ({ currency, least, playroom_id }: PriceRow): PriceKey => [currency, least, playroom_id]
const boundKey = ({ bound, currency, playroom_id }: PriceRow): PriceKey => [currency, bound, playroom_id]
const byBound = Order.mapInput(byKey, boundKey)
const isAfter = (key: PriceKey, last: PriceKey | undefined): boolean => last === undefined || byKey(key, last) > 0

/** A playroom that fits. */
interface Priced<Fitting> {
  readonly row: PriceRow
  /** The price that the order goes by; at least the row's bound. */
  readonly amount: number
  readonly fitting: Fitting
}

const keyOf = ({ amount, row }: Priced<unknown>): PriceKey => [row.currency, amount, row.playroom_id]

/** Whether it stands in the order of prices after `last`, and not among the free ones before. */
const isPricedAfter =
  (last: PriceKey | undefined) =>
  (one: Priced<unknown>): boolean =>
    (one.amount > 0 || !one.row.among_free) && isAfter(keyOf(one), last)

/** The playrooms among rows that fit, each with its exact price. */
export type PriceOf<Fitting> = (
  rows: ReadonlyArray<PriceRow>
) => Effect.Effect<ReadonlyArray<Priced<Fitting>>, SqlError.SqlError>

/** A page, with one entry more than it may hold if there is one. */
interface PricedPage<Fitting> {
  readonly entries: ReadonlyArray<Priced<Fitting>>
  /** The position after so many entries; undefined if nothing follows. */
  readonly after: (entries: number) => PricePosition | undefined
  /** The number of entries from which on a page is only sorted by itself. */
  readonly sortedUntil: number
  /** Whether any row fitted, whatever its price. */
  readonly found: boolean
}

/**
 * Rows of a call's reads: most often the first ones fill the page, and a bound of each row's price on the days asked
 * costs more than all else. Only the last read is worth a look which playrooms alone can fit.
 */
const readSizes = (limit: number): ReadonlyArray<number> => [limit + 20, 100, 1000]

/** What a call may do for one page. */
export interface Budget {
  /** The most playrooms to price in the true order. */
  readonly exact: number
  /** Playrooms to price beside those of a page, in case some do not fit. */
  readonly spare: number
}

type ReadRows = (after: PriceRow | undefined, how: Read) => Effect.Effect<ReadonlyArray<PriceRow>, SqlError.SqlError>

/** Rows of one part of a tier, read step by step and priced on demand. */
class PricedRows<Fitting> {
  /** Those that fit, in the order of reading. */
  readonly rows: Array<PriceRow> = []
  /** Whether all rows are read. */
  exhausted = false
  /** The last row that was read, whether or not it fitted. */
  last: PriceRow | undefined
  priced = 0
  #reads = 0
  readonly #sizes: ReadonlyArray<number>
  readonly #known = new Map<string, Priced<Fitting> | undefined>()
  readonly #read: ReadRows
  readonly #priceOf: PriceOf<Fitting>

  constructor(read: ReadRows, priceOf: PriceOf<Fitting>, limit: number) {
    this.#sizes = readSizes(limit)
    this.#read = read
    this.#priceOf = priceOf
  }

  /** Whether few rows are read, and there are more. */
  get hasReadFew(): boolean {
    return this.#reads === 1 && !this.exhausted
  }

  get mayRead(): boolean {
    return !this.exhausted && this.#reads < this.#sizes.length
  }

  /** Reads more rows. */
  more() {
    const size = this.#sizes[this.#reads] ?? 0
    return Effect.map(this.#read(this.last, { size, narrow: this.#reads === this.#sizes.length - 1 }), (found) => {
      this.#reads++
      const last = found.at(-1)
      this.exhausted = last?.place !== size
      this.last = last ?? this.last
      this.rows.push(...found.filter(({ fits }) => fits))
    })
  }

  isKnown({ playroom_id }: PriceRow): boolean {
    return this.#known.has(playroom_id)
  }

  of({ playroom_id }: PriceRow): Priced<Fitting> | undefined {
    return this.#known.get(playroom_id)
  }

  price(rows: ReadonlyArray<PriceRow>) {
    return Effect.map(this.#priceOf(rows), (priced) => {
      this.priced += rows.length
      for (const { playroom_id } of rows) this.#known.set(playroom_id, undefined)
      for (const one of priced) this.#known.set(one.row.playroom_id, one)
    })
  }
}

/** At least so many playrooms are priced at a time. */
const leastBatch = 12

/** Free playrooms, by id. */
const freePage = Effect.fnUntraced(function* <Fitting>(
  reads: PriceReads,
  tier: Tier,
  priceOf: PriceOf<Fitting>,
  after: string | undefined,
  limit: number,
  budget: Budget
): Effect.fn.Return<PricedPage<Fitting>, SqlError.SqlError> {
  const rows = new PricedRows((last, how) => reads.free(tier, last?.playroom_id ?? after, how), priceOf, limit)
  const entries: Array<Priced<Fitting>> = []
  let examined = 0
  while (entries.length <= limit) {
    const next = rows.rows.slice(examined, examined + Math.max(leastBatch, limit + 1 - entries.length))
    if (next.length === 0) {
      if (!rows.mayRead) break
      yield* rows.more()
    } else {
      if (examined >= budget.exact) break
      yield* rows.price(next)
      examined += next.length
      entries.push(...next.flatMap((row) => rows.of(row) ?? []).filter(({ amount }) => amount === 0))
    }
  }
  const examinedLast = examined < rows.rows.length ? rows.rows[examined - 1] : rows.last
  const ended = rows.exhausted && examined === rows.rows.length
  const here = (row: PriceRow | undefined): PricePosition => {
    const id = row?.playroom_id ?? after
    return { part: "free", ...(id === undefined ? {} : { after: id }) }
  }
  return {
    entries,
    after: (count) =>
      count < entries.length ? here(entries[count - 1]?.row) : ended ? firstPriced : here(examinedLast),
    sortedUntil: entries.length,
    found: rows.rows.length > 0
  }
})

/** The next playrooms that cost something, in the true order as far as a call can know it. */
const exactPage = Effect.fnUntraced(function* <Fitting>(
  rows: PricedRows<Fitting>,
  from: Extract<PricedPosition, { readonly part: "price" }>,
  limit: number,
  budget: Budget
) {
  /** Rows without a price yet, by their bound. */
  let open: ReadonlyArray<PriceRow> = rows.rows.toSorted(byBound)
  const priced: Array<Priced<Fitting>> = []
  const frontier = () => (rows.exhausted || rows.last === undefined ? undefined : leastKey(rows.last))
  /** The first playrooms that nothing else can come before: a page's and one more. */
  const certain = () => {
    const [next] = open
    const end = frontier()
    return priced
      .filter((one) => {
        const key = keyOf(one)
        return (end === undefined || byKey(key, end) <= 0) && (next === undefined || byKey(key, boundKey(next)) < 0)
      })
      .sort(Order.mapInput(byKey, keyOf))
      .slice(0, limit + 1)
  }
  let entries = certain()
  while (entries.length <= limit) {
    const end = frontier()
    // All that may be priced if none of the first fit: on a day that is sold out, few statements read and price many.
    const noneFits = priced.length === 0 && rows.priced > 0
    const wanted = Math.min(
      Math.max(noneFits ? budget.exact : leastBatch, limit + 1 - entries.length),
      budget.exact - rows.priced
    )
    // What can only come after the rows that are not read yet need not be priced yet.
    const batch = open
      .slice(0, Math.max(0, wanted))
      .filter((row) => end === undefined || byKey(boundKey(row), end) <= 0)
    if (batch.length > 0 && !(noneFits && rows.hasReadFew)) {
      yield* rows.price(batch)
      open = open.slice(batch.length)
      priced.push(...batch.flatMap((row) => rows.of(row) ?? []).filter(isPricedAfter(from.last)))
    } else if (rows.mayRead && (wanted > 0 || priced.length > entries.length)) {
      const before = rows.rows.length
      yield* rows.more()
      open = [...open, ...rows.rows.slice(before)].sort(byBound)
    } else break
    entries = certain()
  }
  const pending = (last: PriceKey | undefined) => [
    ...open,
    ...priced.filter((one) => isAfter(keyOf(one), last)).map(({ row }) => row)
  ]
  const after = (count: number): PricedPosition | undefined => {
    const entry = entries[count - 1]
    const last = entry === undefined ? from.last : keyOf(entry)
    const rest = pending(last)
    const end = frontier()
    const [low, bound] = [leastKey, boundKey].map((of) =>
      rest.map(of).reduce<PriceKey | undefined>((least, key) => (least === undefined ? key : lower(least, key)), end)
    )
    if (low === undefined || bound === undefined) return undefined
    return { part: "price", low, bound, ...(last === undefined ? {} : { last }) }
  }
  return {
    entries,
    after,
    /** Whether rows are left of which nothing is certain. */
    stuck: entries.length === 0 && pending(from.last).length > 0
  }
})

/** The next playrooms of one currency in the order of the lowest price of all. */
const windowPage = Effect.fnUntraced(function* <Fitting>(
  rows: PricedRows<Fitting>,
  from: PricedPosition,
  limit: number,
  budget: Budget
) {
  const entries: Array<Priced<Fitting>> = []
  const most = limit + 1 + budget.spare
  let [at, examined] = [0, 0]
  const currency = () => (from.part === "window" ? from.low[0] : rows.rows[0]?.currency)
  while (entries.length <= limit) {
    const row = rows.rows[at]
    if (row === undefined) {
      if (!rows.mayRead) break
      yield* rows.more()
      continue
    }
    if (row.currency !== currency() || examined >= most) break
    if (!rows.isKnown(row)) {
      const wanted = Math.min(limit + 1 - entries.length, most - examined)
      yield* rows.price(
        rows.rows.slice(at, at + wanted).filter((one) => one.currency === row.currency && !rows.isKnown(one))
      )
    }
    at++
    examined++
    const one = rows.of(row)
    if (one !== undefined && isPricedAfter(from.last)(one)) entries.push(one)
  }
  const following = rows.rows[at]
  const after = (count: number): PricedPosition | undefined => {
    const last = count < entries.length ? entries[count - 1]?.row : rows.rows[at - 1]
    const here = (low: PriceKey): PricedPosition => ({
      part: "window",
      low,
      ...(from.last === undefined ? {} : { last: from.last })
    })
    if (count < entries.length) return last === undefined ? from : here(leastKey(last))
    if (following !== undefined && following.currency !== currency()) {
      const low = leastKey(following)
      return { part: "price", low, bound: low }
    }
    if (following !== undefined) return last === undefined ? from : here(leastKey(last))
    return rows.exhausted || rows.last === undefined ? undefined : here(leastKey(rows.last))
  }
  return { entries, after }
})

/** Rows that cost something, from a position on. */
const pricedRows = <Fitting>(
  reads: PriceReads,
  tier: Tier,
  priceOf: PriceOf<Fitting>,
  from: PricedPosition,
  limit: number
) =>
  new PricedRows<Fitting>(
    (last, how) =>
      reads.priced(
        tier,
        last === undefined
          ? { key: from.low, inclusive: from.part === "price" }
          : { key: leastKey(last), inclusive: false },
        from.part === "price" ? from.bound : undefined,
        how
      ),
    priceOf,
    limit
  )

const pricedPage = Effect.fnUntraced(function* <Fitting>(
  rows: PricedRows<Fitting>,
  from: PricedPosition,
  limit: number,
  budget: Budget
): Effect.fn.Return<PricedPage<Fitting>, SqlError.SqlError> {
  const exact = from.part === "price" ? yield* exactPage(rows, from, limit, budget) : undefined
  const page = exact === undefined || exact.stuck ? yield* windowPage(rows, from, limit, budget) : exact
  return {
    ...page,
    sortedUntil: page === exact ? page.entries.length : 0,
    found: rows.rows.length > 0
  }
})

/** A page of a tier from a position on. */
export const priceOrdered = Effect.fnUntraced(function* <Fitting>(
  reads: PriceReads,
  tier: Tier,
  priceOf: PriceOf<Fitting>,
  from: PricePosition = { part: "free" },
  limit: number,
  budget: Budget
): Effect.fn.Return<PricedPage<Fitting>, SqlError.SqlError> {
  const position = from.part === "free" ? firstPriced : from
  const rows = pricedRows(reads, tier, priceOf, position, limit)
  if (from.part !== "free") return yield* pricedPage(rows, from, limit, budget)
  if (from.after === undefined) {
    // In most catalogues nothing is free, which the first rows tell.
    yield* rows.more()
    if (rows.last?.any_free === false) return yield* pricedPage(rows, firstPriced, limit, budget)
  }
  const free = yield* freePage(reads, tier, priceOf, from.after, limit, budget)
  const count = free.entries.length
  if (count > limit || free.after(count) !== firstPriced) return free
  const priced = yield* pricedPage(rows, firstPriced, limit - count, budget)
  return {
    entries: [...free.entries, ...priced.entries],
    after: (entries) => (entries < count ? free.after(entries) : priced.after(entries - count)),
    sortedUntil: count + priced.sortedUntil,
    found: free.found || priced.found
  }
})
