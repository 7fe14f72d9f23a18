import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Request } from "effect"
import { sharedStatement } from "../../src/kernel/SharedStatement.ts"

class Ask extends Request.TaggedClass("Ask")<{ readonly n: number }, number> {}

/** A resolver whose statements end when they are let, and what each was sent for. */
const world = (most: number) => {
  const statements: Array<ReadonlyArray<number>> = []
  const gate = Deferred.makeUnsafe<void>()
  const resolver = sharedStatement<Ask>(most, (entries) =>
    Effect.gen(function* () {
      statements.push(entries.map(({ request }) => request.n))
      yield* Deferred.await(gate)
      for (const entry of entries) entry.completeUnsafe(Exit.succeed(entry.request.n))
    })
  )
  const ask = (n: number) => Effect.forkChild(Effect.request(new Ask({ n }), resolver), { startImmediately: true })
  return { ask, statements, open: Deferred.succeed(gate, undefined) }
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
})
