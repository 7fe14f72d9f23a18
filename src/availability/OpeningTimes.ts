/**
 * When a playroom is open, by the clock. An interval whose `closes` is at or before `opens` runs into the next day, and
 * belongs to the day on which it opens. Pure; everything here counts minutes of the clock since some date's midnight, so
 * that 25:00 is one o'clock on the next day.
 */
import { dayMinutes, type LocalDate, minutesOf, weekdayOf } from "../kernel/LocalTime.ts"
import type { Schedule } from "../catalogue/Package.ts"
import type { Playroom } from "../catalogue/Playroom.ts"

/** An opening interval as a catalogue has it: `18:00` to `02:00` ends on the next day, `06:00` to `06:00` is 24 hours. */
export interface Interval {
  readonly opens: string
  readonly closes: string
}

/** Clock minutes `[first, last)` since a date's midnight; `last` may be in the next day. */
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
    byDate = new Map(overrides.map((override) => [override.date, override.intervals]))
    overridesByDate.set(overrides, byDate)
  }
  return byDate.get(date)
}

/** The intervals that open on a date. An override of the date replaces its weekday's; what opened on the day before goes on. */
export const openingOn = (
  playroom: Pick<Playroom, "overrides" | "opening_hours">,
  date: LocalDate
): ReadonlyArray<Span> => {
  const override = overrideOf(playroom, date)
  if (override !== undefined) return override.map(spanOf)
  const day = weekdayOf(date)
  return playroom.opening_hours.filter(({ weekday }) => weekday === day).map(spanOf)
}

/** Ranges in order, those that touch or overlap merged into one. */
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
 * Part of an opening interval in which visits of a package start: at clock minutes from `from` to before `to`, on the grid
 * counted from `anchor`. Visits end at `until` at the latest, where the schedule says so.
 */
interface Stretch extends Span {
  readonly anchor: number
  readonly until: number | undefined
}

/**
 * Where a schedule lets visits start in an opening interval. `from` and `until` are a span of the clock of each day, which
 * runs into the next where `until` is at or before `from`; without `until` it ends the starts at midnight, and not the visits.
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

/** The first minute of a stretch at or after `earliest` that is on its grid. */
export const firstOnGrid = ({ first, anchor }: Stretch, grid: number, earliest: number): number => {
  const from = Math.max(first, earliest)
  return anchor + Math.ceil((from - anchor) / grid) * grid
}
