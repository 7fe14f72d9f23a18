/**
 * Events as a calendar file (RFC 5545). Times are local, with the zone's rules in the file. So a calendar that does not
 * know the zone shows the right time, too.
 */
import { Effect } from "effect"
import ICAL from "ical.js"
import { tzlib_get_ical_block, tzlib_get_timezones } from "timezones-ical-library"
import { plainText } from "../text/Text.ts"
import { type Instant, isShownTwice, offsetAt } from "./LocalTime.ts"

// RFC 5545 allows 75 octets in a line. The library does not count the leading space of a continuation line.
ICAL.foldLength = 74
// Properties from after RFC 5545. The library would add a VALUE parameter to a property whose type it does not know.
Object.assign(ICAL.design.icalendar.property, {
  name: { defaultType: "text" },
  "x-wr-calname": { defaultType: "text" },
  "x-published-ttl": { defaultType: "duration" }
})

/** One event. Its texts may contain any characters. */
export interface CalendarEvent {
  /** Stable across all versions of the event: a booking's id. */
  readonly uid: string
  /** Rises with each change of the event, so that calendars recognize the newer version. */
  readonly sequence: number
  /** When the event was last changed. */
  readonly changed_at: Instant
  readonly status: "tentative" | "confirmed" | "cancelled"
  readonly start: Instant
  readonly end: Instant
  readonly time_zone: string
  readonly summary: string
  readonly description?: string
  readonly location?: string
  /** How long before the start calendars remind of it; unless it is cancelled. */
  readonly reminder_minutes?: number
}

/** How a calendar that goes by letter is to be taken (RFC 5546): entered, or taken away. */
export interface SentCalendar {
  readonly method: "PUBLISH" | "CANCEL"
  /** The organizer's address: Google takes nothing away for another than whom the letter is from. */
  readonly from: string
  /** The organizer's name, as calendars show it. */
  readonly organizer: string
  readonly at: Instant
}

interface Calendar {
  /** The calendar's name, shown to people who subscribe to it. */
  readonly name?: string
  /** Refresh interval of a subscribed calendar, in minutes. */
  readonly refresh_minutes?: number
  /** Its rules are always in the file: RFC 5545 requires at least one component, even without events. */
  readonly time_zone?: string
  /** BCP 47 tag of the language of the texts. */
  readonly language: string
  readonly events: ReadonlyArray<CalendarEvent>
  /** Absent: the file is opened, or subscribed to. */
  readonly sent?: SentCalendar
}

/** The media type of `calendarFile`'s text. */
export const calendarMediaType = "text/calendar; charset=utf-8"

// Line ends become "\n", which the library escapes. Other control characters are not allowed in a text.
const cleaned = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
    // oxlint-disable-next-line no-control-regex -- removes them
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "")

interface ZoneRules {
  readonly id: string
  readonly component: ICAL.Component
  readonly zone: ICAL.Timezone
}

const knownZones = new Set(tzlib_get_timezones(false))
const rulesByZone = new Map<string, ZoneRules>()

const rulesOf = (zone: string): ZoneRules | undefined => {
  const known = rulesByZone.get(zone)
  if (known !== undefined || !knownZones.has(zone)) return known
  const [block] = tzlib_get_ical_block(zone, false)
  if (block === undefined) return undefined
  const component = ICAL.Component.fromString(block)
  const rules = { id: String(component.getFirstPropertyValue("tzid")), component, zone: new ICAL.Timezone(component) }
  rulesByZone.set(zone, rules)
  return rules
}

const timeOf = (instant: Instant, zone: ICAL.Timezone): ICAL.Time => {
  const wall = new Date(instant)
  return new ICAL.Time(
    {
      year: wall.getUTCFullYear(),
      month: wall.getUTCMonth() + 1,
      day: wall.getUTCDate(),
      hour: wall.getUTCHours(),
      minute: wall.getUTCMinutes(),
      second: wall.getUTCSeconds(),
      isDate: false
    },
    zone
  )
}

const utc = (instant: Instant): ICAL.Time => timeOf(instant, ICAL.Timezone.utcTimezone)

/**
 * The local time of an instant; undefined if these rules don't map it back to that instant. That happens when the
 * clocks go back (readers disagree on which of the two they take), and when the rules differ from the runtime's data.
 */
const localTime = (rules: ZoneRules, time_zone: string, instant: Instant): ICAL.Time | undefined => {
  const offset = offsetAt(time_zone, instant)
  const time = timeOf(instant + offset, rules.zone)
  return rules.zone.utcOffset(time) * 1_000 === offset && !isShownTwice(time_zone, instant) ? time : undefined
}

interface EventText {
  readonly text: string
  /** The zone rules that its times refer to. */
  readonly rules?: ZoneRules
}

const longestName = 200

const organizerOf = ({ from, organizer }: SentCalendar): ICAL.Property => {
  const property = new ICAL.Property("organizer")
  property.setParameter("cn", plainText(organizer, longestName))
  property.setValue(`mailto:${encodeURI(from).replaceAll(/[?#]/g, encodeURIComponent)}`)
  return property
}

const eventText = (event: CalendarEvent, sent?: SentCalendar): EventText => {
  const entry = new ICAL.Component("vevent")
  entry.addPropertyWithValue("uid", event.uid)
  // With a METHOD it is the time of the message.
  entry.addPropertyWithValue("dtstamp", utc(sent?.at ?? event.changed_at))
  if (sent !== undefined) entry.addProperty(organizerOf(sent))
  entry.addPropertyWithValue("last-modified", utc(event.changed_at))
  entry.addPropertyWithValue("sequence", event.sequence)
  entry.addPropertyWithValue("status", event.status.toUpperCase())
  entry.addPropertyWithValue("transp", event.status === "cancelled" ? "TRANSPARENT" : "OPAQUE")

  const rules = rulesOf(event.time_zone)
  const start = rules && localTime(rules, event.time_zone, event.start)
  const end = rules && localTime(rules, event.time_zone, event.end)
  // Both times need the same form: RFC 5545 does not allow a start in a zone with an end in UTC.
  const local = rules !== undefined && start !== undefined && end !== undefined
  const times = local ? { dtstart: start, dtend: end } : { dtstart: utc(event.start), dtend: utc(event.end) }
  for (const [property, time] of Object.entries(times)) {
    const added = entry.addPropertyWithValue(property, time)
    if (local) added.setParameter("tzid", rules.id)
  }

  entry.addPropertyWithValue("summary", cleaned(event.summary))
  if (event.description !== undefined && event.description !== "")
    entry.addPropertyWithValue("description", cleaned(event.description))
  if (event.location !== undefined && event.location !== "")
    entry.addPropertyWithValue("location", cleaned(event.location))
  if (event.reminder_minutes !== undefined && event.status !== "cancelled") {
    const alarm = new ICAL.Component("valarm")
    alarm.addPropertyWithValue("action", "DISPLAY")
    alarm.addPropertyWithValue("trigger", ICAL.Duration.fromSeconds(-event.reminder_minutes * 60))
    alarm.addPropertyWithValue("description", cleaned(event.summary))
    entry.addSubcomponent(alarm)
  }
  const text = entry.toString()
  return local ? { text, rules } : { text }
}

const fileText = (
  { language, name, refresh_minutes, sent, time_zone }: Calendar,
  events: ReadonlyArray<EventText>
): string => {
  const calendar = new ICAL.Component("vcalendar")
  calendar.addPropertyWithValue("version", "2.0")
  calendar.addPropertyWithValue("prodid", `-//Playroom booking//Bookings//${language.toUpperCase()}`)
  if (sent !== undefined) calendar.addPropertyWithValue("method", sent.method)
  if (name !== undefined && name !== "") {
    // Most calendars read only the second.
    calendar.addPropertyWithValue("name", cleaned(name))
    calendar.addPropertyWithValue("x-wr-calname", cleaned(name))
  }
  if (refresh_minutes !== undefined) {
    const duration = ICAL.Duration.fromSeconds(refresh_minutes * 60)
    const interval = new ICAL.Property("refresh-interval")
    interval.resetType("duration")
    interval.setValue(duration)
    calendar.addProperty(interval)
    calendar.addPropertyWithValue("x-published-ttl", duration)
  }
  const needed = [time_zone === undefined ? undefined : rulesOf(time_zone), ...events.map(({ rules }) => rules)]
  const zones = new Map(needed.flatMap((rules) => (rules === undefined ? [] : [[rules.id, rules.component]])))
  const end = "END:VCALENDAR"
  const head = calendar.toString().slice(0, -end.length - 2)
  return [head, ...[...zones.values()].map(String), ...events.map(({ text }) => text), end, ""].join("\r\n")
}

/**
 * The events as the text of a calendar file. Times are in UTC if the zone has no rules here, or if the rules can't
 * express them. The same events give the same text: without a METHOD, DTSTAMP is the time of the last change.
 */
export const calendarFile = (calendar: Calendar): string =>
  fileText(
    calendar,
    calendar.events.map((event) => eventText(event, calendar.sent))
  )

/** Events to write before yielding to other fibers; they take a few milliseconds. */
const eventsPerYield = 50

/** `calendarFile` for many events: a thousand take a tenth of a second, so it yields in between. */
export const longCalendarFile = Effect.fnUntraced(function* (calendar: Calendar) {
  const texts: Array<EventText> = []
  for (const [index, event] of calendar.events.entries()) {
    if (index % eventsPerYield === 0) yield* Effect.yieldNow
    texts.push(eventText(event, calendar.sent))
  }
  return fileText(calendar, texts)
})
