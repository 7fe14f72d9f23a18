/** An empty search without one of its filters, and other values for that filter. Pure. */
import { Struct } from "effect"
import { lastDateOf } from "../availability/DateRange.ts"
import { type Calendar, maxChildren } from "../availability/Availability.ts"
import type { Venue } from "../catalogue/Playroom.ts"
import type { FoundRow } from "./SearchesAtOnce.ts"
import { packagesFor } from "./ChosenStart.ts"
import type { Fitting } from "./SearchFits.ts"
import { childrenOf, datesAsked, type SearchQuery } from "./SearchQuery.ts"

/** A playroom that fits without a filter by its rows, and how it fits if it does. */
export interface FoundVenue {
  readonly row: FoundRow
  readonly venue: Venue
  /** On the days asked, and if it fits on other days on these. */
  readonly calendar?: Calendar
  readonly fitting: Fitting | undefined
}

/** A filter of a search (a field, or one entry of a list), and the search without it. */
export interface Relaxation {
  readonly filter: keyof SearchQuery
  /** The entry, if the list has several. */
  readonly value?: string
  /** The search without the filter. */
  readonly without: SearchQuery
  /** The search with nothing else. */
  readonly alone: SearchQuery
}

/** The order in which people give up filters: details first, the place last. */
const order: ReadonlyArray<keyof SearchQuery> = [
  "duration_minutes",
  "amenities",
  "start_after",
  "end_before",
  "max_total",
  "adults",
  "mode",
  "weekdays",
  "date",
  "near",
  "city",
  "children",
  "child_ages",
  "country",
  "query"
]
/** The most entries of a list to relax one by one. */
const maxEntries = 4

/** The filters that depend on `date`. */
const ofDates = ["date_to", "weekdays", "start_after", "end_before"] as const

/** Without the filter, and without filters that depend on it. Without ages there are still as many children. */
const without = (query: SearchQuery, filter: keyof SearchQuery): SearchQuery => {
  if (filter === "date") return Struct.omit(query, ["date", ...ofDates])
  if (filter === "weekdays" && datesAsked(query)) return { ...Struct.omit(query, [filter]), date_to: lastDateOf(query) }
  const children = filter === "child_ages" ? childrenOf(query) : undefined
  return { ...Struct.omit(query, [filter]), ...(children === undefined ? {} : { children }) }
}

const only = (query: SearchQuery, filter: keyof SearchQuery): SearchQuery =>
  ["date", ...ofDates].includes(filter) ? Struct.pick(query, ["date", "date_to", filter]) : Struct.pick(query, [filter])

/** All arguments of the original search to omit with a filter, so that the rest is valid. */
export const argumentsToOmit = ({ filter }: Relaxation, asked: SearchQuery): ReadonlyArray<string> => [
  filter,
  ...(filter === "date" ? ofDates.filter((name) => asked[name] !== undefined) : []),
  ...(filter === "near" && asked.sort === "distance" ? ["sort"] : [])
]

/** A search without each of its filters in turn, without limit and sort. */
export const relaxationsOf = (query: SearchQuery): ReadonlyArray<Relaxation> =>
  order.flatMap((filter): ReadonlyArray<Relaxation> => {
    if (query[filter] === undefined) return []
    if (filter !== "amenities" || query.amenities === undefined)
      return [{ filter, without: without(query, filter), alone: only(query, filter) }]
    return query.amenities.slice(0, maxEntries).map((value, i) => ({
      filter,
      ...(query.amenities?.length === 1 ? {} : { value }),
      without: { ...query, amenities: query.amenities?.filter((_, n) => n !== i) ?? [] },
      alone: { amenities: [value] }
    }))
  })

const nearestTo = (wish: number, numbers: ReadonlyArray<number>): number | undefined =>
  numbers.toSorted((a, b) => Math.abs(a - wish) - Math.abs(b - wish) || a - b)[0]

/**
 * Another value for a filter, from the playrooms that fit without it; undefined if there is none. Playrooms that fit
 * with it are among these.
 */
export const alternativeIn = (
  { filter, without }: Relaxation,
  query: SearchQuery,
  found: ReadonlyArray<FoundVenue>
): SearchQuery | undefined => {
  const offers = found.flatMap(({ venue }) => packagesFor(without, venue).map((pkg) => ({ pkg, venue })))
  const packages = offers.map(({ pkg }) => pkg)
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
        offers.map(({ pkg, venue }) => Math.min(maxChildren(venue, pkg), Math.max(pkg.min_children, wish)))
      )
      return children === undefined ? undefined : { children }
    }
    case "adults": {
      const most = Math.max(...packages.map(({ max_adults }) => max_adults ?? 0))
      return packages.length === 0 || most >= (query.adults ?? 0) ? undefined : { adults: most }
    }
    case "amenities":
      return without.amenities?.length === 0 ? undefined : { amenities: without.amenities ?? [] }
    case "mode":
      return { mode: query.mode === "exclusive" ? "shared" : "exclusive" }
    case "max_total": {
      // If the search has no party, the smallest one counts.
      const prices = found.flatMap(({ row, fitting }) => {
        if (fitting?.price !== undefined) return [fitting.price]
        return fitting === undefined || !row.from_price_holds
          ? []
          : [{ amount: row.from_price, currency: row.currency }]
      })
      const same = prices.filter(({ currency }) => currency === query.max_total?.currency)
      const [least] = (same.length === 0 ? prices : same).toSorted((a, b) => a.amount - b.amount)
      return least === undefined ? undefined : { max_total: { amount: least.amount, currency: least.currency } }
    }
    default:
      return undefined
  }
}
