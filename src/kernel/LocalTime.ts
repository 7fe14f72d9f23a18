/**
 * Local dates and clock times of a playroom, and instants between them. An `Instant` is milliseconds since 1970 UTC;
 * dates (`YYYY-MM-DD`) and times (`HH:MM`) are always local to the playroom. Zone rules come from the runtime's IANA data.
 */
import { DateTime, Option, Schema, SchemaTransformation } from "effect"

/** Milliseconds since 1970-01-01T00:00Z. */
export type Instant = number

export const secondMs = 1_000
export const minuteMs = 60_000
export const dayMinutes = 1440
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** A `timestamptz` column as an `Instant`. */
export const InstantFromDate = Schema.Date.pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({
      decode: (date: Date) => date.getTime(),
      encode: (instant: number) => new Date(instant)
    })
  )
)

const isCalendarDate = (text: string): boolean => {
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** A calendar date, `YYYY-MM-DD`, local to the playroom. Years 1900 to 2999, so that counting on from one stays in the calendar. */
export const LocalDate = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/u, { message: "Expected a date as YYYY-MM-DD, like 2026-12-05" }),
  Schema.makeFilter(
    (text: string) =>
      (isCalendarDate(text) && text >= "1900" && text < "3000") ||
      "Expected a date that the calendar has, as YYYY-MM-DD, from 1900 to 2999",
    // Without it, a description put on this schema would not reach the JSON Schema.
    { toJsonSchema: () => ({}) }
  )
)
export type LocalDate = typeof LocalDate.Type

/** A clock time, `HH:MM` from 00:00 to 23:59, local to the playroom. */
export const ClockTime = Schema.String.check(
  Schema.isPattern(/^([01]\d|2[0-3]):[0-5]\d$/u, { message: "Expected a clock time as HH:MM from 00:00 to 23:59" })
)
export type ClockTime = typeof ClockTime.Type

/** A clock time that may also be the day's end, `24:00`. Of an interval, one at or before its beginning is on the next day. */
export const ClosingTime = Schema.String.check(
  Schema.isPattern(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/u, {
    message: "Expected a clock time as HH:MM from 00:00 to 24:00"
  })
)

/** An IANA time zone that this runtime knows, like `Europe/London`. */
export const TimeZone = Schema.String.check(
  Schema.makeFilter(
    // The runtime also takes offsets like "+01:00", which know no clock changes.
    (zone: string) =>
      (/^[A-Za-z]/.test(zone) && (zones.has(zone) || Option.isSome(DateTime.zoneMakeNamed(zone)))) ||
      "Expected an IANA time zone, like Europe/London"
  )
)

export const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const
export const Weekday = Schema.Literals(weekdays)
export type Weekday = typeof Weekday.Type

/** Minutes since local midnight: `minutesOf("10:30")` is 630. */
export const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))

/** The inverse of `minutesOf`, for 0 to 1440. */
export const clockTimeOf = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`

const utcMidnight = (date: LocalDate): number =>
  Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1, Number(date.slice(8, 10)))

// A month of starts asks for the same few dates thousands of times, and writing one takes most of that time.
const dateTexts = new Map<number, LocalDate>()
// Dates are texts of four-digit years, compared as such: earlier and later dates become the first and the last one.
const [firstMs, lastMs] = [Date.UTC(1000, 0, 1), Date.UTC(9999, 11, 31)]
const dateOfUtc = (instant: number): LocalDate => {
  const ms = Math.min(Math.max(instant, firstMs), lastMs)
  const day = Math.floor(ms / dayMs)
  let text = dateTexts.get(day)
  if (text === undefined) {
    text = new Date(ms).toISOString().slice(0, 10)
    if (dateTexts.size > 5000) dateTexts.clear()
    dateTexts.set(day, text)
  }
  return text
}

export const addDays = (date: LocalDate, days: number): LocalDate => dateOfUtc(utcMidnight(date) + days * dayMs)
/** Whole days from `from` to `to`; negative where `to` is earlier. */
export const daysBetween = (from: LocalDate, to: LocalDate): number => (utcMidnight(to) - utcMidnight(from)) / dayMs
/** The dates from `from` to `to`, both included. */
export const datesFrom = (from: LocalDate, to: LocalDate): ReadonlyArray<LocalDate> =>
  Array.from({ length: Math.max(0, daysBetween(from, to) + 1) }, (_, i) => addDays(from, i))

export const weekdayOf = (date: LocalDate): Weekday =>
  weekdays[(new Date(utcMidnight(date)).getUTCDay() + 6) % 7] ?? "monday"

interface Zone {
  readonly named: DateTime.TimeZone.Named
  /** By UTC day (days since 1970): its offset where that does not change on the day, else `null`. */
  readonly days: Map<number, number | null>
}

const zones = new Map<string, Zone>()
const zoneOf = (name: string): Zone => {
  let zone = zones.get(name)
  if (zone === undefined) {
    zone = { named: DateTime.zoneMakeNamedUnsafe(name), days: new Map() }
    zones.set(name, zone)
  }
  return zone
}

const lookUp = (zone: Zone, instant: Instant): number =>
  DateTime.zonedOffset(DateTime.makeZonedUnsafe(instant, { timeZone: zone.named }))

/**
 * The zone's offset from UTC at an instant, in milliseconds (east is positive). Almost every day has one offset; knowing
 * which spares the look-up in the runtime's data (about 9 µs) for each further instant on it.
 */
export const offsetAt = (zoneName: string, instant: Instant): number => {
  const zone = zoneOf(zoneName)
  const day = Math.floor(instant / dayMs)
  let offset = zone.days.get(day)
  if (offset === undefined) {
    const first = lookUp(zone, day * dayMs)
    offset = first === lookUp(zone, (day + 1) * dayMs) ? first : null
    if (zone.days.size > 5000) zone.days.clear()
    zone.days.set(day, offset)
  }
  return offset ?? lookUp(zone, instant)
}

/** The two offsets that a wall clock may mean: those a day before and after. No zone is more than 14 hours from UTC. */
const offsetsAround = (zone: string, wall: number): readonly [before: number, after: number] => [
  offsetAt(zone, wall - dayMs),
  offsetAt(zone, wall + dayMs)
]

/**
 * The instant of a local clock time: `minutes` of the clock since the date's midnight, where 1500 is one o'clock on the next
 * day. A time that a clock change skips has none; one that happens twice is the first.
 */
export const instantOf = (zone: string, date: LocalDate, minutes: number): Instant | undefined => {
  const wall = utcMidnight(date) + minutes * minuteMs
  const [before, after] = offsetsAround(zone, wall)
  if (before === after) return wall - before
  // The larger offset gives the earlier instant.
  for (const offset of before > after ? [before, after] : [after, before]) {
    if (offsetAt(zone, wall - offset) === offset) return wall - offset
  }
  return undefined
}

/** As `instantOf`, but a time that a clock change skips is the instant of that change: when the clocks pass it. */
export const instantAt = (zone: string, date: LocalDate, minutes: number): Instant => {
  const exact = instantOf(zone, date, minutes)
  if (exact !== undefined) return exact
  const wall = utcMidnight(date) + minutes * minuteMs
  const [before, after] = offsetsAround(zone, wall)
  // The change lies after `low`, at `high` or before it.
  let low = wall - after
  let high = wall - before
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle) === before) low = middle
    else high = middle
  }
  return high
}

/**
 * The midnight of a date from which all clock times of the day before, of its own and of the four days after it are so many
 * minutes away; undefined where the clocks change in between or close by. It saves a look-up for each of many times.
 */
export const steadyMidnight = (zone: string, date: LocalDate): Instant | undefined => {
  const wall = utcMidnight(date)
  const offset = offsetAt(zone, wall - 2 * dayMs)
  for (let days = -1; days <= 5; days++) if (offsetAt(zone, wall + days * dayMs) !== offset) return undefined
  return wall - offset
}

/** Minutes of the clock on the wall since a date's midnight: for one o'clock on the next day, 1500. */
export const minutesFrom = (zone: string, date: LocalDate, instant: Instant): number =>
  Math.floor((wallClock(zone, instant) - utcMidnight(date)) / minuteMs)

/** The first instant of a local day. Where a clock change skips midnight, the instant of the change. */
export const startOfDay = (zone: string, date: LocalDate): Instant => instantAt(zone, date, 0)

/**
 * A local day as the half-open range of its instants: 23, 24 or 25 hours as a rule; empty for a day that a zone left out
 * altogether (Apia, 2011-12-30).
 */
export const dayRange = (zone: string, date: LocalDate): { readonly start: Instant; readonly end: Instant } => ({
  start: startOfDay(zone, date),
  end: startOfDay(zone, addDays(date, 1))
})

const wallClock = (zone: string, instant: Instant): number => instant + offsetAt(zone, instant)

export const localDateOf = (zone: string, instant: Instant): LocalDate => dateOfUtc(wallClock(zone, instant))
/** Whole minutes since local midnight by the clock on the wall, 0 to 1439. */
export const localMinutesOf = (zone: string, instant: Instant): number => {
  const wall = wallClock(zone, instant)
  return Math.floor((wall - Math.floor(wall / dayMs) * dayMs) / minuteMs)
}

const months = "January February March April May June July August September October November December".split(" ")

/** For people, by the clock on the wall: `Saturday 5 December 2026, 14:00`. */
export const inWords = (zone: string, instant: Instant): string => {
  const date = localDateOf(zone, instant)
  const weekday = weekdayOf(date)
  const [year, month, day] = date.split("-").map(Number)
  const clock = clockTimeOf(localMinutesOf(zone, instant))
  return `${weekday.charAt(0).toUpperCase()}${weekday.slice(1)} ${day} ${months[(month ?? 1) - 1]} ${year}, ${clock}`
}

/** RFC 3339 with the zone's own offset, to the second: `2026-12-05T14:00:00+00:00`. */
export const format = (zone: string, instant: Instant): string => {
  // Offsets with seconds are of the 19th century; RFC 3339 has no way to write them.
  const offset = Math.round(offsetAt(zone, instant) / minuteMs)
  const wall = new Date(instant + offset * minuteMs).toISOString().slice(0, 19)
  return `${wall}${offset < 0 ? "-" : "+"}${clockTimeOf(Math.abs(offset))}`
}

/** Whether the clock on the wall shows this minute at two instants, as an hour does when the clocks go back. */
export const isShownTwice = (zone: string, instant: Instant): boolean => {
  const wall = Math.floor(wallClock(zone, instant) / minuteMs) * minuteMs
  const [before, after] = offsetsAround(zone, wall)
  return before !== after && [before, after].every((offset) => offsetAt(zone, wall - offset) === offset)
}

/** For people who run the service: `2026-12-05 14:00:00Z`. */
export const inUtc = (at: Instant): string => `${new Date(at).toISOString().slice(0, 19).replace("T", " ")}Z`

/** For people, short: `2026-12-05 14:00`, with the offset beside a time that the wall shows twice. */
export const shortDateTime = (zone: string, instant: Instant): string => {
  const offset = isShownTwice(zone, instant) ? ` (${format(zone, instant).slice(-6)})` : ""
  return `${localDateOf(zone, instant)} ${clockTimeOf(localMinutesOf(zone, instant))}${offset}`
}

const counted = (n: number, unit: string): string => `${n} ${unit}${n === 1 ? "" : "s"}`

/** How long until a deadline, whole minutes and never too much: `in 15 minutes`. */
export const until = (deadline: Instant, now: Instant): string => {
  const minutes = Math.floor((deadline - now) / minuteMs)
  if (minutes < 1) return "in less than a minute"
  if (minutes < 120) return `in ${counted(minutes, "minute")}`
  return minutes < 2 * dayMinutes
    ? `in ${counted(Math.floor(minutes / 60), "hour")}`
    : `in ${counted(Math.floor(minutes / dayMinutes), "day")}`
}
