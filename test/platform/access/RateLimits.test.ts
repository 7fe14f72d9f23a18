import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ApiKeyInvalid } from "../../../src/platform/access/ApiKeys.ts"
import { AppConfig } from "../../../src/platform/config/AppConfig.ts"
import {
  databaseBuckets,
  makeMemoryBuckets,
  type TokenBuckets,
  RateLimits
} from "../../../src/platform/access/RateLimits.ts"
import { dayMs, hourMs } from "../../../src/platform/time/LocalTime.ts"
import { ManualClock, onClock } from "../../support/ManualClock.ts"
import { settingsWith } from "../../support/StandInTools.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { recordingTracer } from "../../support/recordedSpans.ts"

const limits = { perAddress: 5, perKey: 3 }
const on = <E, R>(buckets: Effect.Effect<TokenBuckets, E, R>) =>
  Layer.fresh(RateLimits.layerOf(buckets)).pipe(
    Layer.provide(Layer.succeed(AppConfig, settingsWith({ rateLimits: limits })))
  )
const memoryBuckets = Effect.sync(() => makeMemoryBuckets())

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
  Effect.andThen(today, Effect.provide(behaviour, on(memoryBuckets)))
)

/** Calls from as many /64s of one /48. */
const fromSite = (
  n: number,
  take: (address: string) => Effect.Effect<void, { readonly retry_after_seconds: number }>
) =>
  Effect.map(
    Effect.forEach(Array.from({ length: n }), (_, i) => passing(1, take(`2001:db8:1:${i.toString(16)}::1`))),
    (all) => all.filter(({ passed }) => passed === 1).length
  )

const siteBehaviour = Effect.gen(function* () {
  const { guessGuard, isOver, takeForAddress, takeForClientDocument, takeForPage, takeForTokens } = yield* RateLimits
  const guess = (address: string) =>
    Effect.catchTag(guessGuard(address)(new ApiKeyInvalid()), "ApiKeyInvalid", () => Effect.void)
  for (const [take, share] of [
    [takeForAddress, 5],
    [takeForPage, 50],
    [takeForTokens, 3],
    [takeForClientDocument, 10],
    [guess, 5]
  ] as const) {
    // One of its networks that has used up its own share leaves two to the others.
    assert.strictEqual((yield* passing(400, take("2001:db8:1:ffff::1"))).passed, share)
    assert.strictEqual(yield* fromSite(400, take), 2 * share)
    // Others have theirs: another /48, and any address of IPv4.
    assert.strictEqual((yield* passing(1, take("2001:db8:2::1"))).passed, 1)
    assert.strictEqual((yield* passing(1, take("203.0.113.77"))).passed, 1)
  }
  assert.isTrue(isOver("2001:db8:1:ffff::/64", "calls"))
})

it.effect("S9: a /48 of IPv6 has three shares, however many /64s it is", () =>
  Effect.andThen(today, Effect.provide(siteBehaviour, on(memoryBuckets)))
)

/** A sender that has used its calls up when the machine's clock steps, and the same a little later. */
const steppedBehaviour = Effect.gen(function* () {
  const { takeForAddress } = yield* RateLimits
  for (const [n, step] of [-dayMs, -hourMs, dayMs].entries()) {
    const clock = new ManualClock()
    const take = onClock(clock)(takeForAddress(`203.0.113.${10 + n}`))
    assert.strictEqual((yield* passing(9, take)).passed, 5)
    clock.step(step)
    clock.pass(60_000)
    assert.strictEqual((yield* passing(9, take)).passed, 5)
  }
})

it.effect("in memory, a sender has its calls again within a minute, also if the machine's clock steps back", () =>
  Effect.provide(steppedBehaviour, on(memoryBuckets))
)

/** Takes a token of a bucket, on a node of its own. */
const takeOn = (key: string, limit: number) => Effect.map(databaseBuckets, ({ take }) => take(key, limit))
const passes = (waitMs: number | undefined): boolean => waitMs === undefined

layer(TestDatabase.layer)("in the database", (it) => {
  it.effect("a bucket gives its limit at once, then one call at a time", () =>
    Effect.andThen(today, Effect.provide(behaviour, on(databaseBuckets)))
  )

  it.effect("a sender has its calls again within a minute, also if the machine's clock steps back", () =>
    Effect.provide(steppedBehaviour, on(databaseBuckets))
  )

  it.effect("nodes share the buckets, and never give more than the limit between them", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21))
      const nodes = yield* Effect.all([1, 2, 3].map(() => Effect.provide(RateLimits, on(databaseBuckets))))
      const taken = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, i) => nodes[i % 3]),
        (node) => Effect.result(node?.takeForAddress("198.51.100.7") ?? Effect.void),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(taken.filter(Result.isSuccess).length, 5)
    }).pipe(Effect.scoped)
  )

  it.effect("over all nodes, in any order, no more passes than a bucket's size and what it earns", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 23))
      const takes = yield* Effect.all([takeOn("any order", 240), takeOn("any order", 240), takeOn("any order", 240)])
      const refillMs = 60_000 / 240
      // The most generous bucket that keeps the limit: it refills all the time, not token by token.
      const ideal = { tokens: 240, since: yield* Clock.currentTimeMillis }
      let calls = 0
      let passed = 0
      for (let round = 0; round < 60; round++) {
        const now = yield* Clock.currentTimeMillis
        ideal.tokens = Math.min(240, ideal.tokens + (now - ideal.since) / refillMs)
        ideal.since = now
        // Bursts and pauses of all sizes, the same in every run.
        const burst = [1, 7, 2, 90, 1, 33, 0, 250][round % 8] ?? 0
        const answers = yield* Effect.forEach(
          Array.from(
            { length: burst },
            (_, i) => takes[(round + (i % ((round % 3) + 1))) % 3] ?? Effect.die("no node")
          ),
          (take) => take,
          { concurrency: round % 2 === 0 ? 16 : 1 }
        )
        calls += burst
        const through = answers.filter(passes).length
        passed += through
        ideal.tokens -= through
        assert.isAtLeast(ideal.tokens, -1e-6, `round ${round}`)
        yield* TestClock.adjust([20, 300, 1100, 0, 5000, 700, 30_000, 90][round % 8] ?? 0)
      }
      assert.isAbove(passed, 240)
      assert.isBelow(passed, calls)
    }).pipe(Effect.scoped)
  )

  it.effect("calls that come at once share a statement, and each gets its own token, of any bucket", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 26))
      const { take } = yield* databaseBuckets
      const { statements, tracer } = recordingTracer()
      const one = take("at once", 10)
      const other = take("at once, another", 40)
      const taken = yield* Effect.all(
        Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? one : other)),
        { concurrency: "unbounded" }
      ).pipe(Effect.withTracer(tracer))
      assert.deepStrictEqual(
        taken.filter((_, n) => n % 2 === 0),
        Array.from({ length: 15 }, (_, n) => (n < 10 ? undefined : 6000))
      )
      assert.isTrue(taken.filter((_, n) => n % 2 === 1).every(passes))
      assert.isAtMost(statements().length, 2)
    }).pipe(Effect.scoped)
  )

  it.effect(
    "for a sender who calls often, tokens are taken ahead: a statement for many calls, and none beyond the limit",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 10, 27))
        const [here, there] = yield* Effect.all([takeOn("often", 60_000), takeOn("often", 60_000)])
        const { statements, tracer } = recordingTracer()
        const passed = (n: number, take: typeof here) =>
          Effect.map(
            Effect.all(
              Array.from({ length: n }, () => take),
              { concurrency: 32 }
            ),
            (all) => all.filter(passes).length
          )
        assert.strictEqual(yield* Effect.withTracer(passed(6000, here), tracer), 6000)
        assert.isAtMost(statements().length, 60)
        // What was taken ahead and not used within a tenth of a second is lost, and that is little.
        yield* TestClock.adjust(100)
        const rest = (yield* passed(54_200, there)) + (yield* passed(200, here))
        assert.isAtMost(rest, 54_100)
        assert.isAtLeast(rest, 54_100 - 300)
      }).pipe(Effect.scoped)
  )

  it.effect("a caller below the limit is not refused, however its calls fall on the nodes", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 24))
      const takes = yield* Effect.all([takeOn("below", 120), takeOn("below", 120), takeOn("below", 120)])
      for (let call = 0; call < 240; call++) {
        const take = takes[Math.floor(call / 9) % 3] ?? Effect.die("no node")
        assert.isTrue(passes(yield* take), `call ${call}`)
        yield* TestClock.adjust(520)
      }
    }).pipe(Effect.scoped)
  )

  it.effect(
    "a bucket that is known to be empty is not asked again before its next token is due, which is true on every node",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 10, 25))
        const sql = yield* SqlClient.SqlClient
        for (const limit of [1, 3, 19]) {
          const key = `small ${limit}`
          const [here, there] = yield* Effect.all([takeOn(key, limit), takeOn(key, limit)])
          for (let i = 0; i < limit; i++) assert.isTrue(passes(yield* i % 2 === 0 ? here : there))
          yield* TestClock.adjust(700)
          assert.closeTo((yield* here) ?? 0, 60_000 / limit - 700, 1)
          assert.isFalse(passes(yield* there))
          // Seen only by who asks the database.
          yield* sql`update rate_limit set tokens = 5 where key = ${key}`
          assert.isFalse(passes(yield* here))
          yield* sql`update rate_limit set tokens = 0 where key = ${key}`
          yield* TestClock.adjust(60_000 / limit - 701)
          assert.isFalse(passes(yield* here))
          yield* TestClock.adjust(1)
          assert.isTrue(passes(yield* there))
          assert.isFalse(passes(yield* here))
          yield* TestClock.adjust(60_000 / limit)
          assert.isTrue(passes(yield* here))
        }
      }).pipe(Effect.scoped)
  )

  it.effect("buckets that are full again are removed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.setTime(Date.UTC(2026, 10, 22))
      const { takeForAddress } = yield* Effect.provide(RateLimits, on(databaseBuckets))
      yield* takeForAddress("192.0.2.1")
      const count = Effect.map(sql`select key from rate_limit where key like '%192.0.2.1'`, (rows) => rows.length)
      assert.strictEqual(yield* count, 1)
      yield* Layer.build(on(databaseBuckets))
      // The removal runs beside, its statement in real time, and sleeps again only after it.
      const pause = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 100)))
      for (let minutes = 0; minutes < 100 && (yield* count) > 0; minutes += 5) {
        yield* TestClock.adjust("5 minutes")
        yield* pause
      }
      assert.strictEqual(yield* count, 0)
    }).pipe(Effect.scoped)
  )
})

describe("buckets in memory", () => {
  it.effect("forgets full buckets as it grows, and keeps those in use", () =>
    Effect.gen(function* () {
      const { size, take } = makeMemoryBuckets()
      for (let round = 0; round < 20; round++) {
        for (let i = 0; i < 1000; i++) yield* take(`${round} ${i}`, 60)
        yield* TestClock.adjust("2 seconds")
      }
      assert.isBelow(size(), 5000)
    })
  )

  it.effect("is bounded under a flood of addresses", () =>
    Effect.gen(function* () {
      const { size, take } = makeMemoryBuckets(2000)
      for (let i = 0; i < 10_000; i++) yield* take(String(i), 60)
      assert.isAtMost(size(), 2000)
    })
  )
})
