import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { AppConfig } from "../../../src/platform/config/AppConfig.ts"
import {
  ApiKeyInvalid,
  RateLimited,
  ApiKeys,
  KeyCacheMs,
  type LookUpGuard
} from "../../../src/platform/access/ApiKeys.ts"
import { Authentication, callerOf, credentialsOf } from "../../../src/platform/access/Authentication.ts"
import { RateLimits } from "../../../src/platform/access/RateLimits.ts"
import { ToolCalls } from "../../../src/surfaces/mcp/tools/ToolCalls.ts"
import type { ToolName } from "../../../src/surfaces/mcp/tools/ToolList.ts"
import { bookingId, makeSlow, settingsWith, standInCalls } from "../../support/StandInTools.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const rateLimits = { perAddress: 3, perKey: 10 }
const egress = "203.0.113.9"

const calls = (name: ToolName, n: number, apiKey?: string, address = egress) =>
  Effect.gen(function* () {
    const { call } = yield* ToolCalls
    const caller = callerOf(yield* Authentication, credentialsOf({ "x-api-key": apiKey }), address)
    const input = name === "get_booking" ? { booking_id: bookingId } : {}
    const outcomes = yield* Effect.forEach(Array.from({ length: n }), () => call({ name, arguments: input, caller }))
    return outcomes.map(({ isError, json }) => (isError ? /"code":"(\w+)"/.exec(json)?.[1] : "ok"))
  })
const times = (n: number, outcome: string) => Array.from({ length: n }, () => outcome)

const limited = Layer.unwrap(Effect.map(makeSlow, (slow) => Layer.fresh(standInCalls(slow, { rateLimits }))))

it.effect(
  "a valid key has all its calls from one address, also where a neighbour there has used up the address's",
  () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* calls("search_playrooms", 4), [...times(3, "ok"), "rate_limited"])
      assert.deepStrictEqual(yield* calls("get_booking", 11, "all-scopes"), [...times(10, "ok"), "rate_limited"])
      // And takes nothing from the neighbours either.
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* calls("get_booking", 5, "all-scopes"), times(5, "ok"))
      assert.deepStrictEqual(yield* calls("search_playrooms", 3), times(3, "ok"))
    }).pipe(Effect.provide(limited))
)

it.effect("missing and wrong keys draw on the address, and a valid one there is not in their way", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* calls("get_booking", 2), times(2, "api_key_missing"))
    assert.deepStrictEqual(yield* calls("get_booking", 3, "wrong"), ["api_key_invalid", "rate_limited", "rate_limited"])
    assert.deepStrictEqual(yield* calls("get_booking", 1, "all-scopes"), ["ok"])
    assert.deepStrictEqual(yield* calls("search_playrooms", 1), ["rate_limited"])
    assert.deepStrictEqual(yield* calls("get_booking", 1, "wrong", "203.0.113.10"), ["api_key_invalid"])
  }).pipe(Effect.provide(limited))
)

it.effect("keys that are unknown are looked up as often as an address has calls, however many come at once", () =>
  Effect.gen(function* () {
    const { guessGuard } = yield* RateLimits
    let lookUps = 0
    const wrong = Effect.sync(() => lookUps++).pipe(
      Effect.andThen(Effect.yieldNow),
      Effect.andThen(new ApiKeyInvalid())
    )
    const right = Effect.as(Effect.yieldNow, "principal")
    const guesses = Effect.all(
      Array.from({ length: 200 }, () => Effect.result(guessGuard(egress)(wrong))),
      { concurrency: "unbounded" }
    )
    const refused = (yield* guesses).filter((guess) => Result.isFailure(guess) && guess.failure instanceof RateLimited)
    assert.deepStrictEqual([lookUps, refused.length], [3, 197])
    assert.strictEqual((yield* Effect.flip(guessGuard(egress)(right)))._tag, "RateLimited")
    assert.strictEqual(yield* guessGuard("203.0.113.10")(right), "principal")
    yield* TestClock.adjust("1 minute")
    yield* guesses
    assert.strictEqual(lookUps, 6)
    // Look-ups that find the key, or fail otherwise, are no guesses.
    yield* TestClock.adjust("1 minute")
    for (let i = 0; i < 50; i++) {
      assert.strictEqual(yield* guessGuard(egress)(right), "principal")
      yield* Effect.flip(guessGuard(egress)(Effect.fail("the database is away")))
    }
  }).pipe(
    Effect.provide(
      Layer.fresh(RateLimits.layerInMemory).pipe(Layer.provide(Layer.succeed(AppConfig, settingsWith({ rateLimits }))))
    )
  )
)

layer(
  ApiKeys.layer.pipe(
    Layer.provide(Layer.succeed(AppConfig, settingsWith({ apiKey: Redacted.make("env-secret") }))),
    Layer.provideMerge(TestDatabase.layer),
    Layer.provideMerge(Layer.mergeAll(NodeFileSystem.layer, SecureRandom.layerWebCrypto))
  )
)("the guard of look-ups", (it) => {
  it.effect("stands before keys that this node does not know, and never before one that was valid here", () =>
    Effect.gen(function* () {
      const { authenticate, create, revoke } = yield* ApiKeys
      let asked = 0
      const counting: LookUpGuard = (lookUp) =>
        Effect.andThen(
          Effect.sync(() => asked++),
          lookUp
        )
      const closed: LookUpGuard = () => Effect.fail(new RateLimited({ per: "address", retry_after_seconds: 1 }))
      const { key_id, secret } = yield* create({ label: "a", scopes: ["bookings:read"] })
      const key = Redacted.value(secret)
      assert.strictEqual((yield* Effect.flip(authenticate(key, closed)))._tag, "RateLimited")
      yield* authenticate(key, counting)
      assert.strictEqual(asked, 1)
      yield* TestClock.adjust((yield* KeyCacheMs) * 5)
      assert.strictEqual((yield* authenticate(key, closed)).key_id, key_id)
      assert.strictEqual((yield* authenticate("env-secret", closed)).key_id, "key_environment")
      assert.strictEqual((yield* Effect.flip(authenticate("no key of ours", closed)))._tag, "ApiKeyInvalid")
      yield* revoke(key_id)
      assert.strictEqual((yield* Effect.flip(authenticate(key, closed)))._tag, "RateLimited")
    })
  )
})
