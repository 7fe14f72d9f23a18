import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { makeTimeLimit } from "../../src/kernel/TimeLimit.ts"

it.effect("work that takes longer is interrupted and gives none, and what began later has its own time", () =>
  Effect.gen(function* () {
    const { within } = yield* makeTimeLimit("20 seconds")
    const interrupted = yield* Deferred.make<void>()
    const endless = Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
    const first = yield* Effect.forkChild(within(endless), { startImmediately: true })
    yield* TestClock.adjust("15 seconds")
    const second = yield* Effect.forkChild(within(Effect.as(Effect.sleep("10 seconds"), "done")), {
      startImmediately: true
    })
    yield* TestClock.adjust("4 seconds")
    assert.isUndefined(first.pollUnsafe())
    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual(yield* Fiber.join(first), Option.none())
    yield* Deferred.await(interrupted)
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual(yield* Fiber.join(second), Option.some("done"))
  })
)

it.effect("a failure stays a failure, and who is interrupted waits until the work has been", () =>
  Effect.gen(function* () {
    const { within } = yield* makeTimeLimit("20 seconds")
    assert.strictEqual(yield* Effect.flip(within(Effect.fail("no"))), "no")
    let cleaned = false
    const slowToLeave = Effect.onInterrupt(Effect.never, () =>
      Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => (cleaned = true))
      )
    )
    const fiber = yield* Effect.forkChild(within(slowToLeave), { startImmediately: true })
    yield* Fiber.interrupt(fiber)
    assert.isTrue(cleaned)
  })
)
