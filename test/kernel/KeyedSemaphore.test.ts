import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { makeKeyedSemaphore } from "../../src/kernel/KeyedSemaphore.ts"

describe("the permits of a key", () => {
  it.effect("are taken by so many at once; work on other keys does not wait", () =>
    Effect.gen(function* () {
      const withPermitOf = yield* makeKeyedSemaphore(2)
      const gate = yield* Deferred.make<void>()
      const log: Array<string> = []
      const user = (name: string, n: number) =>
        withPermitOf(
          name,
          Effect.suspend(() => {
            log.push(`${name}${n}`)
            return Deferred.await(gate)
          })
        )
      const fibers = [
        ...(yield* Effect.forEach([1, 2, 3, 4], (n) => Effect.forkChild(user("a", n), { startImmediately: true }))),
        yield* Effect.forkChild(user("b", 1), { startImmediately: true })
      ]
      assert.deepStrictEqual(log, ["a1", "a2", "b1"])
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.forEach(fibers, Fiber.join)
      assert.deepStrictEqual(log.slice(3).sort(), ["a3", "a4"])
    })
  )

  it.effect("come back after failures and interruptions, also of those who wait", () =>
    Effect.gen(function* () {
      const withPermitOf = yield* makeKeyedSemaphore(1)
      assert.strictEqual(yield* Effect.flip(withPermitOf("a", Effect.fail("no"))), "no")
      const holder = yield* Effect.forkChild(withPermitOf("a", Effect.never), { startImmediately: true })
      const waiting = yield* Effect.forkChild(withPermitOf("a", Effect.void), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(holder)
      assert.strictEqual(yield* withPermitOf("a", Effect.succeed("free")), "free")
    })
  )
})
