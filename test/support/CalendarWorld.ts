/** Playrooms with other calendars, on a host of the test's. */

import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { BookingOptions } from "../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import { CalendarFeeds } from "../../src/domain/calendars/CalendarFeeds.ts"
import { askDueCalendars, askEveryMs } from "../../src/domain/calendars/CalendarWorker.ts"
import { Catalogue } from "../../src/domain/catalogue/Catalogue.ts"
import { PublicDocuments } from "../../src/platform/access/PublicDocuments.ts"
import { bookingServices, contact, principal } from "./BookingWorld.ts"
import { documentHost, type Page } from "./DocumentHost.ts"
import { TestDatabase } from "./TestDatabase.ts"
import { idOf, importRooms, packageJson, type PlayroomJson, playroomJson } from "./catalogues.ts"

export class CalendarHost extends Context.Service<CalendarHost, Effect.Success<typeof documentHost>>()(
  "test/CalendarHost"
) {
  static readonly layer = Layer.effect(CalendarHost, documentHost)
}

export const calendarWorld = Layer.unwrap(
  Effect.map(CalendarHost, ({ network }) => PublicDocuments.layerOn(network))
).pipe(
  Layer.provideMerge(CalendarHost.layer),
  Layer.provideMerge(bookingServices()),
  Layer.provideMerge(TestDatabase.layer)
)

export const event = (uid: string, lines: string): string =>
  ["BEGIN:VEVENT", `UID:${uid}`, "DTSTAMP:20261101T000000Z", ...lines.split(" "), "END:VEVENT"].join("\r\n")
export const calendar = (...events: ReadonlyArray<string>): string =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//test//EN", ...events, "END:VCALENDAR", ""].join("\r\n")
export const onDay = (from: string, to: string) => `DTSTART:20261205T${from}Z DTEND:20261205T${to}Z`

export const served =
  (text: string, headers: Record<string, string> = {}): Page =>
  (_, response) =>
    void response.writeHead(200, { "content-type": "text/calendar", ...headers }).end(text)

export const begin = TestClock.setTime(Date.parse("2026-11-26T08:00:00Z"))
export const nextTurn = Effect.andThen(TestClock.adjust(askEveryMs), askDueCalendars)

/** A playroom for parties of two hours and open play; with the calendars at these paths. */
export const room = Effect.fnUntraced(function* (
  n: number,
  paths: ReadonlyArray<string>,
  changes: Partial<PlayroomJson> = {}
) {
  const host = yield* CalendarHost
  yield* importRooms(
    playroomJson(n, {
      packages: [
        packageJson(n),
        packageJson(n + 500, { mode: "exclusive", duration_minutes: 120, max_children: 20, name: "Party" })
      ],
      ...(paths.length === 0
        ? {}
        : { calendars: paths.map((path, i) => ({ name: `Calendar ${i + 1}`, url: host.url(path) })) }),
      ...changes
    })
  )
})

export const placesOf = Effect.fnUntraced(function* (n: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ units: string; from: Date; to: Date; whose: string }>`
    select units::text as units, lower(during) as from, upper(during) as to,
      case when other_calendar then 'calendar' when booking_id is not null then 'booking' else 'closure' end as whose
    from occupancy where resource_id = ${idOf("playroom", n)} order by lower(during), units::text`
  return rows.map(({ from, to, units, whose }) => {
    const clock = (at: Date) => at.toISOString().slice(5, 16)
    return `${clock(from)} ${clock(to)} ${units} ${whose}`
  })
})

const startsOf = Effect.fnUntraced(function* (n: number, children = 2) {
  const { playroom } = yield* Catalogue.use((catalogue) => catalogue.venue(idOf("playroom", n)))
  const { options } = yield* BookingOptions.use((its) =>
    its.list({ playroom_id: playroom.playroom_id, date: "2026-12-05", children })
  )
  return options
})
export const clocksOf = (n: number, name: string) =>
  Effect.map(startsOf(n), (options) =>
    options.filter((it) => it.package_name === name).map(({ start }) => start.slice(11, 16))
  )
export const book = Effect.fnUntraced(function* (n: number, name: string, clock: string) {
  const options = yield* startsOf(n)
  const option = options.find((it) => it.package_name === name && it.start.slice(11, 16) === clock)
  if (option === undefined) return assert.fail(`nothing to book at ${clock}`)
  const { row } = yield* Bookings.use((its) =>
    its.create(principal(`key_${n}`), { option_id: option.option_id, contact: contact(`p${n}-${clock.slice(0, 2)}`) })
  )
  const sql = yield* SqlClient.SqlClient
  yield* sql`update booking set status = 'confirmed', payment_status = 'paid', hold_expires_at = null where booking_id = ${row.booking_id}`
  return row
})
export const conflicts = (n: number) =>
  Effect.flatMap(
    TestClock.testClockWith((clock) => Effect.succeed(clock.currentTimeMillisUnsafe())),
    (now) => CalendarFeeds.use((feeds) => feeds.busyBookings(now, 100, undefined))
  ).pipe(Effect.map((found) => found.filter(({ playroom_name }) => playroom_name === `Playroom ${n}`)))

/** Outlook's zone, with a name that no other program knows. */
export const westEurope = [
  "BEGIN:VTIMEZONE",
  "TZID:W. Europe Standard Time",
  "BEGIN:STANDARD",
  "DTSTART:16010101T030000",
  "TZOFFSETFROM:+0200",
  "TZOFFSETTO:+0100",
  "RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10",
  "END:STANDARD",
  "BEGIN:DAYLIGHT",
  "DTSTART:16010101T020000",
  "TZOFFSETFROM:+0100",
  "TZOFFSETTO:+0200",
  "RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3",
  "END:DAYLIGHT",
  "END:VTIMEZONE"
].join("\r\n")

const hours = (offset: number): string => `${offset < 0 ? "-" : "+"}${String(Math.abs(offset)).padStart(2, "0")}00`

/** A zone with summer time by its abbreviation, in the form of python3-vobject 0.9.6.1. `offset`: in winter, hours. */
export const zoneRules = (id: string, winter: string, summer: string, offset: number): string =>
  [
    "BEGIN:VTIMEZONE",
    `TZID:${id}`,
    "BEGIN:STANDARD",
    "DTSTART:20001029T020000",
    "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10",
    `TZNAME:${winter}`,
    `TZOFFSETFROM:${hours(offset + 1)}`,
    `TZOFFSETTO:${hours(offset)}`,
    "END:STANDARD",
    "BEGIN:DAYLIGHT",
    "DTSTART:20000326T010000",
    "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3",
    `TZNAME:${summer}`,
    `TZOFFSETFROM:${hours(offset)}`,
    `TZOFFSETTO:${hours(offset + 1)}`,
    "END:DAYLIGHT",
    "END:VTIMEZONE"
  ].join("\r\n")

/** A zone with one offset, in the same form. */
export const fixedRules = (id: string, offset: string): string =>
  [
    "BEGIN:VTIMEZONE",
    `TZID:${id}`,
    "BEGIN:STANDARD",
    "DTSTART:20000101T000000",
    `TZOFFSETFROM:${offset}`,
    `TZOFFSETTO:${offset}`,
    "END:STANDARD",
    "END:VTIMEZONE"
  ].join("\r\n")
