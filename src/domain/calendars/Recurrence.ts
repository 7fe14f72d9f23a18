/**
 * The days on which a recurrence rule (RFC 5545, 3.3.10) falls, between two days. Rules come from strangers: each
 * period of a rule is looked at day by day, and the days of all rules of a calendar are counted, so that no rule takes
 * longer than its days. What is not understood of a rule counts for all that it might mean, and is named.
 */
import { dayMs } from "../../platform/time/LocalTime.ts"
import type { Steps } from "../../platform/concurrency/LoopSlice.ts"
import { type TimeValue, timeOf } from "./CalendarText.ts"

/** Days that one rule may take: more than a century of days. */
const maxDays = 40_000
/** Days to look at in one step. */
const daysPerStep = 400
/** A rule is short, whatever it says. */
const longestRule = 2000

/** Whole days since 1970-01-01. */
export type Day = number

/** Days that may still be looked at, for all rules of a calendar. */
export interface DayBudget {
  left: number
}

interface DayOfWeek {
  /** Monday is 0. */
  readonly weekday: number
  /** The ordinal within the month or year; negative counts from the end; 0: each. */
  readonly nth: number
}

export interface Rule {
  readonly frequency: "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY"
  readonly interval: number
  readonly count: number | undefined
  readonly until: TimeValue | undefined
  /** The first day of a week; Monday is 0. */
  readonly weekStart: number
  readonly months: ReadonlyArray<number>
  readonly weeks: ReadonlyArray<number>
  readonly yearDays: ReadonlyArray<number>
  readonly monthDays: ReadonlyArray<number>
  readonly weekdays: ReadonlyArray<DayOfWeek>
  readonly positions: ReadonlyArray<number>
  /** It may come at any time of its days. */
  readonly wholeDays: boolean
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

const weekdayNames = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]
const frequencies = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] as const
const ofTheDay = new Set(["HOURLY", "MINUTELY", "SECONDLY"])

const weekdayNamed = (word: string): number =>
  word.length < 2 ? -1 : weekdayNames.findIndex((name) => name.startsWith(word))

const wholeNumber = (text: string): number | undefined => (/^[+-]?\d{1,9}$/.test(text) ? Number(text) : undefined)

/** The different numbers of a list, each from 1 to `most`, or from the end; undefined if one is none of them. */
const numbersOf = (list: string, most: number, fromEnd = true): ReadonlyArray<number> | undefined => {
  const numbers = [...new Set(list.split(",").map((it) => wholeNumber(it.trim()) ?? Number.NaN))]
  return numbers.every((it) => it >= (fromEnd ? -most : 1) && it <= most && it !== 0) ? numbers : undefined
}

const daysOfWeek = (list: string): ReadonlyArray<DayOfWeek> | undefined => {
  const days = new Map<string, DayOfWeek>()
  for (const text of list.split(",")) {
    const [, nth = "0", word = ""] = /^([+-]?\d{1,2})?\s*([A-Z]+)$/.exec(text.trim()) ?? []
    const day = { weekday: weekdayNamed(word), nth: Number(nth) }
    if (day.weekday < 0 || Math.abs(day.nth) > 53) return undefined
    days.set(`${day.nth} ${day.weekday}`, day)
  }
  return [...days.values()]
}

/** A rule as far as it is understood, and what is not. */
export interface ReadRule {
  readonly rule: Rule
  /** In words; empty if all is understood. */
  readonly lacks: ReadonlyArray<string>
}

/** Each day, for ever. */
export const eachDay: Rule = {
  frequency: "DAILY",
  interval: 1,
  count: undefined,
  until: undefined,
  weekStart: 0,
  months: [],
  weeks: [],
  yearDays: [],
  monthDays: [],
  weekdays: [],
  positions: [],
  wholeDays: false
}

/**
 * The rule of an event or of a zone that begins at `start`. What it does not say clearly may mean more days, never
 * fewer: an end that can't be read is none; if that is which days, it is each one; if that is the time of day, it is
 * all day.
 */
export const ruleOf = (text: string, start: TimeValue): ReadRule => {
  const lacks: Array<string> = []
  const parts = new Map<string, string>()
  for (const part of text.slice(0, longestRule).toUpperCase().split(";")) {
    const [name = "", value = ""] = part.split("=", 2).map((it) => it.trim())
    if (part.trim() !== "" && !parts.has(name)) parts.set(name, value)
  }
  const lack = (name: string, so: string): void => {
    const value = parts.get(name)
    const said = value === undefined ? name : `${name}=${value}`
    lacks.push(`its RRULE has ${said.slice(0, 60)}, which is not understood: ${so}`)
  }
  /** Reads a part, if the rule has it. Undefined, too, if it is not understood. */
  const read = <A>(name: string, its: (value: string) => A | undefined, so: string): A | undefined => {
    const value = parts.get(name)
    if (value === undefined) return undefined
    const found = its(value)
    if (found === undefined) lack(name, so)
    return found
  }
  const positive = (value: string): number | undefined => {
    const number = wholeNumber(value)
    return number !== undefined && number > 0 ? number : undefined
  }
  const until = read("UNTIL", timeOf, "it goes on without that end")
  const count = read("COUNT", positive, "it goes on without that end")
  const interval = read("INTERVAL", positive, "none is left out")
  const weekStart = read("WKST", (it) => (weekdayNamed(it) < 0 ? undefined : weekdayNamed(it)), "none is left out")

  const ends = { count, until }
  // From here on: which days. Once one part of that is not understood, all days are meant.
  const before = lacks.length
  const anyDay = "it counts for each day"
  const days = {
    months: read("BYMONTH", (it) => numbersOf(it, 12, false), anyDay) ?? [],
    weeks: read("BYWEEKNO", (it) => numbersOf(it, 53), anyDay) ?? [],
    yearDays: read("BYYEARDAY", (it) => numbersOf(it, 366), anyDay) ?? [],
    monthDays: read("BYMONTHDAY", (it) => numbersOf(it, 31), anyDay) ?? [],
    weekdays: read("BYDAY", daysOfWeek, anyDay) ?? [],
    positions: read("BYSETPOS", (it) => numbersOf(it, 366), anyDay) ?? []
  }
  const its = parts.get("FREQ") ?? ""
  const manyADay = ofTheDay.has(its)
  const frequency = manyADay ? "DAILY" : frequencies.find((name) => name === its)
  if (text.length > longestRule) lacks.push(`its RRULE has more than ${longestRule} characters: ${anyDay}`)
  if (frequency === undefined) lack("FREQ", anyDay)
  const known = /^(FREQ|INTERVAL|COUNT|UNTIL|WKST|BY(SECOND|MINUTE|HOUR|DAY|MONTHDAY|YEARDAY|WEEKNO|MONTH|SETPOS))$/
  // RFC 7529: these two say what holds without them.
  const usual = (name: string): boolean =>
    (name === "RSCALE" && parts.get(name) === "GREGORIAN") || (name === "SKIP" && parts.get(name) === "OMIT")
  for (const name of parts.keys()) if (!known.test(name) && !usual(name)) lack(name, anyDay)
  // What RFC 5545 allows in rules of each frequency.
  if (frequency !== undefined && frequency !== "YEARLY" && !manyADay)
    for (const name of ["BYWEEKNO", "BYYEARDAY"]) if (parts.has(name)) lack(name, anyDay)
  if (frequency === "WEEKLY" && parts.has("BYMONTHDAY")) lack("BYMONTHDAY", anyDay)
  const daysUnderstood = lacks.length === before

  // The time of day, which is that of the first one.
  const clock = new Date(start.wall)
  const once = { BYHOUR: clock.getUTCHours(), BYMINUTE: clock.getUTCMinutes(), BYSECOND: clock.getUTCSeconds() }
  const allDay = "it counts for whole days"
  const others = Object.entries(once).flatMap(([name, own]) =>
    !start.isDate &&
    parts.has(name) &&
    parts
      .get(name)
      ?.split(",")
      .some((it) => wholeNumber(it.trim()) !== own)
      ? [name]
      : []
  )
  for (const name of others) lack(name, allDay)
  if (manyADay) lack("FREQ", allDay)
  const wholeDays = others.length > 0 || manyADay
  if (!daysUnderstood || frequency === undefined)
    // So many of other days are no end of these.
    return { rule: { ...eachDay, until, wholeDays }, lacks }

  const numbered =
    days.weekdays.some(({ nth }) => nth !== 0) &&
    (frequency === "DAILY" || frequency === "WEEKLY" || days.weeks.length > 0)
  if (numbered) lacks.push("its RRULE has a number in BYDAY where none belongs: it counts for each of these weekdays")
  const weekdays = numbered ? days.weekdays.map((day) => ({ ...day, nth: 0 })) : days.weekdays
  const leavesOut = (parts.has("INTERVAL") && interval === undefined) || (parts.has("WKST") && weekStart === undefined)
  return {
    rule: {
      ...days,
      ...ends,
      count: wholeDays || numbered || leavesOut ? undefined : count,
      frequency,
      interval: leavesOut || manyADay ? 1 : (interval ?? 1),
      weekStart: weekStart ?? 0,
      weekdays,
      positions: wholeDays ? [] : days.positions,
      wholeDays
    },
    lacks
  }
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
export const daysOfRule = function* (
  rule: Rule,
  start: Day,
  from: Day,
  to: Day,
  budget: DayBudget
): Steps<ReadonlyArray<Day> | undefined> {
  const whole = completed(rule, start)
  const { first, number } = periodsOf(whole)
  const begin = number(start)
  // A rule with a count is counted from its beginning.
  const skipped =
    whole.count === undefined && from > start ? Math.floor((number(from) - begin) / whole.interval) * whole.interval : 0
  const found: Array<Day> = []
  let left = whole.count ?? Infinity
  let looked = 0
  let pause = daysPerStep
  for (let n = begin + skipped; first(n) <= to && left > 0; n += whole.interval) {
    const [period, next] = [first(n), first(n + 1)]
    budget.left -= next - period
    looked += next - period
    if (budget.left < 0 || looked > maxDays) return undefined
    if (looked >= pause) {
      pause = looked + daysPerStep
      yield
    }
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
