import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import crypto, { createHash } from "node:crypto"
import { syncBuiltinESMExports } from "node:module"
import { afterAll, vi } from "vitest"
import { AppConfig } from "../../../src/platform/config/AppConfig.ts"
import { ApiKeys } from "../../../src/platform/access/ApiKeys.ts"
import { settingsWith } from "../../support/StandInTools.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

// How long a comparison takes can't be tested; which one is made can. The sources' imports follow what is synchronised.
const compare = vi.spyOn(crypto, "timingSafeEqual")
syncBuiltinESMExports()
afterAll(() => {
  compare.mockRestore()
  syncBuiltinESMExports()
})

const settings = Layer.succeed(AppConfig, settingsWith({ apiKey: Redacted.make("env-secret") }))
const digest = (secret: string) => createHash("sha256").update(secret).digest()

layer(
  ApiKeys.layer.pipe(
    Layer.provide(settings),
    Layer.provideMerge(TestDatabase.layer),
    Layer.provideMerge(Layer.mergeAll(NodeFileSystem.layer, SecureRandom.layerWebCrypto))
  )
)("the key of the settings", (it) => {
  it.effect("is compared in constant time, digest with digest, whatever was sent", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      for (const sent of ["env-secret", "env-secre", "x", "e".repeat(10_000), `playroom_key_${"a".repeat(43)}`]) {
        compare.mockClear()
        yield* Effect.exit(keys.authenticate(sent))
        assert.deepStrictEqual(compare.mock.calls, [[digest(sent), digest("env-secret")]], sent.slice(0, 20))
      }
    })
  )
})
