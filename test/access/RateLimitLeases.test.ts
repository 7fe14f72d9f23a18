import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Queue, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  type Ask,
  type Bucket,
  type Lease,
  leaseCountsMs,
  leaseMs,
  makeLeases,
  type SharedBuckets
} from "../../src/access/RateLimitLeases.ts"
import { sharedBuckets } from "../../src/access/RateLimitStores.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const bucket = (key: string, limit: number): Bucket => ({ key, limit, refillMs: 60_000 / limit })
const none: Lease = { size: 0, left: 0, round: 0 }
const passes = ([remaining]: readonly [number, number]) => remaining >= 0

/** Buckets that count questions, and tell of each give-back when it is done. */
const counted = Effect.gen(function* () {
  const buckets = sharedBuckets(yield* SqlClient.SqlClient)
  const asked = { times: 0 }
  const back = yield* Queue.unbounded<Lease>()
  const shared: typeof buckets = {
    take: (ask) => {
      asked.times++
      return buckets.take(ask)
    },
    giveBack: (key, lease) => Effect.andThen(buckets.giveBack(key, lease), Queue.offer(back, lease))
  }
  return { asked, back, shared }
})

/** How many of `n` calls pass, one after the other. */
const passing = <E>(n: number, take: Effect.Effect<readonly [number, number], E>) =>
  Effect.map(Effect.all(Array.from({ length: n }, () => take)), (answers) => answers.filter(passes).length)

const at = (day: number) => TestClock.setTime(Date.UTC(2026, 10, day))

layer(TestDatabase.layer)("leases on buckets in the database", (it) => {
  it.effect(
    "over all nodes, in any order, no more passes than a bucket's size and what it earns, and most calls ask nothing",
    () =>
      Effect.gen(function* () {
        yield* at(1)
        const { asked, shared } = yield* counted
        const nodes = yield* Effect.all([makeLeases(shared), makeLeases(shared), makeLeases(shared)])
        const one = bucket("any order", 240)
        // The most generous bucket that keeps the limit: it refills all the time, not token by token.
        const ideal = { tokens: one.limit, since: yield* Clock.currentTimeMillis }
        let calls = 0
        let passed = 0
        for (let round = 0; round < 120; round++) {
          const now = yield* Clock.currentTimeMillis
          ideal.tokens = Math.min(one.limit, ideal.tokens + (now - ideal.since) / one.refillMs)
          ideal.since = now
          // Bursts and pauses of all sizes, the same in every run.
          const burst = [1, 7, 2, 90, 1, 33, 0, 250][round % 8] ?? 0
          const answers = yield* Effect.forEach(
            Array.from({ length: burst }, (_, i) => nodes[(round + (i % ((round % 3) + 1))) % 3]),
            (node) => (node === undefined ? Effect.die("no node") : node.take(one)),
            { concurrency: round % 2 === 0 ? 16 : 1 }
          )
          calls += burst
          passed += answers.filter(passes).length
          ideal.tokens -= answers.filter(passes).length
          assert.isAtLeast(ideal.tokens, -1e-6, `round ${round}`)
          yield* TestClock.adjust([20, 300, 1100, 0, 5000, 700, 30_000, 90][round % 8] ?? 0)
        }
        assert.isAbove(passed, one.limit)
        assert.isBelow(passed, calls)
        assert.isBelow(asked.times, calls / 2)
      }).pipe(Effect.scoped)
  )

  it.effect("a caller below the limit is not refused, however its calls fall on the nodes", () =>
    Effect.gen(function* () {
      yield* at(2)
      const { shared } = yield* counted
      const nodes = yield* Effect.all([makeLeases(shared), makeLeases(shared), makeLeases(shared)])
      const one = bucket("below", 120)
      for (let call = 0; call < 360; call++) {
        // Runs on one node, so that it takes tokens ahead, and then on another.
        const node = nodes[Math.floor(call / 9) % 3]
        if (node !== undefined) assert.isTrue(passes(yield* node.take(one)), `call ${call}`)
        yield* TestClock.adjust(520)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("what a node took ahead and did not use is given back when the lease ends, and when the node stops", () =>
    Effect.gen(function* () {
      yield* at(3)
      const { back, shared } = yield* counted
      const [here, there] = yield* Effect.all([makeLeases(shared), makeLeases(shared)])
      const one = bucket("idle", 60)
      assert.strictEqual(yield* passing(3, here.take(one)), 3)
      yield* TestClock.adjust(leaseCountsMs)
      assert.isAbove((yield* Queue.take(back)).left, 0)
      assert.strictEqual(here.size(), 0)
      // 3 used, 2 earned.
      assert.strictEqual(yield* passing(70, there.take(one)), 59)

      const other = bucket("stopped", 60)
      const scope = yield* Scope.make()
      const stopping = yield* Scope.provide(makeLeases(shared), scope)
      assert.strictEqual(yield* passing(3, stopping.take(other)), 3)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* passing(70, there.take(other)), 57)
    }).pipe(Effect.scoped)
  )

  it.effect("a lease keeps its room in the bucket until it is over; what comes back later is not taken", () =>
    Effect.gen(function* () {
      yield* at(4)
      const { shared } = yield* counted
      const one = bucket("dead node", 240)
      const take = (more: Partial<Ask>) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          shared.take({ ...one, wanted: 1, ahead: 0, before: none, now, ...more })
        )
      const { granted, round } = yield* take({ ahead: 100 })
      assert.strictEqual(granted, 13)
      yield* TestClock.adjust(leaseCountsMs - 1)
      // 227 and 7 earned would make 234; with the 12 ahead it is full at 228.
      assert.strictEqual((yield* take({})).tokens, 227)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* take({ wanted: 300 })).granted, 240)
      yield* shared.giveBack(one.key, { size: 12, left: 12, round })
      assert.strictEqual((yield* take({})).granted, 0)
      assert.strictEqual((yield* take({ before: { size: 12, left: 12, round } })).granted, 0)
    })
  )

  it.effect("a small bucket gives nothing ahead, and the wait that a refusal tells is true on every node", () =>
    Effect.gen(function* () {
      yield* at(5)
      const { asked, shared } = yield* counted
      const nodes = yield* Effect.all([makeLeases(shared), makeLeases(shared)])
      for (const limit of [1, 3, 19]) {
        const one = bucket(`small ${limit}`, limit)
        for (let i = 0; i < limit; i++) {
          for (const node of nodes.slice(i % 2, (i % 2) + 1)) assert.isTrue(passes(yield* node.take(one)))
        }
        assert.isAtLeast(asked.times, limit)
        for (const node of nodes) {
          const [remaining, elapsedMs] = yield* node.take(one)
          assert.strictEqual(remaining, -1)
          yield* TestClock.adjust(one.refillMs - elapsedMs)
          assert.isTrue(passes(yield* node.take(one)))
        }
      }
    }).pipe(Effect.scoped)
  )
})

describe("a node's calls on a slow bucket", () => {
  const one = bucket("slow", 600)
  /** Answers when the gate opens, with as much as is asked for. */
  const slow = Effect.gen(function* () {
    const gate = yield* Deferred.make<void, string>()
    const asks: Array<Ask> = []
    const shared: SharedBuckets<string> = {
      take: (ask) => {
        asks.push(ask)
        return Effect.as(Deferred.await(gate), {
          granted: ask.wanted + ask.ahead,
          round: 0,
          tokens: 100,
          refilledAt: ask.now
        })
      },
      giveBack: () => Effect.void
    }
    return { gate, asks, take: (yield* makeLeases(shared)).take(one) }
  })

  it.effect("share a question, and one that is interrupted leaves the others their answer", () =>
    Effect.gen(function* () {
      const { asks, gate, take } = yield* slow
      const first = yield* Effect.forkChild(take, { startImmediately: true })
      const others = yield* Effect.forEach(Array.from({ length: 5 }), () =>
        Effect.forkChild(take, { startImmediately: true })
      )
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(gate, undefined)
      for (const fiber of others) assert.isTrue(passes(yield* Fiber.join(fiber)))
      assert.deepStrictEqual(
        asks.map(({ wanted }) => wanted),
        [1, 5]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("all fail where it fails, and the next one asks again", () =>
    Effect.gen(function* () {
      const { asks, gate, take } = yield* slow
      const fibers = yield* Effect.forEach(Array.from({ length: 3 }), () =>
        Effect.forkChild(take, { startImmediately: true })
      )
      yield* Deferred.fail(gate, "away")
      for (const fiber of fibers) assert.strictEqual(yield* Effect.flip(Fiber.join(fiber)), "away")
      assert.strictEqual(yield* Effect.flip(take), "away")
      assert.strictEqual(asks.length, 3)
    }).pipe(Effect.scoped)
  )

  it.effect("one that falls silent asks for less ahead, one that goes on for more", () =>
    Effect.gen(function* () {
      const { asks, gate, take } = yield* slow
      yield* Deferred.succeed(gate, undefined)
      for (let i = 0; i < 60; i++) yield* take
      assert.deepStrictEqual(
        asks.splice(0).map(({ ahead }) => ahead),
        [0, 2, 6, 14, 30, 62]
      )
      yield* TestClock.adjust(2 * leaseMs)
      yield* take
      yield* TestClock.adjust(leaseMs - 1)
      yield* take
      assert.deepStrictEqual(
        asks.map(({ ahead }) => ahead),
        [0, 2]
      )
      // What is left goes back with the next question.
      yield* TestClock.adjust(leaseMs)
      yield* take
      assert.deepInclude(asks[2], { ahead: 0, before: { size: 2, left: 2, round: 0 } })
    }).pipe(Effect.scoped)
  )
})
