import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { BookingList } from "../../../src/domain/booking/BookingList.ts"
import { bookingServices, setClock } from "../../support/BookingWorld.ts"
import { book, firstOption, fresh } from "../../support/freshVenues.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const world = Layer.provideMerge(bookingServices(), TestDatabase.layer)

/** Lets the database work, and what pauses go on. */
const aMoment = Effect.andThen(TestClock.withLive(Effect.sleep("10 millis")), TestClock.adjust("20 millis"))

layer(world)("how far the history is committed", (it) => {
  it.effect("is told once whoever was writing is done, so that what is read then has all lines up to it", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const sql = yield* SqlClient.SqlClient
      const { committedThrough } = yield* BookingList
      const { booking_id } = yield* book((yield* firstOption(yield* fresh())).option_id)
      const before = yield* committedThrough
      const written = yield* Deferred.make<void>()
      const end = yield* Deferred.make<void>()
      const writing = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`insert into booking_history (booking_id, operator_id, at, event)
              select booking_id, operator_id, now(), 'moved' from booking where booking_id = ${booking_id}`
            yield* Deferred.succeed(written, undefined)
            yield* Deferred.await(end)
          })
        )
      )
      yield* Deferred.await(written)
      const asked = yield* Effect.forkChild(committedThrough)
      yield* Effect.repeat(aMoment, { times: 20 })
      assert.isUndefined(asked.pollUnsafe())
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(writing)
      while (asked.pollUnsafe() === undefined) yield* aMoment
      const [latest] = yield* sql<{ line: number }>`select max(seq)::float8 as line from booking_history`
      assert.isAbove(latest?.line ?? 0, before)
      assert.strictEqual(yield* Fiber.join(asked), latest?.line)
    })
  )
})
