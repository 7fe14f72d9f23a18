import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { makeSharedReads } from "../../../src/platform/concurrency/SharedReads.ts"

/** A number that each read takes with it when it begins, and reads that end when they are let. */
const world = () => {
  const shared = makeSharedReads<number, "no">()
  const gates: Array<Deferred.Deferred<void, "no">> = []
  let value = 0
  const read = Effect.suspend(() => {
    const seen = value
    const gate = Deferred.makeUnsafe<void, "no">()
    gates.push(gate)
    return Effect.as(Deferred.await(gate), seen)
  })
  const ask = (key = "a") => Effect.forkChild(Effect.result(shared(key, read)), { startImmediately: true })
  const told = (
    fiber: Fiber.Fiber<{ readonly _tag: "Success"; readonly success: number } | { readonly _tag: "Failure" }>
  ) => Effect.map(Fiber.join(fiber), (result) => (result._tag === "Success" ? result.success : "no"))
  return {
    ask,
    told,
    begun: () => gates.length,
    set: (to: number) => {
      value = to
    },
    finish: (n: number) => Effect.suspend(() => Deferred.succeed(gates[n] ?? assert.fail("not begun"), undefined)),
    refuse: (n: number) => Effect.suspend(() => Deferred.fail(gates[n] ?? assert.fail("not begun"), "no"))
  }
}

describe("reads by key", () => {
  it.effect("are shared by who asks while one runs: all get the next, so none gets what was read before it asked", () =>
    Effect.gen(function* () {
      const { ask, begun, finish, set, told } = world()
      const first = yield* ask()
      set(1)
      const rest = [yield* ask(), yield* ask(), yield* ask()]
      const elsewhere = yield* ask("b")
      assert.strictEqual(begun(), 2, "the first, and that of another key")
      set(2)
      yield* finish(0)
      assert.strictEqual(yield* told(first), 0)
      yield* Effect.yieldNow
      set(3)
      const late = yield* ask()
      yield* finish(1)
      yield* finish(2)
      assert.deepStrictEqual(yield* Effect.forEach(rest, told), [2, 2, 2])
      assert.strictEqual(yield* told(elsewhere), 1)
      yield* Effect.yieldNow
      yield* finish(3)
      assert.strictEqual(yield* told(late), 3)
      assert.strictEqual(begun(), 4)
      const alone = yield* ask()
      assert.strictEqual(begun(), 5, "nobody waits where nothing is read")
      yield* finish(4)
      assert.strictEqual(yield* told(alone), 3)
    })
  )

  it.effect("fail for all who share them; who asks then reads anew", () =>
    Effect.gen(function* () {
      const { ask, finish, refuse, told } = world()
      const fibers = [yield* ask(), yield* ask(), yield* ask()]
      yield* finish(0)
      yield* Effect.yieldNow
      yield* refuse(1)
      assert.deepStrictEqual(yield* Effect.forEach(fibers, told), [0, "no", "no"])
      const again = yield* ask()
      yield* finish(2)
      assert.strictEqual(yield* told(again), 0)
    })
  )

  it.effect("are done by another where who reads for all is interrupted, whether the read has begun or not", () =>
    Effect.gen(function* () {
      const { ask, begun, finish, told } = world()
      const [reads, waits, one, other] = [yield* ask(), yield* ask(), yield* ask(), yield* ask()]
      yield* Fiber.interrupt(waits)
      yield* Effect.yieldNow
      assert.strictEqual(begun(), 1)
      yield* Fiber.interrupt(reads)
      yield* Effect.yieldNow
      assert.strictEqual(begun(), 2)
      yield* finish(1)
      assert.deepStrictEqual([yield* told(one), yield* told(other)], [0, 0])
      const alone = yield* ask()
      yield* finish(2)
      assert.strictEqual(yield* told(alone), 0)
    })
  )
})
