import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { PaymentGateway } from "../../../src/domain/payment/provider/PaymentGateway.ts"
import { Faults } from "../../../src/extras/sandbox/Faults.ts"
import {
  callSandbox,
  checkout,
  headers,
  pressButton,
  SandboxWorld,
  startReceiving,
  startTime
} from "../../support/SandboxWorld.ts"
import { account, refundRequest } from "../../support/stripeAnswers.ts"

layer(SandboxWorld.layer)("The sandbox's refunds", (it) => {
  it.effect(
    "refunds in parts up to what was paid, once under a key, and lists refunds of ours and of the dashboard",
    () =>
      Effect.gen(function* () {
        yield* startReceiving
        const gateway = yield* PaymentGateway
        const { id } = yield* gateway.createSession(checkout())
        const intentOf = Effect.map(gateway.getSession(account, id), (session) => session.payment_intent_id ?? "none")
        yield* pressButton(id, "pay")
        const payment_intent_id = yield* intentOf
        const refund = refundRequest({ payment_intent_id })
        const first = yield* gateway.createRefund(refund, "GBP")
        assert.include(first, { status: "succeeded", amount: 12_000, currency: "GBP", refund_id: "refund_01h4" })
        assert.deepStrictEqual(yield* gateway.createRefund(refund, "GBP"), first)
        assert.deepStrictEqual(yield* gateway.getRefund(account, first.id), first)
        assert.propertyVal(
          yield* Effect.flip(gateway.createRefund({ ...refund, idempotency_key: "refund_2", amount: 12_001 }, "GBP")),
          "_tag",
          "ProviderRefused"
        )
        // The dashboard's: no metadata of ours.
        assert.strictEqual(
          (yield* callSandbox("POST", "/v1/refunds", { form: { payment_intent: payment_intent_id }, headers })).status,
          200
        )
        const all = yield* gateway.listRefunds(account, payment_intent_id)
        assert.deepStrictEqual(
          all.map(({ amount, refund_id }) => [amount, refund_id]),
          [
            [12_000, "refund_01h4"],
            [12_000, undefined]
          ]
        )
        const over = yield* Effect.flip(
          gateway.createRefund({ ...refund, idempotency_key: "refund_3", amount: 1 }, "GBP")
        )
        assert.propertyVal(over, "code", "charge_already_refunded")
      })
  )

  it.effect("refuses to refund what was not paid, and a fee that there was not", () =>
    Effect.gen(function* () {
      yield* startReceiving
      const gateway = yield* PaymentGateway
      const refundOf = (payment_intent_id: string) =>
        refundRequest({ idempotency_key: `refund_of_${payment_intent_id}`, payment_intent_id, amount: 100 })
      for (const [outcome, fee] of [
        ["pay_later_succeeds", 1],
        ["pay", 0]
      ] as const) {
        const { id } = yield* gateway.createSession(checkout({ application_fee: fee }))
        yield* pressButton(id, outcome)
        const intent = (yield* gateway.getSession(account, id)).payment_intent_id ?? ""
        assert.propertyVal(yield* Effect.flip(gateway.createRefund(refundOf(intent), "GBP")), "_tag", "ProviderRefused")
      }
      assert.propertyVal(
        yield* Effect.flip(gateway.createRefund(refundOf("pi_none"), "GBP")),
        "code",
        "resource_missing"
      )
    })
  )

  it.effect("can make a refund fail or wait", () =>
    Effect.gen(function* () {
      yield* startReceiving
      const gateway = yield* PaymentGateway
      const faults = yield* Faults
      const { id } = yield* gateway.createSession(checkout())
      yield* pressButton(id, "pay")
      const payment_intent = (yield* gateway.getSession(account, id)).payment_intent_id ?? ""
      const Refund = Schema.decodeUnknownSync(
        Schema.fromJsonString(Schema.Struct({ id: Schema.String, status: Schema.String }))
      )
      const refund = (fault: "refund_fails" | "refund_pends") =>
        Effect.gen(function* () {
          yield* faults.set({ api: { fault, times: 1 } })
          return Refund(
            (yield* callSandbox("POST", "/v1/refunds", { form: { payment_intent, amount: "24000" }, headers })).text
          )
        })
      assert.strictEqual((yield* refund("refund_fails")).status, "failed")
      const pending = yield* refund("refund_pends")
      assert.strictEqual(pending.status, "pending")
      yield* TestClock.setTime(startTime + 5_000)
      assert.strictEqual((yield* gateway.getRefund(account, pending.id)).status, "succeeded")
    })
  )
})
