import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startService } from "../support/Service.ts"
import { serverUrl } from "../support/TestDatabase.ts"

const live = {
  STRIPE_SECRET_KEY: "sk_live_0123456789",
  BASE_URL: "https://book.example.com",
  PAYMENT_WEBHOOK_SECRETS: "whsec_0123456789abcdef",
  PAYMENT_CONNECT_WEBHOOK_SECRETS: "whsec_fedcba9876543210"
}

describe.skipIf(serverUrl !== undefined)("a new service with a live key of the provider", () => {
  it.live(
    "offers none of the demo's playrooms, which nobody could pay",
    () =>
      Effect.gen(function* () {
        const service = yield* startService(live)
        const exported = yield* service.playroom("catalogue", "export")
        assert.strictEqual(exported.code, 0, exported.stderr)
        const catalogue: unknown = JSON.parse(exported.stdout)
        assert.deepInclude(catalogue, { operators: [], playrooms: [] })
      }).pipe(Effect.scoped),
    120_000
  )
})
