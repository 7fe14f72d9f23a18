import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { dayMs } from "../../../src/platform/time/LocalTime.ts"
import { PaymentGateway } from "../../../src/domain/payment/provider/PaymentGateway.ts"
import {
  callSandbox,
  checkout,
  headers,
  pressButton,
  resetSandbox,
  SandboxWorld,
  startTime
} from "../../support/SandboxWorld.ts"
import { account, refundRequest } from "../../support/stripeAnswers.ts"

const ever = { since: 0, before: startTime / 1000 + 365 * 86_400 }

/** Pays a page, and answers the payment's id. */
const pay = Effect.fnUntraced(function* (changes: Parameters<typeof checkout>[0] = {}) {
  const gateway = yield* PaymentGateway
  const request = checkout(changes)
  const { id } = yield* gateway.createSession(request)
  yield* pressButton(id, "pay")
  return (yield* gateway.getSession(request.account, id)).payment_intent_id ?? ""
})

let keys = 0
const giveBack = (payment_intent_id: string, amount: number, refund_application_fee = true) =>
  PaymentGateway.use((gateway) =>
    gateway.createRefund(
      refundRequest({ idempotency_key: `balance ${++keys}`, payment_intent_id, amount, refund_application_fee }),
      "GBP"
    )
  )

const transactions = (of = account, stretch = ever) =>
  PaymentGateway.use((gateway) => gateway.balanceTransactions(of, stretch))

const tell = (path: string, form: Record<string, string>) => callSandbox("POST", path, { form })

layer(SandboxWorld.layer)("The sandbox's balance", (it) => {
  it.effect("has a payment with both fees, and its refunds with the platform's fee in proportion", () =>
    Effect.gen(function* () {
      yield* resetSandbox
      const payment_intent_id = yield* pay({ amount: 10_000, application_fee: 100 })
      for (const amount of [3333, 3333, 3334]) yield* giveBack(payment_intent_id, amount)
      const [charge, ...refunds] = yield* transactions()
      assert.include(charge, {
        category: "charge",
        amount: 10_000,
        currency: "GBP",
        provider_fee: 170,
        platform_fee: 100,
        net: 9730,
        created: startTime / 1000
      })
      assert.include(charge?.source, { payment_intent_id, amount: 10_000, payment_session_id: "payment_01h4" })
      assert.deepStrictEqual(
        refunds.map(({ amount, category, net, platform_fee, provider_fee, source }) => [
          category,
          amount,
          provider_fee,
          platform_fee,
          net,
          source?.refund_id
        ]),
        [
          ["refund", -3333, 0, -33, -3300, "refund_01h4"],
          ["refund", -3333, 0, -34, -3299, "refund_01h4"],
          ["refund", -3334, 0, -33, -3301, "refund_01h4"]
        ]
      )
    })
  )

  it.effect("takes a refund back that failed, with the fee; one by hand in the dashboard gives none of it back", () =>
    Effect.gen(function* () {
      yield* resetSandbox
      const payment_intent_id = yield* pay({ amount: 10_000, application_fee: 100 })
      const { id } = yield* giveBack(payment_intent_id, 5000)
      yield* tell("/sandbox/refund_turns", { refund: id, status: "failed" })
      yield* tell("/sandbox/refund", { account, payment_intent: payment_intent_id, amount: "1000" })
      const [, ...after] = yield* transactions()
      assert.deepStrictEqual(
        after.map(({ amount, category, platform_fee }) => [category, amount, platform_fee]),
        [
          ["refund", -5000, -50],
          ["refund_failure", 5000, 50],
          ["refund", -1000, 0]
        ]
      )
      assert.strictEqual(after[0]?.source?.status, "failed")
    })
  )

  it.effect("loses a dispute's amount and a fee, and has the amount again when it is won", () =>
    Effect.gen(function* () {
      yield* resetSandbox
      const payment_intent = yield* pay({ amount: 10_000, application_fee: 0 })
      yield* tell("/sandbox/dispute", { payment_intent })
      yield* tell("/sandbox/dispute", { payment_intent, status: "won" })
      const [, ...after] = yield* transactions()
      assert.deepStrictEqual(
        after.map(({ amount, category, net, provider_fee, source }) => [
          category,
          amount,
          provider_fee,
          net,
          source?.status
        ]),
        [
          ["dispute", -10_000, 1500, -11_500, "won"],
          ["dispute_reversal", 10_000, 0, 10_000, "won"]
        ]
      )
    })
  )

  it.effect("pays out each midnight what is available, by currency, and says what a payout contains", () =>
    Effect.gen(function* () {
      yield* resetSandbox
      const gateway = yield* PaymentGateway
      const first = yield* pay({ amount: 10_000, application_fee: 100 })
      yield* pay({ amount: 5000, currency: "JPY", application_fee: 50 })
      yield* TestClock.adjust("1 day")
      yield* pay({ amount: 6000, application_fee: 60, expires_at: startTime / 1000 + 90_000 })
      assert.deepStrictEqual(yield* gateway.payouts(account, ever), [])
      yield* TestClock.setTime(startTime + 5 * dayMs)
      const payouts = yield* gateway.payouts(account, ever)
      assert.deepStrictEqual(
        payouts.map(({ created, itemised }) => [new Date(created * 1000).toISOString().slice(0, 13), itemised]).sort(),
        [
          ["2026-12-04T00", true],
          ["2026-12-04T00", true],
          ["2026-12-05T00", true]
        ]
      )
      const all = yield* transactions()
      // The balance has all that came in, and nothing is left of it.
      for (const currency of ["GBP", "JPY"]) {
        const net = all.filter((one) => one.currency === currency).reduce((sum, one) => sum + one.net, 0)
        assert.strictEqual(net, 0, currency)
      }
      const contained = yield* Effect.forEach(payouts, ({ id }) => gateway.transactionsOfPayout(account, id))
      assert.sameMembers(
        contained.flat(),
        all.map(({ id }) => id)
      )
      const charge = all.find(({ source }) => source?.payment_intent_id === first)?.id ?? ""
      const paidOut = all.find(({ category, amount }) => category === "payout" && amount === -9730)?.id ?? ""
      assert.isTrue(contained.some((ids) => ids.length === 2 && ids.includes(charge) && ids.includes(paidOut)))
      const empty = yield* gateway.balanceTransactions("acct_other", ever)
      assert.deepStrictEqual([empty, yield* gateway.payouts("acct_other", ever)], [[], []])
    })
  )

  it.effect("is told in pages, of a stretch of time, and of the account that asks", () =>
    Effect.gen(function* () {
      yield* resetSandbox
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into sandbox.balance_transaction (transaction_id, account, type, category, amount, fee, application_fee, currency, source_id, created_at, available_on)
        select 'txn_' || n, ${account}, 'charge', 'charge', n, 0, 0, 'gbp', 'ch_' || n, ${new Date(startTime)}::timestamptz + n * interval '1 second', '2030-01-01'
        from generate_series(1, 1234) n`
      const from = startTime / 1000
      const all = yield* transactions()
      assert.deepStrictEqual(
        all.map(({ amount }) => amount),
        Array.from({ length: 1234 }, (_, i) => i + 1)
      )
      const some = yield* transactions(account, { since: from + 10, before: from + 13 })
      assert.deepStrictEqual(
        some.map(({ amount }) => amount),
        [10, 11, 12]
      )
      assert.notProperty(some[0], "source")
      const refused = yield* callSandbox("GET", "/v1/balance_transactions?expand[]=data.charge", { headers })
      assert.strictEqual(refused.status, 400)
    })
  )
})
