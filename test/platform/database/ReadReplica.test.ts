import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { PlayroomNotFound } from "../../../src/domain/catalogue/Playroom.ts"
import { makeHeartbeat, systemIdentifier } from "../../../src/platform/database/Maintenance.ts"
import { monotonicMs } from "../../../src/platform/time/Elapsed.ts"
import {
  ReadReplica,
  type Known,
  makeCheck,
  maxLagSeconds,
  replicaProblems,
  replicaState
} from "../../../src/platform/database/ReadReplica.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const well = { standby: true, migrated: true }
/** What is known of a replica that shows a beat, or none. */
const knownOf = (beat: number | undefined, changes: Partial<Known> = {}): Known => ({
  reading: { ...well, beat },
  foreign: false,
  written: beat ?? 0,
  ...changes
})
const bound = maxLagSeconds * 1000

describe("a replica", () => {
  it("is read while it shows a beat that was sent within the bound, whatever it shows else", () => {
    assert.strictEqual(replicaState(knownOf(1000), 1000), "used")
    assert.strictEqual(replicaState(knownOf(1000), 1000 + bound), "used")
    assert.strictEqual(replicaState(knownOf(1000, { written: 2000 }), 1001 + bound), "behind")
    assert.strictEqual(replicaState(knownOf(undefined), 0), "behind")
  })

  it("is not read where it is away, another server, its own master, or without a migration, however new its beat", () => {
    assert.strictEqual(replicaState({ ...knownOf(0), reading: undefined }, 0), "away")
    assert.strictEqual(replicaState(knownOf(0, { foreign: true }), 0), "foreign")
    assert.strictEqual(replicaState({ ...knownOf(0), reading: { ...well, standby: false, beat: 0 } }, 0), "promoted")
    assert.strictEqual(replicaState({ ...knownOf(0), reading: { ...well, migrated: false, beat: 0 } }, 0), "unmigrated")
  })

  it("is not blamed for being behind where the primary took no beat that it could show", () => {
    assert.strictEqual(replicaState(knownOf(1000), 1001 + bound), "unmeasured")
  })
})

const sqlError = (reason: "gone" | "conflict") => {
  const cause = new Error("canceling statement due to conflict with recovery")
  return new SqlError.SqlError({
    reason: reason === "gone" ? new SqlError.ConnectionError({ cause }) : new SqlError.StatementTimeoutError({ cause })
  })
}

/** A replica whose state the test decides, the warnings that are logged, and which servers were asked. */
const scripted = Effect.gen(function* () {
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
  const client = yield* SqlClient.SqlClient
  let known: Known | undefined
  let stopped = false
  const check = Effect.gen(function* () {
    const now = yield* monotonicMs
    if (!stopped) known = { ...knownOf(now), ...changes }
    return known ?? knownOf(now)
  })
  let changes: Partial<Known> = {}
  const { read } = yield* ReadReplica.make(client, check).pipe(Effect.provide(Logger.layer([logger])))
  const asked: Array<string> = []
  const on = <A, E>(place: string, answer: Effect.Effect<A, E>) =>
    Effect.andThen(
      Effect.sync(() => void asked.push(place)),
      answer
    )
  return {
    lines,
    asked,
    ask: <A, E>(replica: Effect.Effect<A, E>, primary: Effect.Effect<A, E>) =>
      read(on("replica", replica), on("primary", primary)),
    become: (to: Partial<Known>) =>
      Effect.andThen(
        Effect.sync(() => (changes = to)),
        TestClock.adjust("1 second")
      ),
    stopChecks: Effect.sync(() => (stopped = true))
  }
})

layer(TestDatabase.layer)("a public read", (it) => {
  it.effect("goes to the replica while that is fit, to the primary while it is not; each change is told once", () =>
    Effect.gen(function* () {
      const { ask, asked, become, lines } = yield* scripted
      const anywhere = ask(Effect.succeed(1), Effect.succeed(1))
      yield* anywhere
      yield* become({ reading: undefined })
      yield* anywhere
      yield* become({ reading: undefined })
      yield* become({ foreign: true })
      yield* become({})
      yield* anywhere
      assert.deepStrictEqual(asked, ["replica", "primary", "replica"])
      assert.deepStrictEqual(
        lines.map((line) => line.replace(/, so public reads go to the primary.*/, "")),
        [
          "Public reads go to the replica",
          `The replica ${replicaProblems.away.is}`,
          `The replica ${replicaProblems.foreign.is}`,
          "Public reads go to the replica"
        ]
      )
    })
  )

  it.effect("goes to the primary as soon as the last beat is too old, though no check has said so", () =>
    Effect.gen(function* () {
      const { ask, asked, stopChecks } = yield* scripted
      yield* stopChecks
      yield* TestClock.adjust(bound)
      yield* ask(Effect.void, Effect.void)
      yield* TestClock.adjust(1)
      yield* ask(Effect.void, Effect.void)
      assert.deepStrictEqual(asked, ["replica", "primary"])
    })
  )

  it.effect(
    "is repeated on the primary where the replica ends it, and where it breaks: the caller sees the answer",
    () =>
      Effect.gen(function* () {
        const { ask, asked } = yield* scripted
        assert.strictEqual(
          yield* ask<number, SqlError.SqlError>(Effect.fail(sqlError("conflict")), Effect.succeed(2)),
          2
        )
        assert.strictEqual(
          yield* ask<number, never>(Effect.die(new Error("a row of another release")), Effect.succeed(3)),
          3
        )
        assert.strictEqual(yield* ask(Effect.succeed(4), Effect.succeed(0)), 4)
        assert.deepStrictEqual(asked, ["replica", "primary", "replica", "primary", "replica"])
      })
  )

  it.effect("does not try a replica again that has gone, or is silent, until a check has found it", () =>
    Effect.gen(function* () {
      const { ask, asked, become } = yield* scripted
      yield* ask<void, SqlError.SqlError>(Effect.fail(sqlError("gone")), Effect.void)
      yield* ask(Effect.void, Effect.void)
      assert.deepStrictEqual(asked.splice(0), ["replica", "primary", "primary"])
      yield* become({})
      const waiting = yield* Effect.forkChild(ask(Effect.never, Effect.succeed("answered")))
      // The check that finds it well meanwhile speaks of later reads.
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* Fiber.join(waiting), "answered")
      assert.deepStrictEqual(asked, ["replica", "primary"])
    })
  )

  it.effect("takes no refusal from the replica, which may lack the newest rows: the primary's answer counts", () =>
    Effect.gen(function* () {
      const { ask } = yield* scripted
      const unknown = Effect.fail(new PlayroomNotFound({ playroom_id: "playroom_new" }))
      assert.strictEqual(yield* ask<string, PlayroomNotFound>(unknown, Effect.succeed("new")), "new")
      assert.strictEqual((yield* Effect.flip(ask<string, PlayroomNotFound>(unknown, unknown)))._tag, "PlayroomNotFound")
    })
  )

  it.effect("ends with its caller, and is not repeated then", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* scripted
      const begun = yield* Deferred.make<void>()
      const replica = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      const waiting = yield* Effect.forkChild(ask(replica, Effect.void))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(waiting)
      assert.deepStrictEqual(asked, ["replica"])
    })
  )

  it.effect("costs nothing where there is no replica: it is the primary's own", () =>
    Effect.gen(function* () {
      const { client, read } = yield* ReadReplica
      const primary = Effect.succeed(1)
      assert.isUndefined(client)
      assert.strictEqual(read(Effect.succeed(2), primary), primary)
    }).pipe(Effect.provide(ReadReplica.none))
  )
})

layer(Layer.fresh(TestDatabase.layer))("the heartbeat", (it) => {
  it.effect("is shown by the server that it was written to, which is no replica; it goes with its process", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = sql`select node from replica_heartbeat`
      yield* sql`insert into replica_heartbeat values (gen_random_uuid(), 0, now() - interval '2 hours')`
      yield* Effect.scoped(
        Effect.gen(function* () {
          const heartbeat = yield* makeHeartbeat(sql)
          assert.strictEqual((yield* rows).length, 1)
          yield* heartbeat.write(1234.5)
          assert.deepStrictEqual(yield* heartbeat.read(sql), { standby: false, migrated: true, beat: 1234.5 })
          const known = yield* yield* makeCheck(heartbeat, sql, sql)
          assert.strictEqual(replicaState(known, yield* monotonicMs), "promoted")
          assert.isFalse(known.foreign)
        })
      )
      assert.deepStrictEqual(yield* rows, [])
      assert.match((yield* systemIdentifier(sql)) ?? "", /^\d+$/)
    })
  )

  it.effect("is not looked for where the server lacks its table, or a migration of this release", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { read } = yield* makeHeartbeat(sql)
        yield* sql`delete from schema_migration where name like '0009%'`
        assert.isFalse((yield* read(sql)).migrated)
        yield* sql`alter table replica_heartbeat rename to elsewhere`
        assert.deepStrictEqual(yield* read(sql), { standby: false, migrated: false, beat: undefined })
      })
    )
  )
})
