/** A voucher that is sold online, over the product's own sandbox: what its books, the audit and the comparison say. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Vouchers } from "../../../src/domain/payment/sessions/Vouchers.ts"
import { VoucherSales } from "../../../src/domain/payment/settlement/VoucherSales.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { commandsOverSandbox, playroom } from "../../support/CommandLine.ts"
import { deleteBookings } from "../../support/PaymentWorld.ts"
import { venue } from "../../support/paymentVenues.ts"
import { callSandbox, resetSandbox } from "../../support/SandboxWorld.ts"
import { accounts, sum, tell } from "./AccountsAtProvider.test.ts"

const { operator_id } = venue.operator

const begin = Effect.gen(function* () {
  yield* resetSandbox
  yield* deleteBookings
  yield* setClock("2026-11-20T09:00:00Z")
  const sql = yield* SqlClient.SqlClient
  yield* sql`update operator set application_fee_percent = 10,
      vouchers = '{"currency": "GBP", "min_amount": 1000, "max_amount": 25000, "valid_months": 12}'
    where operator_id = ${operator_id}`
})

const buy = Effect.fnUntraced(function* (amount: number, outcome = "pay") {
  const sales = yield* VoucherSales
  const voucher_id = yield* sales.newId
  const buyer = { name: "Ana Lima", email: "ana@example.com" }
  const wanted = { voucher_id, operator_id, amount, buyer, language: "de", description: "Gutschein: Play Ltd" }
  const bought = yield* sales.buy(wanted, "192.0.2.1")
  assert.strictEqual(bought.is, "page")
  const sale = yield* Effect.flatMap(sales.find(voucher_id), Effect.fromOption)
  yield* callSandbox("POST", `/pay/${sale.provider_session_id}`, { form: { outcome } })
  yield* TestClock.adjust("33 minutes")
  yield* sales.runDue
  return yield* Effect.flatMap(sales.find(voucher_id), Effect.fromOption)
})
const leftOf = ({ voucher_id }: { readonly voucher_id: Parameters<Vouchers["Service"]["find"]>[0] }) =>
  Effect.map(
    Effect.flatMap(
      Vouchers.use((vouchers) => vouchers.find(voucher_id)),
      Effect.fromOption
    ),
    ({ left }) => left
  )

layer(commandsOverSandbox())("a voucher sold online, over the sandbox", (it) => {
  it.effect("is in the month with the provider's fee, what went back, and what is owed; both sides agree", () =>
    Effect.gen(function* () {
      yield* begin
      const sales = yield* VoucherSales
      const [kept, undone, lowered] = [yield* buy(5000), yield* buy(10_000), yield* buy(8000)]
      yield* playroom("voucher", "undo", undone.voucher_id)
      yield* sales.runDue
      yield* tell("refund", {
        account: lowered.account,
        payment_intent: lowered.payment_intent_id ?? "",
        amount: "3000"
      })
      yield* TestClock.adjust("7 hours")
      yield* sales.runDue
      assert.deepStrictEqual([yield* leftOf(kept), yield* leftOf(lowered)], [5000, 5000])
      const { complaints, failure, lines } = yield* accounts("2026-11")
      assert.isUndefined(failure, failure)
      assert.include(complaints, "all agree")
      assert.include(complaints, "vouchers sold £100.00")
      assert.include(complaints, "owed on vouchers at the end of 2026-11, or now: £100.00")
      const ours = lines.filter(({ kind }) => kind === "voucher")
      assert.sameMembers(
        ours.map(({ amount, cause, way }) => [way, amount, cause].join(" ").trim()),
        ["link 50.00", "link 100.00", "link 80.00", "link -100.00 undone", "link -30.00 dashboard"]
      )
      assert.strictEqual(sum(ours, "platform_fee", "GBP"), 500 + 800)
      assert.isAbove(sum(ours, "provider_fee", "GBP"), 0)
      const offline = (yield* accounts("2026-11", "--offline")).lines.filter(({ kind }) => kind === "voucher")
      assert.deepStrictEqual(
        offline.map(({ amount, id }) => [id, amount]).toSorted(),
        ours.map(({ amount, id }) => [id, amount]).toSorted()
      )
      const reconciled = yield* playroom("payment", "reconcile", "--since", "2026-11-19")
      assert.include(reconciled.out, "nothing is missing")
    })
  )

  it.effect("that this database lost is found again by the comparison", () =>
    Effect.gen(function* () {
      yield* begin
      const sql = yield* SqlClient.SqlClient
      const lost = yield* buy(5000)
      yield* sql`with a as (delete from voucher where voucher_id = ${lost.voucher_id})
        delete from voucher_sale where voucher_id = ${lost.voucher_id}`
      const { failure } = yield* accounts("2026-11")
      assert.include(failure ?? "", "is in the provider's record, and not here")
      const found = yield* playroom("payment", "reconcile", "--since", "2026-11-19", "--apply")
      assert.include(found.out, "a voucher of £50.00")
      assert.strictEqual(yield* leftOf(lost), 5000)
      assert.isUndefined((yield* accounts("2026-11")).failure)
    })
  )

  it.effect("that is disputed, lost and won is in the books as the provider has it", () =>
    Effect.gen(function* () {
      yield* begin
      const sales = yield* VoucherSales
      const sql = yield* SqlClient.SqlClient
      const sale = yield* buy(5000)
      for (const [status, left] of [
        ["needs_response", 0],
        ["lost", 0],
        ["won", 5000]
      ] as const) {
        const [known] = yield* sql<{ provider_refund_id: string }>`select provider_refund_id from voucher_refund`
        yield* tell("dispute", {
          payment_intent: sale.payment_intent_id ?? "",
          status,
          ...(known === undefined ? {} : { dispute: known.provider_refund_id })
        })
        yield* TestClock.adjust("7 hours")
        yield* sales.runDue
        assert.strictEqual(yield* leftOf(sale), left, status)
        const { failure } = yield* accounts("2026-11")
        assert.isUndefined(failure, `${status}: ${failure ?? ""}`)
      }
    })
  )
})
