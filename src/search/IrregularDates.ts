/** Dates on which a playroom's visits may differ from those of their weekday. Pure, but for a cache. */
import { overriddenDates, type Playroom } from "../catalogue/Playroom.ts"
import { addDays, datesFrom, dayMs, type LocalDate, localDateOf, offsetAt } from "../kernel/LocalTime.ts"

/** How long what is derived from these dates stays right: clock changes are looked up so many days beyond the horizon. */
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
