import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { AppConfig } from "../../../src/platform/config/AppConfig.ts"
import { ApiKeys } from "../../../src/platform/access/ApiKeys.ts"
import { credentialsOf, Authentication } from "../../../src/platform/access/Authentication.ts"
import { Grants } from "../../../src/domain/oauth/Grants.ts"
import { RateLimits } from "../../../src/platform/access/RateLimits.ts"
import { settingsWith } from "../../support/StandInTools.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const address = "203.0.113.9"

/** The key in the credentials, or what they are instead. */
const shown = (headers: Readonly<Record<string, string>>): string => {
  const credentials = credentialsOf(headers)
  return credentials._tag === "ApiKey" ? Redacted.value(credentials.key) : credentials._tag
}

describe("the credentials of a request", () => {
  it("are the key in X-API-Key, or the bearer token in Authorization, whatever the case of its scheme", () => {
    assert.strictEqual(shown({ "x-api-key": " a key " }), "a key")
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      assert.strictEqual(shown({ authorization: `${scheme} a-key` }), "a-key")
      assert.strictEqual(shown({ authorization: ` ${scheme}   a-key ` }), "a-key")
    }
  })

  it("are one key where both headers hold the same one, and no key where they hold different ones", () => {
    assert.strictEqual(shown({ "x-api-key": "a-key", authorization: "Bearer a-key" }), "a-key")
    assert.strictEqual(shown({ "x-api-key": "", authorization: "Bearer a-key" }), "a-key")
    assert.strictEqual(shown({ "x-api-key": "a-key", authorization: "Bearer " }), "a-key")
    for (const other of ["b-key", "A-KEY", "a-key, a-key"]) {
      assert.strictEqual(shown({ "x-api-key": "a-key", authorization: `Bearer ${other}` }), "DifferingApiKeys")
    }
  })

  it("are none where a header is empty or Authorization has another scheme than Bearer", () => {
    for (const authorization of ["", "Bearer", "Bearer  ", "Basic dTpw", "Bearera-key", "a-key", "DPoP a-key"]) {
      assert.strictEqual(shown({ authorization }), "None", authorization)
      assert.strictEqual(shown({ authorization, "x-api-key": "a-key" }), "a-key", authorization)
    }
    assert.strictEqual(shown({}), "None")
    assert.strictEqual(shown({ "x-api-key": "  " }), "None")
  })

  it("hide the key where they are logged", () => {
    const credentials = credentialsOf({ "x-api-key": "a-secret" })
    assert.notInclude(`${JSON.stringify(credentials)} ${String(credentials)}`, "a-secret")
  })
})

layer(
  Layer.mergeAll(Authentication.layer, Grants.layer, ApiKeys.layer).pipe(
    Layer.provide(Grants.accessTokens),
    Layer.provideMerge(Layer.fresh(RateLimits.layerInMemory)),
    Layer.provide(
      Layer.succeed(
        AppConfig,
        settingsWith({ apiKey: Redacted.make("env-secret"), rateLimits: { perAddress: 3, perKey: 10 } })
      )
    ),
    Layer.provide(TestDatabase.layer),
    Layer.provide(Layer.mergeAll(NodeFileSystem.layer, SecureRandom.layerWebCrypto))
  )
)("authentication", (it) => {
  const outcome = (headers: Readonly<Record<string, string>>, from = address) =>
    Authentication.use(({ authenticate }) => authenticate(credentialsOf(headers), from)).pipe(
      Effect.match({ onSuccess: ({ key_id }) => key_id, onFailure: ({ _tag }) => _tag })
    )

  it.effect("no key, an empty one, a wrong one and two that differ are told apart", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome({}), "ApiKeyMissing")
      assert.strictEqual(yield* outcome({ "x-api-key": " ", authorization: "Bearer " }), "ApiKeyMissing")
      assert.strictEqual(yield* outcome({ "x-api-key": "env-secre" }), "ApiKeyInvalid")
      assert.strictEqual(yield* outcome({ authorization: "Bearer env-secre" }), "ApiKeyInvalid")
      assert.strictEqual(
        yield* outcome({ "x-api-key": "env-secret", authorization: "Bearer env-secre" }),
        "ApiKeysDiffer"
      )
    })
  )

  it.effect("an issued key means the same principal in either header", () =>
    Effect.gen(function* () {
      const { create } = yield* ApiKeys
      const { key_id, secret } = yield* create({ label: "a", scopes: ["bookings:read"] })
      const key = Redacted.value(secret)
      assert.strictEqual(yield* outcome({ "x-api-key": key }), key_id)
      assert.strictEqual(yield* outcome({ authorization: `bearer ${key}` }), key_id)
      assert.strictEqual(yield* outcome({ "x-api-key": key, authorization: `Bearer ${key}` }), key_id)
    })
  )

  it.effect("guesses are counted by address, whichever header they come in", () =>
    Effect.gen(function* () {
      const guess = (i: number) => `playroom_key_${String(i).padStart(43, "a")}`
      const guesses = [0, 1, 2, 3].map((i) =>
        i % 2 === 0 ? { "x-api-key": guess(i) } : { authorization: `Bearer ${guess(i)}` }
      )
      const from = "203.0.113.77"
      assert.deepStrictEqual(yield* Effect.forEach(guesses, (headers) => outcome(headers, from)), [
        "ApiKeyInvalid",
        "ApiKeyInvalid",
        "ApiKeyInvalid",
        "RateLimited"
      ])
      assert.strictEqual(yield* outcome({ authorization: "Bearer env-secret" }, from), "key_environment")
    })
  )
})
