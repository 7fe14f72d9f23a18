import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PaymentGateway } from "../../../../src/domain/payment/provider/PaymentGateway.ts"
import { ProviderHealth } from "../../../../src/domain/payment/provider/ProviderHealth.ts"
import { commandWorld, playroom } from "../../../support/CommandLine.ts"
import { account, errorAnswer, okAnswer, session, watchedGatewayAt } from "../../../support/stripeAnswers.ts"
import { recordingServer } from "../../../support/RecordingServer.ts"
import { freePort } from "../../../support/freePort.ts"

const gatewayAt = (port: number) => Layer.fresh(watchedGatewayAt(port, { maxNetworkRetries: 0 }))

const ask = PaymentGateway.use((gateway) => Effect.result(gateway.getSession(account, "cs_test_1")))

/** What the doctor says of the provider; empty where all is well. */
const doctorSays = Effect.map(playroom("doctor"), ({ failure, out }) => (failure === undefined ? "" : out))

layer(commandWorld)("how the provider is", (it) => {
  describe("as the doctor tells it", () => {
    it.effect("is named where it can't be reached, with the reason and since when, until a call succeeds", () =>
      Effect.gen(function* () {
        const port = yield* freePort
        yield* Effect.provide(ask, gatewayAt(port))
        const since = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 19).replace("T", " ")
        yield* TestClock.adjust("5 minutes")
        yield* Effect.provide(ask, gatewayAt(port))
        const said = yield* doctorSays
        assert.include(said, "payment provider  network")
        assert.include(said, `since ${since}Z`)
        assert.include(said, "ECONNREFUSED")
        assert.include(said, "name service, network, proxy, firewall")
        const server = yield* recordingServer
        server.answer(okAnswer(session))
        yield* TestClock.adjust("5 minutes")
        yield* Effect.provide(ask, gatewayAt(server.port))
        assert.strictEqual(yield* doctorSays, "")
      }).pipe(Effect.scoped)
    )

    it.effect("is told apart from a key that it does not accept, and from an answer that makes no sense", () =>
      Effect.gen(function* () {
        const server = yield* recordingServer
        yield* Effect.gen(function* () {
          server.answer(errorAnswer(401, { type: "invalid_request_error", message: "Invalid API Key provided" }))
          yield* ask
          const refused = yield* doctorSays
          assert.include(refused, "payment provider  key_refused")
          assert.include(refused, "STRIPE_SECRET_KEY")
          assert.notInclude(refused, "firewall")
          server.answer(errorAnswer(500, { type: "api_error", message: "oops" }))
          yield* ask
          assert.include(yield* doctorSays, "payment provider  failing")
          // A refusal is an answer: the provider is there, and takes our key.
          server.answer(errorAnswer(404, { type: "invalid_request_error", code: "resource_missing", message: "No" }))
          yield* ask
          assert.strictEqual(yield* doctorSays, "")
        }).pipe(Effect.provide(gatewayAt(server.port)))
      }).pipe(Effect.scoped)
    )

    it.effect(
      "is written down seldom, however many calls fail, and other nodes' failures are over after a minute",
      () =>
        Effect.gen(function* () {
          const server = yield* recordingServer
          server.answer(errorAnswer(401, { type: "invalid_request_error", message: "Invalid API Key provided" }))
          const lastAt = ProviderHealth.use(({ failures }) => Effect.map(failures, ([found]) => found?.last_at))
          yield* Effect.gen(function* () {
            yield* ask
            const first = yield* lastAt
            yield* TestClock.adjust("9 seconds")
            yield* ask
            assert.strictEqual(yield* lastAt, first)
            yield* TestClock.adjust("1 second")
            yield* ask
            assert.strictEqual(yield* lastAt, (first ?? 0) + 10_000)
          }).pipe(Effect.provide(gatewayAt(server.port)))
          // A node that never saw it fail.
          const other = yield* Layer.build(Layer.fresh(ProviderHealth.layer))
          const answered = Effect.provide(
            ProviderHealth.use((health) => health.recordAnswer("getSession")),
            other
          )
          yield* answered
          assert.isDefined(yield* lastAt)
          // The answer came after the failure, and no call is made since.
          yield* TestClock.adjust("61 seconds")
          assert.isUndefined(yield* lastAt)
          yield* answered
          assert.isUndefined(yield* lastAt)
          // As a node wrote it before the machine's clock stepped back.
          const ahead = new Date((yield* Clock.currentTimeMillis) + 3_600_000)
          yield* (yield* SqlClient.SqlClient)`insert into provider_failure (kind, operation, reason, since, last_at)
            values ('network', 'getSession', 'away', ${ahead}, ${ahead})`
          yield* TestClock.adjust("61 seconds")
          yield* answered
          assert.isUndefined(yield* lastAt)
        }).pipe(Effect.scoped)
    )
  })
})
