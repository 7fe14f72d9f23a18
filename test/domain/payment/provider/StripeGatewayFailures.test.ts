import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { setTimeout } from "node:timers/promises"
import { makeOutageBreaker } from "../../../../src/domain/payment/provider/StripeCalls.ts"
import type { Answer } from "../../../support/RecordingServer.ts"
import {
  account,
  checkoutRequest,
  errorAnswer,
  gatewayCalls,
  okAnswer,
  ownPage,
  refundRequest,
  session,
  withStripeGateway
} from "../../../support/stripeAnswers.ts"

describe("StripeGateway, where the provider fails or refuses", () => {
  for (const [name, run] of gatewayCalls) {
    it.effect(`${name} turns a 502 page, a cut connection and a silent provider into "unavailable"`, () =>
      withStripeGateway(
        (gateway, server) =>
          Effect.gen(function* () {
            const answers: ReadonlyArray<Answer> = [
              { status: 502, body: "<html>Bad Gateway</html>", headers: { "content-type": "text/html" } },
              "cut",
              "hang",
              errorAnswer(500, { type: "api_error", message: "oops" })
            ]
            for (const answer of answers) {
              server.answer(answer)
              const error = yield* Effect.flip(run(gateway))
              assert.propertyVal(error, "_tag", "ProviderUnavailable")
              assert.propertyVal(error, "operation", name)
            }
          }),
        { timeout: 150 }
      )
    )
  }

  for (const [name, run] of gatewayCalls.filter(([name]) => name === "createSession" || name === "getSession")) {
    it.effect(`${name}, which a person waits for, gives a silent provider eight seconds in all`, () =>
      withStripeGateway(
        (gateway, server) =>
          Effect.gen(function* () {
            server.answer("hang")
            const asking = yield* Effect.forkChild(Effect.flip(run(gateway)), { startImmediately: true })
            yield* TestClock.adjust("7999 millis")
            assert.isUndefined(asking.pollUnsafe())
            yield* TestClock.adjust("1 millis")
            const error = yield* Fiber.join(asking)
            assert.propertyVal(error, "_tag", "ProviderUnavailable")
            assert.propertyVal(error, "reason", "no answer in time")
          }),
        { timeout: 60_000, maxNetworkRetries: 2 }
      )
    )
  }

  it.effect("waits its own second after an empty Retry-After", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        const limit = { type: "invalid_request_error", code: "rate_limit", message: "slow down" }
        server.answer(errorAnswer(429, limit, { "retry-after": "" }))
        const error = yield* Effect.flip(gateway.createSession(checkoutRequest()))
        assert.propertyVal(error, "_tag", "ProviderUnavailable")
        assert.propertyVal(error, "retry_after_seconds", 1)
      })
    )
  )

  it.effect("names what the provider refuses", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        const cases: ReadonlyArray<readonly [Answer, object]> = [
          [
            errorAnswer(400, {
              type: "invalid_request_error",
              code: "parameter_unknown",
              message: "Received unknown parameter: x"
            }),
            { _tag: "ProviderRefused", code: "parameter_unknown" }
          ],
          [
            errorAnswer(402, { type: "card_error", code: "card_declined", message: "No" }),
            { _tag: "ProviderRefused", code: "card_declined" }
          ],
          [
            errorAnswer(404, { type: "invalid_request_error", code: "resource_missing", message: "No such session" }),
            { _tag: "ProviderRefused", code: "resource_missing" }
          ],
          [
            errorAnswer(400, {
              type: "idempotency_error",
              message: "Keys for idempotent requests can only be used with the same parameters"
            }),
            { _tag: "ProviderKeyReused" }
          ],
          [
            errorAnswer(403, { type: "invalid_request_error", code: "account_invalid", message: "no access" }),
            { _tag: "AccountUnavailable", account }
          ],
          [
            errorAnswer(403, {
              type: "invalid_request_error",
              code: "more_permissions_required",
              message: "The provided key 'rk_test_1' does not have the required permissions for this endpoint."
            }),
            { _tag: "ProviderUnavailable", kind: "key_refused" }
          ],
          [
            errorAnswer(400, { type: "invalid_request_error", code: "account_closed", message: "closed" }),
            { _tag: "AccountUnavailable", account }
          ],
          [
            errorAnswer(400, {
              type: "invalid_request_error",
              message: "Your account cannot currently make live charges."
            }),
            { _tag: "AccountUnavailable", account }
          ],
          [
            errorAnswer(401, { type: "invalid_request_error", message: "Invalid API Key provided" }),
            { _tag: "ProviderUnavailable" }
          ],
          [
            errorAnswer(409, { type: "invalid_request_error", code: "idempotency_key_in_use", message: "in use" }),
            { _tag: "ProviderUnavailable" }
          ],
          [
            errorAnswer(
              429,
              { type: "invalid_request_error", code: "rate_limit", message: "slow down" },
              { "retry-after": "7" }
            ),
            { _tag: "ProviderUnavailable", retry_after_seconds: 7 }
          ],
          [okAnswer({ object: "checkout.session" }), { _tag: "ProviderUnavailable" }],
          [okAnswer("<html>"), { _tag: "ProviderUnavailable" }]
        ]
        for (const [answer, expected] of cases) {
          server.answer(answer)
          const error = yield* Effect.flip(gateway.createSession(checkoutRequest()))
          for (const [key, value] of Object.entries(expected))
            assert.propertyVal(error, key, value, JSON.stringify(answer))
        }
      })
    )
  )

  it.effect(
    "keeps people's addresses, and what no log can hold, out of its errors, whatever the provider repeats",
    () =>
      withStripeGateway((gateway, server) =>
        Effect.gen(function* () {
          const repeated = ["josé@exämple.es", '"jo sé"@example.es', "jos%C3%A9%40example.es", "JOSÉ@EXAMPLE.ES"]
          for (const [status, type] of [
            [400, "invalid_request_error"],
            [402, "card_error"],
            [403, "invalid_request_error"],
            [404, "invalid_request_error"],
            [401, "invalid_request_error"]
          ] as const) {
            for (const address of repeated) {
              for (const [, run] of gatewayCalls) {
                const message = `Invalid email address: ${address}\u0000\u001b[2J ${"and so on ".repeat(100)}`
                server.answer(errorAnswer(status, { type, code: `odd ${address}`, param: "customer_email", message }))
                const error = yield* Effect.flip(run(gateway))
                const everything = `${JSON.stringify(error)} ${String(error)} ${Cause.pretty(Cause.fail(error))}`
                assert.notMatch(everything, /@|%40|example\.es|exämple/i)
                for (const words of Object.values(Object(error)).filter((value) => typeof value === "string"))
                  assert.match(words, /^[^\p{Cc}\p{Cs}]{0,300}$/u)
              }
            }
          }
        })
      )
  )

  it.effect("stops asking a provider that failed five times, says when to come back, and tries once then", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        server.answer({ status: 500, body: { error: { type: "api_error", message: "oops" } } })
        for (let i = 0; i < 5; i++) yield* Effect.flip(gateway.getSession(account, "cs_test_1"))
        assert.strictEqual(server.requests.length, 5)
        const open = yield* Effect.flip(gateway.getSession(account, "cs_test_1"))
        assert.strictEqual(server.requests.length, 5)
        assert.propertyVal(open, "_tag", "ProviderUnavailable")
        assert.propertyVal(open, "retry_after_seconds", 1)
        server.answer(okAnswer(session))
        yield* TestClock.adjust("1 second")
        yield* gateway.getSession(account, "cs_test_1")
        yield* gateway.getSession(account, "cs_test_1")
        assert.strictEqual(server.requests.length, 7)
      })
    )
  )

  const outage = { status: 500, body: { error: { type: "api_error", message: "oops" } } }

  it.effect(
    "tries a provider again every two seconds, however long it failed, and goes on at once when it is well",
    () =>
      withStripeGateway((gateway, server) =>
        Effect.gen(function* () {
          const ask = Effect.result(gateway.getSession(account, "cs_test_1"))
          server.answer(outage)
          for (let i = 0; i < 5; i++) yield* ask
          for (let half = 0; half < 240; half++) {
            yield* TestClock.adjust("500 millis")
            yield* ask
          }
          // Two minutes: five calls, one after a second, and one every two seconds.
          assert.strictEqual(server.requests.length, 5 + 1 + 59)
          server.answer(okAnswer(session))
          yield* TestClock.adjust("2 seconds")
          assert.strictEqual((yield* ask)._tag, "Success")
          assert.strictEqual((yield* ask)._tag, "Success")
        })
      )
  )

  it.effect(
    "tries a provider that failed with one call at a time, which no other waits for longer than a person does",
    () =>
      withStripeGateway(
        (gateway, server) =>
          Effect.gen(function* () {
            server.answer(outage)
            for (let i = 0; i < 5; i++) yield* Effect.flip(gateway.getSession(account, "cs_test_1"))
            server.answer("hang")
            yield* TestClock.adjust("1 second")
            // Nobody waits for a refund, so that it could take longer.
            const probe = yield* Effect.forkChild(Effect.flip(gateway.createRefund(refundRequest(), "GBP")), {
              startImmediately: true
            })
            for (let second = 0; second < 8; second++) {
              const other = yield* Effect.flip(gateway.getSession(account, "cs_test_1"))
              assert.deepInclude(other, { kind: "paused", retry_after_seconds: 1 })
              assert.isUndefined(probe.pollUnsafe())
              yield* TestClock.adjust("1 second")
            }
            assert.propertyVal(yield* Fiber.join(probe), "reason", "no answer in time")
            server.answer(okAnswer(session))
            yield* TestClock.adjust("2 seconds")
            yield* gateway.getSession(account, "cs_test_1")
          }),
        { timeout: 60_000 }
      )
  )

  it.effect("waits no longer for a provider that failed if the machine's clock steps back", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 10, 20))
        server.answer(outage)
        for (let i = 0; i < 5; i++) yield* Effect.flip(gateway.getSession(account, "cs_test_1"))
        server.answer(okAnswer(session))
        yield* TestClock.setTime(Date.UTC(2026, 10, 19))
        yield* TestClock.adjust("1 second")
        yield* gateway.getSession(account, "cs_test_1")
      })
    )
  )

  it.effect("does not count refusals against the provider", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        server.answer(errorAnswer(400, { type: "invalid_request_error", message: "no" }))
        for (let i = 0; i < 8; i++) yield* Effect.flip(gateway.getSession(account, "cs_test_1"))
        assert.strictEqual(server.requests.length, 8)
      })
    )
  )

  it.effect(
    "does not count an operator's own page that takes no money against the provider: it stops no other call",
    () =>
      withStripeGateway((gateway, server) =>
        Effect.gen(function* () {
          server.answer(okAnswer({ ...ownPage, created: 1_795_000_000 }))
          for (let i = 0; i < 6; i++) {
            const { session } = yield* gateway.describeSession(account, ownPage.id)
            assert.strictEqual(session.payment_session_id, undefined)
          }
        })
      )
  )

  it.effect("does not count an answer that the provider keeps under a key: one call's failure stops no other", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        server.answer(errorAnswer(500, { type: "api_error", message: "oops" }))
        assert.notProperty(yield* Effect.flip(gateway.createSession(checkoutRequest())), "kept")
        server.answer(errorAnswer(500, { type: "api_error", message: "oops" }, { "idempotent-replayed": "true" }))
        for (let i = 0; i < 8; i++) {
          const error = yield* Effect.flip(gateway.createSession(checkoutRequest()))
          assert.propertyVal(error, "kind", "failing")
          assert.propertyVal(error, "kept", true)
        }
        assert.strictEqual(server.requests.length, 9)
      })
    )
  )

  it.effect("counts no fault of ours against the provider", () =>
    Effect.gen(function* () {
      const run = yield* makeOutageBreaker(1_000)
      for (let i = 0; i < 8; i++) {
        const exit = yield* Effect.exit(run("getSession", 1_000, Effect.die(new Error("a bug"))))
        assert.isTrue(Exit.hasDies(exit))
      }
      assert.strictEqual(yield* run("getSession", 1_000, Effect.succeed("an answer")), "an answer")
    })
  )

  it.effect("begins no further try for a caller that has gone", () =>
    withStripeGateway(
      (gateway, server) =>
        Effect.gen(function* () {
          server.answer(outage)
          for (const [name, run] of gatewayCalls.filter(([name]) => name === "createSession" || name === "getRefund")) {
            const before = server.requests.length
            const fiber = yield* Effect.forkChild(run(gateway), { startImmediately: true })
            while (server.requests.length === before) yield* Effect.promise(() => setTimeout(5))
            yield* Fiber.interrupt(fiber)
            // The client waits for half a second before its next try.
            yield* Effect.promise(() => setTimeout(1_200))
            assert.strictEqual(server.requests.length, before + 1, name)
          }
        }),
      { maxNetworkRetries: 2 }
    )
  )

  it.effect("lets an interrupted caller go at once", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        server.answer("hang")
        const fiber = yield* Effect.forkChild(gateway.getSession(account, "cs_test_1"), { startImmediately: true })
        yield* Fiber.interrupt(fiber)
      })
    )
  )
})
