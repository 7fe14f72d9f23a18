import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { forgetKeys, idempotencyKeys } from "../../../src/domain/booking/Idempotency.ts"
import { BookingId, PaymentSessionId } from "../../../src/platform/ids/Ids.ts"
import { principal } from "../../support/BookingWorld.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const bookingKeys = idempotencyKeys("create_booking", BookingId)
const sessionKeys = idempotencyKeys("create_payment_session", PaymentSessionId)

const first = BookingId.make(`booking_${"0".repeat(25)}1`)
const second = BookingId.make(`booking_${"0".repeat(25)}2`)
const session = PaymentSessionId.make(`payment_${"0".repeat(26)}`)
const call = (idempotency_key: string | undefined, args = 1) => ({
  principal: principal(),
  idempotency_key,
  fingerprint: new Uint8Array(32).fill(args)
})

layer(TestDatabase.layer)("idempotency keys", (it) => {
  it.effect("stand for the last result that was stored", () =>
    Effect.gen(function* () {
      const keys = yield* bookingKeys
      assert.isTrue(Option.isNone(yield* keys.recall(call("replaced"))))
      yield* keys.replace(call("replaced"), first, 0)
      assert.deepStrictEqual(yield* keys.recall(call("replaced")), Option.some(first))
      yield* keys.replace(call("replaced"), second, 0)
      assert.deepStrictEqual(yield* keys.recall(call("replaced")), Option.some(second))
    })
  )

  it.effect("conflict with other arguments, and change nothing then", () =>
    Effect.gen(function* () {
      const keys = yield* bookingKeys
      yield* keys.replace(call("taken"), first, 0)
      for (const other of [Effect.asVoid(keys.recall(call("taken", 2))), keys.replace(call("taken", 2), second, 0)]) {
        assert.strictEqual((yield* Effect.flip(other))._tag, "IdempotencyConflict")
      }
      assert.deepStrictEqual(yield* keys.recall(call("taken")), Option.some(first))
    })
  )

  it.effect("belong to one operation and one API key, and a call without one leaves nothing", () =>
    Effect.gen(function* () {
      const [bookings, sessions] = [yield* bookingKeys, yield* sessionKeys]
      yield* sessions.replace(call("mine"), session, 0)
      assert.isTrue(Option.isNone(yield* bookings.recall(call("mine"))))
      assert.isTrue(Option.isNone(yield* sessions.recall({ ...call("mine"), principal: principal("key_b") })))
      yield* sessions.replace(call(undefined), session, 0)
      assert.isTrue(Option.isNone(yield* sessions.recall(call(undefined))))
    })
  )

  it.effect("are forgotten oldest first, a batch at a time", () =>
    Effect.gen(function* () {
      const keys = yield* sessionKeys
      yield* forgetKeys(1, 1000)
      for (const [name, at] of [
        ["old", 1000],
        ["older", 500],
        ["young", 2000]
      ] as const)
        yield* keys.replace(call(name), session, at)
      assert.strictEqual(yield* forgetKeys(1500, 1), 1)
      assert.isTrue(Option.isNone(yield* keys.recall(call("older"))))
      assert.isTrue(Option.isSome(yield* keys.recall(call("old"))))
      assert.strictEqual(yield* forgetKeys(1500, 1000), 1)
      assert.strictEqual(yield* forgetKeys(1500, 1000), 0)
      assert.isTrue(Option.isSome(yield* keys.recall(call("young"))))
    })
  )
})
