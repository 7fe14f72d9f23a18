/**
 * When a calendar is busy: its events, with what recurs, between two instants. Pure. An event that is not understood
 * whole is named by its first time, and busy as far as it is understood.
 */
import { Effect, Result, Schema } from "effect"
import ICAL from "ical.js"
import { dayMs, type Instant, secondMs } from "../kernel/LocalTime.ts"
import { type CalendarText, CalendarUnreadable, type FeedEvent } from "./CalendarText.ts"
import { instantIn, namedZone, utc, wallOf, type Zone, zoneOf, zoneOfRules } from "./FeedZones.ts"
import { type DayBudget, daysOfRule, ruleOf } from "./Recurrence.ts"

/** A time from `start` to `end` (excluded). */
export interface Busy {
  readonly start: Instant
  readonly end: Instant
}

/** An event that may be busy at times that are not known. No words of its own, but for its time and its rule. */
export const UnreadEvent = Schema.Struct({
  /** Its first time, as it is written. */
  at: Schema.String,
  why: Schema.String
})
export type UnreadEvent = typeof UnreadEvent.Type

interface BusyCalendar {
  /** In order, without overlaps. */
  readonly busy: ReadonlyArray<Busy>
  readonly unread: ReadonlyArray<UnreadEvent>
}

/** What is read of a calendar, and for whom. */
export interface Window {
  /** The playroom's zone, for whole days and times without a zone. */
  readonly time_zone: string
  readonly from: Instant
  readonly to: Instant
}

/** Days that the rules of a calendar may take: about a second. */
const maxRuleDays = 2_000_000
const maxTimes = 20_000
const maxUnread = 20
const longestAt = 60
const eventsPerYield = 25
/** Times that end later are stored as if they ended then: no calendar of years goes on. */
const latest = Date.UTC(9999, 0)
/** Rules of one event; more than one are rare. */
const maxRules = 4
/** The longest event that recurs, in days. */
const longestRecurring = 366

/** A value with the zone that it is in. */
interface Point {
  readonly wall: number
  readonly zone: Zone
  readonly isDate: boolean
}

const instant = ({ wall, zone }: Point): Instant => instantIn(zone, wall)

type Zones = (property: ICAL.Property, time: ICAL.Time) => Zone

/** Finds zones once each. A zone that nobody knows is the playroom's, and the event is named. */
const zonesOf = ({ zones }: CalendarText, { from, time_zone, to }: Window, budget: DayBudget) => {
  const own = zoneOf(time_zone)
  const known = new Map<string, Zone | undefined>()
  const zoneNamed = (name: string): Zone | undefined => {
    if (!known.has(name)) {
      const rules = zones.get(name)
      // Some programs put words of their own before the name: /citadel.org/20210210_1/Europe/Berlin.
      const named =
        namedZone(name) ?? (rules && zoneOfRules(rules, Math.floor(from / dayMs), Math.ceil(to / dayMs) + 2, budget))
      const parts = name.split("/")
      known.set(name, named ?? namedZone(parts.slice(-3).join("/")) ?? namedZone(parts.slice(-2).join("/")))
    }
    return known.get(name)
  }
  return (unknown: (name: string) => void): Zones =>
    (property, time) => {
      if (time.zone === ICAL.Timezone.utcTimezone) return utc
      const name = property.getParameter("tzid")
      if (time.isDate || typeof name !== "string") return own
      const zone = zoneNamed(name)
      if (zone === undefined) unknown(name)
      return zone ?? own
    }
}

const pointOf = (property: ICAL.Property, value: unknown, zones: Zones): Point | undefined => {
  if (!(value instanceof ICAL.Time)) return undefined
  const wall = wallOf(value)
  return Number.isNaN(wall) ? undefined : { wall, zone: zones(property, value), isDate: value.isDate }
}

/** Says why an event is not understood whole. */
type Refuse = (why: string) => void

/** The library reads a value only when it is asked for, and throws at one that is none. */
const read = <A>(value: () => A): A | undefined => {
  try {
    return value()
  } catch {
    return undefined
  }
}

const textOf = (value: () => unknown): string => String(read(value) ?? "unknown").toUpperCase()

const valuesOf = (property: ICAL.Property, refuse: Refuse): ReadonlyArray<unknown> => {
  const values = read(() => property.getValues())
  if (values === undefined) refuse(`it has ${nounOf(property)} that can't be read`)
  return values ?? []
}
const nounOf = ({ name }: ICAL.Property): string => `${/^[aeir]/.test(name) ? "an" : "a"} ${name.toUpperCase()}`

const pointsOf = (component: ICAL.Component, name: string, zones: Zones, refuse: Refuse): ReadonlyArray<Point> =>
  component
    .getAllProperties(name)
    .flatMap((property) => valuesOf(property, refuse).flatMap((value) => pointOf(property, value, zones) ?? []))

/** Where an event that begins at this point ends. */
type EndOf = (start: Point) => Instant

/** Days of a duration are days of the clock, and its rest is elapsed time. */
const after =
  (duration: ICAL.Duration): EndOf =>
  ({ wall, zone }) => {
    const { days, hours, isNegative, minutes, seconds, weeks } = duration
    if (isNegative) return -Infinity
    return instantIn(zone, wall + (weeks * 7 + days) * dayMs) + ((hours * 60 + minutes) * 60 + seconds) * secondMs
  }

const endOf = (component: ICAL.Component, start: Point, zones: Zones): EndOf => {
  const duration = component.getFirstPropertyValue("duration")
  if (duration instanceof ICAL.Duration) return after(duration)
  const [dtend] = component.getAllProperties("dtend")
  const end = dtend && pointOf(dtend, dtend.getFirstValue(), zones)
  if (start.isDate) {
    const days = Math.max(1, Math.round(((end?.wall ?? 0) - start.wall) / dayMs))
    return ({ wall, zone }) => instantIn(zone, wall + days * dayMs)
  }
  if (end === undefined) return instant
  const length = instant(end) - instant(start)
  // The others of a series last as long as its first one (RFC 5545, 3.8.5.3). Where that spans a clock change, programs show
  // them by the clock: the longer of both is not sold. By the clock, too, if nothing is left of what the clocks skip.
  const byClock = end.zone === start.zone ? end.wall - start.wall : length
  return (point) => instant(point) + (point.wall === start.wall && length > 0 ? length : Math.max(length, byClock))
}

/** A period, as a start and where it ends; undefined if it is none, or ends before it begins. */
const periodOf = (property: ICAL.Property, value: unknown, zones: Zones) => {
  if (!(value instanceof ICAL.Period)) return undefined
  const start = pointOf(property, value.start, zones)
  if (start === undefined) return undefined
  const until = value.end === null ? undefined : pointOf(property, value.end, zones)
  const end: EndOf = until === undefined ? after(value.getDuration()) : () => instant(until)
  return end(start) < instant(start) ? undefined : { start, end }
}

const untilOf = (until: ICAL.Time, { zone }: Point): Point => ({
  wall: wallOf(until),
  zone: until.zone === ICAL.Timezone.utcTimezone ? utc : zone,
  isDate: until.isDate
})

/**
 * The date that a point means among whole days, in days since 1970. Outlook writes the midnight of such a date in UTC, where it
 * may be the day before. (A change of the clocks may skip it: the moment before has the offset.)
 */
const dateOf = ({ wall, zone }: Point, own: Zone): number => {
  const local = zone === utc ? wall + own(wall - 1) : wall
  return Math.floor((local % dayMs === 0 ? local : wall) / dayMs)
}

/** Whether an occurrence of a series is one that these points name: at its instant, or by a date, as they all are among whole days. */
const namedBy = (points: ReadonlyArray<Point>, series: Point): ((occurrence: Point) => boolean) => {
  const days = new Set(points.flatMap((point) => (point.isDate || series.isDate ? [dateOf(point, series.zone)] : [])))
  const instants = new Set(points.flatMap((point) => (point.isDate ? [] : [instant(point)])))
  return (occurrence) => days.has(Math.floor(occurrence.wall / dayMs)) || instants.has(instant(occurrence))
}

/** When an event is busy, by what it says alone. `replaced`: occurrences that other events say more of. */
const timesOf = (
  component: ICAL.Component,
  zones: Zones,
  replaced: ReadonlyArray<Point>,
  { from, to }: Window,
  budget: DayBudget,
  refuse: Refuse
): ReadonlyArray<Busy> => {
  const [property] = component.getAllProperties("dtstart")
  const value = property?.getFirstValue()
  const start = property && pointOf(property, value, zones)
  if (start === undefined || !(value instanceof ICAL.Time)) {
    refuse("it has no DTSTART that can be read")
    return []
  }
  const end = endOf(component, start, zones)
  const length = end(start) - instant(start)
  // It closes nothing, and nobody knows which of its times is meant.
  if (length < 0) refuse("it ends before it begins")
  const starts: Array<Point> = [start]
  const day = Math.floor(start.wall / dayMs)
  const rules = component.getAllProperties("rrule")
  if (rules.length > 0 && length > longestRecurring * dayMs) refuse("it recurs, and lasts longer than a year")
  else if (rules.length > maxRules) refuse(`it has more than ${maxRules} RRULEs`)
  else
    for (const its of rules) {
      const rule = ruleOf(its, value)
      if (Result.isFailure(rule)) {
        refuse(rule.failure)
        continue
      }
      const until = rule.success.until && untilOf(rule.success.until, start)
      // Until a date: of the event's own. Otherwise an instant; without a zone, a local time of the event's.
      const last =
        until === undefined
          ? Infinity
          : until.isDate || start.isDate
            ? instantIn(start.zone, (dateOf(until, start.zone) + 1) * dayMs) - 1
            : instant(until)
      const first = Math.floor((from - Math.max(0, length)) / dayMs) - 2
      const days = daysOfRule(rule.success, day, first, Math.ceil(Math.min(to, last) / dayMs) + 2, budget)
      if (days === undefined) {
        refuse("its RRULE takes too long")
        continue
      }
      for (const one of days) {
        const point = { ...start, wall: start.wall + (one - day) * dayMs }
        if (instant(point) <= last) starts.push(point)
      }
    }
  if (component.hasProperty("exrule")) refuse("it has an EXRULE")
  const found: Array<Busy> = []
  const add = (point: Point, its: EndOf) => found.push({ start: instant(point), end: its(point) })
  budget.left -= replaced.length
  const gone = namedBy([...pointsOf(component, "exdate", zones, refuse), ...replaced], start)
  for (const rdate of component.getAllProperties("rdate"))
    for (const value of valuesOf(rdate, refuse)) {
      const period = periodOf(rdate, value, zones)
      const point = period?.start ?? pointOf(rdate, value, zones)
      if (point === undefined) refuse("it has an RDATE that can't be read")
      else if (period === undefined) starts.push(point)
      else if (!gone(point)) add(point, period.end)
    }
  for (const point of starts) if (!gone(point)) add(point, end)
  return found
}

/** The busy times of a list (VFREEBUSY). Of a kind that nobody knows, they count, too. */
const listedTimes = (component: ICAL.Component, zones: Zones, refuse: Refuse): ReadonlyArray<Busy> =>
  component.getAllProperties("freebusy").flatMap((property) =>
    textOf(() => property.getParameter("fbtype")) === "FREE"
      ? []
      : valuesOf(property, refuse).flatMap((value) => {
          const period = periodOf(property, value, zones)
          if (period === undefined) refuse("it has a FREEBUSY that can't be read")
          return period === undefined ? [] : [{ start: instant(period.start), end: period.end(period.start) }]
        })
  )

/** Times in order and without overlaps, as far as they are in the window. An event that has begun keeps its beginning. */
const merged = (all: ReadonlyArray<Busy>): ReadonlyArray<Busy> => {
  const found: Array<{ start: Instant; end: Instant }> = []
  for (const { start, end } of all.toSorted((a, b) => a.start - b.start)) {
    const last = found.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.min(Math.max(last.end, end), latest)
    else found.push({ start, end: Math.min(end, latest) })
  }
  return found
}

/**
 * When a calendar is busy. `isOwn` says which events are bookings of ours: they are none of its own. Fails if it takes
 * too long, or has too many times.
 */
export const busyTimes = Effect.fnUntraced(function* (
  calendar: CalendarText,
  isOwn: (event: FeedEvent) => boolean,
  window: Window
) {
  const budget: DayBudget = { left: maxRuleDays }
  const unread: Array<UnreadEvent> = []
  const refuse = (component: ICAL.Component | undefined, why: string): void => {
    const at = textOf(() => component?.getFirstPropertyValue("dtstart")).slice(0, longestAt)
    if (unread.length < maxUnread && !unread.some((it) => it.at === at && it.why === why)) unread.push({ at, why })
  }
  const zonesWith = zonesOf(calendar, window, budget)
  const zonesFor = (component: ICAL.Component): Zones =>
    zonesWith((name) =>
      refuse(component, `its time zone ${name.slice(0, 60)} is not known: taken for ${window.time_zone}`)
    )

  const replaced = new Map<string, Array<Point>>()
  for (const { component, uid } of calendar.events) {
    const [property] = component?.getAllProperties("recurrence-id") ?? []
    if (component === undefined || property === undefined) continue
    const point = read(() => pointOf(property, property.getFirstValue(), zonesFor(component)))
    if (property.getParameter("range") !== undefined) refuse(component, "it changes all that follow it (RANGE)")
    if (point === undefined) {
      refuse(component, "it has a RECURRENCE-ID that can't be read")
      continue
    }
    const known = replaced.get(uid)
    if (known === undefined) replaced.set(uid, [point])
    else known.push(point)
  }

  const all: Array<Busy> = []
  for (const [i, event] of calendar.events.entries()) {
    if (i % eventsPerYield === 0) yield* Effect.yieldNow
    const { component, lost, uid } = event
    if (isOwn(event)) continue
    if (component === undefined || lost) refuse(component, "it has lines that can't be read")
    if (component === undefined) continue
    if (textOf(() => component.getFirstPropertyValue("transp")) === "TRANSPARENT") continue
    if (textOf(() => component.getFirstPropertyValue("status")) === "CANCELLED") continue
    const others = component.hasProperty("recurrence-id") ? [] : (replaced.get(uid) ?? [])
    const zones = zonesFor(component)
    const its: Refuse = (why) => refuse(component, why)
    const times = read(() =>
      component.name === "vfreebusy"
        ? listedTimes(component, zones, its)
        : timesOf(component, zones, others, window, budget, its)
    )
    if (times === undefined) refuse(component, "it has a time that can't be read")
    for (const time of times ?? [])
      if (time.start < time.end && time.end > window.from && time.start < window.to) all.push(time)
    if (budget.left < 0) return yield* new CalendarUnreadable({ why: "its recurring events take too long to read" })
    if (all.length > maxTimes)
      return yield* new CalendarUnreadable({ why: `it is busy at more than ${maxTimes} times` })
  }
  const found: BusyCalendar = { busy: merged(all), unread }
  return found
})
