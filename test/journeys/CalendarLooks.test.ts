/** Looks at a calendar by several processes, and by one that dies in the middle; on a server, which outlives them. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { serverClient } from "../../src/platform/database/Database.ts"
import { bookingServices } from "../support/BookingWorld.ts"
import { CalendarHost, calendar, event, onDay, placesOf, room, served } from "../support/CalendarWorld.ts"
import { copiedDatabase, serverUrl } from "../support/TestDatabase.ts"

const script = join(import.meta.dirname, "../support/lookAtCalendars.ts")

/** A process that looks at the due calendars once. */
const look = Effect.fnUntraced(function* (url: string) {
  const { network } = yield* CalendarHost
  const child = spawn(process.execPath, [script, url, String(network.port)], { stdio: "inherit" })
  const ended = once(child, "exit")
  return { kill: () => child.kill("SIGKILL"), ended: Effect.promise(() => ended) }
})

/** The world on a database of the server, which processes share. */
const inWorld = <A, E>(
  test: (
    url: string
  ) => Effect.Effect<A, E, CalendarHost | SqlClient.SqlClient | Layer.Success<ReturnType<typeof bookingServices>>>
) =>
  Effect.gen(function* () {
    const url = yield* copiedDatabase(serverUrl ?? "")
    const world = Layer.merge(CalendarHost.layer, bookingServices()).pipe(
      Layer.provideMerge(Layer.effect(SqlClient.SqlClient, serverClient(url)))
    )
    return yield* Effect.provide(test(Redacted.value(url)), world)
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

const busyRows = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select during::text from calendar_busy`)

describe.runIf(serverUrl !== undefined)("a look at a calendar", () => {
  it.live(
    "is one, though two processes look at the same moment, and nothing is there twice",
    () =>
      inWorld(
        Effect.fnUntraced(function* (url) {
          const host = yield* CalendarHost
          const page = served(calendar(event("a", onDay("110000", "130000"))))
          host.pages.set("/1.ics", (request, response) => void setTimeout(() => page(request, response), 500))
          yield* room(1, ["/1.ics"])
          const looks = yield* Effect.all([look(url), look(url)])
          yield* Effect.all(
            looks.map(({ ended }) => ended),
            { concurrency: 2 }
          )
          assert.deepStrictEqual(host.asked, ["/1.ics"])
          assert.lengthOf(yield* busyRows, 1)
          assert.deepStrictEqual(yield* placesOf(1), ["12-05T11:00 12-05T13:00 {[0,20)} calendar"])
        })
      ),
    240_000
  )

  it.live(
    "that dies while it writes leaves what was there, and the next one has all of it, once",
    () =>
      inWorld(
        Effect.fnUntraced(function* (url) {
          const host = yield* CalendarHost
          const sql = yield* SqlClient.SqlClient
          host.pages.set("/1.ics", served(calendar(event("a", onDay("110000", "130000")))))
          yield* room(1, ["/1.ics"])
          // A row that is not committed holds the look up between its rows and its end.
          const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const holding = yield* Effect.forkChild(
            sql
              .withTransaction(
                Effect.gen(function* () {
                  yield* sql`insert into occupancy (resource_id, operator_id, units, during, other_calendar)
                    select resource_id, operator_id, '{[0,1)}', tstzrange('2026-12-05T12:00Z', '2026-12-05T12:30Z'), true from resource`
                  yield* Deferred.succeed(held, undefined)
                  yield* Deferred.await(release)
                  return yield* Effect.fail("rolled back")
                })
              )
              .pipe(Effect.ignore)
          )
          yield* Deferred.await(held)
          const dying = yield* look(url)
          const waits = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
          while ((yield* waits).length === 0) yield* Effect.sleep("100 millis")
          dying.kill()
          yield* dying.ended
          yield* Deferred.succeed(release, undefined)
          yield* Fiber.join(holding)
          while ((yield* waits).length > 0) yield* Effect.sleep("100 millis")
          assert.deepStrictEqual(yield* busyRows, [])
          assert.deepStrictEqual(yield* placesOf(1), [])
          // Until five minutes have passed nobody asks again.
          yield* (yield* look(url)).ended
          assert.lengthOf(host.asked, 1)
          yield* sql`update calendar_feed set ask_at = now()`
          yield* (yield* look(url)).ended
          assert.lengthOf(host.asked, 2)
          assert.lengthOf(yield* busyRows, 1)
          assert.deepStrictEqual(yield* placesOf(1), ["12-05T11:00 12-05T13:00 {[0,20)} calendar"])
        })
      ),
    240_000
  )
})
