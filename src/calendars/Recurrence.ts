/**
 * The days on which a recurrence rule (RFC 5545, 3.3.10) falls, between two days. Rules come from strangers: each
 * period of a rule is looked at day by day, and the days of all rules of a calendar are counted, so that no rule takes
 * longer than its days. A rule that is not understood whole is refused.
 */
import { Result } from "effect"
import type ICAL from "ical.js"
import { dayMs } from "../kernel/LocalTime.ts"

/** Days that one rule may take: more than a century of days. */
const maxDays = 40_000

/** Whole days since 1970-01-01. */
export type Day = number

/** Days that may still be looked at, for all rules of a calendar. */
export interface DayBudget {
  left: number
}

interface DayOfWeek {
  /** Monday is 0. */
  readonly weekday: number
  /** The how manieth of its month or year, from the end if negative; 0: each. */
  readonly nth: number
}

export interface Rule {
  readonly frequency: "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY"
  readonly interval: number
  readonly count: number | undefined
  readonly until: ICAL.Time | undefined
  /** The first day of a week; Monday is 0. */
  readonly weekStart: number
  readonly months: ReadonlyArray<number>
  readonly weeks: ReadonlyArray<number>
  readonly yearDays: ReadonlyArray<number>
  readonly monthDays: ReadonlyArray<number>
  readonly weekdays: ReadonlyArray<DayOfWeek>
  readonly positions: ReadonlyArray<number>
}

interface Civil {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly date: number
}

export const dayOf = (year: number, month: number, date: number): Day => Date.UTC(year, month - 1, date) / dayMs

const civilOf = (day: Day): Civil => {
  const at = new Date(day * dayMs)
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, date: at.getUTCDate() }
}

// 1970-01-01 was a Thursday.
const weekdayOf = (day: Day): number => (((day + 3) % 7) + 7) % 7

const weekdayNames = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
const frequencies = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] as const

/** The rule of an event or of a zone that begins at `start`; fails with why it is not understood. */
export const ruleOf = (property: ICAL.Property, start: ICAL.Time): Result.Result<Rule, string> => {
  const recur = property.getFirstValue()
  const [, , , raw] = property.jCal
  if (typeof recur !== "object" || recur === null || !("freq" in recur) || typeof raw !== "object" || raw === null)
    return Result.fail("its RRULE is none")
  const frequency = frequencies.find((name) => name === recur.freq)
  if (frequency === undefined) return Result.fail(`its RRULE has the frequency ${String(recur.freq)}`)
  const known = /^(freq|interval|count|until|wkst|by(second|minute|hour|day|monthday|yearday|weekno|month|setpos))$/
  const unknown = Object.keys(raw).find((name) => !known.test(name))
  if (unknown !== undefined) return Result.fail(`its RRULE has ${unknown.toUpperCase()}`)
  const parts: Readonly<Record<string, ReadonlyArray<string | number> | undefined>> = recur.parts
  const numbers = (name: string): ReadonlyArray<number> => (parts[name] ?? []).map(Number)
  const once = { BYHOUR: start.hour, BYMINUTE: start.minute, BYSECOND: start.second }
  for (const [name, its] of Object.entries(once))
    if (numbers(name).some((value) => value !== its)) return Result.fail(`its RRULE has ${name}`)
  const weekdays = (parts["BYDAY"] ?? []).map((text) => ({
    weekday: weekdayNames.indexOf(String(text).slice(-2)),
    nth: Number(String(text).slice(0, -2))
  }))
  const rule: Rule = {
    frequency,
    interval: recur.interval,
    count: recur.count ?? undefined,
    until: recur.until ?? undefined,
    weekStart: (recur.wkst + 5) % 7,
    months: numbers("BYMONTH"),
    weeks: numbers("BYWEEKNO"),
    yearDays: numbers("BYYEARDAY"),
    monthDays: numbers("BYMONTHDAY"),
    weekdays,
    positions: numbers("BYSETPOS")
  }
  // What RFC 5545 allows in rules of each frequency.
  const misplaced =
    (frequency !== "YEARLY" && rule.weeks.length > 0 && "BYWEEKNO") ||
    (frequency !== "YEARLY" && rule.yearDays.length > 0 && "BYYEARDAY") ||
    (frequency === "WEEKLY" && rule.monthDays.length > 0 && "BYMONTHDAY") ||
    (weekdays.some(({ nth }) => nth !== 0) &&
      (frequency === "DAILY" || frequency === "WEEKLY" || rule.weeks.length > 0) &&
      "a number in BYDAY")
  if (misplaced !== false) return Result.fail(`its RRULE has ${misplaced} where none belongs`)
  if (weekdays.some(({ nth, weekday }) => weekday < 0 || !Number.isInteger(nth)))
    return Result.fail("its RRULE has a BYDAY that is none")
  return Result.succeed(rule)
}

/** What the rule leaves open is as on its first day. */
const completed = (rule: Rule, start: Day): Rule => {
  const { frequency, monthDays, months, weekdays, weeks, yearDays } = rule
  if (yearDays.length + monthDays.length + weekdays.length > 0 || frequency === "DAILY") return rule
  if (frequency === "WEEKLY" || weeks.length > 0) return { ...rule, weekdays: [{ weekday: weekdayOf(start), nth: 0 }] }
  const { date, month } = civilOf(start)
  return frequency === "MONTHLY" || months.length > 0
    ? { ...rule, monthDays: [date] }
    : { ...rule, months: [month], monthDays: [date] }
}

const monthLength = (year: number, month: number): number => dayOf(year, month + 1, 1) - dayOf(year, month, 1)

/** Whether one of `wanted` counts this place among so many, from either end. */
const counts = (wanted: ReadonlyArray<number>, place: number, among: number): boolean =>
  wanted.includes(place) || wanted.includes(place - among - 1)

/** The first day of a year's first week: the one that has at least four days of the year. */
const firstWeek = (year: number, weekStart: number): Day => {
  const fourth = dayOf(year, 1, 4)
  return fourth - ((weekdayOf(fourth) - weekStart + 7) % 7)
}

const inWeeks = (rule: Rule, day: Day, year: number): boolean => {
  const [before, first, next, after] = [year - 1, year, year + 1, year + 2].map((it) => firstWeek(it, rule.weekStart))
  if (before === undefined || first === undefined || next === undefined || after === undefined) return false
  const [from, to] = day < first ? [before, first] : day >= next ? [next, after] : [first, next]
  return counts(rule.weeks, Math.floor((day - from) / 7) + 1, (to - from) / 7)
}

const isNth = ({ nth, weekday }: DayOfWeek, day: Day, first: Day, length: number): boolean =>
  weekdayOf(day) === weekday &&
  (nth === 0 ||
    (nth > 0 ? Math.floor((day - first) / 7) + 1 === nth : Math.floor((first + length - 1 - day) / 7) + 1 === -nth))

const matches = (rule: Rule, day: Day): boolean => {
  const { frequency, monthDays, months, weekdays, weeks, yearDays } = rule
  const { date, month, year } = civilOf(day)
  if (months.length > 0 && !months.includes(month)) return false
  if (weeks.length > 0 && !inWeeks(rule, day, year)) return false
  const [ofMonth, ofYear] = [monthLength(year, month), dayOf(year + 1, 1, 1) - dayOf(year, 1, 1)]
  const newYear = dayOf(year, 1, 1)
  if (yearDays.length > 0 && !counts(yearDays, day - newYear + 1, ofYear)) return false
  if (monthDays.length > 0 && !counts(monthDays, date, ofMonth)) return false
  if (weekdays.length === 0) return true
  const inYear = frequency === "YEARLY" && months.length === 0
  return weekdays.some((its) => (inYear ? isNth(its, day, newYear, ofYear) : isNth(its, day, day - date + 1, ofMonth)))
}

/** The number of a day's period, and the days of a period (the last one excluded). */
const periodsOf = ({ frequency, weekStart }: Rule) => {
  const month = (n: number): Day => dayOf(Math.floor(n / 12), (n % 12) + 1, 1)
  const year = (n: number): Day => dayOf(n, 1, 1)
  const week = (n: number): Day => n * 7 + weekStart - 3
  switch (frequency) {
    case "DAILY":
      return { number: (day: Day) => day, first: (n: number): Day => n }
    case "WEEKLY":
      return { number: (day: Day) => Math.floor((day + 3 - weekStart) / 7), first: week }
    case "MONTHLY":
      return { number: (day: Day) => civilOf(day).year * 12 + civilOf(day).month - 1, first: month }
    case "YEARLY":
      return { number: (day: Day) => civilOf(day).year, first: year }
  }
}

const atPositions = (days: ReadonlyArray<Day>, positions: ReadonlyArray<number>): ReadonlyArray<Day> =>
  positions.length === 0 ? days : days.filter((_, i) => counts(positions, i + 1, days.length))

/**
 * The days of a rule that begins on `start`, from `from` to `to` (both included). `until` is left to the caller, who
 * knows the time of day. Undefined if it takes more days than one rule may, or than are left.
 */
export const daysOfRule = (
  rule: Rule,
  start: Day,
  from: Day,
  to: Day,
  budget: DayBudget
): ReadonlyArray<Day> | undefined => {
  const whole = completed(rule, start)
  const { first, number } = periodsOf(whole)
  const begin = number(start)
  // A rule with a count is counted from its beginning.
  const skipped =
    whole.count === undefined && from > start ? Math.floor((number(from) - begin) / whole.interval) * whole.interval : 0
  const found: Array<Day> = []
  let left = whole.count ?? Infinity
  let looked = 0
  for (let n = begin + skipped; first(n) <= to && left > 0; n += whole.interval) {
    const [period, next] = [first(n), first(n + 1)]
    budget.left -= next - period
    looked += next - period
    if (budget.left < 0 || looked > maxDays) return undefined
    const days: Array<Day> = []
    for (let day = period; day < next; day++) if (matches(whole, day)) days.push(day)
    for (const day of atPositions(days, whole.positions)) {
      if (day < start || left === 0) continue
      left--
      if (day >= from && day <= to) found.push(day)
    }
  }
  return found
}
