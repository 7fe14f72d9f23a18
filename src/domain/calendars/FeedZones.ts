/**
 * The time zones of a calendar. A name with a region (Europe/Berlin) is the runtime's, whatever the calendar says of
 * it. Any other is the calendar's own, by its rules: Outlook's ("W. Europe Standard Time"), and the abbreviations that
 * programs take for names ("GMT", with summer time: python3-vobject 0.9.6.1). Without rules, the names of Windows are
 * those of CLDR.
 */
import type windows from "cldr-core/supplemental/windowsZones.json"
import { createRequire } from "node:module"
import { dayMs, type Instant, offsetAt, zoneAbbreviated, zoneNamed } from "../../platform/time/LocalTime.ts"
import type { Steps } from "../../platform/concurrency/LoopSlice.ts"
import { lineOf, offsetOf, timeIn } from "./CalendarText.ts"
import { type Day, type DayBudget, daysOfRule, ruleOf } from "./Recurrence.ts"

/** The offset from UTC at an instant, in milliseconds. */
export type Zone = (instant: Instant) => number

export const utc: Zone = () => 0

/** A zone of the runtime. */
export const zoneOf =
  (name: string): Zone =>
  (instant) =>
    offsetAt(name, instant)

/** A zone with one offset. */
export const fixedZone =
  (offset: number): Zone =>
  () =>
    offset

/**
 * The instant of a local time (milliseconds as if it were UTC). A time that the clocks skip is counted by the offset
 * before the change, and one that occurs twice is the first (RFC 5545, 3.3.5).
 */
export const instantIn = (zone: Zone, wall: number): Instant => {
  const [before, after] = [zone(wall - dayMs), zone(wall + dayMs)]
  for (const offset of before > after ? [before, after] : [after, before])
    if (zone(wall - offset) === offset) return wall - offset
  return wall - before
}

interface Change {
  readonly at: Instant
  readonly before: number
  readonly after: number
}

/** Rules of clock changes come back each year; so many days before a time one is found. */
const yearAndMore = 800

/** The changes by one part of a zone (STANDARD, DAYLIGHT); undefined if it is not understood. */
const changesOf = function* (
  lines: ReadonlyArray<string>,
  from: Day,
  to: Day,
  budget: DayBudget
): Steps<ReadonlyArray<Change> | undefined> {
  const read = lines.flatMap((text) => lineOf(text) ?? [])
  const value = (name: string) => read.find((line) => line.name === name)?.value ?? ""
  const [before, after] = [offsetOf(value("TZOFFSETFROM")), offsetOf(value("TZOFFSETTO"))]
  const dtstart = read.find(({ name }) => name === "DTSTART")
  const start = dtstart && timeIn(dtstart, dtstart.value)
  if (start === undefined || before === undefined || after === undefined) return undefined
  const { wall } = start
  const day = Math.floor(wall / dayMs)
  const walls = [wall]
  for (const line of read) {
    yield
    if (line.name === "RDATE") {
      for (const text of line.value.split(",")) {
        const time = timeIn(line, text)
        if (time === undefined) return undefined
        walls.push(time.wall)
      }
    } else if (line.name === "RRULE") {
      const { lacks, rule } = ruleOf(line.value, start)
      if (lacks.length > 0) return undefined
      const until = rule.until?.wall ?? Infinity
      const first = Math.min(from, Math.floor(until / dayMs)) - yearAndMore
      const days = yield* daysOfRule(rule, day, first, to, budget)
      if (days === undefined) return undefined
      for (const its of days) {
        const at = its * dayMs + (wall - day * dayMs)
        if (at - before <= until) walls.push(at)
      }
    }
  }
  return walls.map((at) => ({ at: at - before, before, after }))
}

/** Characters of a zone's rules: those of many centuries, each year by itself. */
const longestZone = 200_000

/** A zone by its rules (the parts of a VTIMEZONE), for times between two days; undefined if they are not understood. */
const zoneOfRules = function* (
  parts: ReadonlyArray<ReadonlyArray<string>>,
  from: Day,
  to: Day,
  budget: DayBudget
): Steps<Zone | undefined> {
  if (parts.flat().reduce((sum, { length }) => sum + length, 0) > longestZone) return undefined
  const changes: Array<Change> = []
  for (const part of parts) {
    const its = yield* changesOf(part, from, to, budget)
    if (its === undefined) return undefined
    for (const change of its) changes.push(change)
  }
  changes.sort((a, b) => a.at - b.at)
  const [first] = changes
  if (first === undefined) return undefined
  return (instant) => {
    // The number of changes until then.
    let [low, high] = [0, changes.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((changes[middle]?.at ?? Infinity) <= instant) low = middle + 1
      else high = middle
    }
    return changes[low - 1]?.after ?? first.before
  }
}

/** What the name of a zone means. */
export type NamedZone =
  | { readonly kind: "known"; readonly zone: Zone }
  /** It may be any of these clocks. `taken`: which ones these are, in words. */
  | { readonly kind: "doubtful"; readonly zones: readonly [Zone, ...ReadonlyArray<Zone>]; readonly taken: string }
  | { readonly kind: "unknown" }

const known = (zone: Zone): NamedZone => ({ kind: "known", zone })

let windowsZones: ReadonlyMap<string, string> | undefined

/**
 * The zones of Windows by their names, as Outlook and Exchange write them, with or without rules (CLDR). They are
 * loaded at the first name that needs them: most feeds have none.
 */
const zonesOfWindows = (): ReadonlyMap<string, string> => {
  if (windowsZones === undefined) {
    const file = "cldr-core/supplemental/windowsZones.json"
    const { supplemental }: typeof windows = createRequire(import.meta.url)(file)
    windowsZones = new Map(
      supplemental.windowsZones.mapTimezones.flatMap(({ mapZone: { _other, _territory, _type } }) =>
        _territory === "001" ? [[_other.toLowerCase(), _type] as const] : []
      )
    )
  }
  return windowsZones
}

/** The offsets that a zone has in the year after an instant, each four weeks. */
export const yearOf = (zone: Zone, from: Instant): ReadonlyArray<number> =>
  Array.from({ length: 13 }, (_, month) => zone(from + month * 28 * dayMs))

/**
 * The different clocks of Windows whose offset in winter is this one, in the year after a day: Windows shows its zones
 * to people as `(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna`, in their own language.
 */
const clocksOf = function* (offset: number, from: Day, budget: DayBudget): Steps<ReadonlyArray<Zone>> {
  const clocks = new Map<string, Zone>()
  for (const name of zonesOfWindows().values()) {
    yield
    budget.left -= 13
    const zone = zoneOf(name)
    const year = yearOf(zone, from * dayMs)
    if (Math.min(...year) === offset) clocks.set(year.join(), zone)
  }
  return [...clocks.values()]
}

/** For whom the zones of a calendar are read: between two days, in a playroom's zone. */
interface Wanted {
  readonly from: Day
  readonly to: Day
  readonly playroom: string
}

/**
 * What a name means in a calendar. `rules`: its own zones. Some programs put words of their own before the name:
 * /citadel.org/20210210_1/Europe/Berlin, tzone://Microsoft/Utc.
 */
export const zoneIn = function* (
  rules: ReadonlyMap<string, ReadonlyArray<ReadonlyArray<string>>>,
  name: string,
  { from, playroom, to }: Wanted,
  budget: DayBudget
): Steps<NamedZone> {
  const named = zoneNamed(name)
  if (named !== undefined && named.includes("/")) return known(zoneOf(named))
  const declared = rules.get(name)
  const own = declared && (yield* zoneOfRules(declared, from, to, budget))
  if (own !== undefined) return known(own)
  const parts = name.split("/")
  const placed =
    named ??
    zoneNamed(parts.slice(-3).join("/")) ??
    zoneNamed(parts.slice(-2).join("/")) ??
    zonesOfWindows().get(name.toLowerCase())
  if (placed !== undefined) return known(zoneOf(placed))
  if (/^(\(UTC\) Coordinated Universal Time|tzone:\/\/Microsoft\/Utc)$/i.test(name)) return known(utc)
  // sabre/vobject 2.1.7 names the zone of a time with an offset by that: TZID="+02:00".
  const offset = offsetOf(name.replace(/^(?:UTC|GMT)(?=[+-])/i, ""))
  if (offset !== undefined) return known(fixedZone(offset))
  const shown = /^\((?:UTC|GMT)([+-]\d\d:\d\d)?\) /i.exec(name)
  if (shown !== null) {
    const [zone, ...zones] = yield* clocksOf(offsetOf(shown[1] ?? "+00:00") ?? 0, from, budget)
    if (zone !== undefined) return { kind: "doubtful", zones: [zone, ...zones], taken: "each that it may be" }
  }
  const abbreviated = zoneAbbreviated(name)
  if (abbreviated === undefined) return { kind: "unknown" }
  // The tz database has it, but people may mean another clock by it: EST, GMT, CET.
  return { kind: "doubtful", zones: [zoneOf(playroom), zoneOf(abbreviated)], taken: `${playroom}, and for ${name}` }
}
