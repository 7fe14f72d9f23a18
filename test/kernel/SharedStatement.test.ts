import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { sharedStatement } from "../../src/kernel/SharedStatement.ts"
import { makeTimeLimit, type TimeLimit } from "../../src/kernel/TimeLimit.ts"

/** Statements that end when they are let, and what each was sent for. */
const world = (most: number, time?: TimeLimit) => {
  const statements: Array<ReadonlyArray<number>> = []
  const limit = time && { limit: { time, error: () => "too long" } }
  const gate = Deferred.makeUnsafe<void, string>()
  const shared = sharedStatement({ name: "shared", most, ...limit }, (requests: ReadonlyArray<number>) =>
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
  it.live("waits as long as each turn brings more, and then takes all; what arrives alone waits for one turn", () =>
    Effect.gen(function* () {
      const { ask, open, statements } = world(10)
      // The second asks a turn after the first, and so on; each before the first looks whether more came.
      const later = yield* Effect.forEach([2, 3, 4], (n) =>
        Effect.forkChild(Effect.andThen(turns(n - 1), Effect.flatMap(ask(n), Fiber.join)), { startImmediately: true })
      )
      const first = yield* ask(1)
      yield* turns(2)
      assert.deepStrictEqual(statements, [])
      yield* turns(4)
      assert.deepStrictEqual(statements, [[1, 2, 3, 4]])
      yield* open
      assert.deepStrictEqual(yield* Effect.forEach([first, ...later], Fiber.join), [1, 2, 3, 4])
      const alone = yield* ask(5)
      yield* turns(3)
      assert.deepStrictEqual(statements.slice(1), [[5]])
      assert.strictEqual(yield* Fiber.join(alone), 5)
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

  it.effect("keeps nobody waiting longer than the limit, and is not sent for who has left", () =>
    Effect.gen(function* () {
      const { ask, open, statements } = world(1, yield* makeTimeLimit("3 seconds"))
      const first = yield* ask(1)
      const second = yield* ask(2)
      yield* turns(3)
      yield* TestClock.adjust("2 seconds")
      const third = yield* ask(3)
      yield* TestClock.adjust("2 seconds")
      for (const fiber of [first, second]) assert.strictEqual(yield* Effect.flip(Fiber.join(fiber)), "too long")
      yield* open
      assert.strictEqual(yield* Fiber.join(third), 3)
      assert.deepStrictEqual(statements, [[1], [3]])
    })
  )
})
