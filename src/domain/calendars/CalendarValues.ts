/**
 * Lines of a calendar about time, and their values (RFC 5545, 3.1 and 3.3), as programs write them: with more marks
 * than the standard has, or fewer, where they can mean one time only. Each takes a time that depends on its length
 * alone.
 */
import { dayMs, hourMs, minuteMs, secondMs } from "../../platform/time/LocalTime.ts"
import { bareName } from "./CalendarText.ts"

/** A line: its name and the names of its parameters in capitals, all else as it is written. */
export interface Line {
  readonly name: string
  readonly parameters: ReadonlyMap<string, string>
  readonly value: string
  readonly text: string
}

/** Names and parameters of a line are short. */
const longestHead = 1000

// A value without quotes may have a colon in an address (Exchange: TZID=tzone://Microsoft/Utc) and in an offset
// (TZID=GMT-08:00).
const plainValue = String.raw`(?::\/\/|(?<=[+-]\d\d):(?=\d\d(?::|$))|[^";:])*`
const head = new RegExp(String.raw`^([A-Z0-9-]+)((?:;[^;:="]+(?:=(?:"[^"]*"|${plainValue}))?)*):`, "i")
const parameter = new RegExp(String.raw`;([^;:="]+)(?:=("[^"]*"|${plainValue}))?`, "g")

/** Undefined if it is none: without a value, or with a quote that does not end. */
export const lineOf = (text: string): Line | undefined => {
  const [whole, name, parameters = ""] = head.exec(text.slice(0, longestHead)) ?? []
  if (whole === undefined || name === undefined) return undefined
  return {
    name: name.toUpperCase(),
    parameters: new Map(
      [...parameters.matchAll(parameter)].map(([, key = "", value = ""]) => [key.trim().toUpperCase(), bareName(value)])
    ),
    value: text.slice(whole.length).trim(),
    text
  }
}

/** A date, or a date and a time. */
export interface TimeValue {
  /** Milliseconds, as if it were UTC. */
  readonly wall: number
  readonly isDate: boolean
  readonly isUtc: boolean
}

const longestValue = 80
const timePattern = /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i

/**
 * A date or time: `20261205`, `20261205T140000`, `20261205T140000Z`; also with hyphens and colons, without seconds,
 * with their fractions, or with an offset. Undefined if it is none.
 */
export const timeOf = (text: string): TimeValue | undefined => {
  if (text.length > longestValue) return undefined
  const [whole, ...parts] = timePattern.exec(text.trim()) ?? []
  if (whole === undefined) return undefined
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(0, 6)
    .map((it) => Number(it ?? 0))
  if (month < 1 || month > 12 || date < 1 || date > 31 || hour > 24 || minute > 59 || second > 60) return undefined
  const offset = parts[6]
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(offset ?? "") ?? []
  const east = (Number(hours ?? 0) * hourMs + Number(minutes ?? 0) * minuteMs) * (sign === "-" ? -1 : 1)
  const wall = new Date(0).setUTCFullYear(year, month - 1, date) + hour * hourMs + minute * minuteMs + second * secondMs
  return { wall: wall - east, isDate: parts[3] === undefined, isUtc: offset !== undefined }
}

/** The value of a line, or one of a list in it. By its type, if that is a date. */
export const timeIn = ({ parameters }: Line, value: string): TimeValue | undefined => {
  const time = timeOf(value)
  return time === undefined || time.isDate || parameters.get("VALUE")?.toUpperCase() !== "DATE"
    ? time
    : { wall: Math.floor(time.wall / dayMs) * dayMs, isDate: true, isUtc: false }
}

/** Days are of the clock, the rest is elapsed time. */
export interface DurationValue {
  readonly days: number
  readonly ms: number
  readonly isNegative: boolean
}

/** More than any date here is away: what lasts longer never ends. */
const mostDays = 3_000_000
const durationPattern = /^([+-]?)P(?=[\dT])(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/i

/** A length of time: `PT1H30M`, `P2D`, `P1W`. Undefined if it is none. */
export const durationOf = (text: string): DurationValue | undefined => {
  if (text.length > longestValue) return undefined
  const [whole, sign, weeks, days, hours, minutes, seconds] = durationPattern.exec(text.trim()) ?? []
  if (whole === undefined) return undefined
  const number = (digits: string | undefined): number => Number(digits ?? 0)
  return {
    days: Math.min(number(weeks) * 7 + number(days), mostDays),
    ms: Math.min(number(hours) * hourMs + number(minutes) * minuteMs + number(seconds) * secondMs, mostDays * dayMs),
    isNegative: sign === "-"
  }
}

/** An offset from UTC in milliseconds: `+0100`, `-05:30`, `+013015`. Undefined if it is none. */
export const offsetOf = (text: string): number | undefined => {
  const [, sign, hours, minutes, seconds] = /^([+-])(\d\d):?(\d\d)(?::?(\d\d))?$/.exec(text.trim()) ?? []
  if (sign === undefined) return undefined
  const east = Number(hours) * hourMs + Number(minutes) * minuteMs + Number(seconds ?? 0) * secondMs
  return sign === "-" ? -east : east
}
