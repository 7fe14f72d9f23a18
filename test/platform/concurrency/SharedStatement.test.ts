import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { sharedStatement, statementOfFibers } from "../../../src/platform/concurrency/SharedReads.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const noDatabase = { transactionService: SqlClient.TransactionConnection(-1) }

/** Statements that end when they are let, and what each was sent for. */
const world = (most: number) => {
  const statements: Array<ReadonlyArray<number>> = []
  const gate = Deferred.makeUnsafe<void, string>()
  const shared = sharedStatement({ name: "shared", most, sql: noDatabase }, (requests: ReadonlyArray<number>) =>
    Effect.suspend(() => {
      statements.push(requests)
      return Effect.as(Deferred.await(gate), requests.map(Exit.succeed))
    })
  )
  const ask = (n: number) => Effect.forkChild(shared(n), { startImmediately: true })
  return { ask, statements, open: Deferred.succeed(gate, undefined), fail: Deferred.fail(gate, "lost") }
}

const turns = (count: number) => Effect.forEach(Array.from({ length: count }), () => Effect.yieldNow, { discard: true })

describe("a shared statement", () => {
  it.effect("is no part of a transaction that who asks is in", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const inside = Effect.map(Effect.serviceOption(sql.transactionService), ({ _tag }) => _tag)
      const shared = sharedStatement({ name: "shared", most: 1, sql }, () =>
        Effect.map(inside, (tag) => [Exit.succeed(tag)])
      )
      assert.deepStrictEqual(yield* sql.withTransaction(Effect.all([inside, shared(1)])), ["Some", "None"])
    }).pipe(Effect.provide(TestDatabase.layer))
  )

  it.live("takes all who ask before it begins; what arrives alone waits for one turn", () =>
    Effect.gen(function* () {
      const { ask, open, statements } = world(10)
      const fibers = yield* Effect.forEach([1, 2, 3], ask)
      assert.deepStrictEqual(statements, [])
      yield* turns(4)
      assert.deepStrictEqual(statements, [[1, 2, 3]])
      yield* open
      assert.deepStrictEqual(yield* Effect.forEach(fibers, Fiber.join), [1, 2, 3])
      const alone = yield* ask(4)
      yield* turns(3)
      assert.deepStrictEqual(statements.slice(1), [[4]])
      assert.strictEqual(yield* Fiber.join(alone), 4)
    })
  )

  it.live("takes no more than it may, and what comes while one is under way shares the next", () =>
    Effect.gen(function* () {
      const { ask, open, statements } = world(3)
      const fibers = yield* Effect.forEach([1, 2, 3, 4], ask)
      yield* turns(6)
      fibers.push(yield* ask(5))
      yield* turns(6)
      assert.deepStrictEqual(statements, [[1, 2, 3]])
      yield* open
      assert.deepStrictEqual(yield* Effect.forEach(fibers, Fiber.join), [1, 2, 3, 4, 5])
      assert.deepStrictEqual(statements, [
        [1, 2, 3],
        [4, 5]
      ])
    })
  )

  it.live("is not sent for who left before, and fails for all who share it", () =>
    Effect.gen(function* () {
      const { ask, fail, statements } = world(10)
      const [first, second, third] = [yield* ask(1), yield* ask(2), yield* ask(3)]
      yield* Fiber.interrupt(second)
      yield* turns(3)
      assert.deepStrictEqual(statements, [[1, 3]])
      yield* fail
      assert.deepStrictEqual(yield* Effect.flip(Fiber.join(first)), "lost")
      assert.deepStrictEqual(yield* Effect.flip(Fiber.join(third)), "lost")
    })
  )

  it.live("lets go who is interrupted, and is not sent for who left while another was under way", () =>
    Effect.gen(function* () {
      const { ask, open, statements } = world(10)
      const first = yield* ask(1)
      yield* turns(3)
      const second = yield* ask(2)
      const third = yield* ask(3)
      yield* Fiber.interrupt(first)
      yield* Fiber.interrupt(second)
      yield* open
      assert.strictEqual(yield* Fiber.join(third), 3)
      assert.deepStrictEqual(statements, [[1], [3]])
    })
  )
})

/** Statements of transactions' fibers, which end when they are let, and what each was sent for. */
const fibers = (answersOf = (requests: ReadonlyArray<number>) => requests.map((n) => `answer ${n}`)) => {
  const statements: Array<ReadonlyArray<number>> = []
  const gate = Deferred.makeUnsafe<void, string>()
  const shared = statementOfFibers(noDatabase, (requests: ReadonlyArray<number>) =>
    Effect.suspend(() => {
      statements.push(requests)
      return Effect.as(Deferred.await(gate), answersOf(requests))
    })
  )
  const never = () => Effect.never
  const connection = {
    execute: never,
    executeRaw: never,
    executeStream: () => Stream.never,
    executeValues: never,
    executeValuesUnprepared: never,
    executeUnprepared: never
  }
  /** Each has a transaction of its own. */
  const makeAsk = () => {
    const transaction = [connection, 0] as const
    return (n: number) =>
      Effect.forkChild(Effect.provideService(shared(n), noDatabase.transactionService, transaction), {
        startImmediately: true
      })
  }
  return { makeAsk, open: Deferred.succeed(gate, undefined), fail: Deferred.fail(gate, "lost"), shared, statements }
}

describe("a statement of a transaction's fibers", () => {
  it.live(
    "is shared by those that ask at once, in their order; another transaction has its own, and who is in none",
    () =>
      Effect.gen(function* () {
        const { makeAsk, open, shared, statements } = fibers()
        const [ask, other] = [makeAsk(), makeAsk()]
        const asked = [yield* ask(1), yield* other(10), yield* ask(2), yield* other(11), yield* ask(3)]
        const outside = yield* Effect.forEach([20, 21], (n) => Effect.forkChild(shared(n), { startImmediately: true }))
        yield* turns(4)
        assert.sameDeepMembers(statements, [[20], [21], [1, 2, 3], [10, 11]])
        yield* open
        assert.deepStrictEqual(
          yield* Effect.forEach([...asked, ...outside], Fiber.join),
          [1, 10, 2, 11, 3, 20, 21].map((n) => `answer ${n}`)
        )
      })
  )

  it.live("goes on for the others if one of them is interrupted, who waits for its end", () =>
    Effect.gen(function* () {
      for (const before of [0, 4]) {
        const { makeAsk, open, statements } = fibers()
        const ask = makeAsk()
        const [first, second, third] = [yield* ask(1), yield* ask(2), yield* ask(3)]
        // While they are collected, and while the statement is under way.
        yield* turns(before)
        const interrupting = yield* Effect.forkChild(Fiber.interrupt(second), { startImmediately: true })
        yield* turns(8)
        assert.deepStrictEqual(statements, [[1, 2, 3]])
        assert.isUndefined(interrupting.pollUnsafe())
        assert.isUndefined(second.pollUnsafe())
        yield* open
        assert.deepStrictEqual([yield* Fiber.join(first), yield* Fiber.join(third)], ["answer 1", "answer 3"])
        yield* Fiber.join(interrupting)
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(second)))
        assert.lengthOf(statements, 1)
      }
    })
  )

  it.live("ends before its transaction does, if another fiber of it fails", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const happened: Array<string> = []
      const note = (what: string) => Effect.sync(() => happened.push(what))
      const shared = statementOfFibers(sql, (requests: ReadonlyArray<number>) =>
        note("begins").pipe(
          Effect.andThen(Effect.sleep("50 millis")),
          Effect.andThen(sql`select 1`),
          Effect.andThen(note("ends")),
          Effect.as(requests)
        )
      )
      const failing = Effect.andThen(turns(6), Effect.fail("refused"))
      const result = yield* Effect.all([shared(1), shared(2), failing], { concurrency: "unbounded" }).pipe(
        sql.withTransaction,
        Effect.ensuring(note("transaction over")),
        Effect.flip
      )
      assert.strictEqual(result, "refused")
      assert.deepStrictEqual(happened, ["begins", "ends", "transaction over"])
    }).pipe(Effect.provide(TestDatabase.layer))
  )

  it.live("fails for each of them, and is a defect if it leaves one out", () =>
    Effect.gen(function* () {
      const { fail, makeAsk } = fibers()
      const ask = makeAsk()
      const both = [yield* ask(1), yield* ask(2)]
      yield* turns(4)
      yield* fail
      assert.deepStrictEqual(yield* Effect.forEach(both, (fiber) => Effect.flip(Fiber.join(fiber))), ["lost", "lost"])
      const short = fibers(() => ["answer"])
      const askShort = short.makeAsk()
      const left = [yield* askShort(1), yield* askShort(2)]
      yield* turns(4)
      yield* short.open
      for (const fiber of left) assert.isTrue(Exit.hasDies(yield* Fiber.await(fiber)))
    })
  )
})
