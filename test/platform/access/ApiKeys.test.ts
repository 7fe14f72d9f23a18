import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Exit, FileSystem, Layer, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AppConfig, type Settings } from "../../../src/platform/config/AppConfig.ts"
import { type Scope, ApiKeys, KeyCacheMs, requireScope, developmentKey } from "../../../src/platform/access/ApiKeys.ts"
import { dayMs, hourMs } from "../../../src/platform/time/LocalTime.ts"
import { ManualClock, onClock } from "../../support/ManualClock.ts"
import { settingsWith } from "../../support/StandInTools.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const settings = (changes: Partial<Settings>) => Layer.succeed(AppConfig, settingsWith(changes))
const base = Layer.mergeAll(NodeFileSystem.layer, SecureRandom.layerWebCrypto)
const own = { apiKey: Redacted.make("env-secret") }

const failureTag = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

const Rows = Schema.Array(Schema.Struct({ key_id: Schema.String, last_used_at: Schema.NullOr(Schema.Date) }))

layer(
  ApiKeys.layer.pipe(Layer.provide(settings(own)), Layer.provideMerge(TestDatabase.layer), Layer.provideMerge(base))
)("API keys", (it) => {
  it.effect("the key of the settings has all scopes under a name that does not depend on the secret", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const principal = yield* keys.authenticate("env-secret")
      assert.strictEqual(principal.key_id, "key_environment")
      assert.strictEqual(principal.scopes.size, 4)
      assert.isUndefined(keys.development)
    })
  )

  it.effect("a wrong key is refused, however near it comes to a right one", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      for (const wrong of [
        "env-secre",
        "env-secret2",
        "ENV-SECRET",
        `playroom_key_${"a".repeat(43)}`,
        "playroom_key_"
      ]) {
        assert.strictEqual(yield* failureTag(keys.authenticate(wrong)), "ApiKeyInvalid")
      }
    })
  )

  it.effect("an issued key works at once, knows its scopes, and its secret is stored nowhere", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const sql = yield* SqlClient.SqlClient
      const { key_id, secret } = yield* keys.create({ label: "assistant", scopes: ["bookings:read"] })
      assert.match(Redacted.value(secret), /^playroom_key_[A-Za-z0-9_-]{43}$/)
      assert.notInclude(String(secret), Redacted.value(secret))
      const principal = yield* keys.authenticate(Redacted.value(secret))
      assert.strictEqual(principal.key_id, key_id)
      assert.deepStrictEqual([...principal.scopes], ["bookings:read"])
      yield* requireScope(principal, "bookings:read")
      assert.strictEqual(yield* failureTag(requireScope(principal, "payments:write")), "ApiKeyScope")
      const stored = JSON.stringify(yield* sql`select k::text from api_key k`)
      assert.notInclude(stored, Redacted.value(secret))
      assert.notInclude(JSON.stringify(yield* keys.list), "playroom_key_")
    })
  )

  it.effect("admin may do everything", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const { secret } = yield* keys.create({ label: "admin", scopes: ["admin"] })
      const principal = yield* keys.authenticate(Redacted.value(secret))
      const scopes: ReadonlyArray<Scope> = ["bookings:read", "bookings:write", "payments:write", "admin"]
      yield* Effect.forEach(scopes, (scope) => requireScope(principal, scope))
    })
  )

  it.effect("a revoked key ends at once here, and within seconds on a node that has it in its cache", () =>
    Effect.gen(function* () {
      const here = yield* ApiKeys
      const elsewhere = yield* Effect.provide(ApiKeys, Layer.fresh(ApiKeys.layer).pipe(Layer.provide(settings(own))))
      const { key_id, secret } = yield* here.create({ label: "leaked", scopes: ["bookings:read"] })
      const header = Redacted.value(secret)
      yield* here.authenticate(header)
      yield* elsewhere.authenticate(header)
      assert.isTrue(yield* here.revoke(key_id))
      assert.strictEqual(yield* failureTag(here.authenticate(header)), "ApiKeyInvalid")
      yield* TestClock.adjust(yield* KeyCacheMs)
      assert.strictEqual(yield* failureTag(elsewhere.authenticate(header)), "ApiKeyInvalid")
      assert.isTrue(yield* here.revoke(key_id))
      assert.isFalse(yield* here.revoke("key_unknown"))
    })
  )

  it.effect("a revoked key ends within seconds on other nodes, also if the machine's clock steps back meanwhile", () =>
    Effect.gen(function* () {
      const here = yield* ApiKeys
      const elsewhere = yield* Effect.provide(ApiKeys, Layer.fresh(ApiKeys.layer).pipe(Layer.provide(settings(own))))
      for (const step of [-dayMs, -hourMs, dayMs]) {
        const clock = new ManualClock()
        const { key_id, secret } = yield* here.create({ label: "leaked", scopes: ["bookings:read"] })
        const use = onClock(clock)(elsewhere.authenticate(Redacted.value(secret)))
        yield* use
        yield* here.revoke(key_id)
        clock.step(step)
        clock.pass(yield* KeyCacheMs)
        assert.strictEqual(yield* failureTag(use), "ApiKeyInvalid")
      }
    })
  )

  it.effect("an expired key is invalid from the instant of its expiry, even while it is cached", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      yield* TestClock.setTime(Date.UTC(2026, 10, 20))
      const expires_at = Date.UTC(2026, 10, 20) + 1000
      const { secret } = yield* keys.create({ label: "short", scopes: ["bookings:read"], expires_at })
      yield* keys.authenticate(Redacted.value(secret))
      yield* TestClock.adjust(999)
      yield* keys.authenticate(Redacted.value(secret))
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* failureTag(keys.authenticate(Redacted.value(secret))), "ApiKeyInvalid")
    })
  )

  it.effect("the last use is noted, at most once a minute", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.setTime(Date.UTC(2026, 10, 21))
      const { key_id, secret } = yield* keys.create({ label: "used", scopes: ["bookings:read"] })
      const use = keys.authenticate(Redacted.value(secret))
      const lastUse = Effect.gen(function* () {
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
        const rows = yield* sql`select key_id, last_used_at from api_key where key_id = ${key_id}`
        return (yield* Schema.decodeUnknownEffect(Rows)(rows))[0]?.last_used_at?.getTime()
      })
      // The note is written beside the call.
      const untilNoted = (at: number) => Effect.repeat(lastUse, { until: (noted) => noted === at, times: 500 })
      const first = Date.UTC(2026, 10, 21)
      yield* use
      assert.strictEqual(yield* untilNoted(first), first)
      yield* TestClock.adjust("59 seconds")
      yield* use
      assert.deepStrictEqual(
        yield* Effect.replicateEffect(lastUse, 5),
        Array.from({ length: 5 }, () => first)
      )
      yield* TestClock.adjust("1 second")
      yield* use
      assert.strictEqual(yield* untilNoted(first + 60_000), first + 60_000)
    })
  )

  it.effect("scopes that do not exist are refused by the table", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      assert.isTrue(Exit.isFailure(yield* Effect.exit(keys.create({ label: "none", scopes: [] }))))
    })
  )
})

it.effect("the embedded default without API_KEY makes one key, keeps it for the owner's eyes, and finds it again", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const dataDir = `${yield* files.makeTempDirectoryScoped()}/data`
    const first = yield* developmentKey(dataDir)
    assert.match(Redacted.value(first), /^playroom_key_/)
    assert.strictEqual(Redacted.value(yield* developmentKey(dataDir)), Redacted.value(first))
    const { mode } = yield* files.stat(`${dataDir}/development-key`)
    assert.strictEqual(mode & 0o777, 0o600)
    const keys = yield* Effect.provide(
      ApiKeys,
      ApiKeys.layer.pipe(
        Layer.provide(settings({ dataDir, database: { kind: "embedded", dataDir } })),
        Layer.provide(TestDatabase.layer),
        Layer.provide(base)
      )
    )
    assert.strictEqual((yield* keys.authenticate(Redacted.value(first))).key_id, "key_development")
    assert.strictEqual(keys.development === undefined ? "" : Redacted.value(keys.development), Redacted.value(first))
  }).pipe(Effect.provide(base), Effect.scoped)
)

it.effect("a development key is neither made nor shown in production, nor does one from before open anything", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const dataDir = `${yield* files.makeTempDirectoryScoped()}/data`
    const inProduction = Effect.map(
      Layer.build(
        Layer.fresh(ApiKeys.layer).pipe(
          Layer.provide(settings({ dataDir, database: { kind: "embedded", dataDir }, production: true })),
          Layer.provide(base)
        )
      ),
      (context) => Context.get(context, ApiKeys)
    )
    assert.isUndefined((yield* inProduction).development)
    assert.isFalse(yield* files.exists(dataDir))
    const before = yield* developmentKey(dataDir)
    const keys = yield* inProduction
    assert.isUndefined(keys.development)
    assert.strictEqual(yield* failureTag(keys.authenticate(Redacted.value(before))), "ApiKeyInvalid")
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(base, TestDatabase.layer)))
)
