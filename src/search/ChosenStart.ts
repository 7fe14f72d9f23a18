/**
 * The start that a search with a date tells of a playroom: the first that can be booked and fits, or, sorted by price,
 * the cheapest. Pure.
 */
import type { Calendar } from "../availability/Availability.ts"
import { openingsByDate } from "../availability/Openings.ts"
import type { Package } from "../catalogue/Package.ts"
import type { Venue } from "../catalogue/Playroom.ts"
import type { Party } from "../catalogue/Price.ts"
import { totalAt } from "../catalogue/Pricing.ts"
import { type Instant, type LocalDate, localDateOf } from "../kernel/LocalTime.ts"
import { leastOnDays } from "./LeastOnDays.ts"
import { childrenOf, type DatedQuery, type SearchQuery } from "./SearchQuery.ts"

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
