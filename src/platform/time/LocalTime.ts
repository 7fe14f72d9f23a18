/**
 * Local dates and clock times of a playroom, and instants. An `Instant` is milliseconds since 1970 UTC. Dates
 * (`YYYY-MM-DD`) and times (`HH:MM`) are always local to the playroom.
 */

import { DateTime, Option, Schema, SchemaTransformation, type Duration, Effect, Schedule, type Scope } from "effect"
import { tzlib_get_timezones } from "timezones-ical-library"
import { counted } from "../text/Text.ts"
import { makeThrottle } from "./Elapsed.ts"

// Names of time zones, as people and outside programs write them. A zone is named by the tz database (IANA): by region
// and place; some of its older names are a country's.

/**
 * The names without a slash that mean one clock: a country's, or UTC (tz database 2026c, `backward`). The others of
 * that file (GMT, EST, CET, PST8PDT) are abbreviations: people write them for the clock of a place that has summer
 * time, too.
 */
const places = new Set(
  (
    "Cuba Egypt Eire GB GB-Eire Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya NZ NZ-CHAT Navajo PRC Poland " +
    "Portugal ROC ROK Singapore Turkey UCT UTC Universal W-SU Zulu"
  ).split(" ")
)

/** All names of the tz database. */
export const zoneNames = (): ReadonlyArray<string> => [...spellings.values()]

const isAbbreviation = (name: string): boolean => !name.includes("/") && !places.has(name)

/** All names of the tz database, by themselves in lower case. (The library has a few of its own, like "ET".) */
const spellings = new Map(
  [...Intl.supportedValuesOf("timeZone"), ...tzlib_get_timezones()].map((name) => [name.toLowerCase(), name])
)

const known = new Map<string, boolean>()
/** Whether the runtime has rules for a name of the tz database. */
const isKnown = (name: string): boolean => {
  let its = known.get(name)
  if (its === undefined) {
    its = Option.isSome(DateTime.zoneMakeNamed(name))
    known.set(name, its)
  }
  return its
}

const ofDatabase = (name: string): string | undefined => {
  const spelling = spellings.get(name.toLowerCase())
  return spelling !== undefined && isKnown(spelling) ? spelling : undefined
}

/**
 * The zone that a name means, in any case, as the tz database spells it. Undefined if it is none of its names, or an
 * abbreviation. The runtime takes more: "BST" is Dhaka to it, "IST" is Kolkata (CLDR keeps the three letters of Java
 * 1.0).
 */
export const zoneNamed = (name: string): string | undefined => {
  const spelling = ofDatabase(name)
  return spelling === undefined || isAbbreviation(spelling) ? undefined : spelling
}

/** The zone that the tz database has for an abbreviation, which may mean others: EST, CET, GMT; undefined of BST. */
export const zoneAbbreviated = (name: string): string | undefined => {
  const spelling = ofDatabase(name)
  return spelling !== undefined && isAbbreviation(spelling) ? spelling : undefined
}

/** The zone by whose clock the runtime reads a name; undefined if it knows none. It takes "BST" for Asia/Dhaka. */
export const zoneReadAs = (name: string): string | undefined =>
  isKnown(name) ? new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone : undefined

/** The zones of a country (ISO 3166-1 alpha-2), by CLDR; none if there is no such country. */
export const zonesOfCountry = (country: string): ReadonlyArray<string> =>
  /^[A-Z]{2}$/.test(country) ? (new Intl.Locale(`und-${country}`).getTimeZones() ?? []) : []

/** What to write instead of a name that is no zone. `country`: where the zone should be, if that is known. */
export const zoneWanted = (name: string, country = ""): string => {
  const spelling = zoneNamed(name)
  if (spelling !== undefined) return `Expected ${spelling}, in just this spelling`
  const zones = zonesOfCountry(country)
  const which =
    zones.length === 0
      ? "an IANA time zone, like Europe/London"
      : `an IANA time zone of ${country}: ${zones.join(", ")}`
  return /^[A-Za-z]{2,5}$/.test(name)
    ? `Expected ${which}. Abbreviations like ${name} mean other clocks elsewhere, or in summer`
    : `Expected ${which}`
}

/**
 * A zone by its name in the tz database, in just its spelling, like `Europe/London`. Older names count, too
 * (`Asia/Calcutta`, `Japan`), abbreviations (`BST`, `EST`, `GMT`) don't.
 */
export const TimeZone = Schema.String.check(
  Schema.makeFilter((name: string) => zoneNamed(name) === name || zoneWanted(name), {
    // Without it, a description put on this schema would not reach the JSON Schema.
    toJsonSchema: () => ({})
  })
)

// Recurring background work of a node.

/**
 * Forks `work` into the scope and repeats it: first after `delay` (none by default), then at the interval `every`.
 * Jitter of a fifth keeps nodes that started together apart. A failure is logged as `failed`, and the work runs again.
 */
export const forkRecurring = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  {
    delay = 0,
    every,
    failed
  }: { readonly delay?: Duration.Input; readonly every: Duration.Input; readonly failed: string }
): Effect.Effect<void, never, R | Scope.Scope> =>
  work.pipe(
    Effect.catchCause((cause) => Effect.logWarning(failed, cause)),
    Effect.repeat(Schedule.jittered(Schedule.spaced(every))),
    Effect.delay(delay),
    Effect.forkScoped,
    Effect.asVoid
  )

/** The pause after a failure, so that what fails at once does not keep the processor busy. */
const pauseAfterFailure = "1 second"

/**
 * Runs `work`, which has its own pauses or waits, again and again, and never ends. The runtime says nothing of a fiber
 * that dies: here a failure of any kind is logged as `failed`, at most once a minute, and the work goes on after a
 * second.
 */
export const unending = <A, E, R>(work: Effect.Effect<A, E, R>, failed: string): Effect.Effect<never, never, R> =>
  Effect.suspend(() => {
    const warn = makeThrottle("1 minute")
    return Effect.forever(
      Effect.catchCause(work, (cause) =>
        Effect.andThen(warn(Effect.logWarning(failed, cause)), Effect.sleep(pauseAfterFailure))
      )
    )
  })

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

/**
 * A calendar date, `YYYY-MM-DD`, local to the playroom. Years 1900 to 2999, so that adding days stays in four digits.
 */
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
export const isLocalDate = Schema.is(LocalDate)

/** A clock time, `HH:MM` from 00:00 to 23:59, local to the playroom. */
export const ClockTime = Schema.String.check(
  Schema.isPattern(/^([01]\d|2[0-3]):[0-5]\d$/u, { message: "Expected a clock time as HH:MM from 00:00 to 23:59" })
)
export type ClockTime = typeof ClockTime.Type
export const isClockTime = Schema.is(ClockTime)

/** A clock time or the day's end, `24:00`. An interval that ends at or before its start ends on the next day. */
export const ClosingTime = Schema.String.check(
  Schema.isPattern(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/u, {
    message: "Expected a clock time as HH:MM from 00:00 to 24:00"
  })
)

/** A zone's name as it is stored: any that this runtime takes. What may be stored anew: `zoneWanted`. */
export const StoredTimeZone = Schema.String.check(
  Schema.makeFilter(
    // The runtime also accepts offsets like "+01:00", which have no clock changes.
    (zone: string) =>
      (/^[A-Za-z]/.test(zone) && (zones.has(zone) || Option.isSome(DateTime.zoneMakeNamed(zone)))) ||
      "Expected a time zone that this runtime knows, like Europe/London"
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

// A month of starts needs the same few dates thousands of times, and reading and formatting take most of that time.
const maxDates = 5000
const midnights = new Map<LocalDate, number>()
const dateTexts = new Map<number, LocalDate>()

const utcMidnight = (date: LocalDate): number => {
  let midnight = midnights.get(date)
  if (midnight === undefined) {
    midnight = Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1, Number(date.slice(8, 10)))
    if (midnights.size > maxDates) midnights.clear()
    midnights.set(date, midnight)
  }
  return midnight
}

// Dates compare as texts, so their years need four digits: instants beyond the range are clamped.
const [firstMs, lastMs] = [Date.UTC(1000, 0, 1), Date.UTC(9999, 11, 31)]
const dateOfUtc = (instant: number): LocalDate => {
  const ms = Math.min(Math.max(instant, firstMs), lastMs)
  const day = Math.floor(ms / dayMs)
  let text = dateTexts.get(day)
  if (text === undefined) {
    text = new Date(ms).toISOString().slice(0, 10)
    if (dateTexts.size > maxDates) dateTexts.clear()
    dateTexts.set(day, text)
  }
  return text
}

export const addDays = (date: LocalDate, days: number): LocalDate => dateOfUtc(utcMidnight(date) + days * dayMs)
/** Whole days from `from` to `to`; negative if `to` is earlier. */
export const daysBetween = (from: LocalDate, to: LocalDate): number => (utcMidnight(to) - utcMidnight(from)) / dayMs
/** The dates from `from` to `to`, both included. */
export const datesFrom = (from: LocalDate, to: LocalDate): ReadonlyArray<LocalDate> =>
  Array.from({ length: Math.max(0, daysBetween(from, to) + 1) }, (_, i) => addDays(from, i))

export const weekdayOf = (date: LocalDate): Weekday =>
  weekdays[(new Date(utcMidnight(date)).getUTCDay() + 6) % 7] ?? "monday"

/** Rules of time zones: of which release of the tz database they are, and where they are from. */
export interface ZoneRules {
  readonly release: string
  readonly from: string
  /** What looks up the offsets of a zone from UTC in milliseconds (east is positive). Undefined: it is not in there. */
  readonly zone: (name: string) => ((instant: Instant) => number) | undefined
}

const ofRuntime = (name: string) => {
  const named = DateTime.zoneMakeNamedUnsafe(name)
  return (instant: Instant) => DateTime.zonedOffset(DateTime.makeZonedUnsafe(instant, { timeZone: named }))
}

/** Those of the runtime. */
export const runtimeRules: ZoneRules = {
  release: process.versions["tz"] ?? "of no known release",
  from: `Node ${process.version}`,
  zone: ofRuntime
}

let rules = runtimeRules

interface Zone {
  readonly lookUp: (instant: Instant) => number
  /** Offset by UTC day (days since 1970); `null` if it changes on that day. */
  readonly days: Map<number, number | null>
}

const zones = new Map<string, Zone>()
const zoneOf = (name: string): Zone => {
  let zone = zones.get(name)
  if (zone === undefined) {
    zone = { lookUp: rules.zone(name) ?? ofRuntime(name), days: new Map() }
    zones.set(name, zone)
  }
  return zone
}

/** The rules by which the clocks of this process go: only their names, the rest is asked below. */
export const zoneRules = (): Pick<ZoneRules, "from" | "release"> => rules

/** From now on the clocks of this process go by these rules. What they don't have goes by the runtime's. */
export const useZoneRules = (others: ZoneRules): void => {
  rules = others
  zones.clear()
}

/**
 * The zone's offset from UTC at an instant, in milliseconds (east is positive). Most days have one offset, which is
 * cached: a look-up in the runtime's data takes about 9 µs.
 */
export const offsetAt = (zoneName: string, instant: Instant): number => {
  const zone = zoneOf(zoneName)
  const day = Math.floor(instant / dayMs)
  let offset = zone.days.get(day)
  if (offset === undefined) {
    const first = zone.lookUp(day * dayMs)
    offset = first === zone.lookUp((day + 1) * dayMs) ? first : null
    if (zone.days.size > 5000) zone.days.clear()
    zone.days.set(day, offset)
  }
  return offset ?? zone.lookUp(instant)
}

/** The offsets a day before and after a local time, which has one of them. No zone is more than 14 hours from UTC. */
const offsetsAround = (zone: string, wall: number): readonly [before: number, after: number] => [
  offsetAt(zone, wall - dayMs),
  offsetAt(zone, wall + dayMs)
]

/**
 * The instant of a local clock time. `minutes` counts clock minutes from the date's midnight: 1500 is one o'clock on
 * the next day. Undefined for a time that a clock change skips; the first instant for a time that occurs twice.
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

/** Like `instantOf`, but a time that a clock change skips is the instant of the change. */
export const instantAt = (zone: string, date: LocalDate, minutes: number): Instant => {
  const exact = instantOf(zone, date, minutes)
  if (exact !== undefined) return exact
  const wall = utcMidnight(date) + minutes * minuteMs
  const [before, after] = offsetsAround(zone, wall)
  // The change is in (low, high].
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
 * The date's midnight, if clock minutes and elapsed minutes agree from the day before to four days after it; undefined
 * if the clocks change in between or close by. It saves an offset look-up for each of many times.
 */
export const steadyMidnight = (zone: string, date: LocalDate): Instant | undefined => {
  const wall = utcMidnight(date)
  const offset = offsetAt(zone, wall - 2 * dayMs)
  for (let days = -1; days <= 5; days++) if (offsetAt(zone, wall + days * dayMs) !== offset) return undefined
  return wall - offset
}

/** Local clock minutes since a date's midnight: one o'clock on the next day is 1500. */
export const minutesFrom = (zone: string, date: LocalDate, instant: Instant): number =>
  Math.floor((wallClock(zone, instant) - utcMidnight(date)) / minuteMs)

/** The first instant of a local day. If a clock change skips midnight, the instant of the change. */
export const startOfDay = (zone: string, date: LocalDate): Instant => instantAt(zone, date, 0)

/**
 * A local day as a half-open range of instants: 23, 24 or 25 hours as a rule; empty for a day that a zone skipped
 * (Apia, 2011-12-30).
 */
export const dayRange = (zone: string, date: LocalDate): { readonly start: Instant; readonly end: Instant } => ({
  start: startOfDay(zone, date),
  end: startOfDay(zone, addDays(date, 1))
})

const wallClock = (zone: string, instant: Instant): number => instant + offsetAt(zone, instant)

export const localDateOf = (zone: string, instant: Instant): LocalDate => dateOfUtc(wallClock(zone, instant))
/** Local clock minutes since midnight, 0 to 1439. */
export const localMinutesOf = (zone: string, instant: Instant): number => {
  const wall = wallClock(zone, instant)
  return Math.floor((wall - Math.floor(wall / dayMs) * dayMs) / minuteMs)
}

const months = "January February March April May June July August September October November December".split(" ")

/** For people, in local time: `Saturday 5 December 2026, 14:00`. */
export const inWords = (zone: string, instant: Instant): string => {
  const date = localDateOf(zone, instant)
  const weekday = weekdayOf(date)
  const [year, month, day] = date.split("-").map(Number)
  const clock = clockTimeOf(localMinutesOf(zone, instant))
  return `${weekday.charAt(0).toUpperCase()}${weekday.slice(1)} ${day} ${months[(month ?? 1) - 1]} ${year}, ${clock}`
}

/** A date for people, short: `12 Dec 2026`. */
export const shortDate = (date: LocalDate): string => {
  const [year, month, day] = date.split("-").map(Number)
  return `${day} ${(months[(month ?? 1) - 1] ?? "").slice(0, 3)} ${year}`
}

/** The same with the weekday: `Sat 12 Dec 2026`. */
const dateInWords = (date: LocalDate): string => {
  const weekday = weekdayOf(date)
  return `${weekday.charAt(0).toUpperCase()}${weekday.slice(1, 3)} ${shortDate(date)}`
}

/**
 * When a visit is, for assistants to repeat: `Sat 12 Dec 2026, 14:00–16:00`, or its start alone. An end on another day
 * has its date, and a clock time that occurs twice its offset.
 */
export const whenInWords = (zone: string, start: Instant, end?: Instant): string => {
  const clock = (instant: Instant) =>
    `${clockTimeOf(localMinutesOf(zone, instant))}${isShownTwice(zone, instant) ? ` (${format(zone, instant).slice(-6)})` : ""}`
  const [from, to] = [localDateOf(zone, start), localDateOf(zone, end ?? start)]
  const last = end === undefined ? "" : from === to ? `–${clock(end)}` : ` – ${dateInWords(to)}, ${clock(end)}`
  return `${dateInWords(from)}, ${clock(start)}${last}`
}

/** RFC 3339 with the zone's own offset, to the second: `2026-12-05T14:00:00+00:00`. */
export const format = (zone: string, instant: Instant): string => {
  // Offsets with seconds are from the 19th century. RFC 3339 can't express them.
  const offset = Math.round(offsetAt(zone, instant) / minuteMs)
  const wall = new Date(instant + offset * minuteMs).toISOString().slice(0, 19)
  return `${wall}${offset < 0 ? "-" : "+"}${clockTimeOf(Math.abs(offset))}`
}

/**
 * The instant of a time that was told by a zone's clock with the offset that it had then (`format`), if the rules are
 * others by now: when the clock shows it, whatever the offset. The same instant, where they are not.
 */
export const onWall = (zone: string, told: string): Instant => {
  const then = Date.parse(told)
  return format(zone, then) === told
    ? then
    : instantAt(zone, told.slice(0, 10), minutesOf(told.slice(11, 16))) + Number(told.slice(17, 19)) * secondMs
}

/** Whether the local clock shows this minute at two instants, as in the hour when the clocks go back. */
export const isShownTwice = (zone: string, instant: Instant): boolean => {
  const wall = Math.floor(wallClock(zone, instant) / minuteMs) * minuteMs
  const [before, after] = offsetsAround(zone, wall)
  return before !== after && [before, after].every((offset) => offsetAt(zone, wall - offset) === offset)
}

/** For people who run the service: `2026-12-05 14:00:00Z`. */
export const inUtc = (at: Instant): string => `${new Date(at).toISOString().slice(0, 19).replace("T", " ")}Z`

/** Like `instantAt`, but the last instant of a time that occurs twice. */
export const lastInstantAt = (zone: string, date: LocalDate, minutes: number): Instant => {
  const first = instantAt(zone, date, minutes)
  if (!isShownTwice(zone, first)) return first
  const [before, after] = offsetsAround(zone, utcMidnight(date) + minutes * minuteMs)
  return first + Math.abs(before - after)
}

/** For people, short: `2026-12-05 14:00`, with the offset if the local clock shows that time twice. */
export const shortDateTime = (zone: string, instant: Instant): string => {
  const offset = isShownTwice(zone, instant) ? ` (${format(zone, instant).slice(-6)})` : ""
  return `${localDateOf(zone, instant)} ${clockTimeOf(localMinutesOf(zone, instant))}${offset}`
}

/** Time until a deadline, rounded down: `in 15 minutes`. */
export const until = (deadline: Instant, now: Instant): string => {
  const minutes = Math.floor((deadline - now) / minuteMs)
  if (minutes < 1) return "in less than a minute"
  if (minutes < 120) return `in ${counted(minutes, "minute")}`
  return minutes < 2 * dayMinutes
    ? `in ${counted(Math.floor(minutes / 60), "hour")}`
    : `in ${counted(Math.floor(minutes / dayMinutes), "day")}`
}
