/** The lowest price of a party on a day, whatever is free then: hours and price rules alone decide. Pure, but for a cache. */
import type { Package } from "../catalogue/Package.ts"
import type { Venue } from "../catalogue/Playroom.ts"
import type { Party } from "../catalogue/Price.ts"
import { placeIn, rulesIn, type TimeGrid, timeGrid } from "../catalogue/PriceRules.ts"
import { totalWith } from "../catalogue/Pricing.ts"
import { type LocalDate, minutesOf, weekdayOf, weekdays } from "../kernel/LocalTime.ts"
import { irregularDates } from "./IrregularDates.ts"
import { weeklyStarts } from "./WeeklyStarts.ts"

/** What the starts of a package on a day depend on. */
interface Week {
  readonly today: LocalDate
  readonly grid: TimeGrid
  readonly irregular: ReadonlySet<LocalDate>
  readonly starts: ReadonlyArray<ReadonlyArray<number>>
}

const knownWeeks = new WeakMap<Package, Week>()

const weekOf = ({ playroom }: Venue, pkg: Package, today: LocalDate): Week => {
  const known = knownWeeks.get(pkg)
  if (known?.today === today) return known
  const week = {
    today,
    grid: timeGrid(pkg),
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
 * Returns a function of a day from `today` on: no start of the package on it, between these clock times, costs the party
 * less. `Infinity` if it has none; 0 where the hours of the week do not decide.
 */
export const leastOnDays = (
  venue: Venue,
  pkg: Package,
  party: Party,
  { end_before, start_after }: Times,
  today: LocalDate
): ((date: LocalDate) => number) => {
  const { grid, irregular, starts } = weekOf(venue, pkg, today)
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
        ...Array.from(parts, (part) => totalWith(venue, pkg, party, rulesIn(pkg, grid, { part, period, weekday })))
      )
      least.set(day, amount)
    }
    return amount
  }
}
