import { assert, describe, it, layer } from "@effect/vitest"
import { Duration, Effect, Layer, Result } from "effect"
import { RateLimiter } from "effect/persistence"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AppConfig } from "../../src/AppConfig.ts"
import { makeMemoryStore, memoryStore, postgresStore } from "../../src/access/RateLimitStores.ts"
import { RateLimits } from "../../src/access/RateLimits.ts"
import { settingsWith } from "../support/StandInTools.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const limits = { perAddress: 5, perKey: 3 }
const on = <E, R>(store: Layer.Layer<RateLimiter.RateLimiterStore, E, R>) =>
  Layer.fresh(RateLimits.layerLimiter).pipe(
    Layer.provide(Layer.succeed(AppConfig, settingsWith({ rateLimits: limits }))),
    Layer.provide(Layer.fresh(RateLimiter.layer)),
    Layer.provide(Layer.fresh(store))
  )

/** How many of `n` calls pass, and how long the last refused one is told to wait. */
const passing = (n: number, take: Effect.Effect<void, { readonly retry_after_seconds: number }>) =>
  Effect.gen(function* () {
    let passed = 0
    let wait = 0
    for (let i = 0; i < n; i++) {
      const result = yield* Effect.result(take)
      if (Result.isSuccess(result)) passed++
      else wait = result.failure.retry_after_seconds
    }
    return { passed, wait }
  })

// Set before anything runs on a schedule, which would else catch up on 56 years.
const today = TestClock.setTime(Date.UTC(2026, 10, 20))

const behaviour = Effect.gen(function* () {
  const { takeForAddress, takeForKey } = yield* RateLimits
  assert.deepStrictEqual(yield* passing(9, takeForAddress("203.0.113.1")), { passed: 5, wait: 12 })
  assert.strictEqual((yield* passing(1, takeForAddress("203.0.113.2"))).passed, 1)
  assert.deepStrictEqual(yield* passing(4, takeForKey("key_a")), { passed: 3, wait: 20 })
  assert.strictEqual((yield* passing(1, takeForKey("key_b"))).passed, 1)
  // After the wait that was told, one call passes, and after a minute all do.
  yield* TestClock.adjust("12 seconds")
  assert.strictEqual((yield* passing(3, takeForAddress("203.0.113.1"))).passed, 1)
  yield* TestClock.adjust("1 minute")
  assert.strictEqual((yield* passing(9, takeForAddress("203.0.113.1"))).passed, 5)
})

it.effect("in memory, a bucket gives its limit at once, then one call at a time", () =>
  Effect.andThen(today, Effect.provide(behaviour, on(memoryStore)))
)

layer(TestDatabase.layer)("in the database", (it) => {
  it.effect("a bucket gives its limit at once, then one call at a time", () =>
    Effect.andThen(today, Effect.provide(behaviour, on(postgresStore)))
  )

  it.effect("nodes share the buckets, and never give more than the limit between them", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21))
      const nodes = yield* Effect.all([1, 2, 3].map(() => Effect.provide(RateLimits, on(postgresStore))))
      const taken = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, i) => nodes[i % 3]),
        (node) => Effect.result(node?.takeForAddress("198.51.100.7") ?? Effect.void),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(taken.filter(Result.isSuccess).length, 5)
    }).pipe(Effect.scoped)
  )

  it.effect("buckets that are full again are removed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.setTime(Date.UTC(2026, 10, 22))
      const { takeForAddress } = yield* Effect.provide(RateLimits, on(postgresStore))
      yield* takeForAddress("192.0.2.1")
      const count = Effect.map(sql`select key from rate_limit where key like '%192.0.2.1'`, (rows) => rows.length)
      assert.strictEqual(yield* count, 1)
      yield* Layer.build(on(postgresStore))
      // The removal runs beside, its statement in real time, and sleeps again only after it.
      const pause = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 100)))
      for (let minutes = 0; minutes < 20; minutes += 5) {
        yield* TestClock.adjust("5 minutes")
        for (let i = 0; i < 5; i++) yield* pause
      }
      assert.strictEqual(yield* count, 0)
    }).pipe(Effect.scoped)
  )
})

describe("the memory store", () => {
  const take = (store: RateLimiter.RateLimiterStore["Service"], key: string) =>
    store.tokenBucket({ key, tokens: 1, limit: 60, refillRate: Duration.seconds(1), allowOverflow: false })

  it.effect("forgets full buckets as it grows, and keeps those in use", () =>
    Effect.gen(function* () {
      const { size, store } = makeMemoryStore()
      for (let round = 0; round < 20; round++) {
        for (let i = 0; i < 1000; i++) yield* take(store, `${round} ${i}`)
        yield* TestClock.adjust("2 seconds")
      }
      assert.isBelow(size(), 5000)
    })
  )

  it.effect("is bounded under a flood of addresses", () =>
    Effect.gen(function* () {
      const { size, store } = makeMemoryStore(2000)
      for (let i = 0; i < 10_000; i++) yield* take(store, String(i))
      assert.isAtMost(size(), 2000)
    })
  )
})
