/** Pages of fitting playrooms, in the order of a ranking or in that of exact prices. */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Instant } from "../../platform/time/LocalTime.ts"
import { candidatesOf, type Position } from "./Candidates.ts"
import { type Budget, type PriceOf, decodePosition, encodePosition, priceOrdered } from "./PriceOrder.ts"
import { priceRowsOf } from "./PriceRows.ts"
import { asksPrice, type findFits, type Fit, type Fitting } from "./SearchFits.ts"
import { hasRange, type SearchQuery } from "./SearchQuery.ts"
import type { CandidateRow, Narrowing, Tiers } from "./SearchTiers.ts"

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
