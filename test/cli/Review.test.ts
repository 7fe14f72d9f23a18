/** `playroom review` where the sandbox does not take the payments; with it, `test/journeys/Review.test.ts`. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Redacted, Schema } from "effect"
import { ApiKeys } from "../../src/access/ApiKeys.ts"
import { AppConfig } from "../../src/config/AppConfig.ts"
import type { CommandServices } from "../../src/cli/Cli.ts"
import type { ProviderSetup } from "../../src/payment/setup/ProviderSetup.ts"
import { commandWorld, playroom } from "../support/CommandLine.ts"
import { ReviewAccount } from "../support/ReviewAccount.ts"
import { testSettings } from "../support/testSettings.ts"

/** Runs the command with the provider's keys. */
const withKeys = (livemode: boolean, ...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const services = yield* Effect.context<CommandServices | ProviderSetup>()
    const provider = { kind: "stripe", secretKey: Redacted.make("sk_test_x"), livemode } as const
    return yield* playroom("review", ...args).pipe(
      Effect.provideContext(Context.add(services, AppConfig, testSettings({ provider })))
    )
  })

layer(commandWorld)("a test account for reviewers", (it) => {
  it.effect("is refused where payments are live, and no key is made", () =>
    Effect.gen(function* () {
      const { failure, out } = yield* withKeys(true)
      assert.include(failure, "Payments are live here")
      assert.strictEqual(out, "")
      assert.deepStrictEqual(yield* ApiKeys.use((keys) => keys.list), [])
    })
  )

  it.effect("with the provider's test keys says where a person pays once, and what then", () =>
    Effect.gen(function* () {
      const { failure, out } = yield* withKeys(false, "--json")
      assert.isUndefined(failure)
      const { bookings } = Schema.decodeUnknownSync(ReviewAccount)(out)
      const left = new Map(bookings.map((booking) => [booking.example, booking.left]))
      assert.match(left.get("paid") ?? "", /^pay with a test card: https?:\/\/\S+$/)
      assert.match(
        left.get("cancelled") ?? "",
        /^pay with a test card: https?:\/\/\S+, then: playroom booking cancel [0-9A-Z]{4}-[0-9A-Z]{4}$/
      )
      assert.isTrue(left.has("held"))
      assert.isUndefined(left.get("held"))
      const [key] = yield* ApiKeys.use((keys) => keys.list)
      assert.strictEqual(key?.label, "review")
      assert.notInclude(key?.scopes ?? [], "admin")
      assert.isNotNull(key?.expires_at)
    })
  )
})
