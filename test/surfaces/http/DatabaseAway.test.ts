import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { fragileDatabase, startReceivers } from "../../support/fragileDatabase.ts"
import { SqlClient } from "effect/sql"
import { boundedClient } from "../../../src/platform/database/Database.ts"
import { migrate } from "../../../src/platform/database/Migrations.ts"
import { copiedDatabase, serverUrl, TestDatabase } from "../../support/TestDatabase.ts"

it.live(
  "an event that comes while the database is away is asked for again with 503, and taken when it is back",
  () =>
    Effect.gen(function* () {
      const database = yield* Effect.provide(fragileDatabase, Reactivity.layer)
      const { deliver, storedIds } = yield* startReceivers(database.client)
      assert.deepStrictEqual((yield* deliver("evt_before")).body, { received: true })
      database.go()
      for (const id of ["evt_away", "evt_away", "evt_before"]) {
        const refused = yield* deliver(id)
        assert.deepStrictEqual([refused.status, refused.hasRetryAfter], [503, true])
        assert.propertyVal(refused.body, "code", "service_unavailable")
      }
      database.comeBack()
      // The provider sends again what was not taken; the pool needs a moment to connect anew.
      let taken = yield* deliver("evt_away")
      while (taken.status !== 200) {
        yield* Effect.sleep("100 millis")
        taken = yield* deliver("evt_away")
      }
      assert.deepStrictEqual(taken.body, { received: true })
      assert.deepStrictEqual((yield* deliver("evt_before")).body, { received: true, duplicate: true })
      assert.sameMembers(yield* storedIds, ["evt_before", "evt_away"])
    }).pipe(Effect.scoped),
  120_000
)

it.live(
  "while the table of events is locked receivers ask for the event again with 503, and take it when it is free",
  () =>
    Effect.gen(function* () {
      const { context, deliver, storedIds } = yield* startReceivers(TestDatabase.layer)
      const locked = yield* Deferred.make<void>()
      const free = yield* Deferred.make<void>()
      const locking = yield* SqlClient.SqlClient.use((sql) =>
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`lock table webhook_event in access exclusive mode`
            yield* Deferred.succeed(locked, undefined)
            yield* Deferred.await(free)
          })
        )
      ).pipe(Effect.provideContext(context), Effect.forkChild)
      yield* Deferred.await(locked)
      // The lock is let go only after the answers: a receiver that waited for it would never answer.
      const answers = yield* Effect.all(
        Array.from({ length: 12 }, (_, i) => deliver(`evt_${i}`)),
        { concurrency: "unbounded" }
      )
      for (const { body, status } of answers) {
        assert.strictEqual(status, 503)
        assert.propertyVal(body, "code", "service_unavailable")
      }
      yield* Deferred.succeed(free, undefined)
      yield* Fiber.join(locking)
      for (const i of [0, 1, 11]) assert.strictEqual((yield* deliver(`evt_${i}`)).status, 200)
      assert.includeMembers(yield* storedIds, ["evt_0", "evt_1", "evt_11"])
    }).pipe(Effect.scoped),
  120_000
)

it.live.skipIf(serverUrl === undefined)(
  "a server ends statements that take too long, and waits for locks before that, but for migrations",
  () =>
    Effect.gen(function* () {
      const sql = yield* boundedClient(yield* copiedDatabase(serverUrl ?? ""), 1)
      const slow = yield* Effect.flip(sql`select pg_sleep(60)`)
      assert.strictEqual(slow.reason._tag, "StatementTimeoutError")
      const free = yield* Deferred.make<void>()
      const locked = yield* Deferred.make<void>()
      const locking = yield* Effect.forkChild(
        sql.withTransaction(
          sql`lock table schema_migration in access exclusive mode`.pipe(
            Effect.andThen(Deferred.succeed(locked, undefined)),
            Effect.andThen(Deferred.await(free))
          )
        )
      )
      yield* Deferred.await(locked)
      const migrating = yield* Effect.forkChild(Effect.provideService(migrate, SqlClient.SqlClient, sql))
      const waiting = yield* Effect.flip(sql`select 1 from schema_migration`)
      assert.strictEqual(waiting.reason._tag, "LockTimeoutError")
      assert.isUndefined(migrating.pollUnsafe())
      yield* Deferred.succeed(free, undefined)
      yield* Fiber.join(locking)
      yield* Fiber.join(migrating)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer)),
  120_000
)

it.live.skipIf(serverUrl === undefined)("a server that is away is told as that, bound or not", () =>
  Effect.gen(function* () {
    const sql = yield* boundedClient(Redacted.make("postgres://postgres@127.0.0.1:1/none"))
    const away = yield* Effect.flip(sql`select 1`)
    assert.strictEqual(away.reason._tag, "ConnectionError")
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
)
