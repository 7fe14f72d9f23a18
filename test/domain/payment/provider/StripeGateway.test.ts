import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { formFaults, formTree, providerSchemaPresent } from "../../../support/providerSchema.ts"
import {
  account,
  answerEveryCall,
  checkoutRequest,
  dispute,
  disputeEvent,
  errorAnswer,
  gatewayCalls,
  invoice,
  invoiceLine,
  okAnswer,
  ownPage,
  refund,
  refundRequest,
  session,
  typicalAnswer,
  withStripeGateway,
  withStripeGateways
} from "../../../support/stripeAnswers.ts"

describe("StripeGateway", () => {
  for (const [name, run] of gatewayCalls) {
    it.effect(
      `${name} names the operator's account, our key and the pinned version in headers, never in parameters`,
      () =>
        withStripeGateway((gateway, server) =>
          Effect.gen(function* () {
            answerEveryCall(server)
            yield* run(gateway)
            assert.isNotEmpty(server.requests)
            for (const request of server.requests) {
              assert.strictEqual(request.headers["stripe-account"], account)
              assert.strictEqual(request.headers.authorization, "Bearer sk_test_123")
              assert.strictEqual(request.headers["stripe-version"], "2026-10-28.endive")
              assert.notMatch(`${request.path}${request.body}`, /stripeAccount|idempotencyKey/)
              if (request.method === "POST") {
                assert.include(
                  ["payment_01h4:create", "payment_01h4:expire", "refund_01h4:create"],
                  request.headers["idempotency-key"]
                )
              }
            }
          })
        )
    )
  }

  it.effect("sends a session for one payment: the amount, our ids on session and payment, the fee, the addresses", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        answerEveryCall(server)
        const checkout = checkoutRequest()
        const answer = yield* gateway.createSession(checkout)
        assert.deepStrictEqual(answer, {
          id: "cs_test_1",
          status: "open",
          payment_status: "unpaid",
          amount_total: 24_000,
          currency: "GBP",
          url: "https://checkout.example.com/c/pay/cs_test_1",
          expires_at: 1_795_190_400,
          livemode: false,
          payment_session_id: "payment_01h4"
        })
        const metadata = {
          payment_session_id: "payment_01h4",
          booking_id: "booking_01h4",
          reference: "K7M2-9QXD",
          purpose: "due_now"
        }
        assert.deepStrictEqual(formTree(server.requests[0]?.body ?? ""), {
          mode: "payment",
          client_reference_id: "payment_01h4",
          customer_email: "sam+party@example.com",
          expires_at: "1795190400",
          success_url: "https://example.com/return?session={CHECKOUT_SESSION_ID}&a=b",
          cancel_url: "https://example.com/cancel",
          line_items: [
            {
              quantity: "1",
              price_data: { currency: "gbp", unit_amount: "24000", product_data: { name: checkout.description } }
            }
          ],
          custom_text: { submit: { message: checkout.terms ?? "" } },
          metadata,
          payment_intent_data: {
            description: `${checkout.description} (K7M2-9QXD)`,
            receipt_email: "sam+party@example.com",
            application_fee_amount: "1200",
            metadata
          }
        })
      })
    )
  )

  it.effect("leaves the fee out where there is none", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        answerEveryCall(server)
        yield* gateway.createSession(checkoutRequest({ application_fee: 0 }))
        assert.notInclude(server.requests[0]?.body ?? "", "application_fee")
      })
    )
  )

  if (!providerSchemaPresent) {
    it.skip("sends only what the provider's schema allows (SKIPPED: the provider's schema is not there)", () => {})
  } else {
    it.effect("sends only what the provider's schema allows", () =>
      withStripeGateway((gateway, server) =>
        Effect.gen(function* () {
          answerEveryCall(server)
          for (const [, run] of gatewayCalls) yield* run(gateway)
          const schemas: Record<string, string> = {
            "/v1/checkout/sessions": "Checkout.Sessions.Checkout.SessionCreateParams",
            "/v1/checkout/sessions/cs_test_1/expire": "Checkout.Sessions.Checkout.SessionExpireParams",
            "/v1/refunds": "Refunds.RefundCreateParams"
          }
          const posts = server.requests.filter(({ method }) => method === "POST")
          assert.sameMembers(
            posts.map(({ path }) => path),
            Object.keys(schemas)
          )
          for (const post of posts) {
            assert.deepStrictEqual(formFaults(schemas[post.path] ?? "", formTree(post.body)), { faults: [] }, post.path)
          }
          // The schema does refuse what it does not know, so the check above can fail.
          assert.isNotEmpty(formFaults("Refunds.RefundCreateParams", { stripeAccount: account }).faults)
        })
      )
    )
  }

  it.effect("sends the same bytes under the same key when the client retries by itself", () =>
    withStripeGateway(
      (gateway, server) =>
        Effect.gen(function* () {
          let attempts = 0
          server.answer(() =>
            ++attempts === 1 ? errorAnswer(500, { type: "api_error", message: "oops" }) : okAnswer(session)
          )
          yield* gateway.createSession(checkoutRequest())
          const [first, second] = server.requests
          assert.strictEqual(server.requests.length, 2)
          assert.strictEqual(first?.body, second?.body)
          assert.strictEqual(first?.headers["idempotency-key"], second?.headers["idempotency-key"])
        }),
      { maxNetworkRetries: 1 }
    )
  )

  it.effect("answers what a session is now where it could no longer be expired", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        for (const status of ["complete", "expired"]) {
          server.answer(({ method }) =>
            method === "POST"
              ? errorAnswer(400, {
                  type: "invalid_request_error",
                  message: 'Only Checkout Sessions with a status in ["open"] can be expired.'
                })
              : okAnswer({ ...session, status, payment_status: "paid", payment_intent: "pi_1", url: null })
          )
          const now = yield* gateway.expireSession(account, "cs_test_1", "k")
          assert.strictEqual(now.status, status)
          assert.strictEqual(now.payment_intent_id, "pi_1")
          assert.notProperty(now, "url")
        }
        // Still open: then the refusal is about something else.
        server.answer(({ method }) =>
          method === "POST" ? errorAnswer(400, { type: "invalid_request_error", message: "no" }) : okAnswer(session)
        )
        assert.propertyVal(
          yield* Effect.flip(gateway.expireSession(account, "cs_test_1", "k")),
          "_tag",
          "ProviderRefused"
        )
      })
    )
  )

  it.effect("lists the refunds of all pages, oldest first", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        const page = (from: number, to: number, more: boolean) =>
          okAnswer({
            object: "list",
            url: "/v1/refunds",
            has_more: more,
            data: Array.from({ length: from - to + 1 }, (_, i) => ({
              ...refund,
              id: `re_${from - i}`,
              created: from - i,
              metadata: {}
            }))
          })
        server.answer(({ path }) =>
          path.includes("starting_after=re_101") ? page(100, 1, false) : page(200, 101, true)
        )
        const refunds = yield* gateway.listRefunds(account, "pi_1")
        assert.deepStrictEqual(
          refunds.map(({ id }) => id),
          Array.from({ length: 200 }, (_, i) => `re_${i + 1}`)
        )
        assert.strictEqual(server.requests.length, 2)
        for (const request of server.requests) assert.strictEqual(request.headers["stripe-account"], account)
      })
    )
  )

  it.effect("lists an account's sessions since a time, of all pages, oldest first, with who paid for what", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        const paid = {
          ...session,
          status: "complete",
          payment_status: "paid",
          url: null,
          success_url: "https://book.example.com/done",
          customer_details: { name: "Ana Lima", email: "ana@example.com" },
          payment_intent: { id: "pi_1", description: "Party (K7M2-9QXD)", application_fee_amount: 1200 }
        }
        const page = (id: string, created: number, has_more: boolean) =>
          okAnswer({ object: "list", url: "/v1/checkout/sessions", has_more, data: [{ ...paid, id, created }] })
        server.answer(({ path }) =>
          path.includes("starting_after=cs_new") ? page("cs_old", 100, false) : page("cs_new", 200, true)
        )
        const listed = yield* gateway.listSessions(account, 90)
        assert.deepStrictEqual(
          listed.map(({ created, session }) => [session.id, created]),
          [
            ["cs_old", 100],
            ["cs_new", 200]
          ]
        )
        assert.deepInclude(listed[0], {
          payer_name: "Ana Lima",
          payer_email: "ana@example.com",
          description: "Party (K7M2-9QXD)",
          application_fee: 1200,
          success_url: paid.success_url
        })
        assert.strictEqual(listed[0]?.metadata["booking_id"], "booking_01h4")
        for (const { headers, path } of server.requests) {
          assert.strictEqual(headers["stripe-account"], account)
          assert.include(decodeURIComponent(path), "created[gte]=90")
        }
      })
    )
  )

  it.effect("lists with them the pages of an operator's own that take no money, or lead to any address", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        const data = [
          { ...session, id: "cs_ours", created: 300 },
          { ...ownPage, created: 200 },
          { ...session, id: "cs_far", created: 100, metadata: {}, success_url: "https://exämple.com/dänke schön" }
        ]
        server.answer(okAnswer({ object: "list", url: "/v1/checkout/sessions", has_more: false, data }))
        const listed = yield* gateway.listSessions(account, 90)
        assert.deepStrictEqual(
          listed.map(({ session }) => [session.id, session.amount_total, session.payment_session_id]),
          [
            ["cs_far", 24_000, undefined],
            [ownPage.id, -1, undefined],
            ["cs_ours", 24_000, "payment_01h4"]
          ]
        )
      })
    )
  )

  it.effect("reads a payment's disputes, whatever their status, and no answer-by where the bank takes none", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        const data = [
          { ...dispute, id: "dp_2", created: 2, status: "something_new", evidence_details: { due_by: 0 } },
          { ...dispute, created: 1 }
        ]
        server.answer(() => okAnswer({ object: "list", data, has_more: false, url: "/v1/disputes" }))
        const what = { amount: 24_000, currency: "GBP", reason: "product_not_received" }
        assert.deepStrictEqual(yield* gateway.listDisputes(account, "pi_1"), [
          { id: "dp_1", status: "needs_response", ...what, due_by: 1_796_000_000 },
          { id: "dp_2", status: "something_new", ...what }
        ])
        assert.include(server.requests[0]?.path ?? "", "payment_intent=pi_1")
      })
    )
  )

  it.effect("reads an account's disputes page by page, and which of them events are about", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        const first = [{ ...dispute, id: "dp_2", payment_intent: "pi_2" }]
        const second = [{ ...dispute, payment_intent: { id: "pi_1" } }]
        server.answer(({ path }) =>
          okAnswer(
            path.startsWith("/v1/events")
              ? { object: "list", data: [disputeEvent, { ...disputeEvent, id: "evt_2" }], has_more: false }
              : path.includes("starting_after=dp_2")
                ? { object: "list", data: second, has_more: false }
                : { object: "list", data: first, has_more: true }
          )
        )
        const page = yield* gateway.disputesPage(account)
        assert.deepStrictEqual(
          page.disputes.map(({ dispute, payment_intent_id }) => [dispute.id, dispute.currency, payment_intent_id]),
          [["dp_2", "GBP", "pi_2"]]
        )
        assert.strictEqual(page.next, "dp_2")
        const last = yield* gateway.disputesPage(account, page.next)
        assert.deepStrictEqual([last.disputes[0]?.payment_intent_id, last.next], ["pi_1", undefined])
        assert.deepStrictEqual(yield* gateway.disputesToldSince(account, 90), ["dp_1", "dp_1"])
        const events = decodeURIComponent(server.requests.at(-1)?.path ?? "")
        assert.include(events, "type=charge.dispute.*")
        assert.include(events, "created[gte]=90")
        for (const { headers } of server.requests) assert.strictEqual(headers["stripe-account"], account)
      })
    )
  )

  const pageOf = (data: ReadonlyArray<{ readonly id: string }>, has_more: boolean) =>
    okAnswer({ object: "list", data, has_more })
  const [early, late, far] = [1_796_000_000, 1_798_000_000, 1_860_000_000]
  const details = { proration: true }
  /** Lines that pay no subscription's period, however far theirs reaches. */
  const noPeriods: ReadonlyArray<readonly [string, object]> = [
    ["a proration", { parent: { type: "subscription_item_details", subscription_item_details: details } }],
    [
      "a proration that gives back",
      { amount: -30_000, parent: { type: "subscription_item_details", subscription_item_details: details } }
    ],
    ["a credit", { amount: -1 }],
    ["a one-off item", { parent: { type: "invoice_item_details", invoice_item_details: { subscription: "sub_1" } } }],
    ["a line of nothing", { parent: null }],
    ["a proration in the form of older releases", { parent: undefined, type: "subscription", proration: true }],
    ["a one-off item in the form of older releases", { parent: undefined, type: "invoiceitem", proration: false }]
  ]

  it.effect("reads of an invoice when the periods end that its lines of a subscription pay, and no others", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        const read = Effect.fnUntraced(function* (...data: ReadonlyArray<{ readonly id: string }>) {
          server.answer(okAnswer({ ...invoice, lines: { object: "list", data, has_more: false } }))
          return (yield* gateway.getInvoice("in_1")).period_ends
        })
        for (const [what, changes] of noPeriods)
          assert.deepStrictEqual(
            yield* read(invoiceLine("il_1", early), invoiceLine("il_2", far, changes)),
            [early],
            what
          )
        const older = { parent: undefined, type: "subscription", proration: false }
        assert.deepStrictEqual(yield* read(invoiceLine("il_1", late, older)), [late])
        assert.deepStrictEqual(yield* read(invoiceLine("il_1", late, { amount: 0 })), [late])
      })
    )
  )

  it.effect("reads all lines of an invoice, since it comes with ten of them, alone or in the list of a customer", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        const items = Array.from({ length: 10 }, (_, i) => invoiceLine(`il_${i}`, far, { parent: null }))
        const cut = { ...invoice, lines: { object: "list", data: items, has_more: true } }
        const asked = {
          ...invoice,
          id: "in_2",
          lines: { object: "list", data: [invoiceLine("il_x", early)], has_more: false }
        }
        server.answer(({ path }) => {
          if (path.startsWith("/v1/invoices/in_1/lines"))
            return path.includes("starting_after=il_9")
              ? pageOf([invoiceLine("il_10", early), invoiceLine("il_11", late)], false)
              : pageOf(items, true)
          if (path.startsWith("/v1/invoices/")) return okAnswer(cut)
          return path.includes("starting_after=in_2") ? pageOf([cut], false) : pageOf([asked], true)
        })
        assert.deepStrictEqual((yield* gateway.getInvoice("in_1")).period_ends, [late, early])
        const listed = yield* gateway.paidInvoices("cus_2")
        assert.deepStrictEqual(
          listed.map(({ id, period_ends }) => [id, period_ends]),
          [
            ["in_1", [late, early]],
            ["in_2", [early]]
          ]
        )
        for (const { path } of server.requests.filter(({ path }) => path.startsWith("/v1/invoices?")))
          assert.match(path, /customer=cus_2.*status=paid/)
      })
    )
  )

  it.effect("reads webhook endpoints of all pages, of both kinds", () =>
    withStripeGateways(({ platform }, server) =>
      Effect.gen(function* () {
        const v2 = "/v2/core/event_destinations"
        server.answer((request) => {
          const answer = typicalAnswer(request)
          if (request.method !== "GET" || typeof answer === "string") return answer
          const item = Object(answer.body).data[0]
          const second = { ...item, id: `${item.id}_2` }
          if (request.path.startsWith(v2)) {
            return request.path.includes("page=two")
              ? okAnswer({ data: [second, { ...second, type: "amazon_eventbridge" }], next_page_url: null })
              : okAnswer({ data: [item], next_page_url: `${v2}?limit=100&page=two` })
          }
          return request.path.includes("starting_after=we_1") ? pageOf([second], false) : pageOf([item], true)
        })
        const found = yield* platform.endpoints
        assert.deepStrictEqual(
          found.map(({ id }) => id),
          ["we_1", "we_1_2", "ed_1", "ed_1_2"]
        )
      })
    )
  )

  it.effect("reads no list that leads back to what was read, and none without an end", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        server.answer(pageOf([refund], true))
        const error = yield* Effect.flip(gateway.listRefunds(account, "pi_1"))
        assert.deepInclude(error, { _tag: "ProviderUnavailable", kind: "failing" })
        assert.strictEqual(server.requests.length, 2)
        let page = 0
        server.answer(() => {
          page += 1
          return pageOf(
            Array.from({ length: 100 }, (_, i) => ({ ...refund, id: `re_${page}_${i}` })),
            true
          )
        })
        const refused = yield* Effect.flip(gateway.listRefunds(account, "pi_1"))
        assert.deepInclude(refused, { _tag: "ProviderRefused", code: "too_many" })
        assert.strictEqual(page, 100)
      })
    )
  )

  it.effect("refunds nothing of a payment that the provider has in another currency", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        server.answer(() => okAnswer({ id: "pi_1", object: "payment_intent", currency: "jpy" }))
        const refused = yield* Effect.flip(gateway.createRefund(refundRequest({ amount: 7500 }), "GBP"))
        assert.deepInclude(refused, { _tag: "ProviderRefused", code: "currency_differs" })
        assert.deepStrictEqual(
          server.requests.map(({ method }) => method),
          ["GET"]
        )
      })
    )
  )

  it.effect("refuses amounts that the provider can't say, before asking it", () =>
    withStripeGateway((gateway, server) =>
      Effect.gen(function* () {
        for (const [amount, currency] of [
          [1_234, "KWD"],
          [150, "MGA"],
          [1_000_000, "UGX"],
          [1_000, "IQD"]
        ] as const) {
          const error = yield* Effect.flip(
            gateway.createSession(checkoutRequest({ amount, currency, application_fee: 0 }))
          )
          assert.propertyVal(error, "code", "amount_not_expressible")
        }
        assert.isEmpty(server.requests)
      })
    )
  )
})
