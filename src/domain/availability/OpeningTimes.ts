/**
 * When a playroom is open, in clock time. If an interval's `closes` is at or before its `opens`, it runs into the next
 * day and belongs to the day on which it opens. Pure. All times are clock minutes since a date's midnight, so 25:00 is
 * one o'clock on the next day.
 */
import { datesFrom, dayMinutes, type LocalDate, minutesOf, weekdayOf } from "../../platform/time/LocalTime.ts"
import type { Schedule } from "../catalogue/Package.ts"
import { overriddenDates, type Playroom } from "../catalogue/Playroom.ts"

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
