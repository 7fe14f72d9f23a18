import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../../../src/platform/config/AppConfig.ts"
import { WebhookSecrets } from "../../../../src/domain/payment/provider/Receivers.ts"
import { TestDatabase } from "../../../support/TestDatabase.ts"
import { testSettings } from "../../../support/testSettings.ts"

/** What a node or a command with these settings signs and verifies with. */
const secrets = (changes: Parameters<typeof testSettings>[0]) =>
  WebhookSecrets.pipe(
    Effect.map(({ connected, platform }) => [platform.map(Redacted.value), connected.map(Redacted.value)]),
    Effect.provide(
      Layer.fresh(WebhookSecrets.layer).pipe(
        Layer.provide([Layer.succeed(AppConfig, testSettings(changes)), SecureRandom.layerWebCrypto])
      )
    )
  )
const none = { platformSecrets: [], connectedSecrets: [] }

layer(TestDatabase.layer)("the sandbox's webhook secrets", (it) => {
  it.effect("are random where none are given, and the same for every node and command on one database", () =>
    Effect.gen(function* () {
      const nodes = yield* Effect.all([secrets(none), secrets(none), secrets(none)], { concurrency: 3 })
      const [platform, connected, ...rest] = (nodes[0] ?? []).flat()
      assert.deepStrictEqual(rest, [])
      assert.match(platform ?? "", /^whsec_[\w-]{43}$/)
      assert.match(connected ?? "", /^whsec_[\w-]{43}$/)
      assert.notStrictEqual(platform, connected)
      for (const node of nodes) assert.deepStrictEqual(node, nodes[0])
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from service_secret where name like 'webhook%'`
      assert.notDeepEqual(yield* secrets(none), nodes[0], "another database has others")
    })
  )

  it.effect("are those of the settings where some are given, each receiver's on its own", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* secrets({}), [["whsec_test_platform"], ["whsec_test_connected"]])
      const [platform, connected] = yield* secrets({ connectedSecrets: [] })
      assert.deepStrictEqual(platform, ["whsec_test_platform"])
      assert.match(connected?.[0] ?? "", /^whsec_[\w-]{43}$/)
    })
  )
})
