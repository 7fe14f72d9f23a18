import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { makeKeyedSemaphore } from "../../../src/platform/concurrency/KeyedSemaphore.ts"

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

  it.effect("who waits behind a failure that is theirs, too, fails at once with the same; who comes later tries", () =>
    Effect.gen(function* () {
      const isVain = (error: unknown): error is "locked" => error === "locked"
      const withPermitOf = yield* makeKeyedSemaphore(1, isVain)
      const gate = yield* Deferred.make<void>()
      let ran = 0
      const work = <E>(failure: E) =>
        Effect.suspend(() => {
          ran++
          return Effect.andThen(Deferred.await(gate), Effect.fail(failure))
        })
      const start = <E>(key: string, failure: E) =>
        Effect.forkChild(Effect.flip(withPermitOf(key, work(failure))), { startImmediately: true })
      const behind = [
        yield* start("a", "other" as const),
        yield* start("a", "locked" as const),
        yield* start("a", "never begins" as const),
        yield* start("a", "never begins" as const),
        yield* start("b", "of another key" as const)
      ]
      yield* Deferred.succeed(gate, undefined)
      const told = yield* Effect.forEach(behind, Fiber.join)
      assert.deepStrictEqual(told, ["other", "locked", "locked", "locked", "of another key"])
      assert.strictEqual(ran, 3)
      assert.strictEqual(yield* withPermitOf("a", Effect.succeed("free")), "free")
    })
  )
})
