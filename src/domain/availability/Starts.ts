/**
 * The starts of a package: `schedule × opening hours and overrides × clock changes → instants`. Pure; it does not
 * depend on occupancy.
 */

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
  weekdayOf,
  datesFrom
} from "../../platform/time/LocalTime.ts"
import type { Package, Schedule } from "../catalogue/Package.ts"
import { type Playroom, type Venue, overriddenDates } from "../catalogue/Playroom.ts"

// When a playroom is open, in clock time. If an interval's `closes` is at or before its `opens`, it runs into the next
// day and belongs to the day on which it opens. Pure. All times are clock minutes since a date's midnight, so 25:00 is
// one o'clock on the next day.

/** An opening interval as in the catalogue: `18:00` to `02:00` ends on the next day, `06:00` to `06:00` is 24 hours. */
export interface Interval {
  readonly opens: string
  readonly closes: string
}

/** Clock minutes `[first, last)` since a date's midnight. `last` may be on the next day. */
export interface Span {
  readonly first: number
  readonly last: number
}

const forward = (first: number, last: number): Span => ({ first, last: last > first ? last : last + dayMinutes })

export const spanOf = ({ opens, closes }: Interval): Span => forward(minutesOf(opens), minutesOf(closes))

export const shiftSpan = ({ first, last }: Span, days: number): Span => ({
  first: first + days * dayMinutes,
  last: last + days * dayMinutes
})

const overridesByDate = new WeakMap<Playroom["overrides"], ReadonlyMap<LocalDate, ReadonlyArray<Interval>>>()

const overrideOf = (
  { overrides }: Pick<Playroom, "overrides">,
  date: LocalDate
): ReadonlyArray<Interval> | undefined => {
  if (overrides.length === 0) return undefined
  let byDate = overridesByDate.get(overrides)
  if (byDate === undefined) {
    // The single dates last: they go before ranges.
    const inOrder = [
      ...overrides.filter(({ date }) => date === undefined),
      ...overrides.filter(({ date }) => date !== undefined)
    ]
    byDate = new Map(
      inOrder.flatMap((override) => {
        const days = overriddenDates(override)
        return days === undefined ? [] : datesFrom(...days).map((day) => [day, override.intervals] as const)
      })
    )
    overridesByDate.set(overrides, byDate)
  }
  return byDate.get(date)
}

/**
 * The intervals that open on a date. An override replaces the hours of its date's weekday. An interval from the day
 * before still continues.
 */
export const openingOn = (
  playroom: Pick<Playroom, "overrides" | "opening_hours">,
  date: LocalDate
): ReadonlyArray<Span> => {
  const override = overrideOf(playroom, date)
  if (override !== undefined) return override.map(spanOf)
  const day = weekdayOf(date)
  return playroom.opening_hours.filter(({ weekday }) => weekday === day).map(spanOf)
}

/** Ranges in order. Ranges that touch or overlap are merged. */
export const mergeSpans = (ranges: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const runs: Array<{ first: number; last: number }> = []
  for (const { first, last } of ranges.toSorted((a, b) => a.first - b.first)) {
    const run = runs.at(-1)
    if (run !== undefined && first <= run.last) run.last = Math.max(run.last, last)
    else runs.push({ first, last })
  }
  return runs
}

/**
 * Part of an opening interval in which visits of a package start: at clock minutes `from` ≤ start < `to`, on the grid
 * from `anchor`. Visits end at `until` at the latest, if the schedule has it.
 */
interface Stretch extends Span {
  readonly anchor: number
  readonly until: number | undefined
}

/**
 * The parts of an opening interval in which a schedule allows starts. `from` and `until` are clock times of each day.
 * If `until` is at or before `from`, it is on the next day. Without `until`, the last start is before midnight, and the
 * visit may end later.
 */
export const stretchesIn = (span: Span, { from, until }: Schedule): ReadonlyArray<Stretch> => {
  if (from === undefined && until === undefined) return [{ ...span, anchor: span.first, until: undefined }]
  const daily = forward(minutesOf(from ?? "00:00"), minutesOf(until ?? "24:00"))
  return [-1, 0, 1].flatMap((days): ReadonlyArray<Stretch> => {
    const window = shiftSpan(daily, days)
    const first = Math.max(span.first, window.first)
    const last = Math.min(span.last, window.last)
    if (first >= last) return []
    return [
      {
        first,
        last,
        anchor: from === undefined ? span.first : first,
        until: until === undefined ? undefined : window.last
      }
    ]
  })
}

/** The first minute at or after `earliest` on a stretch's grid. */
export const firstOnGrid = ({ first, anchor }: Stretch, grid: number, earliest: number): number => {
  const from = Math.max(first, earliest)
  return anchor + Math.ceil((from - anchor) / grid) * grid
}

/**
 * An opening interval that may contain starts of a date. `closes`: when it closes, or the last interval that adjoins
 * it.
 */
interface Opened extends Span {
  readonly closes: Instant
}

/** What the starts of one local date depend on: the intervals open on it, in clock minutes since its midnight. */
interface OpenDay {
  readonly playroom: Playroom
  readonly date: LocalDate
  readonly intervals: ReadonlyArray<Opened>
  /** The instant of a clock time of the day (minutes since midnight), as in `LocalTime`. */
  readonly instantOf: (minutes: number) => Instant | undefined
  readonly instantAt: (minutes: number) => Instant
}

/** An interval of the day before may reach into it, and a visit (24 hours at most) into the two days after it. */
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

// A caller asks for many starts of the same day in a row.
const latest = new WeakMap<Playroom, OpenDay>()

/** A date's openings, cached until another date of the playroom is requested. */
export const openDay = (playroom: Playroom, date: LocalDate): OpenDay => {
  const known = latest.get(playroom)
  if (known?.date === date) return known
  const day = makeOpenDay(playroom, date)
  latest.set(playroom, day)
  return day
}

/**
 * The parts of a date in which visits of a package start: clock minutes `[first, last)` on the grid from `anchor`, and
 * the latest end.
 */
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

/**
 * Visits the starts of a package on a day until `see` returns false. Starts of merged intervals may come twice and out
 * of order.
 */
export const eachStart = (day: OpenDay, pkg: Package, see: (start: Instant) => boolean): void => {
  const { grid_minutes } = day.playroom
  const times = pkg.schedule.times?.map(minutesOf)
  for (const stretch of stretchesOn(day, pkg)) {
    const latest = stretch.end - pkg.duration_minutes * minuteMs
    const continues = (minutes: number) => {
      const start = day.instantOf(minutes)
      return start === undefined || start > latest || see(start)
    }
    if (times === undefined) {
      for (let at = firstOnGrid(stretch, grid_minutes, 0); at < stretch.last; at += grid_minutes)
        if (!continues(at)) return
    } else {
      for (const at of times) if (stretch.first <= at && at < stretch.last && !continues(at)) return
    }
  }
}

/** The starts of a package on a day, as in `startsOn`. */
export const startsIn = (day: OpenDay, pkg: Package): ReadonlyArray<Instant> => {
  const starts = new Set<Instant>()
  eachStart(day, pkg, (start) => starts.add(start).size > 0)
  return [...starts].sort((a, b) => a - b)
}

/**
 * The starts of a package on a local date, sorted and without duplicates. A start belongs to the date that its own
 * clock shows: 00:30 of a night that opened at 18:00 is on the next date, and on that date's weekday. A visit lies
 * within continuous opening hours: intervals that adjoin are one, even over midnight. Set-up and clean-up may lie
 * outside. The grid counts from the first minute of each interval (or the schedule's `from`), even if it adjoins
 * another. Durations are elapsed minutes. A clock time that a clock change skips is no start; one that happens twice is
 * the first. A skipped opening or closing time is the moment of the change.
 */
export const startsOn = (
  { playroom }: Pick<Venue, "playroom">,
  pkg: Package,
  date: LocalDate
): ReadonlyArray<Instant> => startsIn(openDay(playroom, date), pkg)

/** Whether the package starts at this instant, as by `startsOn`, without computing the whole date. */
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

/** When the last moment to sell a start ends: with its visit's beginning, at the counter (`atCounter`) with its end. */
export const sellableUntil = ({ playroom }: Pick<Venue, "playroom">, start: Instant): Instant =>
  start - Math.min(0, playroom.lead_time_minutes) * minuteMs

/** The bookable time at `now`: starts from `earliest` (lead time) to the end of `lastDate` (horizon). */
export const window = (
  { playroom }: Pick<Venue, "playroom">,
  now: Instant
): { readonly earliest: Instant; readonly lastDate: LocalDate } => ({
  earliest: now + playroom.lead_time_minutes * minuteMs,
  lastDate: addDays(localDateOf(playroom.time_zone, now), playroom.max_advance_days)
})
