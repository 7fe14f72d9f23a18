import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { PaymentGateway } from "../../../src/domain/payment/provider/PaymentGateway.ts"
import { Faults } from "../../../src/extras/sandbox/Faults.ts"
import {
  callSandbox,
  checkout,
  headers,
  pressButton,
  resetSandbox,
  SandboxWorld,
  startReceiving,
  startTime
} from "../../support/SandboxWorld.ts"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { createEndpoint } from "../../../src/extras/sandbox/Platform.ts"
import { account, refundRequest } from "../../support/stripeAnswers.ts"

/** A payment of £240, and what asks for the refund of half of it. */
const paid = Effect.gen(function* () {
  yield* resetSandbox
  yield* startReceiving
  const gateway = yield* PaymentGateway
  const { id } = yield* gateway.createSession(checkout())
  yield* pressButton(id, "pay")
  const payment_intent_id = (yield* gateway.getSession(account, id)).payment_intent_id ?? ""
  const refund = (key: string, amount = 12_000) =>
    gateway.createRefund(
      refundRequest({
        idempotency_key: `${payment_intent_id} ${key}`,
        payment_intent_id,
        amount,
        refund_application_fee: false
      }),
      "GBP"
    )
  const dispute = (form: Record<string, string>) =>
    callSandbox("POST", "/sandbox/dispute", { form: { payment_intent: payment_intent_id, ...form } })
  return { gateway, payment_intent_id, refund, dispute }
})

layer(SandboxWorld.layer)("The sandbox's disputes and dashboard", (it) => {
  it.effect("lists a dispute as it moves on; while it is open, and of what was lost, nothing is refunded", () =>
    Effect.gen(function* () {
      const { dispute, gateway, payment_intent_id, refund } = yield* paid
      const listed = gateway.listDisputes(account, payment_intent_id)
      assert.deepStrictEqual(yield* listed, [])
      assert.strictEqual((yield* dispute({})).status, 200)
      const [open] = yield* listed
      assert.include(open, { status: "needs_response", amount: 24_000, currency: "GBP", reason: "fraudulent" })
      assert.isAbove(open?.due_by ?? 0, 0)
      assert.propertyVal(yield* Effect.flip(refund("a")), "code", "charge_disputed")
      yield* dispute({ status: "won" })
      assert.deepStrictEqual(
        (yield* listed).map(({ id, status }) => [id, status]),
        [[open?.id, "won"]]
      )
      assert.strictEqual((yield* refund("b")).status, "succeeded")
      yield* dispute({ status: "lost", amount: "12000" })
      assert.strictEqual((yield* listed).length, 2)
      assert.propertyVal(yield* Effect.flip(refund("c", 1)), "code", "charge_already_refunded")
      assert.strictEqual((yield* dispute({ status: "settled" })).status, 400)
      assert.strictEqual((yield* dispute({ payment_intent: "pi_none" })).status, 404)
    })
  )

  it.effect("has every status of the provider's, turns from any to any, and sends the events of it", () =>
    Effect.gen(function* () {
      const { dispute, gateway, payment_intent_id, refund } = yield* paid
      yield* dispute({})
      const [open] = yield* gateway.listDisputes(account, payment_intent_id)
      const { id } = open ?? assert.fail("no dispute")
      // Some of each state of the money: with the payer, undecided, with the operator.
      for (const [status, refused] of [
        ["lost", "charge_already_refunded"],
        ["appeal_needs_response", "charge_disputed"],
        ["appeal_under_review", "charge_disputed"],
        ["won", undefined],
        ["prevented", "charge_already_refunded"],
        ["warning_under_review", undefined],
        ["under_review", "charge_disputed"],
        ["warning_closed", undefined]
      ] as const) {
        assert.strictEqual((yield* dispute({ dispute: id, status })).status, 200)
        const [found, ...others] = yield* gateway.listDisputes(account, payment_intent_id)
        assert.deepStrictEqual([found?.id, found?.status, others.length], [id, status, 0])
        if (refused !== undefined) assert.propertyVal(yield* Effect.flip(refund(status, 1)), "code", refused)
      }
      yield* dispute({ dispute: id, amount: "5000", status: "lost" })
      assert.strictEqual((yield* gateway.listDisputes(account, payment_intent_id))[0]?.amount, 5000)
      assert.strictEqual((yield* dispute({ dispute: "dp_none" })).status, 404)
      const sql = yield* SqlClient.SqlClient
      const sent = yield* sql`select distinct type from sandbox.delivery where type like 'charge.dispute.%'`
      assert.sameMembers(
        sent.map(({ type }) => type),
        ["created", "updated", "closed", "funds_withdrawn", "funds_reinstated"].map((name) => `charge.dispute.${name}`)
      )
    })
  )

  it.effect("lists an account's disputes in pages, newest first, and which of them changed since a time", () =>
    Effect.gen(function* () {
      const { dispute, gateway, payment_intent_id } = yield* paid
      for (const status of ["won", "lost"]) yield* dispute({ status })
      yield* TestClock.adjust("1 hour")
      yield* dispute({})
      const all = yield* gateway.listDisputes(account, payment_intent_id)
      assert.deepStrictEqual(
        all.map(({ status }) => status),
        ["won", "lost", "needs_response"]
      )
      const newestFirst = all.map(({ id }) => id).toReversed()
      const page = yield* gateway.disputesPage(account)
      assert.deepStrictEqual(
        page.disputes.map(({ dispute, payment_intent_id }) => [dispute.id, payment_intent_id]),
        newestFirst.map((id) => [id, payment_intent_id])
      )
      assert.isUndefined(page.next)
      const after = yield* gateway.disputesPage(account, newestFirst[0])
      assert.deepStrictEqual(
        after.disputes.map(({ dispute }) => dispute.id),
        newestFirst.slice(1)
      )
      const one = yield* callSandbox("GET", "/v1/disputes?limit=1", { headers })
      assert.deepInclude(JSON.parse(one.text), { object: "list", has_more: true, url: "/v1/disputes" })
      assert.strictEqual((yield* callSandbox("GET", "/v1/disputes?starting_after=dp_none", { headers })).status, 404)
      assert.deepStrictEqual((yield* gateway.disputesPage("acct_other")).disputes, [])

      const hour = startTime / 1000 + 3600
      const changed = (since: number, of = account) =>
        Effect.map(gateway.disputesToldSince(of, since), (ids) => [...new Set(ids)])
      assert.deepStrictEqual(yield* changed(hour), [newestFirst[0]])
      assert.deepStrictEqual(yield* changed(hour - 1800), [newestFirst[0]])
      assert.sameMembers(yield* changed(hour - 3600), newestFirst)
      assert.deepStrictEqual(yield* changed(hour + 1), [])
      assert.deepStrictEqual(yield* changed(0, "acct_other"), [])
      yield* TestClock.adjust("1 hour")
      yield* dispute({ dispute: newestFirst[2] ?? "", status: "lost" })
      assert.deepStrictEqual(yield* changed(hour + 3600), [newestFirst[2]])
      assert.strictEqual((yield* callSandbox("GET", "/v1/events?type=invoice.paid", { headers })).status, 400)
    })
  )

  it.effect("knows of changes that were sent as thin events, too, once", () =>
    Effect.gen(function* () {
      const { dispute, gateway, payment_intent_id } = yield* paid
      const sql = yield* SqlClient.SqlClient
      const to = { url: "http://127.0.0.1:9/", connect: true, api_version: null, description: null, metadata: {} }
      const destination = createEndpoint({ ...to, enabled_events: ["v1.charge.dispute.created"], thin: true })
      yield* Effect.provideService(destination, SqlClient.SqlClient, sql)
      yield* dispute({})
      const [one] = yield* gateway.listDisputes(account, payment_intent_id)
      const told = yield* gateway.disputesToldSince(account, 0)
      assert.deepStrictEqual([...new Set(told)], [one?.id])
      const snapshots = createEndpoint({ ...to, enabled_events: ["*"], thin: false })
      yield* Effect.provideService(snapshots, SqlClient.SqlClient, sql)
      yield* dispute({ status: "won" })
      yield* dispute({})
      assert.strictEqual((yield* gateway.disputesToldSince(account, 0)).length, told.length + 5)
      yield* sql`delete from sandbox.endpoint`
    })
  )

  it.effect(
    "says something else of a refund: every status of the provider's, another amount, and sends the event",
    () =>
      Effect.gen(function* () {
        const { gateway, payment_intent_id, refund } = yield* paid
        const { id } = yield* refund("a")
        const turn = (form: Record<string, string>) =>
          callSandbox("POST", "/sandbox/refund_turns", { form: { refund: id, ...form } })
        for (const status of ["failed", "succeeded", "requires_action", "pending", "canceled"] as const) {
          assert.strictEqual((yield* turn({ status })).status, 200)
          assert.strictEqual((yield* gateway.getRefund(account, id)).status, status)
        }
        // One that was cancelled does not count.
        assert.strictEqual((yield* refund("b", 24_000)).status, "succeeded")
        yield* turn({ amount: "700" })
        assert.strictEqual((yield* gateway.getRefund(account, id)).amount, 700)
        assert.strictEqual((yield* turn({ status: "lost" })).status, 400)
        assert.strictEqual((yield* turn({ refund: "re_none" })).status, 404)
        assert.strictEqual((yield* gateway.listRefunds(account, payment_intent_id)).length, 2)
      })
  )

  it.effect("lets an inquiry be answered by a refund", () =>
    Effect.gen(function* () {
      const { dispute, refund } = yield* paid
      yield* dispute({ status: "warning_needs_response" })
      assert.strictEqual((yield* refund("a")).status, "succeeded")
    })
  )

  it.effect("refunds as the dashboard does, without anything of ours", () =>
    Effect.gen(function* () {
      const { gateway, payment_intent_id } = yield* paid
      const form = { account, payment_intent: payment_intent_id, amount: "5000" }
      assert.strictEqual((yield* callSandbox("POST", "/sandbox/refund", { form })).status, 200)
      const [made] = yield* gateway.listRefunds(account, payment_intent_id)
      assert.include(made, { status: "succeeded", amount: 5000 })
      assert.isUndefined(made?.refund_id)
      const over = yield* callSandbox("POST", "/sandbox/refund", { form: { ...form, amount: "19001" } })
      assert.strictEqual(over.status, 400)
    })
  )

  it.effect("can have too little money for a refund; other calls do not notice", () =>
    Effect.gen(function* () {
      const { gateway, payment_intent_id, refund } = yield* paid
      const faults = yield* Faults
      yield* faults.set({ api: { fault: "balance_insufficient", times: 1 } })
      assert.deepStrictEqual(yield* gateway.listRefunds(account, payment_intent_id), [])
      assert.propertyVal(yield* Effect.flip(refund("a")), "code", "balance_insufficient")
      assert.strictEqual((yield* refund("b")).status, "succeeded")
    })
  )
})
