/**
 * Reads the text of a calendar (RFC 5545): its events, lists of busy times and zones, and of these only the lines that
 * say when it is busy. Texts are looked at for references of our bookings, and forgotten. It works in steps:
 * files come from strangers.
 */

import { Effect, Result, Schema } from "effect"
import { inTurns, type Steps } from "../../platform/concurrency/LoopSlice.ts"
import { dayMs, hourMs, minuteMs, secondMs } from "../../platform/time/LocalTime.ts"

/** Why a calendar can't be used. What was read of it before stays. */
export class CalendarUnreadable extends Schema.TaggedError<CalendarUnreadable>()("CalendarUnreadable", {
  why: Schema.String
}) {
  override get message(): string {
    return this.why
  }
}

/** An event, or a list of busy times (VFREEBUSY), with what may tell that it is a booking of ours. */
export interface FeedEvent {
  readonly kind: "VEVENT" | "VFREEBUSY"
  readonly uid: string
  /** As `titleFolded` has it; of a long one the beginning. */
  readonly title: string
  /** What looks like references of bookings in its texts. */
  readonly references: ReadonlyArray<string>
  /** Its lines about time, unfolded, as they are written. */
  readonly lines: ReadonlyArray<string>
  /** Whether it changes one of a series (RECURRENCE-ID). */
  readonly isChange: boolean
  /** The name of a part in it that has no end. */
  readonly unended: string | undefined
  /** The zone of its times that name none: its calendar's (X-WR-TIMEZONE). */
  readonly zone: string | undefined
}

export interface CalendarText {
  readonly events: ReadonlyArray<FeedEvent>
  /** The parts of each zone (STANDARD, DAYLIGHT), by its name: their lines. */
  readonly zones: ReadonlyMap<string, ReadonlyArray<ReadonlyArray<string>>>
}

const maxEvents = 20_000
const maxZones = 200
/** Lines about time in one event: more than half a century of single days. */
const maxLines = 20_000
/**
 * Characters of a line: more than six thousand dates, where programs write each in a line of its own. Of a longer text
 * only the beginning is looked at for references.
 */
const longestLine = 100_000
/** Lines of the file to read in one step, and how long one is that counts as two. */
const linesPerStep = 200
const longLine = 100

const timeLine =
  /^(DTSTART|DTEND|DURATION|RRULE|EXRULE|RDATE|EXDATE|RECURRENCE-ID|STATUS|TRANSP|TZID|TZOFFSETFROM|TZOFFSETTO|FREEBUSY|X-MICROSOFT-CDO-BUSYSTATUS)[;:]/i
const textLine = /^(SUMMARY|DESCRIPTION|LOCATION|COMMENT)[;:]/i
const referencePattern = /(?<![0-9A-Z])[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}(?![0-9A-Z])/g
const maxReferences = 5

const partKinds = ["VEVENT", "VFREEBUSY", "VTIMEZONE"] as const
type PartKind = (typeof partKinds)[number]

/** A part of the calendar while it is read. */
interface Part {
  readonly kind: PartKind
  /** Lines about time that are its own. */
  readonly lines: Array<string>
  /** Those of the parts in it, if it is a zone. */
  readonly inner: Array<Array<string>>
  /** The names of the parts in it that have begun. */
  readonly open: Array<string>
  uid: string
  title: string
  isChange: boolean
  size: number
  readonly references: Set<string>
}

/**
 * Lines without their folds, and `undefined` now and then, for a pause. One that is too long is left with more than
 * `longestLine` characters.
 */
function* unfolded(text: string): Generator<string | undefined> {
  let line: string | undefined
  let read = 0
  for (let at = 0; at < text.length;) {
    const found = text.indexOf("\n", at)
    const end = found === -1 ? text.length : found
    read += 1 + (end - at) / longLine
    if (read >= linesPerStep) {
      read = 0
      yield undefined
    }
    const isFold = text[at] === " " || text[at] === "\t"
    const from = isFold ? at + 1 : at
    const piece = text.slice(from, Math.min(text[end - 1] === "\r" ? end - 1 : end, from + longestLine + 1))
    at = end + 1
    if (!isFold || line === undefined) {
      if (line !== undefined) yield line
      line = piece
    } else if (line.length <= longestLine) line += piece
  }
  if (line !== undefined) yield line
}

/** A name without the quotes that some programs put around it in one place, and not in the other. */
const bareName = (name: string): string => name.trim().replaceAll(/^"|"$/g, "")

const longestTitle = 200

/** A title to compare with others: its letters, whatever their case, and its spaces. */
export const titleFolded = (title: string): string =>
  title.normalize("NFKC").replaceAll(/\s+/g, " ").trim().toLowerCase().slice(0, longestTitle)

/** A line in a part: its own, or of a part in it. */
const take = (part: Part, line: string): void => {
  if (timeLine.test(line)) {
    part.size++
    if (part.open.length > 0) {
      part.inner.at(-1)?.push(line)
      return
    }
    part.lines.push(line)
    if (/^RECURRENCE-ID/i.test(line)) part.isChange = true
  } else if (part.open.length > 0) return
  else if (/^UID[;:]/i.test(line)) part.uid = line.slice(line.indexOf(":") + 1).trim()
  else if (textLine.test(line)) {
    if (/^SUMMARY/i.test(line))
      part.title = titleFolded((lineOf(line.slice(0, longestHead))?.value ?? "").replaceAll(/\\([\\;,])/g, "$1"))
    for (const [reference] of line.slice(0, longestLine).matchAll(referencePattern))
      if (part.references.size < maxReferences) part.references.add(reference)
  }
}

const readingSteps = function* (text: string): Steps<Result.Result<CalendarText, CalendarUnreadable>> {
  const unreadable = (why: string) => Result.fail(new CalendarUnreadable({ why }))
  const events: Array<FeedEvent> = []
  const zones = new Map<string, ReadonlyArray<ReadonlyArray<string>>>()
  let depth = 0
  let calendars = 0
  let zone: string | undefined
  let part: Part | undefined
  for (const line of unfolded(text.startsWith("\uFEFF") ? text.slice(1) : text)) {
    if (line === undefined) {
      yield
      continue
    }
    if (part !== undefined && part.size > maxLines)
      return unreadable(`one of its events has more than ${maxLines} lines about time`)
    const [, mark, name = ""] = /^(BEGIN|END):\s*([A-Z0-9-]{1,40})\s*$/i.exec(line) ?? []
    const kind = name.toUpperCase()
    if (mark === undefined) {
      if (part === undefined) {
        if (/^X-WR-TIMEZONE[;:]/i.test(line)) zone = lineOf(line)?.value || undefined
        continue
      }
      if (line.length > longestLine && timeLine.test(line))
        return unreadable(`one of its lines about time has more than ${longestLine} characters`)
      take(part, line)
      continue
    }
    const begins = mark.toUpperCase() === "BEGIN"
    if (kind === "VCALENDAR") {
      depth += begins ? 1 : -1
      if (begins) calendars++
      zone = undefined
      continue
    }
    if (part === undefined) {
      const its = partKinds.find((one) => one === kind)
      if (begins && its !== undefined)
        part = {
          kind: its,
          lines: [],
          inner: [],
          open: [],
          uid: "",
          title: "",
          isChange: false,
          size: 0,
          references: new Set()
        }
      continue
    }
    if (begins) {
      part.open.push(kind)
      // The lines of an alarm are none of the event's.
      part.inner.push([])
      part.size++
      continue
    }
    if (kind !== part.kind) {
      if (part.open.at(-1) === kind) part.open.pop()
      continue
    }
    if (part.kind === "VTIMEZONE") {
      const id = part.lines.find((its) => /^TZID[;:]/i.test(its))
      if (id !== undefined) zones.set(bareName(id.slice(id.indexOf(":") + 1)), part.inner)
      if (zones.size > maxZones) return unreadable(`it has more than ${maxZones} time zones`)
    } else {
      events.push({
        kind: part.kind,
        uid: part.uid,
        title: part.title,
        references: [...part.references],
        lines: part.lines,
        isChange: part.isChange,
        unended: part.open[0],
        zone
      })
      if (events.length > maxEvents) return unreadable(`it has more than ${maxEvents} events`)
    }
    part = undefined
  }
  if (calendars === 0) return unreadable("it is no calendar: it does not begin with BEGIN:VCALENDAR")
  if (depth !== 0 || part !== undefined) return unreadable("it breaks off before its end")
  return Result.succeed<CalendarText>({ events, zones })
}

/** The events and zones of a calendar. Fails if it is no whole calendar, or if it has too many. */
export const readCalendar = (text: string) =>
  Effect.flatMap(
    inTurns(() => readingSteps(text)),
    Effect.fromResult
  )

// Lines of a calendar about time, and their values (RFC 5545, 3.1 and 3.3), as programs write them: with more marks
// than the standard has, or fewer, where they can mean one time only. Each takes a time that depends on its length
// alone.

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

/**
 * Undefined if it is none: without a value, or with a quote that does not end. `zone`: of its times, if it names none.
 */
export const lineOf = (text: string, zone?: string): Line | undefined => {
  const [whole, name, parameters = ""] = head.exec(text.slice(0, longestHead)) ?? []
  if (whole === undefined || name === undefined) return undefined
  return {
    name: name.toUpperCase(),
    parameters: new Map([
      ...(zone === undefined ? [] : [["TZID", zone] as const]),
      ...[...parameters.matchAll(parameter)].map(
        ([, key = "", value = ""]) => [key.trim().toUpperCase(), bareName(value)] as const
      )
    ]),
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

/** The date before a time that can't be read: `20261205T2pm`. Undefined if it does not begin with one. */
export const dateBefore = (text: string): TimeValue | undefined =>
  timeOf(/^\s*\d{4}-?\d\d-?\d\d(?!\d)/.exec(text)?.[0] ?? "")

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
