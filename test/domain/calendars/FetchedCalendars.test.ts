/** Other calendars over the network: from a host's answer, whatever it is, to what is closed. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { PublicDocuments } from "../../../src/platform/access/PublicDocuments.ts"
import { CalendarFeeds } from "../../../src/domain/calendars/CalendarFeeds.ts"
import { askDueCalendars, askEveryMs } from "../../../src/domain/calendars/CalendarWorker.ts"
import { hourMs, minuteMs } from "../../../src/platform/time/LocalTime.ts"
import { bookingServices } from "../../support/BookingWorld.ts"
import {
  begin,
  book,
  calendar,
  CalendarHost,
  event,
  nextTurn,
  onDay,
  placesOf,
  room,
  served,
  westEurope
} from "../../support/CalendarWorld.ts"
import { idOf } from "../../support/catalogues.ts"
import type { Page } from "../../support/DocumentHost.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

/**
 * The internet of this test: this machine is its only public address, and `both.example.test` has a private one, too.
 */
const internet = Layer.unwrap(
  Effect.map(CalendarHost, ({ network }) =>
    PublicDocuments.layerOn({
      ...network,
      allowed: (address) => address === "127.0.0.1",
      resolve: (host) =>
        Effect.succeed(
          host.startsWith("inside") ? ["10.0.0.7"] : host.startsWith("both") ? ["127.0.0.1", "10.0.0.7"] : ["127.0.0.1"]
        )
    })
  )
)
const world = internet.pipe(
  Layer.provideMerge(CalendarHost.layer),
  Layer.provideMerge(bookingServices()),
  Layer.provideMerge(TestDatabase.layer)
)

const failureOf = Effect.fnUntraced(function* (n: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ failure: string | null }>`
    select failure from calendar_feed where playroom_id = ${idOf("playroom", n)}`
  return row?.failure ?? null
})
const afternoon = calendar(event("a", onDay("110000", "130000")))
const closed = ["12-05T11:00 12-05T13:00 {[0,20)} calendar"]

/** A room that is closed by its calendar. */
const begun = Effect.fnUntraced(function* (n: number, headers: Record<string, string> = {}) {
  yield* begin
  const host = yield* CalendarHost
  const path = `/${n}.ics`
  host.pages.set(path, served(afternoon, headers))
  yield* room(n, [path])
  yield* askDueCalendars
  assert.deepStrictEqual(yield* placesOf(n), closed)
  return { host, path }
})
/** What one more look finds at this answer: nothing that changes what is closed. */
const fails = Effect.fnUntraced(function* (n: number, path: string, page: Page) {
  const host = yield* CalendarHost
  host.pages.set(path, page)
  yield* nextTurn
  assert.deepStrictEqual(yield* placesOf(n), closed)
  return yield* failureOf(n)
})

const waitFor = (condition: () => boolean) =>
  Effect.promise(async () => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
  })

layer(world, { timeout: "120 seconds" })("a calendar over the network", (it) => {
  it.effect("is followed to public addresses only, by whatever name or number a redirect leads elsewhere", () =>
    Effect.gen(function* () {
      const { host, path } = yield* begun(1)
      host.pages.set("/secret.ics", served(calendar()))
      const { port } = host.network
      const to =
        (location: string): Page =>
        (_, response) =>
          void response.writeHead(302, { location }).end()
      for (const location of [
        host.url("/secret.ics", "inside.example.test"),
        host.url("/secret.ics", "both.example.test"),
        `https://10.0.0.7:${port}/secret.ics`,
        `https://169.254.169.254:${port}/latest/meta-data`,
        `https://[::ffff:10.0.0.7]:${port}/secret.ics`,
        `https://[::1]:${port}/secret.ics`,
        `https://0x0a000007:${port}/secret.ics`,
        `//inside.example.test:${port}/secret.ics`
      ])
        assert.match((yield* fails(1, path, to(location))) ?? "", /not on the public internet/, location)
      // Also as the second of two.
      host.pages.set("/further", to(host.url("/secret.ics", "inside.example.test")))
      assert.match((yield* fails(1, path, to("/further"))) ?? "", /not on the public internet/)
      assert.match((yield* fails(1, path, to("http://client.example.test/"))) ?? "", /no https/)
      assert.match((yield* fails(1, path, to("https://name:word@client.example.test/"))) ?? "", /a name or a password/)
      assert.notInclude(host.asked, "/secret.ics")
      // To a public one it is followed.
      host.pages.set("/moved.ics", served(calendar()))
      host.pages.set(path, to(host.url("/moved.ics", "elsewhere.example.test")))
      yield* nextTurn
      assert.deepStrictEqual(yield* placesOf(1), [])
      assert.isNull(yield* failureOf(1))
    })
  )

  it.effect("is asked for plainly, and not unpacked if it comes compressed, however small it is then", () =>
    Effect.gen(function* () {
      const { host, path } = yield* begun(2)
      const encoded =
        (coding: string, body: Buffer): Page =>
        (request, response) => {
          assert.strictEqual(request.headers["accept-encoding"], "identity")
          response.writeHead(200, { "content-type": "text/calendar", "content-encoding": coding }).end(body)
        }
      assert.match((yield* fails(2, path, encoded("gzip", gzipSync(afternoon)))) ?? "", /is compressed \(gzip\)/)
      assert.match((yield* fails(2, path, encoded("br", brotliCompressSync(afternoon)))) ?? "", /is compressed \(br\)/)
      // 300 MB of one long line in 300 KB, as an encoding and as a file.
      // Packed once and repeated: who unpacks it reads one text.
      const tenMegabytes = gzipSync(Buffer.alloc(10 * 1024 * 1024, "a"))
      const bomb = Buffer.concat([gzipSync("BEGIN:VCALENDAR\r\nX:"), ...Array.from({ length: 30 }, () => tenMegabytes)])
      assert.isBelow(bomb.length, 1024 * 1024)
      global.gc?.()
      const before = process.memoryUsage().rss
      assert.match((yield* fails(2, path, encoded("gzip", bomb))) ?? "", /is compressed \(gzip\)/)
      assert.match((yield* fails(2, path, encoded("identity", bomb))) ?? "", /no calendar/)
      assert.isBelow(process.memoryUsage().rss - before, 150 * 1024 * 1024)
      host.pages.set(path, encoded("identity", Buffer.from(calendar())))
      yield* nextTurn
      assert.isNull(yield* failureOf(2))
    })
  )

  it.effect(
    "is read whole with ten thousand events in four zones, some of which recur and most of which are over, to the minute",
    () =>
      Effect.gen(function* () {
        yield* begin
        const host = yield* CalendarHost
        const start = Date.parse("2026-12-01T00:00:00Z")
        const stamp = (at: number) => new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, "")
        /** In winter, what a clock of the zone shows. Outlook's has its rules in the file. */
        const zones = [
          ["America/New_York", -5],
          ["Europe/London", 0],
          ["Asia/Tokyo", 9],
          ["W. Europe Standard Time", 1]
        ] as const
        const expected: Array<string> = []
        const busy = (at: number, minutes: number) => expected.push(`${stamp(at)} ${stamp(at + minutes * minuteMs)}`)
        const inZone = (i: number, at: number) => {
          const [zone, hours] = zones[i % zones.length] ?? zones[0]
          return `DTSTART;TZID=${zone}:${stamp(at + hours * hourMs).replace("Z", "")}`
        }
        const lines = (i: number, ...its: ReadonlyArray<string>) =>
          ["BEGIN:VEVENT", `UID:${i}`, "SUMMARY:A party of some children, with cake", ...its, "END:VEVENT"].join("\r\n")
        const events = Array.from({ length: 10_000 }, (_, i) => {
          // More than 2000 busy times are not kept apart.
          if (i >= 1_800) return lines(i, inZone(i, start - i * hourMs), "DURATION:PT2M")
          if (i >= 150) {
            const at = start + i * 5 * minuteMs
            busy(at, 2)
            return lines(i, inZone(i, at), "DURATION:PT2M")
          }
          // Between the others, each week; the second time was taken out, and the third came in its place at another
          // minute.
          const at = start + (i * 5 + 3) * minuteMs
          const weekMs = 7 * 24 * hourMs
          for (const week of [0, 2]) busy(at + week * weekMs, 1)
          const exdate = inZone(i, at + weekMs).replace("DTSTART", "EXDATE")
          return lines(i, inZone(i, at), "DURATION:PT1M", "RRULE:FREQ=WEEKLY;COUNT=3", exdate)
        })
        host.pages.set("/3.ics", served(calendar(westEurope, ...events)))
        yield* room(3, ["/3.ics"])
        const began = performance.now()
        yield* askDueCalendars
        assert.isNull(yield* failureOf(3))
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ readonly starts: Date; readonly ends: Date }>`
        select lower(during) as starts, upper(during) as ends from calendar_busy
        where playroom_id = ${idOf("playroom", 3)} order by lower(during)`
        const found = rows.map(({ ends, starts }) => `${stamp(starts.getTime())} ${stamp(ends.getTime())}`)
        assert.strictEqual(found.length, 1950)
        assert.deepStrictEqual(found, expected.toSorted())
        const [places] = yield* sql<{ n: number }>`select count(*)::int as n from occupancy
        where resource_id = ${idOf("playroom", 3)} and other_calendar`
        assert.strictEqual(places?.n, 1950)
        assert.isBelow(performance.now() - began, 60_000)
      })
  )

  it.effect("may take its time, and only its own: others are read, bookings made, and it is given up", () =>
    Effect.gen(function* () {
      const { host, path } = yield* begun(4)
      host.pages.set("/4b.ics", served(calendar()))
      yield* room(14, ["/4b.ics"])
      let ended = 0
      // One says nothing, one begins and stays open, one sends a line every few milliseconds and never ends.
      const silent: Page = (_, response) => void response.once("close", () => ended++)
      const begins: Page = (_, response) => {
        response.once("close", () => ended++)
        response.writeHead(200, { "content-type": "text/calendar" }).write(afternoon.slice(0, 40))
      }
      const drips: Page = (_, response) => {
        const timer = setInterval(() => response.write("X-LINE:1\r\n"), 5)
        response.once("close", () => {
          clearInterval(timer)
          ended++
        })
        response.writeHead(200, { "content-type": "text/calendar" }).write(afternoon.slice(0, 40))
      }
      for (const [i, page] of [silent, begins, drips].entries()) {
        host.pages.set(path, page)
        host.asked.length = 0
        yield* TestClock.adjust(askEveryMs)
        const turn = yield* Effect.forkChild(askDueCalendars)
        yield* waitFor(() => host.asked.includes(path) && host.asked.includes("/4b.ics"))
        // No lock is held meanwhile.
        yield* book(4, "Open play", `${14 + i}:00`)
        yield* TestClock.adjust("20 seconds")
        yield* Fiber.join(turn)
        assert.match((yield* failureOf(4)) ?? "", /did not answer in time/)
        assert.include(yield* placesOf(4), closed[0] ?? "")
        assert.isNull(yield* failureOf(14))
        yield* waitFor(() => ended === i + 1)
        yield* TestClock.adjust(askEveryMs)
        host.pages.set(path, served(afternoon))
        yield* askDueCalendars
        assert.isNull(yield* failureOf(4))
      }
    })
  )

  it.effect("that fails is asked after those that answer, so that many slow ones hold up nobody", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* CalendarHost
      const slow = Array.from({ length: 50 }, (_, i) => `/slow${i}.ics`)
      yield* room(5, slow.slice(0, 4))
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into calendar_feed (operator_id, playroom_id, name, url, ask_at, failing_since, failure)
        select operator_id, playroom_id, n, ${host.url("")} || n, '2026-11-25', '2026-11-25', 'away'
        from playroom, unnest(${slow.slice(4)}::text[]) n where playroom_id = ${idOf("playroom", 5)}`
      host.pages.set("/6.ics", served(afternoon))
      yield* room(6, ["/6.ics"])
      yield* sql`update calendar_feed set failing_since = ask_at, failure = 'away' where playroom_id = ${idOf("playroom", 5)}`
      host.asked.length = 0
      yield* nextTurn
      const others = host.asked.findIndex((path) => path.startsWith("/slow"))
      assert.isAbove(others, host.asked.indexOf("/6.ics"))
      // All of them are asked in the end, once.
      assert.sameMembers(
        host.asked.filter((path) => path.startsWith("/slow")),
        slow
      )
      yield* sql`delete from calendar_feed where playroom_id = ${idOf("playroom", 5)}`
    })
  )

  it.effect(
    "keeps its last state while it is gone or something else, is reported, and is current once it is back",
    () =>
      Effect.gen(function* () {
        const { host, path } = yield* begun(7, { etag: '"1"' })
        const conditions: Array<string | undefined> = []
        const gone: Page = (request, response) => {
          conditions.push(request.headers["if-none-match"])
          response.writeHead(404, { "content-type": "text/html", etag: '"gone"' }).end("<p>Not found")
        }
        assert.match((yield* fails(7, path, gone)) ?? "", /answered with 404/)
        const asHtml = served("<!doctype html><title>Sign in</title>", { "content-type": "text/html" })
        assert.match((yield* fails(7, path, asHtml)) ?? "", /no calendar/)
        const asJson = served('{"error":"expired"}', { "content-type": "application/json" })
        assert.match((yield* fails(7, path, asJson)) ?? "", /no calendar/)
        assert.match((yield* fails(7, path, gone)) ?? "", /answered with 404/)
        const now = yield* TestClock.testClockWith((clock) => Effect.succeed(clock.currentTimeMillisUnsafe()))
        const [reported, ...more] = yield* CalendarFeeds.use((feeds) => feeds.reported(now + hourMs, 10))
        assert.deepInclude(reported, { answered_at: now - 4 * askEveryMs, failing_since: now - 3 * askEveryMs })
        assert.deepStrictEqual(more, [])
        // What it was asked under is the version that was read, not what the page of the error said.
        assert.deepStrictEqual(conditions, ['"1"', '"1"'])
        host.pages.set(path, (request, response) =>
          request.headers["if-none-match"] === '"1"'
            ? void response.writeHead(304).end()
            : served(calendar())(request, response)
        )
        yield* nextTurn
        assert.isNull(yield* failureOf(7))
        assert.deepStrictEqual(yield* placesOf(7), closed)
        // A calendar under another type is a calendar.
        host.pages.set(path, served(calendar(event("b", onDay("140000", "150000"))), { "content-type": "text/plain" }))
        yield* nextTurn
        assert.deepStrictEqual(yield* placesOf(7), ["12-05T14:00 12-05T15:00 {[0,20)} calendar"])
        assert.deepStrictEqual(yield* CalendarFeeds.use((feeds) => feeds.reported(now + 2 * hourMs, 10)), [])
      })
  )
})
