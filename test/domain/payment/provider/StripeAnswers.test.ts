import * as fc from "fast-check"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { setTimeout } from "node:timers/promises"
import { readableAnswer } from "../../../../src/domain/payment/provider/StripeCalls.ts"
import { readPage } from "../../../../src/domain/payment/provider/StripeMessages.ts"
import type { Answer, RecordingServer } from "../../../support/RecordingServer.ts"
import {
  account,
  checkoutRequest,
  errorAnswer,
  invoice,
  okAnswer,
  session,
  typicalAnswer,
  type TypicalCall,
  typicalCalls,
  withStripeGateways
} from "../../../support/stripeAnswers.ts"

const html = "<html><body>Sign in to the network</body></html>"
const unreadable = {
  _tag: "ProviderUnavailable",
  kind: "failing",
  reason: "the provider's answer could not be read"
} as const
const another = { id: "xx_1", object: "customer" }

/** What the provider never answers, and what becomes of it. */
const answers: ReadonlyArray<readonly [string, Answer, object]> = [
  ...[null, [], {}, another, [session]].map(
    (body) => [`200 ${JSON.stringify(body).slice(0, 40)}`, okAnswer(body), unreadable] as const
  ),
  ["200 without a body", okAnswer(""), unreadable],
  ["200 with a page", okAnswer(html), unreadable],
  ["200 with half of an object", okAnswer('{"id": "cs_test_1", "obj'), unreadable],
  ["200 whose body is cut", "cut midway", { _tag: "ProviderUnavailable", kind: "network" }],
  ["200 with an error", okAnswer({ error: { type: "invalid_request_error", code: "x", message: "no" } }), unreadable],
  ["200 with an error as text", okAnswer({ error: "invalid_client", error_description: "no" }), unreadable],
  ["204", { status: 204, body: "" }, unreadable],
  ["302 to elsewhere", { status: 302, body: {}, headers: { location: "https://example.com/" } }, unreadable],
  ...[400, 402, 403, 404, 418].map((status) => [`${status} {}`, { status, body: {} }, unreadable] as const),
  ...[null, "no", [], {}, { type: 7, message: null }].map(
    (error) => [`400 with the error ${JSON.stringify(error)}`, { status: 400, body: { error } }, unreadable] as const
  ),
  ["403 with a page", { status: 403, body: html }, unreadable],
  ...[{}, { error: null }, { error: "no" }].flatMap((body) =>
    (
      [
        [401, "key_refused"],
        [409, "under_way"],
        [429, "rate_limited"],
        [500, "failing"],
        [503, "failing"]
      ] as const
    ).map(
      ([status, kind]) =>
        [`${status} ${JSON.stringify(body)}`, { status, body }, { _tag: "ProviderUnavailable", kind }] as const
    )
  )
]

/** The same of lists, whose items are read one by one. */
const listAnswers: ReadonlyArray<readonly [string, Answer, object]> = [
  ["a list without items", okAnswer({ object: "list", has_more: false, next_page_url: null }), unreadable],
  ...[null, {}, "text", 7].map(
    (data) =>
      [
        `a list whose items are ${JSON.stringify(data)}`,
        okAnswer({ object: "list", data, has_more: false, next_page_url: null }),
        unreadable
      ] as const
  ),
  ...[null, 7, {}, [], another].map(
    (item) =>
      [
        `a list of ${JSON.stringify(item)}`,
        okAnswer({ object: "list", data: [item], has_more: false, next_page_url: null }),
        unreadable
      ] as const
  ),
  ["a list that does not say whether there is more", okAnswer({ object: "list", data: [] }), unreadable],
  [
    "a list that says so in text",
    okAnswer({ object: "list", data: [], has_more: "true", next_page_url: 7 }),
    unreadable
  ],
  [
    "a list with more, and nothing to begin after",
    okAnswer({ object: "list", data: [], has_more: true, next_page_url: "https://elsewhere.example.com/v2" }),
    unreadable
  ]
]

/** Waits for a call. Lists wait two seconds after a rate limit: the clock moves when another request was answered. */
const ended = Effect.fnUntraced(function* (call: Effect.Effect<unknown, unknown>, server: RecordingServer) {
  const fiber = yield* Effect.forkChild(Effect.exit(call), { startImmediately: true })
  let [seen, quiet] = [server.requests.length, 0]
  while (fiber.pollUnsafe() === undefined) {
    yield* Effect.promise(() => setTimeout(1))
    quiet = server.requests.length === seen ? 0 : quiet + 1
    if (quiet < 15) continue
    seen = server.requests.length
    yield* TestClock.adjust("2 seconds")
  }
  return yield* Fiber.join(fiber)
})

const tabled = ({ at, call, lists, run }: TypicalCall) =>
  it.effect(`${call} (${at.source}) ends in the error that says so, whatever kind of answer comes`, () =>
    withStripeGateways((gateways, server) =>
      Effect.gen(function* () {
        server.answer(typicalAnswer)
        yield* run(gateways)
        for (const [name, answer, expected] of lists ? [...answers, ...listAnswers] : answers) {
          server.answer((request) => (at.test(request.path) ? answer : typicalAnswer(request)))
          const exit = yield* ended(run(gateways), server)
          if (Exit.isSuccess(exit)) return assert.fail(`${name} is taken for an answer: ${JSON.stringify(exit.value)}`)
          assert.isFalse(Cause.hasDies(exit.cause), `${name}: ${Cause.pretty(exit.cause)}`)
          assert.deepInclude(Cause.squash(exit.cause), expected, name)
          // The next one is tried, however many failed.
          yield* TestClock.adjust("2 seconds")
        }
        server.answer(typicalAnswer)
        yield* run(gateways)
      })
    )
  )

describe("an answer that the provider's documentation does not know", () => {
  for (const call of typicalCalls) tabled(call)

  it.effect("is only what is no object, or an error that does not say what it is: whatever JSON it may be", () =>
    Effect.sync(() => {
      fc.assert(
        fc.property(fc.jsonValue(), fc.integer({ min: 200, max: 599 }), (json, status) => {
          const isObject = typeof json === "object" && json !== null && !Array.isArray(json)
          const read = readableAnswer(status, json)
          if (status < 400) return isObject || read === undefined
          return read === undefined || Object.keys(read).join() === "error"
        })
      )
    })
  )

  it("X9: is a list that has more, and nothing after which it begins", () => {
    const page = readPage(Option.some)
    assert.isTrue(Option.isNone(page({ object: "list", data: [], has_more: true })))
    assert.isTrue(Option.isSome(page({ object: "list", data: [], has_more: false })))
  })

  it("is what has an error and another status than one", () => {
    const error = { type: "invalid_request_error", message: "no" }
    assert.isUndefined(readableAnswer(200, { error }))
    assert.isUndefined(readableAnswer(200, { ...session, error }))
    assert.deepStrictEqual(readableAnswer(400, { error }), { error })
    assert.deepStrictEqual(readableAnswer(404, { error: { ...error, code: 7, param: ["a"] } }), { error })
    assert.deepStrictEqual(readableAnswer(200, session), session)
    for (const status of [199, 202, 204, 206, 301, 304]) assert.isUndefined(readableAnswer(status, session))
  })

  it.effect("is one about another object than was asked", () =>
    withStripeGateways(({ payment }, server) =>
      Effect.gen(function* () {
        server.answer(okAnswer(session))
        const wrong = yield* Effect.flip(payment.getSession(account, "cs_test_2"))
        assert.deepInclude(wrong, unreadable)
        server.answer(okAnswer({ ...invoice, lines: { data: [], has_more: false } }))
        assert.deepInclude(yield* Effect.flip(payment.getInvoice("in_2")), unreadable)
      })
    )
  )

  it.effect("is one that does not end: it is read to a bound", () =>
    withStripeGateways(({ payment }, server) =>
      Effect.gen(function* () {
        server.answer(okAnswer({ ...session, metadata: { filler: "x".repeat(17 * 1024 * 1024) } }))
        assert.deepInclude(yield* Effect.flip(payment.getSession(account, "cs_test_1")), unreadable)
        server.answer(okAnswer(session))
        assert.strictEqual((yield* payment.getSession(account, "cs_test_1")).id, "cs_test_1")
      })
    )
  )

  it.effect("is told from the provider's own errors in the form of /v2/, whose status says what they are", () =>
    withStripeGateways(({ platform }, server) =>
      Effect.gen(function* () {
        const change = platform.changeEndpoint({ id: "ed_1", payload: "thin" }, { enabled: true })
        for (const [status, error, expected] of [
          [429, { type: "rate_limit", code: "rate_limit" }, { _tag: "ProviderUnavailable", kind: "rate_limited" }],
          [400, { code: "invalid_fields", message: "no" }, { _tag: "ProviderRefused", code: "invalid_fields" }],
          [409, { type: "idempotency_error", code: "idempotency_error" }, { _tag: "ProviderKeyReused" }]
        ] as const) {
          server.answer(errorAnswer(status, error))
          assert.deepInclude(yield* Effect.flip(change), expected)
        }
      })
    )
  )
})

describe("a page that is made", () => {
  const cases: ReadonlyArray<readonly [string, object]> = [
    ["takes another amount", { amount_total: 100 }],
    ["takes another currency", { currency: "usd" }],
    ["is for real money", { livemode: true }],
    ["is another payment's", { metadata: { payment_session_id: "payment_other" } }],
    ["is nobody's", { metadata: {} }],
    ["ends in 300 days", { expires_at: 1_795_190_400 + 300 * 86_400 }],
    ["ends at once", { expires_at: 1_795_190_400 - 1_800 }],
    ["has no address", { url: null }],
    ["is closed", { status: "expired", url: null }]
  ]
  for (const [how, changes] of cases) {
    it.effect(`is not handed out if it ${how}, and what differs is told`, () =>
      withStripeGateways(({ payment }, server) =>
        Effect.gen(function* () {
          server.answer(okAnswer({ ...session, ...changes }))
          for (let i = 0; i < 6; i++) {
            const error = yield* Effect.flip(payment.createSession(checkoutRequest()))
            assert.deepInclude(error, { _tag: "ProviderUnavailable", kind: "failing", kept: true })
            assert.match(error.message, /made something else than was asked: /)
          }
          // It says nothing about other calls.
          server.answer(okAnswer(session))
          assert.strictEqual((yield* payment.createSession(checkoutRequest())).id, "cs_test_1")
        })
      )
    )
  }
})
