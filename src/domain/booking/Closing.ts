/** When a venue closes, as its people say it: whole days, or from one clock time to another. Pure. */
import { Schema } from "effect"
import {
  ClockTime,
  ClosingTime,
  addDays,
  dayRange,
  daysBetween,
  type Instant,
  instantAt,
  lastInstantAt,
  LocalDate,
  localDateOf,
  minutesOf,
  startOfDay
} from "../../platform/time/LocalTime.ts"
import { Line } from "../catalogue/OperatorTexts.ts"

/** The longest time of one closure: a longer one is a typing error. */
const maxDays = 731

/** Why somewhere is closed. Families and assistants read it. */
export const ClosingReason = Line(80)

/**
 * Local to each playroom. Without `starts` and `ends`: whole days, both included. With them: from that time of the first day to
 * that time of the last.
 */
export const ClosedTimes = Schema.Struct({
  from: LocalDate,
  to: LocalDate,
  starts: Schema.optionalKey(ClockTime),
  ends: Schema.optionalKey(ClosingTime)
}).check(
  Schema.makeFilter(({ ends, from, starts, to }) => {
    if (from > to) return { path: ["to"], issue: `Expected a day that is not before ${from}` }
    if (daysBetween(from, to) >= maxDays) return { path: ["to"], issue: `Expected at most ${maxDays} days in all` }
    if ((starts === undefined) !== (ends === undefined))
      return { path: [starts === undefined ? "starts" : "ends"], issue: "Expected both times, or none" }
    return starts !== undefined && ends !== undefined && from === to && starts >= ends
      ? { path: ["ends"], issue: `Expected a time after ${starts}` }
      : undefined
  })
)
export type ClosedTimes = typeof ClosedTimes.Type

/**
 * These times in a zone; the end is excluded. A time that a clock change skips is the moment of the change. Of one that occurs
 * twice, a closure begins at the first and ends at the last.
 */
export const closedRange = (
  zone: string,
  { ends, from, starts, to }: ClosedTimes
): { readonly start: Instant; readonly end: Instant } =>
  starts === undefined || ends === undefined
    ? { start: startOfDay(zone, from), end: startOfDay(zone, addDays(to, 1)) }
    : { start: instantAt(zone, from, minutesOf(starts)), end: lastInstantAt(zone, to, minutesOf(ends)) }

/** Whether this is a part of one day, and not whole days. */
export const isPartOfADay = (
  zone: string,
  { end, start }: { readonly start: Instant; readonly end: Instant }
): boolean => {
  const day = dayRange(zone, localDateOf(zone, start))
  return end <= day.end && (start > day.start || end < day.end)
}
