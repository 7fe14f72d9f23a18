// What each reader is given: our files as the venue's feed, the family's page and the letters have them.
import { calendarFileOf } from "../../src/surfaces/web/family/Visit.ts"
import { calendarFile } from "../../src/platform/time/CalendarFile.ts"
import { format, hourMs, minuteMs, offsetAt } from "../../src/platform/time/LocalTime.ts"

/** Zones with changes of the clocks of each kind, and without any. */
export const zones =
  "Europe/London Europe/Dublin America/New_York America/Santiago America/Sao_Paulo Africa/Casablanca Africa/Cairo Asia/Kathmandu Australia/Sydney Australia/Lord_Howe Pacific/Chatham Pacific/Apia".split(
    " "
  )

/** The first instants of 2027 by another clock; where the clock stays, those of London. */
const changesIn = (zone) => {
  const hours = Array.from({ length: 365 * 24 * 2 }, (_, i) => Date.UTC(2027, 0) + i * 30 * minuteMs)
  const found = hours.filter((at) => offsetAt(zone, at) !== offsetAt(zone, at - 1))
  return found.length > 0 ? found : changesIn("Europe/London")
}

const changed_at = Date.UTC(2026, 10, 29, 9)

/** Events around both changes of a zone. Each is named by its start and zone: some programs show no UID. */
export const eventsIn = (zone) =>
  changesIn(zone).flatMap((change) =>
    [-1440, ...Array.from({ length: 13 }, (_, i) => (i - 6) * 30), 1440].map((minutes) => {
      const start = change + minutes * minuteMs
      const uid = `${new Date(start).toISOString()} ${zone}`
      return { uid, start, end: start + 90 * minuteMs, time_zone: zone, summary: uid }
    })
  )

/** The venue's feed with these events. */
export const feedOf = (zone) =>
  calendarFile({
    name: "Jolly Jumpers",
    refresh_minutes: 60,
    language: "en",
    time_zone: zone,
    events: eventsIn(zone).map((event) => ({ ...event, sequence: 1, changed_at, status: "confirmed" }))
  })

/** A time as the wall shows it there, to the minute. */
export const wall = (zone, at) => format(zone, at).slice(0, 16)

const visitAt = Date.parse("2027-06-05T13:00:00Z")
export const movedTo = visitAt + 24 * hourMs

/** A family's entry: after so many changes, from the page, or from a letter. */
const entry = (changes, status, starts_at, byLetter) =>
  calendarFileOf(
    {
      booking: {
        booking_id: "booking_01h455vb4pex5vsknk084sn02q",
        reference: "K7M2-9QXD",
        status,
        starts_at,
        ends_at: starts_at + 2 * hourMs,
        adults: 2,
        children: 8,
        terms: {
          package_name: "Party",
          playroom_name: "Jolly Jumpers",
          address: "1 High Street, Leeds",
          time_zone: "Europe/London"
        }
      },
      changes,
      changed_at: changed_at + changes * hourMs,
      operator: { name: "Jolly Jumpers Ltd" }
    },
    "en",
    byLetter ? { from: "bookings@example.org", at: changed_at + changes * hourMs } : undefined
  ).text

/** Files that a family opens one after the other. */
export const sequels = {
  change: [entry(1, "confirmed", visitAt, true), entry(2, "confirmed", movedTo, true)],
  letter: [entry(1, "confirmed", visitAt, true), entry(2, "cancelled", visitAt, true)],
  page: [entry(1, "confirmed", visitAt, false), entry(2, "cancelled", visitAt, false)]
}
