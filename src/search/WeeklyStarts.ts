/** Starts by weekly hours alone, which the playrooms of a chain share. Pure, but for a cache. */
import { startsOn } from "../availability/Starts.ts"
import type { Package } from "../catalogue/Package.ts"
import type { Playroom } from "../catalogue/Playroom.ts"
import { addDays, minuteMs, startOfDay, weekdays } from "../kernel/LocalTime.ts"

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
