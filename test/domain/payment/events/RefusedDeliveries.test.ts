import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { makeRefusedDeliveries } from "../../../../src/domain/payment/events/RefusedDeliveries.ts"
import { SignatureInvalid, SignatureStale } from "../../../../src/domain/payment/events/WebhookSignature.ts"
import { commandWorld, playroom } from "../../../support/CommandLine.ts"

const doctorSays = Effect.map(playroom("doctor"), ({ failure, out }) => (failure === undefined ? "" : out))
const times = (n: number, refused: Effect.Effect<void>) => Effect.repeat(refused, { times: n - 1 })

layer(commandWorld)("deliveries that a receiver refuses", (it) => {
  it.effect("are told after five in a row, with the receiver, since when and why, until one is taken", () =>
    Effect.gen(function* () {
      const deliveries = yield* makeRefusedDeliveries
      const stale = deliveries.refused("connected", new SignatureStale({ seconds_ahead: -361 }))
      yield* times(4, stale)
      assert.strictEqual(yield* doctorSays, "")
      const since = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 19).replace("T", " ")
      yield* stale
      const said = yield* doctorSays
      assert.include(said, "deliveries refused  connected")
      assert.include(said, "/api/PaymentWebhook/HandleConnected")
      assert.include(said, `since ${since}Z`)
      assert.include(said, "they are the provider's, and were signed 361 seconds before this machine's time")
      assert.include(said, "time server")
      // Of the other receiver.
      yield* deliveries.accepted("platform")
      assert.include(yield* doctorSays, "deliveries refused  connected")
      yield* deliveries.accepted("connected")
      assert.strictEqual(yield* doctorSays, "")
    })
  )

  it.effect("without a valid signature may be anybody's: they are told so, and are stored seldom", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const deliveries = yield* makeRefusedDeliveries
      const invalid = deliveries.refused("platform", new SignatureInvalid())
      yield* times(1000, invalid)
      const [{ count } = { count: 0 }] = yield* sql<{ count: number }>`select count from refused_delivery`
      assert.isAtMost(count, 6)
      yield* TestClock.adjust("11 seconds")
      yield* invalid
      const said = yield* doctorSays
      assert.include(said, "1001 deliveries in a row")
      assert.include(said, "Either somebody else posts there, which does no harm, or the secret is not the endpoint's")
      assert.notInclude(said, "they are the provider's")
      yield* deliveries.accepted("platform")
      assert.strictEqual(yield* doctorSays, "")
    })
  )
})
