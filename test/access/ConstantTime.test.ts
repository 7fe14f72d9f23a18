import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { createHash, timingSafeEqual } from "node:crypto"
import { vi } from "vitest"
import { AppConfig } from "../../src/config/AppConfig.ts"
import { ApiKeys } from "../../src/access/ApiKeys.ts"
import { settingsWith } from "../support/StandInTools.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

// Other files of this worker may have loaded the code that is tested here, with the real function.
vi.hoisted(() => vi.resetModules())

// How long a comparison takes can't be tested; which one is made can.
vi.mock(import("node:crypto"), async (original) => {
  const crypto = await original()
  return { ...crypto, timingSafeEqual: vi.fn(crypto.timingSafeEqual) }
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
        vi.mocked(timingSafeEqual).mockClear()
        yield* Effect.exit(keys.authenticate(sent))
        assert.deepStrictEqual(
          vi.mocked(timingSafeEqual).mock.calls,
          [[digest(sent), digest("env-secret")]],
          sent.slice(0, 20)
        )
      }
    })
  )
})
