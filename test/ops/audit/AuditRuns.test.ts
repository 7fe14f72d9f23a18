/** Audits that a running service makes by itself. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Audit, auditIfDue, auditWorker } from "../../../src/ops/audit/Audit.ts"
import { makeGauges } from "../../../src/ops/attention/Gauges.ts"
import { AppConfig } from "../../../src/platform/config/AppConfig.ts"
import { hourMs } from "../../../src/platform/time/LocalTime.ts"
import { paidBooking, paymentWorld } from "../../support/PaymentWorld.ts"
import { testSettings } from "../../support/testSettings.ts"

/** The gauges of the audit, as a scrape reads them. */
const gauges = Effect.gen(function* () {
  yield* Effect.flatten(makeGauges)
  const all = yield* Metric.snapshot
  return ["audit_faults", "audit_age_seconds"].map((name) => {
    const [one] = all.flatMap((metric) => (metric.id === name && metric.type === "Gauge" ? [metric] : []))
    return Number(one?.state.value)
  })
})

const auditOf = auditIfDue(24 * hourMs)

layer(Audit.layer.pipe(Layer.provideMerge(paymentWorld())))("an audit", (it) => {
  it.effect("is made by one node of all as often as the settings say, and told by the metrics and the log", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const lines: Array<string> = []
      const kept = Logger.layer([
        Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${JSON.stringify(message)}`))
      ])
      assert.deepStrictEqual(yield* gauges, [Number.NaN, Number.NaN])
      const nodes = yield* Effect.all([auditOf, auditOf, auditOf], { concurrency: "unbounded" })
      assert.sameMembers(nodes, [0, undefined, undefined])
      assert.deepStrictEqual(yield* gauges, [0, 0])
      const { booking } = yield* paidBooking()
      yield* sql`delete from occupancy where booking_id = ${booking.booking_id}`
      yield* TestClock.adjust("23 hours")
      assert.isUndefined(yield* auditOf)
      assert.deepStrictEqual(yield* gauges, [0, 23 * 3600])
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(yield* Effect.provide(auditOf, kept), 1)
      assert.deepStrictEqual(yield* gauges, [1, 0])
      const [fault, ...others] = lines.filter((line) => line.startsWith("Error"))
      assert.include(fault, "The audit found a fault")
      assert.include(fault, "places missing")
      assert.include(fault, booking.booking_id)
      assert.deepStrictEqual(others, [])
    })
  )

  it.effect("that is cut off is no complete one: the next is made in its time", () =>
    Effect.gen(function* () {
      const before = yield* gauges
      yield* TestClock.adjust("25 hours")
      const cut = Layer.succeed(Audit, {
        schema: Effect.succeed([]),
        rows: Effect.die("the node ends"),
        look: () => Effect.die("the node ends"),
        books: Effect.succeed([])
      })
      yield* Effect.exit(Effect.provide(auditOf, cut))
      assert.deepStrictEqual(yield* gauges, [before[0], 25 * 3600])
      assert.isUndefined(yield* auditOf)
      yield* TestClock.adjust("25 hours")
      assert.isNumber(yield* auditOf)
      assert.deepStrictEqual((yield* gauges)[1], 0)
    })
  )

  it.effect("is not made by a service without AUDIT_HOURS", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const started = Effect.map(sql`select started_at from audit_run`, (rows) => rows.length)
      yield* sql`delete from audit_run`
      const serve = (auditHours: number | undefined) =>
        Effect.scoped(
          Effect.gen(function* () {
            yield* Layer.build(
              Layer.fresh(auditWorker).pipe(Layer.provide(Layer.succeed(AppConfig, testSettings({ auditHours }))))
            )
            // The worker asks the database, which takes no time of this clock: where one is due it is waited for longer.
            const looked = Effect.andThen(TestClock.adjust("6 minutes"), started)
            return yield* Effect.repeat(looked, {
              until: (runs) => runs > 0,
              times: auditHours === undefined ? 20 : 1000
            })
          })
        )
      assert.strictEqual(yield* serve(undefined), 0)
      assert.strictEqual(yield* serve(24), 1)
    })
  )
})
