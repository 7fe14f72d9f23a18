/** When a package starts: `schedule × opening hours and overrides × clock changes → instants`. Pure; it does not depend on occupancy. */
import { firstOnGrid, mergeSpans, openingOn, shiftSpan, type Span, stretchesIn } from "./OpeningTimes.ts"
import type { Package } from "../catalogue/Package.ts"
import type { Playroom, Venue } from "../catalogue/Playroom.ts"
import {
  addDays,
  dayMinutes,
  instantAt,
  type Instant,
  instantOf,
  type LocalDate,
  localDateOf,
  localMinutesOf,
  minuteMs,
  minutesOf,
  steadyMidnight,
  weekdayOf
} from "../kernel/LocalTime.ts"

/** An opening interval that starts of a date may lie in, and how long it is open from there on: to the end of what adjoins. */
interface Opened extends Span {
  readonly closes: Instant
}

/** What starts of one local date need to know of a playroom: the intervals open on it, in clock minutes since its midnight. */
interface OpenDay {
  readonly playroom: Playroom
  readonly date: LocalDate
  readonly intervals: ReadonlyArray<Opened>
  /** The instant of a clock time of the day (minutes since midnight), as `instantOf` and `instantAt` of `LocalTime`. */
  readonly instantOf: (minutes: number) => Instant | undefined
  readonly instantAt: (minutes: number) => Instant
}

/** The day before may reach into it, and a visit (24 hours at most) into the two days after it. */
const makeOpenDay = (playroom: Playroom, date: LocalDate): OpenDay => {
  const { time_zone } = playroom
  const steady = steadyMidnight(time_zone, date)
  const exact =
    steady === undefined
      ? {
          instantOf: (minutes: number) => instantOf(time_zone, date, minutes),
          instantAt: (minutes: number) => instantAt(time_zone, date, minutes)
        }
      : {
          instantOf: (minutes: number) => steady + minutes * minuteMs,
          instantAt: (minutes: number) => steady + minutes * minuteMs
        }
  const on = (days: number) => openingOn(playroom, addDays(date, days)).map((span) => shiftSpan(span, days))
  const here = [...on(-1), ...on(0)].filter(({ first, last }) => first < dayMinutes && last > 0)
  if (here.length === 0) return { playroom, date, intervals: [], ...exact }
  const instants = ({ first, last }: Span): Span => ({
    first: exact.instantAt(first),
    last: exact.instantAt(last)
  })
  const runs = mergeSpans([...here, ...on(1), ...on(2)].map(instants))
  const intervals = here.map((span) => {
    const { last } = instants(span)
    return { ...span, closes: runs.find((run) => last <= run.last)?.last ?? last }
  })
  return { playroom, date, intervals, ...exact }
}

// A caller asks for many starts of the same day, one after the other.
const latest = new WeakMap<Playroom, OpenDay>()

/** A date's openings, kept until another date of the playroom is asked for. */
export const openDay = (playroom: Playroom, date: LocalDate): OpenDay => {
  const known = latest.get(playroom)
  if (known?.date === date) return known
  const day = makeOpenDay(playroom, date)
  latest.set(playroom, day)
  return day
}

/** Where a package's visits start on a date: clock minutes `[first, last)` on the grid from `anchor`, and the latest end. */
const stretchesOn = (day: OpenDay, { schedule }: Package) => {
  if (schedule.weekdays !== undefined && !schedule.weekdays.includes(weekdayOf(day.date))) return []
  return day.intervals.flatMap((interval) =>
    stretchesIn(interval, schedule).map((stretch) => ({
      ...stretch,
      last: Math.min(stretch.last, dayMinutes),
      end: stretch.until === undefined ? interval.closes : Math.min(interval.closes, day.instantAt(stretch.until))
    }))
  )
}

/** Goes through the starts of a package on a day until `see` answers false; those of merged intervals may come twice, and out of order. */
export const eachStart = (day: OpenDay, pkg: Package, see: (start: Instant) => boolean): void => {
  const { grid_minutes } = day.playroom
  const times = pkg.schedule.times?.map(minutesOf)
  for (const stretch of stretchesOn(day, pkg)) {
    const latest = stretch.end - pkg.duration_minutes * minuteMs
    const goesOn = (minutes: number) => {
      const start = day.instantOf(minutes)
      return start === undefined || start > latest || see(start)
    }
    if (times === undefined) {
      for (let at = firstOnGrid(stretch, grid_minutes, 0); at < stretch.last; at += grid_minutes)
        if (!goesOn(at)) return
    } else {
      for (const at of times) if (stretch.first <= at && at < stretch.last && !goesOn(at)) return
    }
  }
}

/** The starts of a package on a day, as `startsOn`. */
export const startsIn = (day: OpenDay, pkg: Package): ReadonlyArray<Instant> => {
  const starts = new Set<Instant>()
  eachStart(day, pkg, (start) => starts.add(start).size > 0)
  return [...starts].sort((a, b) => a - b)
}

/**
 * The starts of a package on a local date, sorted, each once: those whose own clock shows that date, so that 00:30 of a night
 * that opened at 18:00 is on the next date, and that date's weekday counts. A visit lies inside what is open without a break:
 * intervals that adjoin are one, over midnight too. Set-up and clean-up may stick out. The grid is counted from the first
 * minute of each interval (or the schedule's `from`), also where it adjoins another. Durations are elapsed minutes; a clock
 * time that a clock change skips is no start, one that happens twice is the first; an opening or closing time that is skipped
 * is the moment of the change.
 */
export const startsOn = (
  { playroom }: Pick<Venue, "playroom">,
  pkg: Package,
  date: LocalDate
): ReadonlyArray<Instant> => startsIn(openDay(playroom, date), pkg)

/** Whether the package starts at this instant: the same as being among `startsOn` of its local date, at the cost of one. */
export const isStart = ({ playroom }: Pick<Venue, "playroom">, pkg: Package, start: Instant): boolean => {
  const { time_zone, grid_minutes } = playroom
  const date = localDateOf(time_zone, start)
  const minutes = localMinutesOf(time_zone, start)
  // Not a whole minute, or the second of two equal clock times.
  if (instantOf(time_zone, date, minutes) !== start) return false
  const { times } = pkg.schedule
  if (times !== undefined && !times.some((time) => minutesOf(time) === minutes)) return false
  return stretchesOn(openDay(playroom, date), pkg).some(
    (stretch) =>
      stretch.first <= minutes &&
      minutes < stretch.last &&
      start + pkg.duration_minutes * minuteMs <= stretch.end &&
      (times !== undefined || (minutes - stretch.anchor) % grid_minutes === 0)
  )
}

/** When visits can be booked at `now`: starts from `earliest` (lead time) to the end of `lastDate` (horizon). */
export const window = (
  { playroom }: Pick<Venue, "playroom">,
  now: Instant
): { readonly earliest: Instant; readonly lastDate: LocalDate } => ({
  earliest: now + playroom.lead_time_minutes * minuteMs,
  lastDate: addDays(localDateOf(playroom.time_zone, now), playroom.max_advance_days)
})
