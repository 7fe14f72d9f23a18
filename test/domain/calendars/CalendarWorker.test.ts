import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CalendarFeeds, largestCalendar } from "../../../src/domain/calendars/CalendarFeeds.ts"
import { askDueCalendars, askEveryMs } from "../../../src/domain/calendars/CalendarWorker.ts"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { calendarFile } from "../../../src/platform/time/CalendarFile.ts"
import { hourMs } from "../../../src/platform/time/LocalTime.ts"
import {
  begin,
  book,
  calendar,
  CalendarHost,
  calendarWorld,
  clocksOf,
  conflicts,
  event,
  nextTurn,
  onDay,
  placesOf,
  room,
  served
} from "../../support/CalendarWorld.ts"
import { idOf } from "../../support/catalogues.ts"
import type { Page } from "../../support/DocumentHost.ts"

const cancelled = (booking_id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.andThen(
      sql`update booking set status = 'cancelled' where booking_id = ${booking_id}`,
      sql`delete from occupancy where booking_id = ${booking_id}`
    )
  )
layer(calendarWorld)("other calendars of a playroom", (it) => {
  it.effect("close it when they are busy, and open it when they are not any more", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* CalendarHost
      host.pages.set("/1.ics", served(calendar(event("a", onDay("110000", "130000")))))
      yield* room(1, ["/1.ics"])
      assert.deepStrictEqual(yield* clocksOf(1, "Party"), [
        "09:00",
        "10:00",
        "11:00",
        "12:00",
        "13:00",
        "14:00",
        "15:00"
      ])
      yield* askDueCalendars
      assert.deepStrictEqual(yield* placesOf(1), ["12-05T11:00 12-05T13:00 {[0,20)} calendar"])
      assert.deepStrictEqual(yield* clocksOf(1, "Party"), ["09:00", "13:00", "14:00", "15:00"])
      host.pages.set("/1.ics", served(calendar()))
      yield* nextTurn
      assert.deepStrictEqual(yield* placesOf(1), [])
    })
  )

  it.effect("are stored some times in each transaction, however many there are, and all of them in the end", () =>
    Effect.gen(function* () {
      yield* begin
      const sql = yield* SqlClient.SqlClient
      const host = yield* CalendarHost
      const stamp = (i: number) =>
        new Date(Date.UTC(2026, 11, 1) + i * hourMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")
      const many = Array.from({ length: 250 }, (_, i) => event(`e${i}`, `DTSTART:${stamp(i)}Z DURATION:PT30M`))
      host.pages.set("/9.ics", served(calendar(...many)))
      yield* room(9, ["/9.ics"])
      const written = sql<{ readonly times: number }>`select count(*)::int as times from calendar_busy
        where playroom_id = ${idOf("playroom", 9)} group by xmin order by 1`
      yield* askDueCalendars
      assert.deepStrictEqual(
        (yield* written).map(({ times }) => times),
        [50, 100, 100]
      )
      assert.lengthOf(yield* placesOf(9), 250)
      host.pages.set("/9.ics", served(calendar(...many.slice(0, 7))))
      yield* nextTurn
      assert.lengthOf(yield* placesOf(9), 7)
    })
  )

  it.effect("are asked every five minutes, by whoever asks first", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* CalendarHost
      host.pages.set("/2.ics", served(calendar()))
      yield* room(2, ["/2.ics"])
      const asked = () => host.asked.filter((path) => path === "/2.ics").length
      yield* Effect.all([askDueCalendars, askDueCalendars, askDueCalendars], { concurrency: "unbounded" })
      assert.strictEqual(asked(), 1)
      yield* TestClock.adjust(askEveryMs - 1)
      yield* askDueCalendars
      assert.strictEqual(asked(), 1)
      yield* TestClock.adjust(1)
      yield* askDueCalendars
      assert.strictEqual(asked(), 2)
    })
  )

  it.effect("are not written by a node that was so slow that another one has asked since", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* CalendarHost
      yield* room(8, ["/8.ics"])
      const feeds = yield* CalendarFeeds
      const now = Date.parse("2026-11-26T08:00:00Z")
      const due = yield* feeds.takeDue(now, now + askEveryMs, 100)
      const stale = due.find(({ playroom_id }) => playroom_id === idOf("playroom", 8))
      if (stale === undefined) return assert.fail("it was not due")
      // That node died, or sleeps: the next turn of another one asks again.
      host.pages.set("/8.ics", served(calendar(event("a", onDay("110000", "130000")))))
      yield* nextTurn
      const busy = [{ start: Date.parse("2026-12-05T09:00:00Z"), end: Date.parse("2026-12-05T16:00:00Z") }]
      const answer = { busy, unread: [], digest: "00", etag: undefined, last_modified: undefined, read_until: now }
      yield* feeds.store(stale, { kind: "read", ...answer }, now + 2 * askEveryMs)
      assert.deepStrictEqual(yield* placesOf(8), ["12-05T11:00 12-05T13:00 {[0,20)} calendar"])
    })
  )

  it.effect("leave a booking its places, and take them when it has ended", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* CalendarHost
      yield* room(3, ["/3.ics"])
      const party = yield* book(3, "Party", "10:00")
      const visit = yield* book(3, "Open play", "14:00")
      host.pages.set("/3.ics", served(calendar(event("a", onDay("090000", "170000")))))
      yield* nextTurn
      assert.deepStrictEqual(yield* placesOf(3), [
        "12-05T09:00 12-05T10:00 {[0,20)} calendar",
        "12-05T10:00 12-05T12:00 {[0,20)} booking",
        "12-05T12:00 12-05T14:00 {[0,20)} calendar",
        "12-05T14:00 12-05T15:00 {[0,2)} booking",
        "12-05T14:00 12-05T15:00 {[2,20)} calendar",
        "12-05T15:00 12-05T17:00 {[0,20)} calendar"
      ])
      assert.deepStrictEqual(
        (yield* conflicts(3)).map(({ booking_id, calendar }) => [booking_id, calendar]),
        [party, visit].map(({ booking_id }) => [booking_id, "Calendar 1"])
      )
      yield* cancelled(party.booking_id)
      yield* nextTurn
      assert.deepStrictEqual((yield* placesOf(3)).slice(0, 2), [
        "12-05T09:00 12-05T14:00 {[0,20)} calendar",
        "12-05T14:00 12-05T15:00 {[0,2)} booking"
      ])
      assert.lengthOf(yield* conflicts(3), 1)
    })
  )

  it.effect("are not busy with our own bookings, by their uid or by their reference", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* CalendarHost
      yield* room(4, ["/4.ics"])
      const first = yield* book(4, "Open play", "10:00")
      const second = yield* book(4, "Open play", "13:00")
      const ours = calendarFile({
        language: "en",
        events: [
          {
            uid: first.booking_id,
            sequence: 0,
            changed_at: 0,
            status: "confirmed",
            start: first.starts_at,
            end: first.ends_at,
            time_zone: "Europe/London",
            summary: "Open play"
          }
        ]
      })
      const copied = event("another@outlook", `${onDay("130000", "140000")} SUMMARY:Lima,\\,\u00a0${second.reference}`)
      host.pages.set("/4.ics", served(ours.replace("END:VCALENDAR", `${copied}\r\nEND:VCALENDAR`)))
      yield* nextTurn
      assert.deepStrictEqual(yield* placesOf(4), [
        "12-05T10:00 12-05T11:00 {[0,2)} booking",
        "12-05T13:00 12-05T14:00 {[0,2)} booking"
      ])
      assert.deepStrictEqual(yield* conflicts(4), [])
    })
  )

  // Airbnb's export has such an entry from today on, which moves on each day (fewohbee 285).
  it.effect("are not busy with entries whose titles the venue ignores, in any case and however they are escaped", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* CalendarHost
      const url = host.url("/ignored.ics")
      const titled = (title: string, from: string, to: string) => event(from, `${onDay(from, to)} SUMMARY:${title}`)
      host.pages.set(
        "/ignored.ics",
        served(
          calendar(
            titled("Airbnb\u00a0(NOT\u00a0available)", "090000", "100000"),
            titled("Set-up\\,\u00a0cleaning", "110000", "120000"),
            titled("Airbnb\u00a0(Not\u00a0available):\u00a0Ada", "130000", "140000")
          )
        )
      )
      const ignoring = (ignore?: ReadonlyArray<string>) =>
        room(19, [], { calendars: [{ name: "Airbnb", url, ...(ignore && { ignore }) }] })
      yield* ignoring(["Airbnb (Not available)", "set-up, cleaning"])
      yield* nextTurn
      assert.deepStrictEqual(yield* placesOf(19), ["12-05T13:00 12-05T14:00 {[0,20)} calendar"])
      // What is ignored is changed by the file, though the calendar stays the same.
      yield* ignoring()
      yield* nextTurn
      assert.lengthOf(yield* placesOf(19), 3)
    })
  )

  it.effect("keep what was read last if they are gone or broken, and are reported", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* CalendarHost
      host.pages.set("/5.ics", served(calendar(event("a", onDay("110000", "130000")))))
      yield* room(5, ["/5.ics"])
      yield* askDueCalendars
      const before = yield* placesOf(5)
      const whole = calendar(event("a", onDay("110000", "130000")), event("b", onDay("140000", "150000")))
      const broken: ReadonlyArray<readonly [page: Page, why: RegExp]> = [
        [(_, response) => void response.writeHead(404).end(), /answered with 404/],
        [(_, response) => void response.writeHead(500).end(), /answered with 500/],
        [served("<!doctype html><title>Sign in</title>"), /no calendar/],
        [served(""), /no calendar/],
        [served(whole.slice(0, -40)), /breaks off/],
        [served("x".repeat(largestCalendar + 1)), /larger than/],
        [(_, response) => void response.writeHead(302, { location: "https://127.0.0.1/" }).end(), /another port/],
        [(_, response) => void response.writeHead(302, { location: "http://calendar.example.test/" }).end(), /https/],
        [(_, response) => void response.writeHead(302, { location: "/5.ics" }).end(), /from one address to the next/],
        [
          served(calendar(...Array.from({ length: 20_001 }, (_, i) => event(`${i}`, onDay("110000", "120000"))))),
          /20000/
        ]
      ]
      for (const [page, why] of broken) {
        host.pages.set("/5.ics", page)
        yield* nextTurn
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<{
          failure: string
        }>`select failure from calendar_feed where playroom_id = ${idOf("playroom", 5)}`
        assert.match(row?.failure ?? "", why)
        assert.deepStrictEqual(yield* placesOf(5), before)
      }
      const now = yield* TestClock.testClockWith((clock) => Effect.succeed(clock.currentTimeMillisUnsafe()))
      const [reported] = yield* CalendarFeeds.use((feeds) => feeds.reported(now + hourMs, 10))
      assert.deepInclude(reported, { name: "Calendar 1", answered_at: now - broken.length * askEveryMs })
      host.pages.set("/5.ics", served(whole))
      yield* nextTurn
      assert.lengthOf(yield* placesOf(5), 2)
      assert.deepStrictEqual(yield* CalendarFeeds.use((feeds) => feeds.reported(now + askEveryMs + hourMs, 10)), [])
    })
  )

  it.effect("are only read if they changed, and nothing is written if they did not", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* CalendarHost
      const text = calendar(event("a", onDay("110000", "130000")))
      const conditions: Array<string | undefined> = []
      host.pages.set("/6.ics", (request, response) => {
        conditions.push(request.headers["if-none-match"])
        if (request.headers["if-none-match"] === '"1"') response.writeHead(304).end()
        else served(text, { etag: '"1"' })(request, response)
      })
      // This host knows no versions, and writes the time of the request into each event.
      let asked = 0
      host.pages.set("/6b.ics", (request, response) =>
        served(text.replace("DTSTAMP:20261101", `DTSTAMP:202611${10 + asked++}`))(request, response)
      )
      yield* room(6, ["/6.ics", "/6b.ics"])
      yield* askDueCalendars
      const sql = yield* SqlClient.SqlClient
      const written = sql`select xmin::text, ctid::text, feed_id::text as id, during::text from calendar_busy where playroom_id = ${idOf("playroom", 6)}
        union all select xmin::text, ctid::text, '', during::text from occupancy where resource_id = ${idOf("playroom", 6)}`
      const before = yield* written
      assert.lengthOf(before, 3)
      yield* nextTurn
      yield* nextTurn
      assert.deepStrictEqual(yield* written, before)
      assert.deepStrictEqual(conditions, [undefined, '"1"', '"1"'])
      // What recurs has to be read up to a horizon that moves.
      yield* TestClock.adjust("24 hours")
      yield* askDueCalendars
      assert.deepStrictEqual(conditions.at(-1), undefined)
    })
  )

  it.effect("go with what they took when the catalogue names them no more; closures stay as they are", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* CalendarHost
      host.pages.set("/7.ics", served(calendar(event("a", onDay("090000", "120000")))))
      host.pages.set("/7b.ics", served(calendar(event("b", onDay("110000", "140000")))))
      yield* room(7, ["/7.ics", "/7b.ics"])
      yield* askDueCalendars
      assert.deepStrictEqual(yield* placesOf(7), ["12-05T09:00 12-05T14:00 {[0,20)} calendar"])
      const closures = [
        { closure_id: idOf("closure", 7), from: "2026-12-05T10:00:00Z", to: "2026-12-05T15:00:00Z", reason: "Repairs" }
      ]
      yield* room(7, ["/7.ics", "/7b.ics"], { closures, capacity: 30 })
      assert.deepStrictEqual(yield* placesOf(7), [
        "12-05T09:00 12-05T10:00 {[0,30)} calendar",
        "12-05T10:00 12-05T15:00 {[0,30)} closure"
      ])
      const exported = yield* CatalogueFile.use((file) => file.exportFile)
      const its = exported.playrooms.find(({ playroom_id }) => playroom_id === idOf("playroom", 7))
      assert.lengthOf(its?.closures ?? [], 1)
      assert.lengthOf(its?.calendars ?? [], 2)
      yield* room(7, ["/7b.ics"])
      yield* askDueCalendars
      assert.deepStrictEqual(yield* placesOf(7), ["12-05T11:00 12-05T14:00 {[0,20)} calendar"])
      yield* room(7, [])
      assert.deepStrictEqual(yield* placesOf(7), [])
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select name from calendar_feed where playroom_id = ${idOf("playroom", 7)}`, [])
    })
  )
})
