/**
 * The time zones of a calendar: by the runtime's data if it knows their names, else by the rules in the calendar, as
 * Outlook's names need them ("W. Europe Standard Time").
 */
import { Result } from "effect"
import ICAL from "ical.js"
import { dayMs, type Instant, offsetAt, secondMs } from "../kernel/LocalTime.ts"
import { zoneNamed } from "../kernel/TimeZone.ts"
import { type Day, type DayBudget, dayOf, daysOfRule, ruleOf } from "./Recurrence.ts"

/** The offset from UTC at an instant, in milliseconds. */
export type Zone = (instant: Instant) => number

export const utc: Zone = () => 0

/** A zone that is stored. */
export const zoneOf =
  (stored: string): Zone =>
  (instant) =>
    offsetAt(stored, instant)

/** The zone of that name; undefined if there is none. */
export const namedZone = (name: string): Zone | undefined => {
  const known = zoneNamed(name)
  return known === undefined ? undefined : zoneOf(known)
}

/**
 * The instant of a local time (milliseconds as if it were UTC). A time that the clocks skip is counted by the offset
 * before the change, and one that occurs twice is the first (RFC 5545, 3.3.5).
 */
export const instantIn = (zone: Zone, wall: number): Instant => {
  const [before, after] = [zone(wall - dayMs), zone(wall + dayMs)]
  for (const offset of before > after ? [before, after] : [after, before])
    if (zone(wall - offset) === offset) return wall - offset
  return wall - before
}

/** The local time of a value, as if it were UTC; NaN if it is none. */
export const wallOf = (time: ICAL.Time): number =>
  time.isDate
    ? dayOf(time.year, time.month, time.day) * dayMs
    : Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second)

interface Change {
  readonly at: Instant
  readonly before: number
  readonly after: number
}

/** Rules of clock changes come back each year; so many days before a time one is found. */
const yearAndMore = 800

const changesOf = (part: ICAL.Component, from: Day, to: Day, budget: DayBudget): ReadonlyArray<Change> | undefined => {
  const start = part.getFirstPropertyValue("dtstart")
  const [before, after] = ["tzoffsetfrom", "tzoffsetto"].map((name) => {
    const offset = part.getFirstPropertyValue(name)
    return offset instanceof ICAL.UtcOffset ? offset.toSeconds() * secondMs : Number.NaN
  })
  if (!(start instanceof ICAL.Time) || before === undefined || after === undefined) return undefined
  const wall = wallOf(start)
  if (Number.isNaN(wall + before + after)) return undefined
  const day = Math.floor(wall / dayMs)
  const walls = [wall]
  for (const property of part.getAllProperties("rdate"))
    for (const value of property.getValues()) if (value instanceof ICAL.Time) walls.push(wallOf(value))
  for (const property of part.getAllProperties("rrule")) {
    const rule = Result.getOrUndefined(ruleOf(property, start))
    if (rule === undefined) return undefined
    const until = rule.until === undefined ? Infinity : wallOf(rule.until)
    const first = Math.min(from, Math.floor(until / dayMs)) - yearAndMore
    const days = daysOfRule(rule, day, first, to, budget)
    if (days === undefined) return undefined
    for (const its of days) {
      const at = its * dayMs + (wall - day * dayMs)
      if (at - before <= until) walls.push(at)
    }
  }
  return walls.map((at) => ({ at: at - before, before, after }))
}

/** A zone by its rules (VTIMEZONE), for times between two days; undefined if they are not understood. */
export const zoneOfRules = (component: ICAL.Component, from: Day, to: Day, budget: DayBudget): Zone | undefined => {
  const changes: Array<Change> = []
  try {
    for (const part of component.getAllSubcomponents()) {
      const its = changesOf(part, from, to, budget)
      if (its === undefined) return undefined
      for (const change of its) changes.push(change)
    }
  } catch {
    // The library throws at a value that is none.
    return undefined
  }
  changes.sort((a, b) => a.at - b.at)
  const [first] = changes
  if (first === undefined) return undefined
  return (instant) => {
    // The number of changes until then.
    let [low, high] = [0, changes.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((changes[middle]?.at ?? Infinity) <= instant) low = middle + 1
      else high = middle
    }
    return changes[low - 1]?.after ?? first.before
  }
}
