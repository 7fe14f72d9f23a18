import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DueBookings } from "../../../src/domain/booking/DueBookings.ts"
import { countTransactions, transactionsOf } from "../../../src/platform/database/Transactions.ts"
import { makeGauges } from "../../../src/ops/attention/Gauges.ts"
import { commandWorld } from "../../support/CommandLine.ts"

/** The gauges of a name, as they are now. */
const shown = (name: string) =>
  Effect.map(Metric.snapshot, (all) =>
    all.flatMap((metric) => (metric.id === name && metric.type === "Gauge" ? [Number(metric.state.value)] : []))
  )

layer(commandWorld)("metrics that are read when asked for", (it) => {
  it.effect("are NaN where the database does not answer in time, and are back when it does", () =>
    Effect.gen(function* () {
      const hanging = Effect.flatten(makeGauges).pipe(
        Effect.provide(Layer.mock(DueBookings, { liveHolds: Effect.never }))
      )
      const looking = yield* Effect.forkChild(hanging, { startImmediately: true })
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(looking)
      assert.deepStrictEqual(yield* shown("database_up"), [0])
      for (const name of ["holds_live", "webhook_oldest_event_seconds", "provider_failing_seconds"]) {
        const values = yield* shown(name)
        assert.isNotEmpty(values)
        assert.isTrue(values.every(Number.isNaN), name)
      }
      yield* Effect.flatten(makeGauges)
      assert.deepStrictEqual(yield* shown("database_up"), [1])
      assert.deepStrictEqual(yield* shown("time_zone_rules"), [1])
      assert.deepStrictEqual(yield* shown("holds_live"), [0])
    }).pipe(Effect.scoped)
  )

  it.effect("count transactions that are open and that wait for a connection, savepoints with theirs", () =>
    Effect.gen(function* () {
      const sql = countTransactions(yield* SqlClient.SqlClient)
      const all = 13
      const go = yield* Deferred.make<void>()
      const inside = sql.withTransaction(sql.withTransaction(Effect.andThen(sql`select 1`, Deferred.await(go))))
      const running = yield* Effect.forEach(Array.from({ length: all }), () =>
        Effect.forkChild(inside, { startImmediately: true })
      )
      // Those that have a connection have said so when the last of them has been given one.
      while (transactionsOf(sql).open === 0) yield* Effect.promise(() => new Promise((done) => setTimeout(done, 10)))
      const { open, waiting } = transactionsOf(sql)
      assert.strictEqual(open + waiting, all)
      assert.isAbove(waiting, 0)
      yield* Deferred.succeed(go, undefined)
      yield* Effect.forEach(running, Fiber.join)
      yield* Effect.exit(sql.withTransaction(Effect.fail("no")))
      assert.deepStrictEqual({ ...transactionsOf(sql) }, { open: 0, waiting: 0 })
    })
  )
})
