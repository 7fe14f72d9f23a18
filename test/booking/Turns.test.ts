import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { makeTurns } from "../../src/booking/Turns.ts"

describe("turns", () => {
  it.effect("are taken by so many of a name at once; other names do not wait", () =>
    Effect.gen(function* () {
      const turns = makeTurns(2)
      const gate = yield* Deferred.make<void>()
      const log: Array<string> = []
      const user = (name: string, n: number) =>
        turns(
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

  it.effect("are given back by failures and by those who leave, waiting or not", () =>
    Effect.gen(function* () {
      const turns = makeTurns(1)
      assert.strictEqual(yield* Effect.flip(turns("a", Effect.fail("no"))), "no")
      const holder = yield* Effect.forkChild(turns("a", Effect.never), { startImmediately: true })
      const waiting = yield* Effect.forkChild(turns("a", Effect.void), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(holder)
      assert.strictEqual(yield* turns("a", Effect.succeed("free")), "free")
    })
  )
})
