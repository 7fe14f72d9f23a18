/** When the packages of a playroom can be booked, as far as their price rules tell starts apart. Pure. */
import { startsOn } from "../availability/Starts.ts"
import type { Package } from "../catalogue/Package.ts"
import { type Playroom, overriddenDates } from "../catalogue/Playroom.ts"
import {
  type DatedRule,
  type TimeCell,
  type TimeGrid,
  placeIn,
  pricingRules,
  rulesIn,
  timeGrid
} from "../catalogue/PriceRules.ts"
import type { BookableTimes } from "../catalogue/PriceTimes.ts"
import {
  type LocalDate,
  addDays,
  datesFrom,
  dayMinutes,
  dayMs,
  localDateOf,
  localMinutesOf,
  minuteMs,
  offsetAt,
  startOfDay,
  weekdayOf,
  weekdays
} from "../../platform/time/LocalTime.ts"

/** A zone whose clocks never change: each weekday there has the visits of the weekly hours. */
const plainZone = "UTC"
const someMonday = "2001-01-01"

const maxHours = 500
/** Results of `weeklyStarts`, by all that they depend on. */
const knownStarts = new Map<string, ReadonlyArray<ReadonlyArray<number>>>()

/**
 * The starts of a package by the weekly hours alone, for each weekday from Monday: minutes since its midnight. Cached,
 * since the playrooms of a chain share their hours.
 */
export const weeklyStarts = (playroom: Playroom, pkg: Package): ReadonlyArray<ReadonlyArray<number>> => {
  const key = JSON.stringify([playroom.opening_hours, playroom.grid_minutes, pkg.schedule, pkg.duration_minutes])
  let starts = knownStarts.get(key)
  if (starts === undefined) {
    const weekly = { ...playroom, time_zone: plainZone, overrides: [] }
    starts = weekdays.map((_, day) => {
      const date = addDays(someMonday, day)
      const midnight = startOfDay(plainZone, date)
      return startsOn({ playroom: weekly }, pkg, date).map((start) => (start - midnight) / minuteMs)
    })
    if (knownStarts.size > maxHours) knownStarts.clear()
    knownStarts.set(key, starts)
  }
  return starts
}

/**
 * How long what is derived from these dates stays right: clock changes are looked up so many days beyond the horizon.
 */
const validForDays = 400

/** Results of `clockChanges`, by its arguments. */
const knownChanges = new Map<string, ReadonlyArray<LocalDate>>()

/**
 * The dates in a range of `days` dates on which the zone's clocks change, each with the day before and the two days
 * after.
 */
const clockChanges = (zone: string, from: LocalDate, days: number): ReadonlyArray<LocalDate> => {
  const key = `${zone} ${from} ${days}`
  let dates = knownChanges.get(key)
  if (dates === undefined) {
    const first = Date.parse(`${from}T00:00:00Z`)
    const changed = Array.from({ length: days }, (_, i) => first + i * dayMs).filter(
      (at) => offsetAt(zone, at) !== offsetAt(zone, at + dayMs)
    )
    dates = changed.flatMap((at) => [-1, 0, 1, 2].map((n) => localDateOf("UTC", at + n * dayMs)))
    if (knownChanges.size > 500) knownChanges.clear()
    knownChanges.set(key, dates)
  }
  return dates
}

/** Whether opening hours are so close to clock changes that a change can move visits. */
const meetsClockChanges = ({ opens, closes }: { readonly opens: string; readonly closes: string }): boolean =>
  opens < "05:00" || closes > "21:00" || closes <= opens

/** Dates whose visits may differ from those of their weekday, in order: overrides and clock changes. */
export const irregularDates = (playroom: Playroom, today: LocalDate): ReadonlyArray<LocalDate> => {
  const { opening_hours, overrides, max_advance_days, time_zone } = playroom
  const first = addDays(today, -2)
  const overridden = overrides.flatMap((override) => {
    const days = overriddenDates(override)
    return days === undefined || days[1] < first ? [] : datesFrom(addDays(days[0], -2), addDays(days[1], 1))
  })
  const changing = [...opening_hours, ...overrides.flatMap(({ intervals }) => intervals)].some(meetsClockChanges)
    ? clockChanges(time_zone, first, max_advance_days + validForDays)
    : []
  return [...new Set([...overridden, ...changing])].filter((date) => date >= first).sort()
}

/**
 * The starts of a package from today to the horizon, without regard to closures and bookings, as cells of the grid of
 * its rules. Days with the same starts and rules have the same cells, so a horizon of years costs little.
 */
export class PriceCalendar {
  /** Whether `from` is the same on all future days. */
  readonly lasting: boolean
  readonly #playroom: Playroom
  readonly #pkg: Package
  readonly #rules: ReadonlyArray<DatedRule>
  readonly #grid: TimeGrid
  readonly #irregular: ReadonlySet<LocalDate>
  /** The parts of the day with starts, by weekday from Monday. */
  readonly #weekly: ReadonlyArray<ReadonlyArray<number>>
  readonly #days = new Map<LocalDate, ReadonlyArray<number>>()
  readonly #partCount: number
  #latest: { readonly key: string; readonly times: BookableTimes } | undefined

  /** Right from `today` on for some hundred days. */
  constructor(playroom: Playroom, pkg: Package, today: LocalDate) {
    this.#playroom = playroom
    this.#pkg = pkg
    this.#rules = pricingRules(playroom, pkg)
    this.#grid = timeGrid(this.#rules)
    this.#partCount = this.#grid.minutes.length + 1
    this.#irregular = new Set(irregularDates(playroom, today))
    this.#weekly = weeklyStarts(playroom, pkg).map((starts) => this.#partsOf(starts))
    this.lasting =
      this.#grid.dates.length === 0 &&
      this.#irregular.size === 0 &&
      playroom.max_advance_days - Math.ceil(playroom.lead_time_minutes / dayMinutes) >= weekdays.length
  }

  #partsOf(starts: ReadonlyArray<number>): ReadonlyArray<number> {
    return [...new Set(starts.map((minutes) => placeIn(this.#grid.minutes, minutes)))]
  }

  #partsOn(date: LocalDate, weekday: number): ReadonlyArray<number> {
    if (!this.#irregular.has(date)) return this.#weekly[weekday] ?? []
    let parts = this.#days.get(date)
    if (parts === undefined) {
      const { time_zone } = this.#playroom
      parts = this.#partsOf(
        startsOn({ playroom: this.#playroom }, this.#pkg, date).map((start) => localMinutesOf(time_zone, start))
      )
      this.#days.set(date, parts)
    }
    return parts
  }

  /** The cells of starts that can be booked from the lead time to the horizon, as sorted numbers, each once. */
  #cellsFrom(today: LocalDate): ReadonlyArray<number> {
    const { lead_time_minutes, max_advance_days } = this.#playroom
    const first = addDays(today, Math.floor(lead_time_minutes / dayMinutes))
    const last = this.lasting ? addDays(first, weekdays.length - 1) : addDays(today, max_advance_days)
    const { dates } = this.#grid
    const cells = new Set<number>()
    const regular = new Set<number>()
    let weekday = weekdays.indexOf(weekdayOf(first)) - 1
    let period = placeIn(dates, first)
    for (const date of datesFrom(first, last)) {
      weekday = (weekday + 1) % weekdays.length
      while (period < dates.length && (dates[period] ?? "") <= date) period++
      const day = period * weekdays.length + weekday
      if (!this.#irregular.has(date)) {
        if (regular.has(day)) continue
        regular.add(day)
      }
      for (const part of this.#partsOn(date, weekday)) cells.add(day * this.#partCount + part)
    }
    return [...cells].sort((a, b) => a - b)
  }

  #cellOf(cell: number): TimeCell {
    const day = Math.floor(cell / this.#partCount)
    return {
      period: Math.floor(day / weekdays.length),
      weekday: day % weekdays.length,
      part: cell % this.#partCount
    }
  }

  #groupsOf(cells: ReadonlyArray<number>): BookableTimes["groups"] {
    const all = this.#rules
    const groups = new Map<string, { readonly rules: ReadonlyArray<DatedRule>; readonly cells: Array<TimeCell> }>()
    for (const cell of cells.map((n) => this.#cellOf(n))) {
      const rules = rulesIn(all, this.#grid, cell)
      const key = rules.map((rule) => all.indexOf(rule)).join()
      const group = groups.get(key)
      if (group === undefined) groups.set(key, { rules, cells: [cell] })
      else group.cells.push(cell)
    }
    return [...groups.values()]
  }

  /** When the package can be booked from a day on. The same object as long as that does not change. */
  from(today: LocalDate): BookableTimes {
    const cells = this.#cellsFrom(today)
    const key = cells.join()
    if (this.#latest?.key !== key) this.#latest = { key, times: { grid: this.#grid, groups: this.#groupsOf(cells) } }
    return this.#latest.times
  }
}
