/** An empty search without one of its filters, and alternatives for that filter. */
import { Effect, Struct } from "effect"
import type { SqlError } from "effect/sql"
import type { Occupancy } from "../availability/Occupancy.ts"
import type { Catalogue } from "../catalogue/Catalogue.ts"
import type { Package } from "../catalogue/Package.ts"
import type { Venue } from "../catalogue/Playroom.ts"
import { addDays, datesFrom, type Instant, type LocalDate, localDateOf } from "../kernel/LocalTime.ts"
import type { Candidate } from "./Candidates.ts"
import type { FoundRow } from "./RankingReads.ts"
import type { CityNames, KnownValues } from "./KnownValues.ts"
import { firstStart, type Fit, packagesFor, spanOf } from "./SearchFits.ts"
import { childrenOf, type SearchQuery } from "./SearchQuery.ts"

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

/** Without the filter, and without filters that depend on it. */
const without = (query: SearchQuery, filter: keyof SearchQuery): SearchQuery =>
  filter === "date" ? Struct.omit(query, ["date", "start_after", "end_before"]) : Struct.omit(query, [filter])

const only = (query: SearchQuery, filter: keyof SearchQuery): SearchQuery =>
  filter === "start_after" || filter === "end_before"
    ? Struct.pick(query, ["date", filter])
    : Struct.pick(query, [filter])

/** All arguments of the original search to omit with a filter, so that the rest is valid. */
export const argumentsToOmit = ({ filter }: Relaxation, asked: SearchQuery): ReadonlyArray<string> => [
  filter,
  ...(filter === "date" ? (["start_after", "end_before"] as const).filter((name) => asked[name] !== undefined) : []),
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

const clampTo = ({ max_children, min_children }: Package, wish: number): number =>
  Math.min(max_children, Math.max(min_children, wish))

/** Another value for a filter, from playrooms that fit without it; undefined if there is none. */
const alternativeIn = (
  { filter, without }: Relaxation,
  query: SearchQuery,
  fits: ReadonlyArray<Fit>,
  venues: ReadonlyArray<Venue>
): SearchQuery | undefined => {
  const packages = venues.flatMap((venue) => packagesFor(without, venue))
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
        packages.map((pkg) => clampTo(pkg, wish))
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
      // If the search has no party, the smallest one counts.
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

/** A search for only the cities in a text. One of its other words would have been enough to find a playroom. */
const citiesOnly = (text: string, cities: ReadonlyArray<string>): ReadonlyArray<SearchQuery> => {
  const names = cities.join(" ")
  return names === "" || names === text ? [] : [{ query: names }]
}

/** The most playrooms whose packages are read, the most whose days are read, and the most days. */
const [maxVenues, maxDayVenues, maxDays] = [6, 3, 14]
const widestKm = 500

/** The sources of alternatives. */
interface Sources {
  readonly catalogue: Catalogue["Service"]
  readonly occupancy: Occupancy["Service"]
  readonly cities: CityNames
  readonly known: KnownValues
}

/** The first day with a free start after the requested one, or among the last bookable days. */
const freeDate = Effect.fnUntraced(function* (
  occupancy: Occupancy["Service"],
  query: SearchQuery,
  venues: ReadonlyMap<string, Venue>,
  now: Instant
): Effect.fn.Return<LocalDate | undefined, SqlError.SqlError> {
  const { date } = query
  if (date === undefined || venues.size === 0) return undefined
  const last = [...venues.values()]
    .map(({ playroom }) => addDays(localDateOf(playroom.time_zone, now), playroom.max_advance_days))
    .toSorted()
    .at(-1)
  const tooFar = last !== undefined && date > last
  const first = tooFar ? addDays(last, -maxDays) : addDays(date, 1)
  const days = datesFrom(first, addDays(first, maxDays))
  const { from, to } = spanOf(venues.values(), first, addDays(first, maxDays))
  const calendars = yield* occupancy.calendars([...venues.keys()], from, to, now)
  for (const day of tooFar ? days.toReversed() : days) {
    const isFree = [...venues].some(([id, venue]) => {
      const calendar = calendars.get(id)
      return calendar !== undefined && firstStart({ ...query, date: day }, venue, calendar, now) !== undefined
    })
    if (isFree) return day
    // A busy catalogue takes long for a day.
    yield* Effect.yieldNow
  }
  return undefined
})

/**
 * Alternatives for a filter, most likely first. `found` is the result without the filter. It is not checked here that a
 * playroom fits an alternative.
 */
export const findAlternatives = ({ catalogue, cities, known, occupancy }: Sources) =>
  Effect.fnUntraced(function* (
    query: SearchQuery,
    relaxation: Relaxation,
    found: { readonly candidates: ReadonlyArray<Candidate<FoundRow>>; readonly fits: ReadonlyArray<Fit> },
    now: Instant
  ): Effect.fn.Return<ReadonlyArray<SearchQuery>, SqlError.SqlError> {
    const { filter, without } = relaxation
    const { city, near } = query
    if (filter === "near" && near !== undefined) {
      const { latitude, longitude } = near
      const swapped = Math.abs(longitude) <= 90 ? [{ ...near, latitude: longitude, longitude: latitude }] : []
      return [...swapped, { ...near, radius_km: widestKm }, ...(yield* known.closest(near))].map((other) => ({
        near: other
      }))
    }
    if (filter === "city" && city !== undefined) {
      const nearest = yield* cities.nearest(city)
      return nearest.isMisspelt ? nearest.cities.slice(0, 1).map((other) => ({ city: other })) : []
    }
    if (filter === "query" && query.query !== undefined)
      return citiesOnly(query.query, yield* cities.namedIn(query.query))
    if (filter === "amenities" && without.amenities?.length !== 0) return [{ amenities: without.amenities ?? [] }]
    const ids = found.candidates.slice(0, filter === "date" ? maxDayVenues : maxVenues)
    const venues = yield* catalogue.venues(ids.map(({ row }) => row.playroom_id))
    if (filter === "date") {
      const date = yield* freeDate(occupancy, query, venues, now)
      return date === undefined ? [] : [{ date }]
    }
    const other = alternativeIn(relaxation, query, found.fits, [...venues.values()])
    return other === undefined ? [] : [other]
  })
