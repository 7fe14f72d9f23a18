/**
 * When a calendar is busy: its events, with what recurs, between two instants. Pure, and in steps: files come from
 * strangers. What is not understood of an event closes the times that it may mean, and is named in its own words.
 */
import { Effect, Result, Schema } from "effect"
import { dayMs, type Instant, minuteMs } from "../../platform/time/LocalTime.ts"
import { inTurns, type Steps } from "../../platform/concurrency/LoopSlice.ts"
import {
  type CalendarText,
  CalendarUnreadable,
  type FeedEvent,
  type DurationValue,
  dateBefore,
  durationOf,
  type Line,
  lineOf,
  timeIn,
  type TimeValue
} from "./CalendarText.ts"
import { fixedZone, instantIn, type NamedZone, utc, yearOf, type Zone, zoneIn, zoneOf } from "./FeedZones.ts"
import { type DayBudget, daysOfRule, eachDay, type ReadRule, type Rule, ruleOf } from "./Recurrence.ts"

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

/** Days that the rules of a calendar may take, about a second, and what one value of a list counts as. */
const maxRuleDays = 2_000_000
const daysOfValue = 10
const maxTimes = 20_000
/** Times that are stored: the database looks at all of a room whenever one of its bookings ends. */
const maxStored = 2000
const maxUnread = 20
/** Of what is told in the words of an event. */
const longestWords = 100
/** Values of an event to read in a step. */
const perStep = 50
/** Times that end later are stored as if they ended then: no calendar of years goes on. */
const latest = Date.UTC(9999, 0)
/** Rules of one event; more than one are rare. */
const maxRules = 4
const overMany: ReadRule = { rule: eachDay, lacks: [`it has more than ${maxRules} RRULEs: it counts for each day`] }
/** The longest event that recurs, in days. */
const longestRecurring = 366

/** A value with the zone that it is in. */
interface Point {
  readonly wall: number
  readonly zone: Zone
  readonly isDate: boolean
}

const instant = ({ wall, zone }: Point): Instant => instantIn(zone, wall)

/** The zone of a value in a line. */
type Zones = (line: Line, value: TimeValue) => Zone

const pointOf = (line: Line, text: string, zones: Zones): Point | undefined => {
  const value = timeIn(line, text)
  return value && { wall: value.wall, zone: zones(line, value), isDate: value.isDate }
}

/** Says why an event is not understood whole, and which line of it. */
type Refuse = (why: string, line?: Line) => void

/** An event: its lines by their names. */
type Lines = ReadonlyMap<string, ReadonlyArray<Line>>

const inWords = (text: string): string =>
  `"${text.slice(0, longestWords).replaceAll(/\p{C}/gu, " ")}${text.length > longestWords ? "…" : ""}"`

const unreadableLine = ({ name }: Line, then: string): string =>
  `it has ${/^[AEIR]/.test(name) ? "an" : "a"} ${name} that can't be read: ${then}`

/** What is between commas. Data::ICal 0.24 escapes them, as if times were text. */
function* pieces(value: string): Generator<string> {
  let at = 0
  for (;;) {
    const comma = value.indexOf(",", at)
    yield value.slice(at, comma === -1 ? undefined : comma).replace(/\\$/, "")
    if (comma === -1) return
    at = comma + 1
  }
}

/** What the lists in these lines have; `of` is undefined for what can't be read, and the line is named. */
const listed = function* <A>(
  lines: ReadonlyArray<Line>,
  { budget, refuse }: Reading,
  of: (line: Line, text: string) => A | undefined
): Steps<ReadonlyArray<A>> {
  const found: Array<A> = []
  let read = 0
  for (const line of lines) {
    let isRead = true
    for (const text of pieces(line.value)) {
      if (++read % perStep === 0) yield
      if ((budget.left -= daysOfValue) < 0) return found
      const one = of(line, text)
      if (one === undefined) isRead = false
      else found.push(one)
    }
    if (!isRead)
      refuse(
        unreadableLine(line, line.name === "EXDATE" ? "what it leaves out counts" : "that time is not closed"),
        line
      )
  }
  return found
}

/** Where an event that begins at this point ends. */
type EndOf = (start: Point) => Instant

const after =
  ({ days, isNegative, ms }: DurationValue): EndOf =>
  ({ wall, zone }) =>
    isNegative ? -Infinity : instantIn(zone, wall + days * dayMs) + ms

const startOfNextDay: EndOf = ({ wall, zone }) => instantIn(zone, (Math.floor(wall / dayMs) + 1) * dayMs)

const endOf = (lines: Lines, start: Point, zones: Zones, refuse: Refuse): EndOf => {
  const [length] = lines.get("DURATION") ?? []
  const duration = length && durationOf(length.value)
  if (duration !== undefined) return after(duration)
  const dtend = lines.get("DTEND")?.find(({ value }) => value !== "")
  const end = dtend && pointOf(dtend, dtend.value, zones)
  const unread = end === undefined ? (dtend ?? (length?.value === "" ? undefined : length)) : undefined
  if (unread !== undefined) {
    refuse(unreadableLine(unread, "it counts until the end of the day"), unread)
    return startOfNextDay
  }
  if (start.isDate) {
    const days = Math.max(1, Math.round(((end?.wall ?? 0) - start.wall) / dayMs))
    return ({ wall, zone }) => instantIn(zone, wall + days * dayMs)
  }
  if (end === undefined) return instant
  const lasts = instant(end) - instant(start)
  // The others of a series last as long as its first one (RFC 5545, 3.8.5.3). Where that spans a clock change, programs
  // show them by the clock: the longer of both is not sold. By the clock, too, if nothing is left of what the clocks
  // skip.
  const byClock = end.zone === start.zone ? end.wall - start.wall : lasts
  return (point) => instant(point) + (point.wall === start.wall && lasts > 0 ? lasts : Math.max(lasts, byClock))
}

/** A period, as a start and where it ends; undefined if it is none, or ends before it begins. */
const periodOf = (
  line: Line,
  text: string,
  zones: Zones
): { readonly start: Point; readonly end: EndOf } | undefined => {
  const [from = "", to = ""] = text.split("/", 2)
  const start = pointOf(line, from, zones)
  if (start === undefined) return undefined
  const duration = durationOf(to)
  const until = duration === undefined ? pointOf(line, to, zones) : undefined
  const end: EndOf | undefined = duration ? after(duration) : until && (() => instant(until))
  return end === undefined || end(start) < instant(start) ? undefined : { start, end }
}

/**
 * The date that a point means among whole days, in days since 1970. Outlook writes the midnight of such a date in UTC,
 * where it may be the day before. (A change of the clocks may skip it: the moment before has the offset.)
 */
const dateOf = ({ wall, zone }: Point, own: Zone): number => {
  const local = zone === utc ? wall + own(wall - 1) : wall
  return Math.floor((local % dayMs === 0 ? local : wall) / dayMs)
}

/**
 * Whether an occurrence of a series is one that these points name: at its instant, or by a date, as they all are among
 * whole days.
 */
const namedBy = function* (points: ReadonlyArray<Point>, series: Point): Steps<(occurrence: Point) => boolean> {
  const days = new Set<number>()
  const instants = new Set<Instant>()
  for (const [i, point] of points.entries()) {
    if (i % perStep === 0) yield
    if (point.isDate || series.isDate) days.add(dateOf(point, series.zone))
    if (!point.isDate) instants.add(instant(point))
  }
  return (occurrence) => days.has(Math.floor(occurrence.wall / dayMs)) || instants.has(instant(occurrence))
}

/** How an event is read: by which zones, and for whom. */
interface Reading {
  readonly zones: Zones
  readonly window: Window
  readonly budget: DayBudget
  readonly refuse: Refuse
}

/** The starts of a series by one of its rules, without the first one. `reach`: how long after its start one may end. */
const startsOf = function* (
  rule: Rule,
  start: Point,
  reach: number,
  line: Line,
  { budget, refuse, window: { from, to } }: Reading
): Steps<ReadonlyArray<Point>> {
  const day = Math.floor(start.wall / dayMs)
  const until: Point | undefined = rule.until && { ...rule.until, zone: rule.until.isUtc ? utc : start.zone }
  // Until a date: of the event's own. Otherwise an instant; without a zone, a local time of the event's.
  const last =
    until === undefined
      ? Infinity
      : until.isDate || start.isDate
        ? instantIn(start.zone, (dateOf(until, start.zone) + 1) * dayMs) - 1
        : instant(until)
  const [first, end] = [Math.floor((from - reach) / dayMs) - 2, Math.ceil(Math.min(to, last) / dayMs) + 2]
  let days = yield* daysOfRule(rule, day, first, end, budget)
  if (days === undefined) {
    refuse("its RRULE takes too long to count: it goes on without that end", line)
    days = yield* daysOfRule({ ...rule, count: undefined }, day, first, end, budget)
  }
  const starts: Array<Point> = []
  for (const [i, one] of (days ?? []).entries()) {
    if (i % perStep === 0) yield
    const wall = start.wall + (one - day) * dayMs
    const point = { ...start, wall: rule.wholeDays ? Math.max(start.wall, one * dayMs) : wall }
    if (instant(point) <= last) starts.push(point)
  }
  return starts
}

/** A change of one occurrence of a series. */
interface Change {
  readonly of: Point
  /** If it changes all that follow (RANGE): how long after its own start a moved one may end, and when it is. */
  readonly following: { readonly reach: number; readonly timeOf: (occurrence: Point) => Busy } | undefined
}

/** When those that follow a changed occurrence are, if each is moved as it is; undefined if nobody can tell. */
const followingBy = (lines: Lines, of: Point, zones: Zones): Change["following"] => {
  const [dtstart] = lines.get("DTSTART") ?? []
  const start = dtstart && pointOf(dtstart, dtstart.value, zones)
  if (start === undefined) return undefined
  const by = instant(start) - instant(of)
  const end = endOf(lines, start, zones, () => {})
  const timeOf = (occurrence: Point): Busy => {
    const moved = { ...occurrence, wall: occurrence.wall + by }
    return { start: instant(moved), end: end(moved) }
  }
  return { reach: by + end(start) - instant(start), timeOf }
}

/** When an event is busy, by what it says alone. `changes`: occurrences that other events say more of. */
const timesOf = function* (lines: Lines, changes: ReadonlyArray<Change>, reading: Reading): Steps<ReadonlyArray<Busy>> {
  const {
    budget,
    refuse,
    window: { from, to },
    zones
  } = reading
  const of = (name: string) => lines.get(name) ?? []
  const [dtstart] = of("DTSTART")
  const read = dtstart && timeIn(dtstart, dtstart.value)
  const value = read ?? (dtstart && dateBefore(dtstart.value))
  if (dtstart === undefined || value === undefined) {
    refuse("it has no DTSTART that can be read: it closes nothing", dtstart)
    return []
  }
  if (read === undefined) refuse(unreadableLine(dtstart, "it counts for its whole day"), dtstart)
  const start: Point = { ...value, zone: zones(dtstart, value) }
  const its = endOf(lines, start, zones, refuse)
  const end: EndOf = read === undefined ? (point) => Math.max(its(point), startOfNextDay(point)) : its
  const length = end(start) - instant(start)
  // It closes nothing, and nobody knows which of its times is meant.
  if (length < 0) refuse("it ends before it begins: it closes nothing")
  const [exrule] = of("EXRULE")
  if (exrule !== undefined) refuse("it has an EXRULE: what that leaves out counts", exrule)
  budget.left -= changes.length
  const excluded = yield* listed(of("EXDATE"), reading, (line, text) => pointOf(line, text, zones))
  const moves = changes
    .flatMap(({ following, of }) => (following === undefined ? [] : [{ ...following, after: instant(of) }]))
    .toSorted((a, b) => a.after - b.after)
  const reach = moves.reduce((most, its) => Math.max(most, its.reach), Math.max(0, length))
  /** Whether what begins then may matter. Offsets take time to look up, and lists may be long. */
  const isNear = ({ wall }: Point): boolean => wall > from - reach - 3 * dayMs && wall < to + 3 * dayMs
  const gone = yield* namedBy([...excluded, ...changes.map(({ of }) => of)].filter(isNear), start)
  const found: Array<Busy> = []
  const add = (point: Point, its: EndOf): void => {
    const own = { start: instant(point), end: its(point) }
    budget.left -= moves.length
    // Programs differ in whether they know RANGE: both times count.
    const moved = moves.findLast(({ after }) => after < own.start)?.timeOf(point)
    const busy = (moved === undefined ? [own] : [own, moved]).filter(
      ({ end, start }) => start < end && end > from && start < to
    )
    if (busy.length > 0 && !gone(point)) found.push(...busy)
  }
  add(start, end)
  const rules = of("RRULE")
  if (rules.length > 0 && length > longestRecurring * dayMs) {
    refuse("it recurs, and lasts longer than a year: it counts from its beginning for ever", rules[0])
    add(start, () => latest)
    return found
  }
  for (const line of rules.slice(0, maxRules + 1)) {
    const { lacks, rule } = line === rules[maxRules] ? overMany : ruleOf(line.value, value)
    for (const why of lacks) refuse(why, line)
    for (const point of yield* startsOf(rule, start, reach, line, reading)) {
      yield
      if (found.length > maxTimes || budget.left < 0) return found
      add(point, rule.wholeDays ? (it) => startOfNextDay(it) + Math.max(0, length) : end)
    }
  }
  const dates = yield* listed(of("RDATE"), reading, (line, text) => {
    if (text.includes("/")) return periodOf(line, text, zones)
    const point = pointOf(line, text, zones)
    return point && { start: point, end }
  })
  for (const date of dates) {
    yield
    if (found.length > maxTimes || budget.left < 0) return found
    if (date.end !== end || isNear(date.start)) add(date.start, date.end)
  }
  return found
}

/** The busy times of a list (VFREEBUSY). Of a kind that nobody knows, they count, too. */
const listedTimes = function* (lines: Lines, reading: Reading): Steps<ReadonlyArray<Busy>> {
  const { window, zones } = reading
  const busy = (lines.get("FREEBUSY") ?? []).filter(
    ({ parameters }) => parameters.get("FBTYPE")?.toUpperCase() !== "FREE"
  )
  const periods = yield* listed(busy, reading, (line, text) => periodOf(line, text, zones))
  const found: Array<Busy> = []
  for (const [i, { end, start }] of periods.entries()) {
    if (i % perStep === 0) yield
    if (found.length > maxTimes) return found
    const time = { start: instant(start), end: end(start) }
    if (time.start < time.end && time.end > window.from && time.start < window.to) found.push(time)
  }
  return found
}

/**
 * Times in order and without overlaps, as far as they are in the window. An event that has begun keeps its beginning.
 */
const merged = (all: ReadonlyArray<Busy>): ReadonlyArray<Busy> => {
  const found: Array<{ start: Instant; end: Instant }> = []
  for (const { start, end } of all.toSorted((a, b) => a.start - b.start)) {
    const last = found.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.min(Math.max(last.end, end), latest)
    else found.push({ start, end: Math.min(end, latest) })
  }
  return found
}

/** So many times that the shortest gaps between them are closed, too, and the longest of these gaps. */
const withoutGaps = (times: ReadonlyArray<Busy>): { readonly busy: ReadonlyArray<Busy>; readonly gap: number } => {
  const gaps = times.slice(1).map(({ start }, i) => start - (times[i]?.end ?? start))
  const gap = gaps.toSorted((a, b) => a - b)[times.length - maxStored - 1] ?? 0
  return {
    gap,
    busy: merged(times.map(({ end, start }, i) => ({ start, end: (gaps[i] ?? Infinity) <= gap ? end + gap : end })))
  }
}

/** An event's first time, as it is told. */
const firstTime = (lines: Lines): string => {
  const [dtstart] = lines.get("DTSTART") ?? []
  if (dtstart === undefined) return "no known time"
  const time = timeIn(dtstart, dtstart.value)
  if (time === undefined) return inWords(dtstart.value)
  const text = new Date(time.wall).toISOString()
  return time.isDate ? text.slice(0, 10) : `${text.slice(0, 19)}${time.isUtc ? "Z" : ""}`
}

const byName = function* (
  event: FeedEvent,
  wanted: (text: string) => boolean,
  unreadable: (text: string) => void
): Steps<Lines> {
  const lines = new Map<string, Array<Line>>()
  for (const text of event.lines) {
    yield
    if (!wanted(text)) continue
    const line = lineOf(text, event.zone)
    if (line === undefined) unreadable(text)
    else {
      const its = lines.get(line.name)
      if (its === undefined) lines.set(line.name, [line])
      else its.push(line)
    }
  }
  return lines
}

/** A name of a zone that is not known, or not surely, in a line. */
interface DoubtfulZone {
  readonly its: NamedZone
  readonly line: Line
}

const busySteps = function* (
  calendar: CalendarText,
  isLeftOut: (event: FeedEvent) => boolean,
  window: Window
): Steps<Result.Result<BusyCalendar, CalendarUnreadable>> {
  const budget: DayBudget = { left: maxRuleDays }
  const unread: Array<UnreadEvent> = []
  const unreadable = (why: string) => Result.fail(new CalendarUnreadable({ why }))

  const own = zoneOf(window.time_zone)
  const offsets = [...new Set(yearOf(own, window.from))]
  const named = new Map<string, NamedZone>()
  const wanted = {
    from: Math.floor(window.from / dayMs),
    to: Math.ceil(window.to / dayMs) + 2,
    playroom: window.time_zone
  }
  const learn = function* (lines: Lines): Steps<void> {
    for (const line of [...lines.values()].flat()) {
      const name = line.parameters.get("TZID")
      if (name === undefined || named.has(name)) continue
      yield
      named.set(name, yield* zoneIn(calendar.zones, name, wanted, budget))
    }
  }
  const firstOf = (its: NamedZone): Zone => (its.kind === "doubtful" ? its.zones[0] : own)
  /** Zones by names. `take`: for which zone a name is taken that is not known, or not surely. */
  const zonesBy =
    (take: (its: NamedZone) => Zone = firstOf, doubtful = new Map<string, DoubtfulZone>()): Zones =>
    (line, value) => {
      if (value.isUtc) return utc
      const name = line.parameters.get("TZID")
      const its = name === undefined || value.isDate ? undefined : named.get(name)
      if (name === undefined || its === undefined) return own
      if (its.kind === "known") return its.zone
      if (!doubtful.has(name)) doubtful.set(name, { its, line })
      return take(its)
    }
  const refuserOf =
    (lines: () => Lines): Refuse =>
    (why, line) => {
      const it = { at: firstTime(lines()), why: line === undefined ? why : `${why} (${inWords(line.text)})` }
      if (unread.length < maxUnread && !unread.some(({ at, why }) => at === it.at && why === it.why)) unread.push(it)
    }
  const taken = `taken for ${window.time_zone}${offsets.length > 1 ? ", by its summer and by its winter time" : ""}`

  /** When an event is busy by each zone that it may mean. */
  const timesBy = function* (
    refuse: Refuse,
    times: (reading: Reading) => Steps<ReadonlyArray<Busy>>
  ): Steps<ReadonlyArray<Busy>> {
    const doubtful = new Map<string, DoubtfulZone>()
    const found = [...(yield* times({ zones: zonesBy(firstOf, doubtful), window, budget, refuse }))]
    const silently = (take: (its: NamedZone) => Zone) =>
      times({ zones: zonesBy(take), window, budget, refuse: () => {} })
    const unknown = [...doubtful].filter(([, { its }]) => its.kind === "unknown")
    for (const [name, { line }] of unknown.slice(0, maxUnread))
      refuse(`its time zone ${name.slice(0, 60)} is not known: ${taken}`, line)
    if (unknown.length > 0 && offsets.length > 1)
      for (const offset of offsets)
        found.push(...(yield* silently((its) => (its.kind === "unknown" ? fixedZone(offset) : firstOf(its)))))
    const others = Math.max(0, ...[...doubtful].map(([, { its }]) => (its.kind === "doubtful" ? its.zones.length : 0)))
    const seen = new Set(found.map(({ end, start }) => `${start} ${end}`))
    let isDoubtful = false
    for (let i = 1; i < others; i++) {
      const its = yield* silently((its) => (its.kind === "doubtful" ? (its.zones[i] ?? its.zones[0]) : own))
      // Where they all have the same clock then, there is no doubt.
      if (its.some(({ end, start }) => !seen.has(`${start} ${end}`))) isDoubtful = true
      found.push(...its)
    }
    if (isDoubtful)
      for (const [name, { its, line }] of [...doubtful].slice(0, maxUnread))
        if (its.kind === "doubtful")
          refuse(`its time zone ${name.slice(0, 60)} may mean other clocks: taken for ${its.taken}`, line)
    return found
  }

  const changes = new Map<string, Array<Change>>()
  for (const event of calendar.events) {
    yield
    if (!event.isChange) continue
    const lines = yield* byName(
      event,
      (text) => /^(RECURRENCE-ID|DTSTART|DTEND|DURATION)[;:]/i.test(text),
      () => {}
    )
    const refuse = refuserOf(() => lines)
    const [line] = lines.get("RECURRENCE-ID") ?? []
    yield* learn(lines)
    const zones = zonesBy()
    const of = line && pointOf(line, line.value, zones)
    if (of === undefined) {
      refuse("it has a RECURRENCE-ID that can't be read: it counts, and so does what it changes", line)
      continue
    }
    const toAll = line?.parameters.has("RANGE") === true
    if (toAll) refuse("it changes all that follow it (RANGE): they count as they were, and as they are by it", line)
    const its = changes.get(event.uid) ?? []
    its.push({ of, following: toAll ? followingBy(lines, of, zones) : undefined })
    changes.set(event.uid, its)
  }

  const all: Array<Busy> = []
  for (const event of calendar.events) {
    yield
    if (isLeftOut(event)) continue
    const lost: Array<string> = []
    const lines = yield* byName(
      event,
      () => true,
      (text) => void lost.push(text)
    )
    const saying = (name: string): string => (lines.get(name)?.[0]?.value ?? "").toUpperCase()
    // Outlook's own word for it, where the standard's is missing.
    const shownAs = saying("TRANSP") || saying("X-MICROSOFT-CDO-BUSYSTATUS")
    if (shownAs === "TRANSPARENT" || shownAs === "FREE" || saying("STATUS") === "CANCELLED") continue
    const refuse = refuserOf(() => lines)
    for (const text of lost.slice(0, maxUnread)) refuse(`it has a line that can't be read: ${inWords(text)}`)
    if (event.unended !== undefined) refuse(`it has a part without an end: "BEGIN:${event.unended}"`)
    yield* learn(lines)
    const others = lines.has("RECURRENCE-ID") ? [] : (changes.get(event.uid) ?? [])
    const times = yield* timesBy(refuse, (reading) =>
      event.kind === "VFREEBUSY" ? listedTimes(lines, reading) : timesOf(lines, others, reading)
    )
    for (const time of times) all.push(time)
    if (budget.left < 0) return unreadable("its events take too long to read")
    if (all.length > maxTimes) return unreadable(`it is busy at more than ${maxTimes} times`)
  }
  yield
  const times = merged(all)
  yield
  if (times.length <= maxStored) return Result.succeed<BusyCalendar>({ busy: times, unread })
  const { busy, gap } = withoutGaps(times)
  const minutes = Math.ceil(gap / minuteMs)
  unread.push({
    at: new Date(times[0]?.start ?? window.from).toISOString().slice(0, 16),
    why: `it is one of more than ${maxStored} busy times: gaps between them of up to ${minutes} minutes count as busy, too`
  })
  return Result.succeed<BusyCalendar>({ busy, unread })
}

/**
 * When a calendar is busy. `isLeftOut` says which events don't count: bookings of ours, and what the venue ignores. Fails if it takes
 * too long, or has too many times.
 */
export const busyTimes = (calendar: CalendarText, isLeftOut: (event: FeedEvent) => boolean, window: Window) =>
  Effect.flatMap(
    inTurns(() => busySteps(calendar, isLeftOut, window)),
    Effect.fromResult
  )
