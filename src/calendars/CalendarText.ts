/**
 * Reads the text of a calendar (RFC 5545): its events, lists of busy times and zones, and of these only the lines that say
 * when it is busy.
 * Titles and texts are looked at for references of our bookings, and forgotten.
 */
import { Effect, Schema } from "effect"
import ICAL from "ical.js"

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
  readonly uid: string
  /** What looks like references of bookings in its texts. */
  readonly references: ReadonlyArray<string>
  /** Its lines about time; undefined if they are no such lines. */
  readonly component: ICAL.Component | undefined
  /** Whether lines of it were left out, because they can't be read. */
  readonly lost: boolean
}

export interface CalendarText {
  readonly events: ReadonlyArray<FeedEvent>
  readonly zones: ReadonlyMap<string, ICAL.Component>
}

const maxEvents = 20_000
const maxZones = 200
/** A line about time is short; one with many dates is long. */
const longestLine = 100_000
/** Events to read before other fibers have a turn. */
const eventsPerYield = 25

const timeLine =
  /^(BEGIN|END|DTSTART|DTEND|DURATION|RRULE|EXRULE|RDATE|EXDATE|RECURRENCE-ID|STATUS|TRANSP|TZID|TZOFFSETFROM|TZOFFSETTO|FREEBUSY)[;:]/i
const textLine = /^(SUMMARY|DESCRIPTION|LOCATION|COMMENT)[;:]/i
const referencePattern = /(?<![0-9A-Z])[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}(?![0-9A-Z])/g
const maxReferences = 5

const componentOf = (lines: ReadonlyArray<string>): ICAL.Component | undefined => {
  try {
    return new ICAL.Component(ICAL.parse(lines.join("\r\n")))
  } catch {
    return undefined
  }
}

/** Whether a line can be read. Those that begin and end parts only make sense together. */
const isReadable = (line: string): boolean =>
  line.length <= longestLine &&
  (/^(BEGIN|END):/i.test(line) || componentOf(["BEGIN:VEVENT", line, "END:VEVENT"]) !== undefined)

/** The part without the lines that can't be read: a list of busy times has all in one part. */
const parsed = (lines: ReadonlyArray<string>) => {
  const whole = lines.some(({ length }) => length > longestLine) ? undefined : componentOf(lines)
  return whole === undefined
    ? { component: componentOf(lines.filter(isReadable)), lost: true }
    : { component: whole, lost: false }
}

const partKinds = ["VEVENT", "VFREEBUSY", "VTIMEZONE"] as const
type PartKind = (typeof partKinds)[number]

/** Lines of a part, unfolded: those about time, its uid, and the references in its texts. */
interface Part {
  readonly kind: PartKind
  readonly lines: Array<string>
  uid: string
  readonly references: Set<string>
}

/** Lines without their folds. Folds are joined once for each line, so that a long line is read in linear time. */
function* unfolded(text: string): Generator<string> {
  let pieces: Array<string> = []
  let at = 0
  while (at < text.length) {
    const found = text.indexOf("\n", at)
    const end = found === -1 ? text.length : found
    const line = text.slice(at, text[end - 1] === "\r" ? end - 1 : end)
    at = end + 1
    if (line.startsWith(" ") || line.startsWith("\t")) pieces.push(line.slice(1))
    else {
      if (pieces.length > 0) yield pieces.join("")
      pieces = [line]
    }
  }
  if (pieces.length > 0) yield pieces.join("")
}

const unreadable = (why: string) => new CalendarUnreadable({ why })

/** The events and zones of a calendar. Fails if it is no whole calendar, or if it has too many. */
export const readCalendar = Effect.fnUntraced(function* (text: string) {
  const events: Array<FeedEvent> = []
  const zones = new Map<string, ICAL.Component>()
  let depth = 0
  let calendars = 0
  let part: Part | undefined
  for (const line of unfolded(text.startsWith("\uFEFF") ? text.slice(1) : text)) {
    const [, mark, name = ""] = /^(BEGIN|END):\s*([A-Z0-9-]+)\s*$/i.exec(line) ?? []
    const kind = name.toUpperCase()
    if (mark === undefined) {
      if (part === undefined) continue
      if (timeLine.test(line)) part.lines.push(line)
      else if (/^UID[;:]/i.test(line)) part.uid = line.slice(line.indexOf(":") + 1).trim()
      else if (textLine.test(line))
        for (const [reference] of line.matchAll(referencePattern))
          if (part.references.size < maxReferences) part.references.add(reference)
      continue
    }
    const begins = mark.toUpperCase() === "BEGIN"
    if (kind === "VCALENDAR") {
      depth += begins ? 1 : -1
      if (begins) calendars++
      continue
    }
    if (part === undefined) {
      const its = partKinds.find((one) => one === kind)
      if (begins && its !== undefined) part = { kind: its, lines: [line], uid: "", references: new Set() }
      continue
    }
    part.lines.push(line)
    if (begins || kind !== part.kind) continue
    const { component, lost } = parsed(part.lines)
    if (part.kind === "VTIMEZONE") {
      const id = component?.getFirstPropertyValue("tzid")
      if (component !== undefined && typeof id === "string") zones.set(id, component)
      if (zones.size > maxZones) return yield* unreadable(`it has more than ${maxZones} time zones`)
    } else {
      events.push({ uid: part.uid, references: [...part.references], component, lost })
      if (events.length > maxEvents) return yield* unreadable(`it has more than ${maxEvents} events`)
      if (events.length % eventsPerYield === 0) yield* Effect.yieldNow
    }
    part = undefined
  }
  if (calendars === 0) return yield* unreadable("it is no calendar: it does not begin with BEGIN:VCALENDAR")
  if (depth !== 0 || part !== undefined) return yield* unreadable("it breaks off before its end")
  const read: CalendarText = { events, zones }
  return read
})
