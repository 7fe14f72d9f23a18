import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { PublicDocuments } from "../../../src/platform/access/PublicDocuments.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { CalendarHost, calendar, event, served } from "../../support/CalendarWorld.ts"
import { commandWorld, playroom } from "../../support/CommandLine.ts"

const world = Layer.unwrap(Effect.map(CalendarHost, ({ network }) => PublicDocuments.layerOn(network))).pipe(
  Layer.provideMerge(CalendarHost.layer),
  (documents) => Layer.merge(commandWorld, documents)
)

layer(world)("playroom calendar", (it) => {
  it.effect("try: prints when an address is busy and what is not understood, and stores nothing", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const host = yield* CalendarHost
      host.pages.set(
        "/try.ics",
        served(
          calendar(
            event("a", "DTSTART:20261205T110000Z DTEND:20261205T130000Z"),
            event("b", "DTSTART;VALUE=DATE:20261207"),
            event("c", "DTSTART:20261208T110000Z DURATION:PT1H RRULE:FREQ=HOURLY"),
            event("d", "DTSTART:20270805T110000Z DURATION:PT1H")
          )
        )
      )
      const { out } = yield* playroom("calendar", "try", host.url("/try.ics"), "--zone", "Europe/Berlin")
      assert.include(out, "2026-12-05 12:00 to 14:00")
      assert.include(out, "2026-12-07 00:00 to 2026-12-08 00:00")
      assert.include(out, "HOURLY")
      assert.notInclude(out, "2027")
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select 1 from calendar_feed union all select 1 from calendar_busy`, [])
      const wrong = yield* playroom("calendar", "try", host.url("/nothing.ics"))
      assert.include(wrong.failure ?? "", "answered with 404")
      assert.include((yield* playroom("calendar", "try", "http://calendar.example.test/a.ics")).failure ?? "", "https")
    })
  )

  it.effect("list: shows each calendar with its last look, its state and what is busy", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      assert.include((yield* playroom("calendar", "list")).out, "No playroom names another calendar")
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into calendar_feed (operator_id, playroom_id, name, url, ask_at, answered_at, failing_since, failure, unread)
        select operator_id, playroom_id, 'Phone', 'https://secret.example.test/1.ics', now(), '2026-11-20T07:00Z', '2026-11-20T07:30Z',
          'the host answered with 404', '[{"at": "2026-12-08T11:00:00Z", "why": "its RRULE has the frequency HOURLY"}]' from playroom order by playroom_id limit 1`
      yield* sql`insert into calendar_busy (feed_id, operator_id, playroom_id, during) select feed_id, operator_id, playroom_id, d
        from calendar_feed, unnest(array['[2026-11-19T10:00Z,2026-11-19T11:00Z)', '[2026-12-05T10:00Z,2026-12-05T11:00Z)']::tstzrange[]) d`
      const { out } = yield* playroom("calendar", "list")
      assert.match(out, /Phone +2026-11-20 07:00.* 1 +0 +not read since 2026-11-20 07:00.*404/)
      assert.include(out, "HOURLY")
      assert.notInclude(out, "secret")
      assert.include((yield* playroom("calendar", "list", "--json")).out, '"busy_ahead": 1')
    })
  )
})
