/** When a package starts: `schedule × opening hours and overrides × clock changes → instants`. Pure; nothing here knows what is taken. */
import type { Package } from "../catalogue/Package.ts"
import type { Venue } from "../catalogue/Playroom.ts"
import {
  addDays,
  instantAt,
  type Instant,
  instantOf,
  type LocalDate,
  localDateOf,
  localMinutesOf,
  minuteMs,
  minutesOf,
  weekdayOf
} from "../kernel/LocalTime.ts"

/**
 * Part of a day in which visits of a package may lie: from the opening time, or the schedule's `from` where that is later,
 * to the closing time, or `until` where that is earlier. `first` and `last` are clock times in minutes, `end` is the instant
 * of `last`.
 */
interface Interval {
  readonly first: number
  readonly last: number
  readonly end: Instant
}

/** The day's opening intervals; an override replaces the weekday's. */
const openingOn = ({ playroom }: Venue, date: LocalDate): ReadonlyArray<{ opens: string; closes: string }> => {
  const overrides = playroom.overrides.filter((override) => override.date === date)
  if (overrides.length > 0) return overrides.flatMap(({ intervals }) => intervals)
  const weekday = weekdayOf(date)
  return playroom.opening_hours.filter((hours) => hours.weekday === weekday)
}

const intervalsOn = (venue: Venue, { schedule }: Package, date: LocalDate): ReadonlyArray<Interval> => {
  if (schedule.weekdays !== undefined && !schedule.weekdays.includes(weekdayOf(date))) return []
  const zone = venue.playroom.time_zone
  return openingOn(venue, date).flatMap(({ opens, closes }) => {
    const first = Math.max(minutesOf(opens), minutesOf(schedule.from ?? "00:00"))
    const last = Math.min(minutesOf(closes), minutesOf(schedule.until ?? "24:00"))
    if (first >= last) return []
    return [{ first, last, end: instantAt(zone, date, last) }]
  })
}

/** The visit, in elapsed minutes, lies inside the interval. Its start is on the package's list of times or on the grid from the interval's first minute. */
const startsIn = (venue: Venue, pkg: Package, interval: Interval, minutes: number, start: Instant): boolean =>
  minutes >= interval.first &&
  start + pkg.duration_minutes * minuteMs <= interval.end &&
  (pkg.schedule.times !== undefined || (minutes - interval.first) % venue.playroom.grid_minutes === 0)

/** Clock times at which a visit may start in an interval, in minutes. */
const candidates = (venue: Venue, { schedule }: Package, { first, last }: Interval): ReadonlyArray<number> => {
  if (schedule.times !== undefined) return schedule.times.map(minutesOf)
  const grid = venue.playroom.grid_minutes
  return Array.from({ length: Math.ceil((last - first) / grid) }, (_, i) => first + i * grid)
}

/**
 * The starts of a package on a local date, sorted, each once. A visit lies inside one opening interval, set-up and
 * clean-up may stick out. A clock time that a clock change skips is no start; one that happens twice is the first. An
 * opening or closing time that is skipped is the moment of the change.
 */
export const startsOn = (venue: Venue, pkg: Package, date: LocalDate): ReadonlyArray<Instant> => {
  const starts = new Set<Instant>()
  for (const interval of intervalsOn(venue, pkg, date)) {
    for (const minutes of candidates(venue, pkg, interval)) {
      const start = instantOf(venue.playroom.time_zone, date, minutes)
      if (start !== undefined && startsIn(venue, pkg, interval, minutes, start)) starts.add(start)
    }
  }
  return [...starts].sort((a, b) => a - b)
}

/** Whether the package starts at this instant: the same as being among `startsOn` of its local date, at the cost of one. */
export const isStart = (venue: Venue, pkg: Package, start: Instant): boolean => {
  const zone = venue.playroom.time_zone
  const date = localDateOf(zone, start)
  const minutes = localMinutesOf(zone, start)
  // Not a whole minute, or the second of two equal clock times.
  if (instantOf(zone, date, minutes) !== start) return false
  const { times } = pkg.schedule
  if (times !== undefined && !times.some((time) => minutesOf(time) === minutes)) return false
  return intervalsOn(venue, pkg, date).some((interval) => startsIn(venue, pkg, interval, minutes, start))
}

/** When visits can be booked at `now`: starts from `earliest` (lead time) to the end of `lastDate` (horizon). */
export const window = (
  { playroom }: Pick<Venue, "playroom">,
  now: Instant
): { readonly earliest: Instant; readonly lastDate: LocalDate } => ({
  earliest: now + playroom.lead_time_minutes * minuteMs,
  lastDate: addDays(localDateOf(playroom.time_zone, now), playroom.max_advance_days)
})
