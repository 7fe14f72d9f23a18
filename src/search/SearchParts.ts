/** A search taken apart: each of its filters, the search without it, and what could be asked in its place. Pure. */
import { Struct } from "effect"
import type { Package } from "../catalogue/Package.ts"
import type { Venue } from "../catalogue/Playroom.ts"
import { childrenOf, type SearchQuery } from "./SearchQuery.ts"
import { packagesFor } from "./PartyPrices.ts"
import type { Fit } from "./SearchFits.ts"

/** A filter of a search: a field of it, or one entry of a list. */
export interface Part {
  readonly filter: keyof SearchQuery
  readonly value?: string
  /** The search without it. */
  readonly others: SearchQuery
  /** The search with nothing else. */
  readonly alone: SearchQuery
}

/** The order in which people part with what they asked for: details first, the place last. */
const order: ReadonlyArray<keyof SearchQuery> = [
  "duration_minutes",
  "amenities",
  "start_after",
  "end_before",
  "max_total",
  "adults",
  "mode",
  "date",
  "near",
  "city",
  "children",
  "child_ages",
  "country",
  "query"
]
/** Entries of a list that are looked at one by one. */
const mostEntries = 4

/** What must go with a filter, as it means nothing without it. */
const without = (query: SearchQuery, filter: keyof SearchQuery): SearchQuery =>
  filter === "date" ? Struct.omit(query, ["date", "start_after", "end_before"]) : Struct.omit(query, [filter])

const only = (query: SearchQuery, filter: keyof SearchQuery): SearchQuery =>
  filter === "start_after" || filter === "end_before"
    ? Struct.pick(query, ["date", filter])
    : Struct.pick(query, [filter])

/** All arguments that are left out with a filter, of a search as it was asked: without them it is well formed. */
export const goneWith = ({ filter }: Part, asked: SearchQuery): ReadonlyArray<string> => [
  filter,
  ...(filter === "date" ? (["start_after", "end_before"] as const).filter((name) => asked[name] !== undefined) : []),
  ...(filter === "near" && asked.sort === "distance" ? ["sort"] : [])
]

/** The filters of a search that says neither how many nor in which order. */
export const partsOf = (query: SearchQuery): ReadonlyArray<Part> =>
  order.flatMap((filter): ReadonlyArray<Part> => {
    if (query[filter] === undefined) return []
    if (filter !== "amenities" || query.amenities === undefined)
      return [{ filter, others: without(query, filter), alone: only(query, filter) }]
    return query.amenities.slice(0, mostEntries).map((value, i) => ({
      filter,
      ...(query.amenities?.length === 1 ? {} : { value }),
      others: { ...query, amenities: query.amenities?.filter((_, n) => n !== i) ?? [] },
      alone: { amenities: [value] }
    }))
  })

const nearestTo = (wish: number, numbers: ReadonlyArray<number>): number | undefined =>
  numbers.toSorted((a, b) => Math.abs(a - wish) - Math.abs(b - wish) || a - b)[0]

const within = (wish: number, { max_children, min_children }: Package): number =>
  Math.min(max_children, Math.max(min_children, wish))

/** What could be asked in a filter's place, by playrooms that fit without it; undefined where nothing like it is to be had. */
export const changeOf = (
  { filter, others }: Part,
  query: SearchQuery,
  fits: ReadonlyArray<Fit>,
  venues: ReadonlyArray<Venue>
): SearchQuery | undefined => {
  const packages = venues.flatMap((venue) => packagesFor(others, venue))
  switch (filter) {
    case "duration_minutes": {
      const length = nearestTo(
        query.duration_minutes ?? 0,
        packages.map((pkg) => pkg.duration_minutes)
      )
      return length === undefined ? undefined : { duration_minutes: length }
    }
    case "children": {
      const wish = childrenOf(query) ?? 1
      const children = nearestTo(
        wish,
        packages.map((pkg) => within(wish, pkg))
      )
      return children === undefined ? undefined : { children }
    }
    case "adults": {
      const most = Math.max(...packages.map(({ max_adults }) => max_adults ?? 0))
      return packages.length === 0 || most >= (query.adults ?? 0) ? undefined : { adults: most }
    }
    case "mode":
      return { mode: query.mode === "exclusive" ? "shared" : "exclusive" }
    case "max_total": {
      // Where nothing was said of who comes, the smallest party does.
      const prices = fits.flatMap(({ candidate: { row }, price }) =>
        price === undefined
          ? row.from_price_holds
            ? [{ amount: row.from_price, currency: row.currency }]
            : []
          : [price]
      )
      const same = prices.filter(({ currency }) => currency === query.max_total?.currency)
      const [least] = (same.length === 0 ? prices : same).toSorted((a, b) => a.amount - b.amount)
      return least === undefined ? undefined : { max_total: { amount: least.amount, currency: least.currency } }
    }
    default:
      return undefined
  }
}
