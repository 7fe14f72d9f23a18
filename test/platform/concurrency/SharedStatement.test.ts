import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { sharedStatement } from "../../../src/platform/concurrency/SharedReads.ts"
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
