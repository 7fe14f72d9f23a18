import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { type ConnectKey, ConnectKeys, activeKeys, removeOldKeys } from "../../../src/domain/oauth/ConnectKeys.ts"
import { dayMs, minuteMs } from "../../../src/platform/time/LocalTime.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const key = (generation: number, created_at: number): ConnectKey => ({
  generation,
  cookie_secret: new Uint8Array(32),
  signing_key: {
    kty: "RSA",
    kid: String(generation),
    use: "sig",
    alg: "RS256",
    n: "",
    e: "",
    d: "",
    p: "",
    q: "",
    dp: "",
    dq: "",
    qi: ""
  },
  created_at
})
const counting = (now: number, ...made: ReadonlyArray<number>) =>
  activeKeys(made.map((at, i) => key(i + 1, at)).reverse(), now).map(({ generation }) => generation)

describe("the keys that count", () => {
  it("are the one that there is", () => {
    assert.deepStrictEqual(counting(0), [])
    assert.deepStrictEqual(counting(0, 0), [1])
    assert.deepStrictEqual(counting(400 * dayMs, 0), [1])
  })

  it("are two after a rotation: the new one is accepted at once, and signs when every node has read it", () => {
    assert.deepStrictEqual(counting(dayMs, 0, dayMs), [1, 2])
    assert.deepStrictEqual(counting(dayMs + minuteMs, 0, dayMs), [1, 2])
    assert.deepStrictEqual(counting(dayMs + 2 * minuteMs, 0, dayMs), [2, 1])
  })

  it("are the new one alone when nothing is left of what the old one signed", () => {
    assert.deepStrictEqual(counting(2 * dayMs - 1, 0, dayMs), [2, 1])
    assert.deepStrictEqual(counting(2 * dayMs, 0, dayMs), [2])
  })

  it("are of several rotations in a row those of the last day", () => {
    assert.deepStrictEqual(counting(10 * minuteMs, 0, minuteMs, 9 * minuteMs), [2, 3, 1])
    assert.deepStrictEqual(counting(10 * dayMs, 0, minuteMs, 9.5 * dayMs), [3, 2])
  })
})

const freshKeys = Layer.fresh(ConnectKeys.layer)

layer(ConnectKeys.layer.pipe(Layer.provideMerge(Layer.mergeAll(TestDatabase.layer, SecureRandom.layerWebCrypto))))(
  "the keys of the authorization server",
  (it) => {
    it.effect("are made once, by one of the nodes that start together, and are the same on all", () =>
      Effect.gen(function* () {
        const node = ConnectKeys.use(({ current }) => current).pipe(Effect.provide(freshKeys))
        const [[one], [two], [three]] = yield* Effect.all([node, node, node], { concurrency: "unbounded" })
        assert.strictEqual(one?.generation, 1)
        assert.deepStrictEqual(two, one)
        assert.deepStrictEqual(three, one)
        const sql = yield* SqlClient.SqlClient
        assert.strictEqual((yield* sql`select 1 from connect_key`).length, 1)
      })
    )

    it.effect("change on every node within minutes of a rotation, and old ones are removed a day later", () =>
      Effect.gen(function* () {
        const keys = yield* ConnectKeys
        const generations = Effect.map(keys.current, (all) => all.map(({ generation }) => generation))
        yield* TestClock.setTime(Date.parse("2026-12-01T00:00:00Z"))
        const sql = yield* SqlClient.SqlClient
        yield* sql`update connect_key set created_at = '2026-11-01'`
        yield* ConnectKeys.use(({ rotate }) => rotate).pipe(Effect.provide(freshKeys))
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* generations, [1, 2])
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* generations, [2, 1])
        assert.strictEqual(yield* removeOldKeys, 0)
        yield* TestClock.adjust("1 day")
        assert.strictEqual(yield* removeOldKeys, 1)
        assert.deepStrictEqual(yield* generations, [2])
        assert.strictEqual(yield* keys.newest, Date.parse("2026-12-01T00:00:00Z"))
      })
    )
  }
)
