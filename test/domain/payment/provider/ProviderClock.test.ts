import { assert, describe, it as plain, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { PaymentGateway } from "../../../../src/domain/payment/provider/PaymentGateway.ts"
import { aheadOf, ProviderHealth } from "../../../../src/domain/payment/provider/ProviderHealth.ts"
import { monotonicMsOf } from "../../../../src/platform/time/Elapsed.ts"
import { commandWorld, playroom } from "../../../support/CommandLine.ts"
import { account, session, watchedGatewayAt } from "../../../support/stripeAnswers.ts"
import { ManualClock, onClock } from "../../../support/ManualClock.ts"
import { recordingServer } from "../../../support/RecordingServer.ts"

const gatewayAt = (port: number) => Layer.fresh(watchedGatewayAt(port, { maxNetworkRetries: 0 }))
const ask = PaymentGateway.use((gateway) => Effect.result(gateway.getSession(account, "cs_test_1")))
const doctorSays = Effect.map(playroom("doctor"), ({ failure, out }) => (failure === undefined ? "" : out))

layer(commandWorld)("our clock, beside the provider's", (it) => {
  it.effect("is told by the doctor and counted where it is off, in either direction, until it is right again", () =>
    Effect.gen(function* () {
      const server = yield* recordingServer
      yield* Effect.gen(function* () {
        const answers = Effect.fnUntraced(function* (secondsAhead: number) {
          yield* TestClock.adjust("2 minutes")
          const date = new Date((yield* Clock.currentTimeMillis) + secondsAhead * 1000).toUTCString()
          server.answer({ status: 200, body: session, headers: { date } })
          yield* ask
          return yield* doctorSays
        })
        assert.strictEqual(yield* answers(0), "")
        const slow = yield* answers(180)
        assert.match(slow, /clock is wrong {2}\S+/)
        assert.include(slow, "180 seconds behind the payment provider's")
        assert.include(slow, "time server")
        assert.include(yield* answers(-360), "seconds ahead of the payment provider's")
        assert.strictEqual(yield* answers(20), "")
      }).pipe(Effect.provide(gatewayAt(server.port)))
    }).pipe(Effect.scoped)
  )

  it.effect("is off by a signature from its future, and by none that was long under way", () =>
    Effect.gen(function* () {
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      yield* Effect.gen(function* () {
        const health = yield* ProviderHealth
        yield* health.observeSigned(now - 3600)
        assert.deepStrictEqual(yield* health.clocks, [])
        yield* health.observeSigned(now + 200)
        assert.strictEqual((yield* health.clocks)[0]?.offset_ms, (now + 200) * 1000 - (yield* Clock.currentTimeMillis))
      }).pipe(Effect.provide(Layer.fresh(ProviderHealth.layer)))
    })
  )

  it.effect(
    "is behind, of a node that has had no answer since: an event's own time says so, and dates what it pays",
    () => {
      const clock = new ManualClock()
      return Effect.gen(function* () {
        const health = yield* ProviderHealth
        const start = clock.currentTimeMillisUnsafe()
        const date = new Date(start).toUTCString()
        health.observeDate({ date, sent_at: start, received_at: start, received_monotonic: 0 })
        // Its date is set back, and it applies what another node received.
        clock.step(-312_000)
        assert.isTrue(yield* health.observeEvent(start / 1000 + 60))
        assert.strictEqual(yield* health.providerNow, start + 60_000)
        // Of one that is older nothing is learnt.
        assert.isTrue(yield* health.observeEvent(start / 1000))
        assert.strictEqual(yield* health.providerNow, start + 60_000)
        // A date that no clock can have is not followed.
        yield* health.observeEvent(start / 1000 + 400_000)
        assert.strictEqual(yield* health.providerNow, start - 312_000)
      }).pipe(Effect.provide(Layer.fresh(ProviderHealth.layer)), onClock(clock))
    }
  )

  it.effect("dates nothing earlier than the last answer, though our clock is set back before or after it", () => {
    const clock = new ManualClock()
    return Effect.gen(function* () {
      const health = yield* ProviderHealth
      const start = clock.currentTimeMillisUnsafe()
      const answered = (sent_at: number, ahead = 0) =>
        health.observeDate({
          date: new Date(start + ahead).toUTCString(),
          sent_at,
          received_at: clock.currentTimeMillisUnsafe(),
          received_monotonic: monotonicMsOf(clock)
        })
      answered(start)
      clock.step(-412_000)
      clock.pass(3000)
      assert.strictEqual(yield* health.providerNow, start + 3000)
      // As long as nothing newer is known, also where the clock is right again.
      clock.step(412_000)
      assert.strictEqual(yield* health.providerNow, start + 3000)
      // A machine that slept: only the date went on.
      clock.step(3_600_000)
      assert.strictEqual(yield* health.providerNow, start + 3_603_000)
      // Set back while the call was under way.
      const sent = clock.currentTimeMillisUnsafe()
      clock.step(-1_200_000)
      answered(sent, 3_604_000)
      assert.strictEqual(yield* health.providerNow, start + 3_604_000)
    }).pipe(Effect.provide(Layer.fresh(ProviderHealth.layer)), onClock(clock))
  })
})

describe("what an answer says of the clocks", () => {
  plain("is a stretch: a date has whole seconds, and the answer was under way", () => {
    const at = Date.UTC(2027, 0, 1)
    const date = new Date(at).toUTCString()
    assert.deepStrictEqual(aheadOf({ date, sent_at: at - 500, received_at: at + 2000 }), { least: -2000, most: 1500 })
    assert.deepStrictEqual(aheadOf({ date, sent_at: at - 60_000, received_at: at - 50_000 }), {
      least: 50_000,
      most: 61_000
    })
  })

  plain("is nothing without a date, and has no end if our clock was set back meanwhile", () => {
    for (const date of [undefined, "", "yesterday"]) assert.isUndefined(aheadOf({ date, sent_at: 0, received_at: 1 }))
    assert.deepStrictEqual(aheadOf({ date: new Date(0).toUTCString(), sent_at: 2, received_at: 1 }), {
      least: -1,
      most: Number.POSITIVE_INFINITY
    })
  })
})
