/**
 * Reads the text of a calendar (RFC 5545): its events, lists of busy times and zones, and of these only the lines that
 * say when it is busy. Titles and texts are looked at for references of our bookings, and forgotten. It works in steps:
 * files come from strangers.
 */
import { Effect, Result, Schema } from "effect"
import { inTurns, type Steps } from "../../platform/concurrency/LoopTurn.ts"

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
  /** What looks like references of bookings in its texts. */
  readonly references: ReadonlyArray<string>
  /** Its lines about time, unfolded, as they are written. */
  readonly lines: ReadonlyArray<string>
  /** Whether it changes one of a series (RECURRENCE-ID). */
  readonly isChange: boolean
  /** The name of a part in it that has no end. */
  readonly unended: string | undefined
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
/** Only the beginning of a text is looked at for references. */
const longestText = 100_000
/** Lines of the file to read in one step. */
const linesPerStep = 200

const timeLine =
  /^(DTSTART|DTEND|DURATION|RRULE|EXRULE|RDATE|EXDATE|RECURRENCE-ID|STATUS|TRANSP|TZID|TZOFFSETFROM|TZOFFSETTO|FREEBUSY)[;:]/i
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
  isChange: boolean
  size: number
  readonly references: Set<string>
}

/**
 * Lines without their folds, and `undefined` now and then, for a pause. Folds are joined once for each line: a long
 * line is read in linear time.
 */
function* unfolded(text: string): Generator<string | undefined> {
  let pieces: Array<string> = []
  let at = 0
  let read = 0
  while (at < text.length) {
    if (++read % linesPerStep === 0) yield undefined
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

/** A name without the quotes that some programs put around it in one place, and not in the other. */
export const bareName = (name: string): string => name.trim().replaceAll(/^"|"$/g, "")

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
  else if (textLine.test(line))
    for (const [reference] of line.slice(0, longestText).matchAll(referencePattern))
      if (part.references.size < maxReferences) part.references.add(reference)
}

const readingSteps = function* (text: string): Steps<Result.Result<CalendarText, CalendarUnreadable>> {
  const unreadable = (why: string) => Result.fail(new CalendarUnreadable({ why }))
  const events: Array<FeedEvent> = []
  const zones = new Map<string, ReadonlyArray<ReadonlyArray<string>>>()
  let depth = 0
  let calendars = 0
  let part: Part | undefined
  for (const line of unfolded(text.startsWith("\uFEFF") ? text.slice(1) : text)) {
    if (line === undefined) {
      yield
      continue
    }
    const [, mark, name = ""] = /^(BEGIN|END):\s*([A-Z0-9-]{1,40})\s*$/i.exec(line) ?? []
    const kind = name.toUpperCase()
    if (mark === undefined) {
      if (part === undefined) continue
      take(part, line)
      if (part.size > maxLines) return unreadable(`one of its events has more than ${maxLines} lines about time`)
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
      if (begins && its !== undefined)
        part = { kind: its, lines: [], inner: [], open: [], uid: "", isChange: false, size: 0, references: new Set() }
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
        references: [...part.references],
        lines: part.lines,
        isChange: part.isChange,
        unended: part.open[0]
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
