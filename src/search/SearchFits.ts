/** Which candidates fit the whole search: with a date, those that can be booked then, each with the party's price. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { Calendar } from "../availability/Availability.ts"
import { PriceCalendar } from "./PriceCalendar.ts"
import type { Occupancy } from "../availability/Occupancy.ts"
import { datesIn, lastDateOf } from "../availability/DateRange.ts"
import { margin, openingsByDate } from "../availability/Openings.ts"
import type { Catalogue } from "../catalogue/Catalogue.ts"
import type { Package } from "../catalogue/Package.ts"
import type { PriceForParty, Venue } from "../catalogue/Playroom.ts"
import type { Party } from "../catalogue/Price.ts"
import { coveredPartyText } from "../catalogue/PriceBounds.ts"
import { lowestIn, type TimedAmounts, whenLowest } from "../catalogue/PriceTimes.ts"
import { totalAt } from "../catalogue/Pricing.ts"
import { partyAmounts } from "../catalogue/ToldPrices.ts"
import { dayRange, type Instant, type LocalDate, localDateOf } from "../kernel/LocalTime.ts"
import { display, money } from "../kernel/Money.ts"
import { childrenOf, countText, type DatedQuery, datesAsked, hasRange, type SearchQuery } from "./SearchQuery.ts"

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

/**
 * Whether a search says enough about the party or the visit to show a price. Adults without a number of children are no
 * party that can be priced.
 */
const asksPrice = ({ adults = 0, date, max_total, mode, sort, ...party }: SearchQuery): boolean =>
  childrenOf(party) !== undefined ||
  (adults === 0 && (mode !== undefined || max_total !== undefined || (date !== undefined && sort === "price")))

/** Whether rows can't decide alone: starts, prices and adults are checked playroom by playroom. */
export const needsVenueCheck = ({ adults, date, max_total }: SearchQuery): boolean =>
  date !== undefined || adults !== undefined || max_total !== undefined

/** A package, and the party's price for it in minor units. */
interface PackagePrice {
  readonly pkg: Package
  readonly total: number
  /** At all bookable starts; absent if the price is that of one start. */
  readonly amounts?: TimedAmounts
}

const cheapest = (prices: ReadonlyArray<PackagePrice>): PackagePrice | undefined =>
  prices.reduce<PackagePrice | undefined>(
    (least, price) => (least === undefined || price.total < least.total ? price : least),
    undefined
  )

const knownAmounts = new WeakMap<Venue, Map<string, TimedAmounts>>()
/** The number of parties whose amounts are cached for each venue. */
const maxCached = 200

/**
 * The prices of a package at all starts from a day on. It may have to examine years of days, so they are cached until the
 * venue changes.
 */
const amountsFrom = (venue: Venue, pkg: Package, party: Party, today: LocalDate): TimedAmounts => {
  const kept = knownAmounts.get(venue) ?? new Map<string, TimedAmounts>()
  knownAmounts.set(venue, kept)
  const key = `${pkg.package_id} ${party.children} ${party.adults} ${today}`
  let amounts = kept.get(key)
  if (amounts === undefined) {
    if (kept.size >= maxCached) kept.clear()
    amounts = partyAmounts(venue, pkg, party, new PriceCalendar(venue.playroom, pkg, today).from(today))
    kept.set(key, amounts)
  }
  return amounts
}

/** The lowest price that the party can book in the venue from now on; undefined if no package has a future start. */
const lowestFor = (query: SearchQuery, venue: Venue, now: Instant): PackagePrice | undefined => {
  const today = localDateOf(venue.playroom.time_zone, now)
  return cheapest(
    packagesFor(query, venue).flatMap((pkg) => {
      const amounts = amountsFrom(venue, pkg, partyFor(query, pkg), today)
      const total = lowestIn(amounts)
      return total === undefined ? [] : [{ pkg, total, amounts }]
    })
  )
}

/** The party of the price, in words. */
const priceForText = (query: SearchQuery, pkg: Package): string => {
  const { adults, children } = partyFor(query, pkg)
  if (childrenOf(query) === undefined) return coveredPartyText(pkg)
  const billed = Math.max(children, pkg.pricing.min_billed_children ?? 0)
  return [
    `${countText(children, "child", "children")}${billed > children ? ` (billed as ${billed})` : ""}`,
    ...(adults > 0 ? [countText(adults, "adult", "adults")] : pkg.pricing.adult > 0 ? ["no adults counted"] : [])
  ].join(", ")
}

/** The price as a search shows it. `per_child` is present if only the children determine it. */
const priceForParty = (
  query: SearchQuery,
  { playroom }: Venue,
  { amounts, pkg, total }: PackagePrice
): PriceForParty => {
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
    for: priceForText(query, pkg) + (amounts === undefined ? "" : `, ${whenLowest(amounts, playroom.currency)}`),
    ...(byTheChild ? { per_child: display(total / billed, playroom.currency) } : {}),
    package_name: pkg.name,
    mode: pkg.mode
  }
}

/** How a playroom fits. */
export interface Fitting {
  /** With a date. */
  readonly next_start?: Instant
  /** The party's price, if the search says enough for one. */
  readonly price?: PriceForParty
}

/** A playroom that fits. */
export interface Fit<Found> extends Fitting {
  readonly candidate: Found
}

/** A start that can be booked, with a package and the party's price for it. */
interface PricedStart extends PackagePrice {
  readonly start: Instant
}

const firstThenCheapest = (a: PricedStart, b: PricedStart): number => a.start - b.start || a.total - b.total
const cheapestThenFirst = (a: PricedStart, b: PricedStart): number => a.total - b.total || a.start - b.start

/**
 * The start that can be booked and fits all filters on the days asked for: the first, with the cheapest package that
 * starts then; in a search sorted by price the cheapest, and of those the first.
 */
const chosenStart = (query: DatedQuery, venue: Venue, calendar: Calendar, now: Instant): PricedStart | undefined => {
  const { start_after, end_before, max_total } = query
  const byPrice = query.sort === "price"
  const packages = packagesFor(query, venue).map((pkg) => {
    const party = partyFor(query, pkg)
    const openingsOn = openingsByDate({ venue, party, start_after, end_before }, [pkg], calendar, now)
    const priced = (start: Instant): PricedStart => ({ pkg, start, total: totalAt(venue, pkg, party, start) })
    const fits = ({ total }: PricedStart) => max_total === undefined || total <= max_total.amount
    return (day: LocalDate): ReadonlyArray<PricedStart> => {
      const { openings } = openingsOn(day)
      if (byPrice) return openings.map(({ start }) => priced(start)).filter(fits)
      const first = openings.find(({ start }) => max_total === undefined || fits(priced(start)))
      return first === undefined ? [] : [priced(first.start)]
    }
  })
  let chosen: PricedStart | undefined
  for (const day of datesIn(query)) {
    const starts = packages.flatMap((startsOn) => startsOn(day))
    const all = chosen === undefined ? starts : [chosen, ...starts]
    chosen = all.toSorted(byPrice ? cheapestThenFirst : firstThenCheapest)[0]
    if (chosen !== undefined && !byPrice) break
  }
  return chosen
}

/**
 * The calendars of venues from the first moment of a day in any of their zones to the last of another, with room for
 * set-up and clean-up.
 */
export const calendarsOf = (
  occupancy: Occupancy["Service"],
  venues: ReadonlyMap<string, Venue>,
  first: LocalDate,
  last: LocalDate,
  now: Instant
): Effect.Effect<ReadonlyMap<string, Calendar>, SqlError.SqlError> => {
  let [from, to, slack] = [Infinity, -Infinity, 0]
  for (const { playroom, packages } of venues.values()) {
    from = Math.min(from, dayRange(playroom.time_zone, first).start)
    to = Math.max(to, dayRange(playroom.time_zone, last).end)
    slack = Math.max(slack, margin(packages))
  }
  return occupancy.calendars([...venues.keys()], from - slack, to + slack, now)
}

/**
 * How a venue fits at `now`, if it does. With a date, `calendar` covers its days. Rows decide about place, ages and
 * capacity.
 */
export const fitOf = (
  query: SearchQuery,
  venue: Venue,
  calendar: Calendar | undefined,
  now: Instant
): Fitting | undefined => {
  const { max_total } = query
  const priced = (price: PackagePrice | undefined) =>
    price === undefined || !asksPrice(query) ? {} : { price: priceForParty(query, venue, price) }
  if (datesAsked(query)) {
    const chosen = calendar === undefined ? undefined : chosenStart(query, venue, calendar, now)
    return chosen === undefined ? undefined : { next_start: chosen.start, ...priced(chosen) }
  }
  if (packagesFor(query, venue).length === 0) return undefined
  const lowest = max_total === undefined && !asksPrice(query) ? undefined : lowestFor(query, venue, now)
  return max_total === undefined || (lowest !== undefined && lowest.total <= max_total.amount)
    ? priced(lowest)
    : undefined
}

/** The candidates that fit at `now`, in the same order. Takes at most two queries for any number of candidates. */
export const findFits = (catalogue: Catalogue["Service"], occupancy: Occupancy["Service"]) =>
  Effect.fnUntraced(function* <Found extends { readonly row: { readonly playroom_id: string } }>(
    query: SearchQuery,
    batch: ReadonlyArray<Found>,
    now: Instant
  ): Effect.fn.Return<ReadonlyArray<Fit<Found>>, SqlError.SqlError> {
    if (batch.length === 0 || !(needsVenueCheck(query) || asksPrice(query)))
      return batch.map((candidate) => ({ candidate }))
    const venues = yield* catalogue.venues(batch.map(({ row }) => row.playroom_id))
    const calendars =
      !datesAsked(query) || venues.size === 0
        ? undefined
        : yield* calendarsOf(occupancy, venues, query.date, lastDateOf(query), now)
    const fits: Array<Fit<Found>> = []
    for (const candidate of batch) {
      const { playroom_id } = candidate.row
      const venue = venues.get(playroom_id)
      const fit = venue === undefined ? undefined : fitOf(query, venue, calendars?.get(playroom_id), now)
      if (fit !== undefined) fits.push({ candidate, ...fit })
      // A month of a large venue takes milliseconds.
      if (hasRange(query)) yield* Effect.yieldNow
    }
    return fits
  })
