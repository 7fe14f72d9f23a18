/**
 * What the order by price reads of the catalogue: short rows with lower bounds of each playroom's price, in an order
 * that an index gives.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { PlayroomId } from "../../platform/ids/Ids.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { sizeOf } from "./SearchFacts.ts"
import { asksPrice } from "./SearchFits.ts"
import { childrenOf, type SearchQuery } from "./SearchQuery.ts"
import { amongIds, CandidateRow, type Tier, type Tiers } from "./SearchTiers.ts"

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
  any_free: Schema.Boolean
})
export type PriceRow = typeof PriceRow.Type

/** Reads at most `size` rows; in `narrow` reads, indexes first say which playrooms alone can fit. */
export interface Read {
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
select f.playroom_id, f.currency, f.least, f.bound, f.place, f.fits,
  (select true from playroom p where p.listed and p.from_price = 0 limit 1) is not null as any_free
from (
  select q.*, ${bound} as bound,
    coalesce(${sql.and([sql`q.meets`, sql`q.offered is not null`, ...fits])}, false) as fits
  from (
    select s.*, ${offered} as offered, coalesce(${sql.and([...tier.fits, sells])}, false) as meets
    from ${placed(tier, where, sql`, p.currency, ${least} as least`, columns, size)}
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
