import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { forgetTakenShares, signInShares, takeShare } from "../../../src/domain/oauth/Grants.ts"
import { hourMs } from "../../../src/platform/time/LocalTime.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { runs } from "../../support/runs.ts"

const { available, own } = signInShares.sign_in

const fresh = SqlClient.SqlClient.use((sql) => sql`delete from admission`)

/** How many of `many` are admitted, one after the other, each from the address for its number. */
const flood = Effect.fnUntraced(function* (many: number, address: (n: number) => string) {
  let admitted = 0
  for (let n = 0; n < many; n++) if ((yield* takeShare("sign_in", address(n))) === undefined) admitted++
  return admitted
})

layer(TestDatabase.layer)("sign-ins and registrations", (it) => {
  it.effect(
    "three hundred sign-ins from two /48s leave a newcomer, and a school of sixty families, signing in as before",
    () =>
      Effect.gen(function* () {
        yield* fresh
        // Each from another /64, host and port; the /48s are what counts.
        yield* flood(150, (n) => `2001:db8:1:${n.toString(16)}::1`)
        yield* flood(150, (n) => `2001:db8:2:${n.toString(16)}::${n}`)
        assert.isUndefined(yield* takeShare("sign_in", "2001:db8:3::1"))
        assert.isUndefined(yield* takeShare("sign_in", "198.51.100.1"))
        assert.strictEqual(yield* flood(60, () => "203.0.113.60"), 60)
      })
  )

  it.effect("a network has a third of what others leave beyond its own, a /64 a third of that", () =>
    Effect.gen(function* () {
      yield* fresh
      assert.strictEqual(yield* flood(300, () => "203.0.113.1"), own + available / 3)
      assert.deepInclude(yield* takeShare("sign_in", "203.0.113.1"), { per: "address" })
      const rest = available - available / 3
      assert.strictEqual(yield* flood(300, (n) => `2001:db8:1:${n.toString(16)}::1`), own + Math.floor(rest / 3))
      assert.deepInclude(yield* takeShare("sign_in", "2001:db8:1:abcd::1"), { per: "network" })
      yield* fresh
      assert.strictEqual(yield* flood(300, (n) => `2001:db8:1:1::${n}`), own + Math.floor(available / 9))
      assert.deepInclude(yield* takeShare("sign_in", "2001:db8:1:1::1"), { per: "address" })
      assert.isUndefined(yield* takeShare("sign_in", "2001:db8:1:2::1"))
    })
  )

  it.effect("who is refused is told when the next is free, and is admitted then", () =>
    Effect.gen(function* () {
      yield* fresh
      yield* flood(100, () => "203.0.113.1")
      yield* TestClock.adjust("10 minutes")
      yield* flood(300, () => "203.0.113.1")
      const refused = yield* takeShare("sign_in", "203.0.113.1")
      assert.strictEqual(refused?.retry_after_seconds, 3000)
      yield* TestClock.adjust("2999 seconds")
      assert.isDefined(yield* takeShare("sign_in", "203.0.113.1"))
      yield* TestClock.adjust("1 second")
      assert.isUndefined(yield* takeShare("sign_in", "203.0.113.1"))
    })
  )

  it.effect("sign-ins and registrations are counted apart, and both are forgotten after an hour", () =>
    Effect.gen(function* () {
      yield* fresh
      const sql = yield* SqlClient.SqlClient
      yield* flood(300, () => "203.0.113.1")
      assert.isUndefined(yield* takeShare("registration", "203.0.113.1"))
      const now = yield* Clock.currentTimeMillis
      assert.strictEqual(yield* forgetTakenShares(now - hourMs, 500), 0)
      assert.strictEqual(yield* forgetTakenShares(now + 1, 50), 50)
      assert.strictEqual(yield* forgetTakenShares(now + 1, 500), own + available / 3 + 1 - 50)
      assert.lengthOf(yield* sql`select 1 from admission`, 0)
    })
  )

  it.effect("many at once from one address are counted one by one", () =>
    Effect.gen(function* () {
      yield* fresh
      const seen = yield* Effect.forEach(Array.from({ length: 260 }), () => takeShare("sign_in", "203.0.113.1"), {
        concurrency: "unbounded"
      })
      assert.strictEqual(seen.filter((one) => one === undefined).length, own + available / 3)
    })
  )

  // Attackers and honest senders in any order and any amount: what k senders have stays below its bound, each has its
  // own, and a newcomer from elsewhere is admitted at every moment.
  const flooding = Schema.Struct({
    who: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 6 })),
    many: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 260 }))
  })
  it.effect.prop(
    "whatever senders take in whatever order, k of them never have more than their bound, and a newcomer is admitted",
    [Schema.Array(flooding).check(Schema.isMinLength(1), Schema.isMaxLength(6))],
    ([floods]) =>
      Effect.gen(function* () {
        yield* fresh
        const sql = yield* SqlClient.SqlClient
        for (const { many, who } of floods) {
          yield* flood(many, (n) => (who % 2 === 0 ? `203.0.113.${who}` : `2001:db8:${who}:${n % 40}::${n}`))
          assert.isUndefined(yield* takeShare("sign_in", `198.51.100.${who}`))
          const taken = yield* sql<{
            network: string
            n: number
          }>`select network_of(address) as network, count(*)::int as n
            from admission where address not like '198.51.100.%' group by 1`
          const k = taken.length
          const sum = taken.reduce((total, { n }) => total + n, 0)
          assert.isAtMost(sum, k * own + available * (1 - (2 / 3) ** k))
          for (const { n } of taken) assert.isAtMost(n, own + available / 3)
        }
      }),
    { arbitrary: { runs: runs(8) }, timeout: 120_000 }
  )
})
