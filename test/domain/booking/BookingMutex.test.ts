import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { BookingMutex } from "../../../src/domain/booking/PlayroomSemaphore.ts"
import { BookingId } from "../../../src/platform/ids/Ids.ts"

const [one, other] = ["booking_01j00000000000000000000001", "booking_01j00000000000000000000002"].map((id) =>
  BookingId.make(id)
) as [BookingId, BookingId]

describe("one change of a booking at a time", () => {
  it.effect("whoever waits too long for a change under way learns just that; other bookings do not wait", () =>
    Effect.gen(function* () {
      const { exclusively } = yield* BookingMutex
      const first = yield* Effect.forkChild(exclusively(one, Effect.never), { startImmediately: true })
      const second = yield* Effect.forkChild(Effect.flip(exclusively(one, Effect.void)), { startImmediately: true })
      assert.strictEqual(yield* exclusively(other, Effect.succeed("done")), "done")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(second))._tag, "ChangeUnderWay")
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* exclusively(one, Effect.succeed("free again")), "free again")
    }).pipe(Effect.provide(BookingMutex.layer))
  )

  it.effect("a change that has begun is not cut off, however long it takes", () =>
    Effect.gen(function* () {
      const { exclusively } = yield* BookingMutex
      const slow = yield* Effect.forkChild(exclusively(one, Effect.as(Effect.sleep("20 seconds"), "moved")), {
        startImmediately: true
      })
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(yield* Fiber.join(slow), "moved")
    }).pipe(Effect.provide(BookingMutex.layer))
  )
})
