/**
 * The start that a search with a date tells of a playroom: the first that can be booked and fits, or, sorted by price,
 * the cheapest. Pure.
 */
import type { Calendar } from "../availability/Availability.ts"
import { openingsByDate } from "../availability/Openings.ts"
import type { Package } from "../catalogue/Package.ts"
import type { Venue } from "../catalogue/Playroom.ts"
import { type Party, totalAt, totalWith } from "../catalogue/Pricing.ts"
import {
  type Instant,
  type LocalDate,
  localDateOf,
  minutesOf,
  weekdayOf,
  weekdays
} from "../../platform/time/LocalTime.ts"
import { type DatedQuery, type SearchQuery, childrenOf } from "./SearchQuery.ts"
import { type DatedRule, type TimeGrid, placeIn, pricingRules, rulesIn, timeGrid } from "../catalogue/PriceRules.ts"
import { irregularDates, weeklyStarts } from "./PriceCalendar.ts"

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
        ...Array.from(parts, (part) => totalWith(venue, pkg, party, rulesIn(rules, grid, { part, period, weekday })))
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
export interface StartChooser {
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
