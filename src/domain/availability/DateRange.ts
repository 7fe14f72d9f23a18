/** The days that a query asks about: from a date to another, or only some weekdays of these. */
import { Schema } from "effect"
import { type ArgumentIssue, boundedList } from "../../platform/errors/InvalidArguments.ts"
import { addDays, datesFrom, daysBetween, LocalDate, Weekday } from "../../platform/time/LocalTime.ts"
import { isOnWeekdays } from "./Openings.ts"

/** The last day is at most this many days after the first. */
const maxRangeDays = 31

/** The arguments of a query beside its `date`, the first day. */
export const dateRangeFields = {
  date_to: Schema.optionalKey(LocalDate),
  weekdays: Schema.optionalKey(boundedList(Weekday, 7))
}

/** Some days. */
export interface DateRange {
  readonly date: LocalDate
  readonly date_to?: LocalDate | undefined
  readonly weekdays?: ReadonlyArray<Weekday> | undefined
}

/** The last day. With weekdays and without `date_to`, it is the end of the longest range. */
export const lastDateOf = ({ date, date_to, weekdays = [] }: DateRange): LocalDate =>
  date_to ?? (weekdays.length === 0 ? date : addDays(date, maxRangeDays))

/** The days, in order. At most `maxRangeDays` and one. */
export const datesIn = (range: DateRange): ReadonlyArray<LocalDate> =>
  datesFrom(range.date, lastDateOf(range)).filter((day) => isOnWeekdays(range, day))

/** The issues of the days. */
export const rangeIssues = (range: DateRange): ReadonlyArray<ArgumentIssue> => {
  const { date, date_to } = range
  const days = daysBetween(date, lastDateOf(range))
  if (days < 0 || days > maxRangeDays) {
    return [
      {
        path: "date_to",
        message: `Expected a date from ${date} to ${addDays(date, maxRangeDays)}, or leave date_to out`
      }
    ]
  }
  return datesIn(range).length > 0
    ? []
    : [{ path: "weekdays", message: `None of these days is from ${date} to ${date_to}: leave weekdays out` }]
}
