/** Playrooms with other calendars, on a host of the test's. */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PublicDocuments } from "../../src/platform/access/PublicDocuments.ts"
import { BookingOptions } from "../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import { CalendarFeeds } from "../../src/domain/calendars/CalendarFeeds.ts"
import { askDueCalendars, askEveryMs } from "../../src/domain/calendars/CalendarWorker.ts"
import { Catalogue } from "../../src/domain/catalogue/Catalogue.ts"
import { bookingServices, contact, principal } from "./BookingWorld.ts"
import { idOf, importRooms, packageJson, type PlayroomJson, playroomJson } from "./catalogues.ts"
import { documentHost, type Page } from "./DocumentHost.ts"
import { TestDatabase } from "./TestDatabase.ts"

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
