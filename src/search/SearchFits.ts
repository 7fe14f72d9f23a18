/** Which candidates fit the whole search: with a date, those that can be booked then, each with the party's price. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { Calendar } from "../availability/Availability.ts"
import { LowestPrices } from "./SearchFacts.ts"
import type { Occupancy } from "../availability/Occupancy.ts"
import { margin, openingsOn } from "../availability/Openings.ts"
import type { Catalogue } from "../catalogue/Catalogue.ts"
import type { Package } from "../catalogue/Package.ts"
import type { PriceForParty, Venue } from "../catalogue/Playroom.ts"
import type { Party } from "../catalogue/Price.ts"
import { coveredPartyText, totalAt } from "../catalogue/Pricing.ts"
import { dayRange, type Instant, type LocalDate, localDateOf } from "../kernel/LocalTime.ts"
import { display, money } from "../kernel/Money.ts"
import type { Candidate } from "./Candidates.ts"
import type { FoundRow } from "./RankingReads.ts"
import { childrenOf, countText, type SearchQuery } from "./SearchQuery.ts"

/** The party of a search. Without a number of children, it is the smallest party of the package. */
const partyFor = (query: SearchQuery, pkg: Package): Party => ({
  children: childrenOf(query) ?? pkg.min_children,
  adults: query.adults ?? 0,
  add_ons: []
})

/** The packages of a venue that fit by mode, length and party size. */
export const packagesFor = (query: SearchQuery, { packages }: Venue): ReadonlyArray<Package> =>
  packages.filter((pkg) => {
    const { adults, children } = partyFor(query, pkg)
    return (
      (query.mode === undefined || pkg.mode === query.mode) &&
      (query.duration_minutes === undefined || pkg.duration_minutes === query.duration_minutes) &&
      pkg.min_children <= children &&
      children <= pkg.max_children &&
      (pkg.max_adults === undefined || adults <= pkg.max_adults)
    )
  })

/** Whether a search says enough about the party or the visit to show a price. */
export const asksPrice = (query: SearchQuery): boolean =>
  childrenOf(query) !== undefined ||
  query.adults !== undefined ||
  query.mode !== undefined ||
  query.max_total !== undefined

/** A package, and the party's price for it in minor units. */
interface PackagePrice {
  readonly pkg: Package
  readonly total: number
}

const cheapest = (prices: ReadonlyArray<PackagePrice>): PackagePrice | undefined =>
  prices.reduce<PackagePrice | undefined>(
    (least, price) => (least === undefined || price.total < least.total ? price : least),
    undefined
  )

const lowestTotals = new WeakMap<Venue, Map<string, number | undefined>>()
/** The number of lowest totals that are cached for each venue. */
const maxCached = 200

/**
 * The lowest price of a package from a day on. It may have to examine years of days, so it is cached until the venue
 * changes.
 */
const lowestTotal = (venue: Venue, pkg: Package, party: Party, today: LocalDate): number | undefined => {
  const kept = lowestTotals.get(venue) ?? new Map<string, number | undefined>()
  lowestTotals.set(venue, kept)
  const key = `${pkg.package_id} ${party.children} ${party.adults} ${today}`
  if (!kept.has(key)) {
    if (kept.size >= maxCached) kept.clear()
    kept.set(key, new LowestPrices(venue, pkg, party).from(today))
  }
  return kept.get(key)
}

/** The lowest price that the party can book in the venue from now on; undefined if no package has a future start. */
const lowestFor = (query: SearchQuery, venue: Venue, now: Instant): PackagePrice | undefined => {
  const today = localDateOf(venue.playroom.time_zone, now)
  return cheapest(
    packagesFor(query, venue).flatMap((pkg) => {
      const total = lowestTotal(venue, pkg, partyFor(query, pkg), today)
      return total === undefined ? [] : [{ pkg, total }]
    })
  )
}

/** The party of the price, in words. */
const priceForText = (query: SearchQuery, pkg: Package): string => {
  const { adults, children } = partyFor(query, pkg)
  if (childrenOf(query) === undefined && adults === 0) return coveredPartyText(pkg)
  const billed = Math.max(children, pkg.pricing.min_billed_children ?? 0)
  return [
    `${countText(children, "child", "children")}${billed > children ? ` (billed as ${billed})` : ""}`,
    ...(adults > 0 ? [countText(adults, "adult", "adults")] : pkg.pricing.adult > 0 ? ["no adults counted"] : [])
  ].join(", ")
}

/** The price as a search shows it. `per_child` is present if only the children determine it. */
const priceForParty = (query: SearchQuery, { playroom }: Venue, { pkg, total }: PackagePrice): PriceForParty => {
  const { adults, children } = partyFor(query, pkg)
  const { adult, base, extra_child, included_adults = 0, included_children, min_billed_children = 0 } = pkg.pricing
  const billed = Math.max(children, min_billed_children)
  const byTheChild =
    base === 0 &&
    included_children === 0 &&
    extra_child > 0 &&
    (adult === 0 || adults <= included_adults) &&
    total > 0 &&
    total % billed === 0
  return {
    ...money(total, playroom.currency),
    for: priceForText(query, pkg),
    ...(byTheChild ? { per_child: display(total / billed, playroom.currency) } : {}),
    package_name: pkg.name,
    mode: pkg.mode
  }
}

/** A playroom that fits. */
export interface Fit<Found extends Candidate<FoundRow> = Candidate<FoundRow>> {
  readonly candidate: Found
  /** With a date. */
  readonly next_start?: Instant
  /** The party's price, if the search says enough for one. */
  readonly price?: PriceForParty
}

/** A search of one day. */
type DaySearch = SearchQuery & { readonly date: string }

/**
 * The first start on the day that can be booked and fits all filters, and the price of the cheapest package that starts
 * then.
 */
export const firstStart = (
  query: DaySearch,
  venue: Venue,
  calendar: Calendar,
  now: Instant
): { readonly start: Instant; readonly price: PackagePrice | undefined } | undefined => {
  const { date, start_after, end_before, max_total } = query
  const firstStarts = packagesFor(query, venue).flatMap((pkg) => {
    const party = partyFor(query, pkg)
    const totalOf = (start: Instant) => totalAt(venue, pkg, party, start)
    const { openings } = openingsOn({ venue, party, start_after, end_before }, [pkg], date, calendar, now)
    const first = openings.find(({ start }) => max_total === undefined || totalOf(start) <= max_total.amount)
    return first === undefined ? [] : [{ pkg, start: first.start, totalOf }]
  })
  if (firstStarts.length === 0) return undefined
  const start = Math.min(...firstStarts.map((first) => first.start))
  const prices = () =>
    firstStarts.filter((first) => first.start === start).map(({ pkg, totalOf }) => ({ pkg, total: totalOf(start) }))
  return { start, price: asksPrice(query) ? cheapest(prices()) : undefined }
}

/**
 * From the first moment of a day in any of the venues' zones to the last in another, with room for set-up and clean-up.
 */
export const spanOf = (
  venues: Iterable<Venue>,
  first: string,
  last: string
): { readonly from: Instant; readonly to: Instant } => {
  let [from, to, slack] = [Infinity, -Infinity, 0]
  for (const { playroom, packages } of venues) {
    from = Math.min(from, dayRange(playroom.time_zone, first).start)
    to = Math.max(to, dayRange(playroom.time_zone, last).end)
    slack = Math.max(slack, margin(packages))
  }
  return { from: from - slack, to: to + slack }
}

/** The candidates that fit at `now`, in the same order. Takes at most two queries for any number of candidates. */
export const findFits = (catalogue: Catalogue["Service"], occupancy: Occupancy["Service"]) =>
  Effect.fnUntraced(function* <Found extends Candidate<FoundRow>>(
    query: SearchQuery,
    batch: ReadonlyArray<Found>,
    now: Instant
  ): Effect.fn.Return<ReadonlyArray<Fit<Found>>, SqlError.SqlError> {
    const { date, max_total } = query
    if (batch.length === 0 || (date === undefined && !asksPrice(query)))
      return batch.map((candidate) => ({ candidate }))
    const venues = yield* catalogue.venues(batch.map(({ row }) => row.playroom_id))
    const priceField = (venue: Venue, price: PackagePrice | undefined) =>
      price === undefined ? {} : { price: priceForParty(query, venue, price) }
    if (date === undefined || venues.size === 0)
      return batch.flatMap((candidate): ReadonlyArray<Fit<Found>> => {
        const venue = venues.get(candidate.row.playroom_id)
        if (venue === undefined || packagesFor(query, venue).length === 0) return []
        const lowest = lowestFor(query, venue, now)
        return max_total === undefined || (lowest !== undefined && lowest.total <= max_total.amount)
          ? [{ candidate, ...priceField(venue, lowest) }]
          : []
      })
    const { from, to } = spanOf(venues.values(), date, date)
    const calendars = yield* occupancy.calendars([...venues.keys()], from, to, now)
    return batch.flatMap((candidate): ReadonlyArray<Fit<Found>> => {
      const venue = venues.get(candidate.row.playroom_id)
      const calendar = calendars.get(candidate.row.playroom_id)
      if (venue === undefined || calendar === undefined) return []
      const first = firstStart({ ...query, date }, venue, calendar, now)
      return first === undefined ? [] : [{ candidate, next_start: first.start, ...priceField(venue, first.price) }]
    })
  })
