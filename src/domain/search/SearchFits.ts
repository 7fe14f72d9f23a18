/** Which candidates fit the whole search: with a date, those that can be booked then, each with the party's price. */
import { Array, Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { Calendar } from "../availability/Availability.ts"
import { PriceCalendar, irregularDates, weeklyStarts } from "./PriceCalendar.ts"
import type { Occupancy } from "../availability/Occupancy.ts"
import { datesIn } from "../availability/DateRange.ts"
import { margin, openingsByDate } from "../availability/Openings.ts"
import type { Catalogue } from "../catalogue/Catalogue.ts"
import { pricedAges, pricesByAge } from "../catalogue/ChildPrices.ts"
import type { Package } from "../catalogue/Package.ts"
import type { PriceForParty, Venue } from "../catalogue/Playroom.ts"
import { type Party, totalAt, totalWith } from "../catalogue/Pricing.ts"
import { asksForAdults, coveredPartyText, lowestIn, type TimedAmounts, whenLowest } from "../catalogue/PriceTimes.ts"
import {
  valuesOf,
  type DatedRule,
  type TimeGrid,
  placeIn,
  pricingRules,
  rulesIn,
  timeGrid
} from "../catalogue/PriceRules.ts"
import { partyAmounts } from "../catalogue/PriceSummary.ts"
import {
  dayRange,
  type Instant,
  type LocalDate,
  localDateOf,
  minutesOf,
  weekdayOf,
  weekdays
} from "../../platform/time/LocalTime.ts"
import { display, money } from "../../platform/money/Money.ts"
import { childrenOf, type DatedQuery, datesAsked, hasRange, type SearchQuery } from "./SearchQuery.ts"
import { childrenText, counted } from "../../platform/text/Text.ts"

// The start that a search with a date tells of a playroom: the first that can be booked and fits, or, sorted by price,
// the cheapest. Pure.

/** What the starts of a package on a day depend on. */
interface Week {
  readonly today: LocalDate
  readonly rules: ReadonlyArray<DatedRule>
  readonly grid: TimeGrid
  readonly irregular: ReadonlySet<LocalDate>
  readonly starts: ReadonlyArray<ReadonlyArray<number>>
}

const knownWeeks = new WeakMap<Package, Week>()

const weekOf = ({ playroom }: Venue, pkg: Package, today: LocalDate): Week => {
  const known = knownWeeks.get(pkg)
  if (known?.today === today) return known
  const rules = pricingRules(playroom, pkg)
  const week = {
    today,
    rules,
    grid: timeGrid(rules),
    irregular: new Set(irregularDates(playroom, today)),
    starts: weeklyStarts(playroom, pkg)
  }
  knownWeeks.set(pkg, week)
  return week
}

/** The clock times of a search. */
interface Times {
  readonly start_after?: string | undefined
  readonly end_before?: string | undefined
}

/**
 * Returns a function of a day from `today` on: no start of the package on it, between these clock times, costs the
 * party less. `Infinity` if it has none; 0 where the hours of the week do not decide.
 */
export const leastOnDays = (
  venue: Venue,
  pkg: Package,
  party: Party,
  { end_before, start_after }: Times,
  today: LocalDate
): ((date: LocalDate) => number) => {
  const { grid, irregular, rules, starts } = weekOf(venue, pkg, today)
  const [first, end] = [minutesOf(start_after ?? "00:00"), end_before === undefined ? Infinity : minutesOf(end_before)]
  const least = new Map<number, number>()
  return (date) => {
    if (irregular.has(date)) return 0
    const [period, weekday] = [placeIn(grid.dates, date), weekdays.indexOf(weekdayOf(date))]
    const day = period * weekdays.length + weekday
    let amount = least.get(day)
    if (amount === undefined) {
      const its = starts[weekday]?.filter((at) => first <= at && at + pkg.duration_minutes <= end) ?? []
      const parts = new Set(its.map((at) => placeIn(grid.minutes, at)))
      amount = Math.min(
        ...[...parts].map((part) => totalWith(venue, pkg, party, rulesIn(rules, grid, { part, period, weekday })))
      )
      least.set(day, amount)
    }
    return amount
  }
}

/** The party of a search. Without a number of children, it is the smallest party of the package. */
export const partyFor = (query: SearchQuery, pkg: Package): Party => ({
  children: childrenOf(query) ?? pkg.min_children,
  adults: query.adults ?? 0,
  ...(query.child_ages === undefined ? {} : { child_ages: query.child_ages }),
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

/** A start that can be booked, on a day, with a package and the party's price for it in minor units. */
export interface ChosenStart {
  readonly pkg: Package
  /** The number of the package in the catalogue. */
  readonly place: number
  readonly day: LocalDate
  readonly start: Instant
  readonly total: number
}

const firstThenCheapest = (a: ChosenStart, b: ChosenStart): number =>
  a.start - b.start || a.total - b.total || a.place - b.place
const cheapestThenFirst = (a: ChosenStart, b: ChosenStart): number =>
  a.total - b.total || a.start - b.start || a.place - b.place

/** How the starts of a playroom are looked at, some days at a time. */
interface StartChooser {
  /** Whether one of these days may have a better start than that of days before. */
  readonly mayBeOn: (days: ReadonlyArray<LocalDate>, before: ChosenStart | undefined) => boolean
  /** The best start on these days, which the calendar covers, and of days before. */
  readonly on: (
    days: ReadonlyArray<LocalDate>,
    calendar: Calendar,
    before: ChosenStart | undefined
  ) => ChosenStart | undefined
}

/** Chooses among the starts of a venue for a search. Only days that may have a better one are looked at. */
export const startChooser = (query: DatedQuery, venue: Venue, now: Instant): StartChooser => {
  const { end_before, max_total, start_after } = query
  const isByPrice = query.sort === "price"
  const most = max_total?.amount ?? Infinity
  const today = localDateOf(venue.playroom.time_zone, now)
  const packages = packagesFor(query, venue).map((pkg, place) => {
    const party = partyFor(query, pkg)
    return {
      pkg,
      place,
      party,
      leastOn: leastOnDays(venue, pkg, party, { start_after, end_before }, today)
    }
  })
  /** Whether a package may have a better start on a day on which it costs at least so much. */
  const mayBeat = (best: ChosenStart | undefined, day: LocalDate, least: number): boolean => {
    if (least > most || least === Infinity) return false
    if (best === undefined) return true
    const isLater = day > best.day
    return isByPrice ? least < best.total || (least === best.total && !isLater) : !isLater
  }
  const looksAt = (calendar: Calendar) =>
    packages.map(({ leastOn, party, pkg, place }) => {
      const startsOn = openingsByDate({ venue, party, start_after, end_before }, [pkg], calendar, now)
      const priced = (day: LocalDate, start: Instant): ChosenStart => ({
        pkg,
        place,
        day,
        start,
        total: totalAt(venue, pkg, party, start)
      })
      const fits = ({ total }: ChosenStart) => total <= most
      const on = (day: LocalDate): ReadonlyArray<ChosenStart> => {
        const { openings } = startsOn(day)
        if (isByPrice) return openings.map(({ start }) => priced(day, start)).filter(fits)
        const first = openings.find(({ start }) => max_total === undefined || fits(priced(day, start)))
        return first === undefined ? [] : [priced(day, first.start)]
      }
      return { leastOn, on }
    })
  let latest: { readonly calendar: Calendar; readonly looks: ReturnType<typeof looksAt> } | undefined
  return {
    mayBeOn: (days, before) => days.some((day) => packages.some(({ leastOn }) => mayBeat(before, day, leastOn(day)))),
    on: (days, calendar, before) => {
      if (latest?.calendar !== calendar) latest = { calendar, looks: looksAt(calendar) }
      const { looks } = latest
      let best = before
      const all = days.flatMap((day) => looks.map(({ leastOn, on }) => ({ day, least: leastOn(day), on })))
      for (const { day, least, on } of isByPrice ? all.toSorted((a, b) => a.least - b.least) : all) {
        if (!mayBeat(best, day, least)) continue
        const starts = best === undefined ? on(day) : [best, ...on(day)]
        best = starts.toSorted(isByPrice ? cheapestThenFirst : firstThenCheapest)[0]
      }
      return best
    }
  }
}

/**
 * Whether a search says enough about the party or the visit to show a price. Adults without a number of children are no
 * party that can be priced.
 */
export const asksPrice = ({ adults = 0, date, max_total, mode, sort, ...party }: SearchQuery): boolean =>
  childrenOf(party) !== undefined ||
  (adults === 0 && (mode !== undefined || max_total !== undefined || (date !== undefined && sort === "price")))

/** Whether rows can't decide alone: starts, prices and adults are checked playroom by playroom. */
const needsVenueCheck = ({ adults, date, max_total }: SearchQuery): boolean =>
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
 * The prices of a package at all starts from a day on. It may have to examine years of days, so they are cached until
 * the venue changes.
 */
const amountsFrom = (venue: Venue, pkg: Package, party: Party, today: LocalDate): TimedAmounts => {
  const kept = knownAmounts.get(venue) ?? new Map<string, TimedAmounts>()
  knownAmounts.set(venue, kept)
  const key = [pkg.package_id, party.children, party.adults, today, ...(pricedAges(pkg, party) ?? [])].join(" ")
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
  const ages = pricedAges(pkg, partyFor(query, pkg))
  const byAge = ages === undefined ? (pricesByAge(pkg) ? " of any age" : "") : ` aged ${ages.join(", ")}`
  return [
    `${childrenText(children)}${byAge}${billed > children ? ` (billed as ${billed})` : ""}`,
    ...(adults > 0 ? [counted(adults, "adult")] : asksForAdults(pkg) ? ["no adults counted"] : [])
  ].join(", ")
}

/** The price as a search shows it. `per_child` is present if only the children determine it. */
const priceForParty = (
  query: SearchQuery,
  { playroom }: Venue,
  { amounts, pkg, total }: PackagePrice
): PriceForParty => {
  const { adults, children } = partyFor(query, pkg)
  const { included_adults = 0, included_children, min_billed_children = 0 } = pkg.pricing
  const billed = Math.max(children, min_billed_children)
  const byTheChild =
    pkg.pricing.child_rules === undefined &&
    valuesOf(pkg, "base").every((amount) => amount === 0) &&
    included_children === 0 &&
    valuesOf(pkg, "extra_child").every((amount) => amount > 0) &&
    (!asksForAdults(pkg) || adults <= included_adults) &&
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

/** A venue with what is taken there, on the days for which it is asked. */
interface VenueOnDays {
  readonly venue: Venue
  readonly calendar: Calendar
}

/** Reads venues with their calendars: of venues that this process has read before in one statement. */
const venuesOnDays = (catalogue: Catalogue["Service"], occupancy: Occupancy["Service"]) => {
  /** With room for set-up and clean-up. */
  const calendarsOf = (venues: ReadonlyMap<string, Venue>, first: LocalDate, last: LocalDate, now: Instant) =>
    occupancy.calendars(
      new Map(
        [...venues].map(([id, venue]) => {
          const { time_zone } = venue.playroom
          const slack = margin(venue.packages)
          return [id, [dayRange(time_zone, first).start - slack, dayRange(time_zone, last).end + slack]]
        })
      ),
      now
    )
  return Effect.fnUntraced(function* (
    playroom_ids: ReadonlyArray<string>,
    first: LocalDate,
    last: LocalDate,
    now: Instant
  ): Effect.fn.Return<ReadonlyMap<string, VenueOnDays>, SqlError.SqlError> {
    const found = new Map<string, VenueOnDays>()
    const read = (venues: ReadonlyMap<string, Venue>) =>
      Effect.map(calendarsOf(venues, first, last, now), (calendars) => {
        for (const [id, venue] of venues) {
          const calendar = calendars.get(id)
          if (calendar !== undefined) found.set(id, { venue, calendar })
        }
        return [...calendars.values()]
      })
    const venues = yield* catalogue.venues(playroom_ids, read)
    for (const id of found.keys()) if (!venues.has(id)) found.delete(id)
    const others = new Map([...venues].filter(([id, venue]) => found.get(id)?.venue !== venue))
    if (others.size > 0) yield* read(others)
    return found
  })
}

/** What a search tells of a price, if it asks for one. */
const told = (query: SearchQuery, venue: Venue, price: PackagePrice | undefined) =>
  price === undefined || !asksPrice(query) ? {} : { price: priceForParty(query, venue, price) }

const fittingAt = (query: SearchQuery, venue: Venue, chosen: ChosenStart | undefined): Fitting | undefined =>
  chosen === undefined ? undefined : { next_start: chosen.start, ...told(query, venue, chosen) }

/** How a venue fits a search without a date at `now`, if it does. */
const undatedFit = (query: SearchQuery, venue: Venue, now: Instant): Fitting | undefined => {
  const { max_total } = query
  if (packagesFor(query, venue).length === 0) return undefined
  const lowest = max_total === undefined && !asksPrice(query) ? undefined : lowestFor(query, venue, now)
  return max_total === undefined || (lowest !== undefined && lowest.total <= max_total.amount)
    ? told(query, venue, lowest)
    : undefined
}

/** The days of a range that are read first. Most often the start is among them. */
const firstDays = 5

/** The days of a search in the parts in which it looks for a start, one after the other. */
const partsOf = (query: DatedQuery): ReadonlyArray<Array.NonEmptyReadonlyArray<LocalDate>> => {
  const days = datesIn(query)
  return [days.slice(0, firstDays), days.slice(firstDays)].filter((part) => Array.isReadonlyArrayNonEmpty(part))
}

/**
 * The candidates that fit at `now`, in the same order. Takes a few statements for any number of candidates: with a
 * date, one or two if all are known.
 */
export const findFits = (catalogue: Catalogue["Service"], occupancy: Occupancy["Service"]) => {
  const onDays = venuesOnDays(catalogue, occupancy)
  return Effect.fnUntraced(function* <Found extends { readonly row: { readonly playroom_id: string } }>(
    query: SearchQuery,
    batch: ReadonlyArray<Found>,
    now: Instant
  ): Effect.fn.Return<ReadonlyArray<Fit<Found>>, SqlError.SqlError> {
    if (batch.length === 0 || !(needsVenueCheck(query) || asksPrice(query)))
      return batch.map((candidate) => ({ candidate }))
    const ids = batch.map(({ row }) => row.playroom_id)
    if (!datesAsked(query)) {
      const venues = yield* catalogue.venues(ids)
      return batch.flatMap((candidate) => {
        const venue = venues.get(candidate.row.playroom_id)
        const fit = venue === undefined ? undefined : undatedFit(query, venue, now)
        return fit === undefined ? [] : [{ candidate, ...fit }]
      })
    }
    const choosers = new Map<Venue, StartChooser>()
    const chooserOf = (venue: Venue) => {
      const chooser = choosers.get(venue) ?? startChooser(query, venue, now)
      choosers.set(venue, chooser)
      return chooser
    }
    const chosen = new Map<string, { readonly venue: Venue; readonly start: ChosenStart | undefined }>()
    for (const days of partsOf(query)) {
      const left = ids.filter((id) => {
        const before = chosen.get(id)
        return before === undefined || chooserOf(before.venue).mayBeOn(days, before.start)
      })
      if (left.length === 0) continue
      const [first, last] = [Array.headNonEmpty(days), Array.lastNonEmpty(days)]
      for (const [id, { calendar, venue }] of yield* onDays(left, first, last, now)) {
        chosen.set(id, { venue, start: chooserOf(venue).on(days, calendar, chosen.get(id)?.start) })
        // A month of a large venue takes milliseconds.
        if (hasRange(query)) yield* Effect.yieldNow
      }
    }
    return batch.flatMap((candidate) => {
      const found = chosen.get(candidate.row.playroom_id)
      const fit = found === undefined ? undefined : fittingAt(query, found.venue, found.start)
      return fit === undefined ? [] : [{ candidate, ...fit }]
    })
  })
}
