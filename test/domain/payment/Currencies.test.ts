/**
 * An amount of the provider is used only in its own currency: one in another currency is reported, and never counted.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { messages } from "../../../src/words/Languages.ts"
import { AccountComparison } from "../../../src/domain/payment/recovery/AccountComparison.ts"
import { ProviderRefunds } from "../../../src/domain/payment/refunds/ProviderRefunds.ts"
import { RefundRecords } from "../../../src/domain/payment/refunds/RefundRecords.ts"
import { PaymentSessions } from "../../../src/domain/payment/sessions/PaymentSessions.ts"
import { PaymentInquiry } from "../../../src/domain/payment/settlement/PaymentInquiry.ts"
import { ask, backFrom, familyWorld, pageOf } from "../../support/FamilyPages.ts"
import { account } from "../../support/paymentVenues.ts"
import {
  actAtProvider,
  bookingState,
  bookingWithSession,
  cancelBooking,
  confirmed,
  deleteBookings,
  deliverAndApply,
  expectedState,
  failedRefunds,
  historyOf,
  now,
  paidBooking,
  refundsOf,
  runProviderTasks,
  sessionRow
} from "../../support/PaymentWorld.ts"
import { sessionEvent } from "../../support/providerEvents.ts"
import { ScriptedGateway } from "../../support/ScriptedGateway.ts"

const check = (session: Parameters<ProviderRefunds["Service"]["checkPayment"]>[0]) =>
  ProviderRefunds.use((refunds) => refunds.checkPayment(session))

/** The provider has a refund of ¥1,400 under a payment in pounds. */
const refundInYen = Effect.fnUntraced(function* (session: Parameters<typeof check>[0]) {
  const provider = yield* ScriptedGateway
  const { id } = provider.refundInDashboard(session, 1400)
  const refund = provider.refunds.get(id) ?? assert.fail("no refund")
  provider.refunds.set(id, { ...refund, currency: "JPY" })
  return id
})

layer(familyWorld())("an amount in another currency", (it) => {
  it.effect("is not counted as a refund: ¥1,400 is not £14.00; it is recorded once, and reported to a person", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const { booking, session } = yield* paidBooking()
      const id = yield* refundInYen(session)
      yield* check(session)
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      assert.deepStrictEqual(yield* refundsOf(booking), [])
      const why = `refund ${id} of JP¥1,400 is in JPY, the payment is in GBP: it is not counted`
      assert.strictEqual((yield* sessionRow(session.payment_session_id)).flagged, why)
      assert.include(yield* historyOf(booking), "refund_mismatch")
      // Once a person has accounted for it, it is not reported again.
      yield* PaymentSessions.use((sessions) => sessions.markAccountedFor(session.payment_session_id, Date.parse(now)))
      yield* check(session)
      assert.isNull((yield* sessionRow(session.payment_session_id)).flagged)
      // What the terms owe is owed in pounds, and whole.
      ;(yield* ScriptedGateway).refunds.delete(id)
      yield* cancelBooking(booking)
      yield* runProviderTasks
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("cancelled", "refunded", 12_000, 12_000))
    })
  )

  it.effect("does not settle a refund of ours, which is then still owed", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const provider = yield* ScriptedGateway
      provider.newRefundStatus = "pending"
      const { booking } = yield* paidBooking()
      yield* cancelBooking(booking)
      yield* runProviderTasks
      provider.newRefundStatus = "succeeded"
      for (const [id, refund] of provider.refunds)
        if (refund.status === "pending") provider.refunds.set(id, { ...refund, status: "succeeded", currency: "JPY" })
      const providerRefunds = yield* ProviderRefunds
      for (const refund of yield* RefundRecords.use((records) => records.ofBooking(booking)))
        yield* providerRefunds.ask(refund)
      assert.strictEqual((yield* bookingState(booking)).refunded, 0)
      const [failed] = yield* failedRefunds
      assert.match(failed?.failure ?? "", /^refund re_test_\d+ of JP¥12,000 is in JPY, the payment is in GBP/)
    })
  )

  it.effect("does not pay a booking: a payment in yen under a session in pounds is flagged", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* bookingWithSession()
      yield* actAtProvider(session, "pay")
      Object.assign(provider.sessionOf(session), { payment_currency: "JPY" })
      yield* PaymentInquiry.use((inquiry) => inquiry.ask(session))
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("held", "processing"))
      const { flagged } = yield* sessionRow(session.payment_session_id)
      assert.strictEqual(flagged, "asked for GBP, the provider has the payment in JPY")
    })
  )

  it.effect("is told by the account's comparison as a misfit, and not as money that went back", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const { booking, session } = yield* paidBooking()
      const id = yield* refundInYen(session)
      for (const apply of [false, true]) {
        const found = yield* AccountComparison.use((accounts) => accounts.compare(account, { since: 0, apply }))
        const texts = JSON.stringify(found)
        assert.include(texts, `refund ${id} of JP¥1,400 is in JPY`)
        assert.include(texts, `"kind":"misfit"`)
        assert.notInclude(texts, `"kind":"refunded"`)
      }
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
    })
  )

  it.effect("that the payer saw is told on the pages, and never counted", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* bookingWithSession()
      Object.assign(provider.sessionOf(session), { presented: { amount: 15_212, currency: "USD" } })
      const said = yield* actAtProvider(session, "pay")
      const event = sessionEvent("checkout.session.completed", said)
      const presentment_details = { presentment_amount: 15_212, presentment_currency: "usd" }
      yield* deliverAndApply({
        ...event,
        data: { object: { ...event.data.object, presentment_details } }
      } as typeof event)
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      const row = yield* sessionRow(session.payment_session_id)
      assert.deepStrictEqual([row.amount, row.presented], [12_000, { amount: 15_212, currency: "USD" }])
      const page = yield* ask(yield* pageOf(booking), { headers: { "accept-language": "en" } })
      assert.include(page.text, "You paid US$152.12 (£120.00).")
      const german = yield* ask(yield* pageOf(booking), { headers: { "accept-language": "de" } })
      assert.include(german.text, messages.de.words.presented("152,12\u00a0$", "120,00\u00a0£"))
      assert.include((yield* backFrom(session)).text, "You paid US$152.12 (£120.00).")
    })
  )
})
