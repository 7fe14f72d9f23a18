import { assert, describe, it, layer } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Option } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError } from "effect/sql"
import { serverClient } from "../../../src/platform/database/Database.ts"
import { countTransactions, locking, savepoint, transactionsOf } from "../../../src/platform/database/Transactions.ts"
import { connectionGone, isLockTimeout, isTemporary } from "../../../src/platform/errors/InvalidArguments.ts"
import { fragileDatabase } from "../../support/fragileDatabase.ts"
import { copiedDatabase, serverUrl, TestDatabase } from "../../support/TestDatabase.ts"

/** Runs a test on a database of its own whose connection `cut` breaks. */
const onFragile = <A, E>(test: (sql: SqlClient.SqlClient, cut: Effect.Effect<void>) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const { client, cut } = yield* fragileDatabase
    return yield* SqlClient.SqlClient.use((sql) => test(sql, Effect.sync(cut))).pipe(Effect.provide(client))
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

const isLost = <A, E>(exit: Exit.Exit<A, E>): boolean => {
  if (!Exit.isFailure(exit) || Cause.hasDies(exit.cause)) return false
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  return SqlError.isSqlError(error) && connectionGone(error)
}

describe("a transaction whose connection breaks", () => {
  it.live("fails as a lost connection does, and is no defect: the next one is served, and nothing is half done", () =>
    onFragile((sql, cut) =>
      Effect.gen(function* () {
        yield* sql`create table kept (n int)`
        const write = (n: number) => sql`insert into kept values (${n})`
        const broken = sql.withTransaction(Effect.andThen(Effect.andThen(write(1), cut), write(2)))
        assert.isTrue(isLost(yield* Effect.exit(broken)))
        const inside = sql.withTransaction(Effect.andThen(write(3), broken))
        assert.isTrue(isLost(yield* Effect.exit(inside)))
        const afterwards = sql.withTransaction(Effect.andThen(write(4), sql.withTransaction(cut)))
        assert.isTrue(isLost(yield* Effect.exit(afterwards)))
        yield* sql.withTransaction(write(5))
        assert.deepStrictEqual(yield* sql`select n from kept`, [{ n: 5 }])
      })
    )
  )

  it.live("fails with its own failure where it has one, which its caller can handle, and dies of its own defect", () =>
    onFragile((sql, cut) =>
      Effect.gen(function* () {
        const refused = sql.withTransaction(Effect.andThen(cut, Effect.fail("refused" as const)))
        assert.strictEqual(yield* Effect.flip(refused), "refused")
        const nested = sql.withTransaction(Effect.catch(savepoint(sql)(refused), (error) => Effect.succeed(error)))
        assert.isTrue(isLost(yield* Effect.exit(nested)))
        const bug = yield* Effect.exit(sql.withTransaction(Effect.andThen(cut, Effect.die("a bug"))))
        assert.isTrue(Exit.isFailure(bug) && Cause.hasDies(bug.cause) && Cause.squash(bug.cause) === "a bug")
      })
    )
  )
})

layer(TestDatabase.layer, { excludeTestServices: true, timeout: "60 seconds" })("a transaction", (it) => {
  /** Runs a test on an empty table. `kept`: what was committed, and by how many transactions and savepoints. */
  const onTable = Effect.fnUntraced(function* <A, E>(
    test: (
      sql: SqlClient.SqlClient,
      write: (n: number) => Effect.Effect<unknown, SqlError.SqlError>,
      kept: Effect.Effect<unknown, SqlError.SqlError>
    ) => Effect.Effect<A, E>
  ) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`drop table if exists kept`
    yield* sql`create table kept (n int)`
    const kept = Effect.map(
      sql`select array_agg(n order by n) as n, count(distinct xmin::text)::int as by from kept`,
      ([found]) => found
    )
    return yield* test(sql, (n) => sql`insert into kept values (${n})`, kept)
  })
  const isDefect = (exit: Exit.Exit<unknown, unknown>, about: RegExp) =>
    Exit.isFailure(exit) && Cause.hasDies(exit.cause) && about.test(String(Cause.squash(exit.cause)))

  it.effect("includes what asks for one inside it: there is no savepoint", () =>
    onTable((sql, write, kept) =>
      Effect.gen(function* () {
        yield* sql.withTransaction(
          Effect.andThen(write(1), sql.withTransaction(Effect.andThen(write(2), sql.withTransaction(write(3)))))
        )
        assert.deepStrictEqual(yield* kept, { n: [1, 2, 3], by: 1 })
      })
    )
  )

  it.effect("is not committed if a part of it failed, though its caller caught that: nothing is half done", () =>
    onTable((sql, write, kept) =>
      Effect.gen(function* () {
        const part = sql.withTransaction(Effect.andThen(write(2), Effect.fail("refused")))
        for (const caught of [
          Effect.ignore(part),
          Effect.exit(part),
          Effect.ignore(sql.withTransaction(part)),
          Effect.timeoutOption(sql.withTransaction(Effect.andThen(write(3), Effect.never)), "1 millis")
        ]) {
          const whole = yield* Effect.exit(
            sql.withTransaction(Effect.andThen(Effect.andThen(write(1), caught), write(4)))
          )
          assert.isTrue(isDefect(whole, /a part of this transaction failed/i), String(whole))
          assert.deepStrictEqual(yield* kept, { n: null, by: 0 })
        }
        // The next transaction has nothing to do with it.
        yield* sql.withTransaction(write(5))
        assert.deepStrictEqual(yield* kept, { n: [5], by: 1 })
      })
    )
  )

  it.effect("goes on without what a savepoint undid, also after the database refused a statement there", () =>
    onTable((sql, write, kept) =>
      Effect.gen(function* () {
        const refused = savepoint(sql)(Effect.andThen(write(2), Effect.fail("refused")))
        const broken = savepoint(sql)(Effect.andThen(write(3), sql`select 1 / 0`))
        const inPart = savepoint(sql)(sql.withTransaction(Effect.andThen(write(4), Effect.fail("refused"))))
        const done = savepoint(sql)(sql.withTransaction(write(5)))
        yield* sql.withTransaction(
          Effect.andThen(write(1), Effect.forEach([refused, broken, inPart, done], Effect.exit))
        )
        assert.deepStrictEqual(yield* kept, { n: [1, 5], by: 2 })
        yield* Effect.ignore(refused)
        yield* savepoint(sql)(write(6))
        assert.deepStrictEqual(yield* kept, { n: [1, 5, 6], by: 3 })
      })
    )
  )

  it.effect("has no savepoint within another, and none is kept of which a part failed", () =>
    onTable((sql, write, kept) =>
      Effect.gen(function* () {
        const within = sql.withTransaction(savepoint(sql)(sql.withTransaction(savepoint(sql)(write(1)))))
        assert.isTrue(isDefect(yield* Effect.exit(within), /a savepoint has none within it/i))
        const half = savepoint(sql)(
          Effect.ignore(sql.withTransaction(Effect.andThen(write(2), Effect.fail("refused"))))
        )
        const whole = yield* sql.withTransaction(Effect.andThen(write(1), Effect.exit(half)))
        assert.isTrue(isDefect(whole, /a part of this transaction failed/i))
        assert.deepStrictEqual(yield* kept, { n: [1], by: 1 })
      })
    )
  )
})

describe.skipIf(serverUrl === undefined)("transactions on a server", () => {
  /** How a server ends a session that is in the middle of a transaction. */
  const ends: Readonly<
    Record<string, (sql: SqlClient.SqlClient, other: SqlClient.SqlClient) => Effect.Effect<unknown, SqlError.SqlError>>
  > = {
    "an operator or a failover": (sql, other) =>
      Effect.flatMap(
        sql<{ pid: number }>`select pg_backend_pid() as pid`,
        ([mine]) => other`select pg_terminate_backend(${mine?.pid ?? 0}::int)`
      ),
    "its limit of idle transactions": (sql) => sql`set local idle_in_transaction_session_timeout = '50ms'`
  }
  for (const [why, end] of Object.entries(ends))
    it.live(`fail as a lost connection does, and are no defect, where the server ends their session for ${why}`, () =>
      Effect.gen(function* () {
        const address = yield* copiedDatabase(serverUrl ?? "")
        const sql = countTransactions(yield* serverClient(address))
        const other = yield* serverClient(address)
        yield* sql`create table kept (n int)`
        const write = (n: number) => sql`insert into kept values (${n})`
        // Once the end is known before the next statement, and once with it.
        for (const pause of ["300 millis", "0 millis"] as const) {
          const part = Effect.gen(function* () {
            yield* write(1)
            yield* end(sql, other)
            yield* Effect.sleep(pause)
            yield* write(2)
            yield* Effect.sleep("300 millis")
            yield* write(3)
          })
          const exit = yield* Effect.exit(sql.withTransaction(part))
          assert.isTrue(isLost(exit), `${pause}: ${String(exit)}`)
          const error = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined
          assert.isTrue(SqlError.isSqlError(error) && isTemporary(error))
          const inside = yield* Effect.exit(sql.withTransaction(savepoint(sql)(part)))
          assert.isTrue(isLost(inside), `in a savepoint, ${pause}: ${String(inside)}`)
        }
        assert.deepStrictEqual(yield* sql`select n from kept`, [])
      }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
    )

  it.live("are repeated if the server ends them for a deadlock: both are done once, with what they do after", () =>
    Effect.gen(function* () {
      const sql = countTransactions(yield* serverClient(yield* copiedDatabase(serverUrl ?? "")))
      yield* sql`create table counted (id text primary key, n int not null)`
      yield* sql`insert into counted values ('a', 0), ('b', 0)`
      const both = [yield* Deferred.make<void>(), yield* Deferred.make<void>()] as const
      let told = 0
      const count = (id: string) => sql`update counted set n = n + 1 where id = ${id}`
      const crossing = (me: 0 | 1, first: string, then: string) =>
        Effect.gen(function* () {
          yield* count(first)
          yield* sql.afterCommit(Effect.sync(() => told++))
          yield* Deferred.succeed(both[me], undefined)
          yield* Deferred.await(both[me === 0 ? 1 : 0])
          yield* sql.withTransaction(count(then))
        }).pipe(sql.withTransaction)
      yield* Effect.all([crossing(0, "a", "b"), crossing(1, "b", "a")], { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* sql`select * from counted order by id`, [
        { id: "a", n: 2 },
        { id: "b", n: 2 }
      ])
      assert.strictEqual(told, 2)
      assert.deepStrictEqual({ ...transactionsOf(sql) }, { open: 0, waiting: 0 })
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )

  it.live("leave connections to others: beyond their number they wait, and fail after a while as if for a lock", () =>
    Effect.gen(function* () {
      const sql = countTransactions(yield* serverClient(yield* copiedDatabase(serverUrl ?? "")), 2)
      const go = yield* Deferred.make<void>()
      const holding = yield* Effect.forEach([1, 2], () => Effect.forkScoped(sql.withTransaction(Deferred.await(go))))
      while (transactionsOf(sql).open < 2) yield* Effect.sleep("10 millis")
      const one = sql<{ n: number }>`select 1 as n`
      const late = yield* Effect.all([Effect.flip(sql.withTransaction(one)), Effect.flip(locking(sql, one))], {
        concurrency: "unbounded"
      }).pipe(Effect.forkScoped)
      const next = yield* Effect.forkScoped(Effect.delay(sql.withTransaction(sql.withTransaction(one)), "4 seconds"))
      assert.deepStrictEqual(yield* one, [{ n: 1 }])
      assert.isTrue((yield* Fiber.join(late)).every(isLockTimeout))
      assert.deepStrictEqual({ ...transactionsOf(sql) }, { open: 2, waiting: 1 })
      yield* Deferred.succeed(go, undefined)
      yield* Effect.forEach(holding, Fiber.join)
      assert.deepStrictEqual(yield* Fiber.join(next), [{ n: 1 }])
      assert.deepStrictEqual(yield* sql.withTransaction(locking(sql, one)), [{ n: 1 }])
      assert.deepStrictEqual({ ...transactionsOf(sql) }, { open: 0, waiting: 0 })
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )
})
