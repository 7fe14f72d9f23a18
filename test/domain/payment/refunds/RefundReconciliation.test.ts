import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { setClock } from "../../../support/BookingWorld.ts"
import {
  actAndDeliver,
  bookingState,
  cancelBooking,
  confirmed,
  expectedState,
  failedRefunds,
  historyOf,
  now,
  openSession,
  paidBooking,
  paymentWorld,
  reconcileAfter,
  refundsOf,
  runProviderTasks
} from "../../../support/PaymentWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

layer(paymentWorld())("reconciliation of refunds", (it) => {
  for (const [trouble, calls] of [
    ["away", 2],
    ["unanswered", 1]
  ] as const) {
    it.effect(`sends a refund again whose answer was lost, under the same key, and it is made once (${trouble})`, () =>
      Effect.gen(function* () {
        const provider = yield* ScriptedGateway
        const { booking, session } = yield* paidBooking()
        yield* cancelBooking(booking)
        const before = provider.calls.length
        provider.injectFault("createRefund", trouble)
        assert.strictEqual(yield* runProviderTasks, 0)
        assert.strictEqual((yield* bookingState(booking)).payment_status, "refund_pending")
        yield* reconcileAfter("3 minutes")
        yield* runProviderTasks
        assert.deepStrictEqual(provider.paidAndRefunded(session), { paid: 12_000, refunded: 12_000 })
        const sent = provider.calls.slice(before).filter(({ operation }) => operation === "createRefund")
        // One that was made is found by asking, and not sent a second time.
        assert.strictEqual(sent.length, calls)
        for (const call of sent) assert.deepStrictEqual(call, sent[0])
        assert.deepStrictEqual(yield* bookingState(booking), expectedState("cancelled", "refunded", 12_000, 12_000))
      })
    )
  }

  it.effect("finds a refund that was made before the provider forgot its key, instead of making another", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking(packages.depositParty)
      const balance = yield* openSession(booking, "balance")
      yield* actAndDeliver(balance, "pay")
      yield* cancelBooking(booking)
      provider.injectFault("createRefund", "unanswered")
      yield* runProviderTasks
      provider.outage = "away"
      yield* reconcileAfter("25 hours")
      provider.outage = undefined
      provider.forgetIdempotencyKeys()
      yield* reconcileAfter("3 minutes")
      assert.deepStrictEqual(provider.paidAndRefunded(balance), { paid: 15_000, refunded: 15_000 })
      assert.deepStrictEqual(provider.paidAndRefunded(session), { paid: 5000, refunded: 0 })
      assert.deepStrictEqual(
        yield* bookingState(booking),
        expectedState("cancelled", "partially_refunded", 20_000, 15_000)
      )
    })
  )

  it.effect("follows a refund that the provider takes its time over, to its end or its failure", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      provider.newRefundStatus = "pending"
      const good = yield* paidBooking()
      const bad = yield* paidBooking()
      for (const { booking } of [good, bad]) yield* cancelBooking(booking)
      yield* runProviderTasks
      provider.newRefundStatus = "succeeded"
      assert.deepStrictEqual(yield* refundsOf(good.booking), [
        { cause: "cancellation", status: "pending", amount: 12_000 }
      ])
      for (const refund of provider.refunds.values()) {
        if (refund.status !== "pending") continue
        if (refund.payment_intent_id === good.session.payment_intent_id)
          provider.setRefundStatus(refund.id, "succeeded")
        else provider.setRefundStatus(refund.id, "failed", "expired_or_canceled_card")
      }
      yield* reconcileAfter("11 minutes")
      assert.strictEqual((yield* bookingState(good.booking)).payment_status, "refunded")
      assert.deepStrictEqual(yield* bookingState(bad.booking), expectedState("cancelled", "refund_pending", 12_000))
      assert.deepStrictEqual((yield* historyOf(bad.booking)).at(-1), "refund_failed")
      const owed = (yield* failedRefunds).filter(({ booking_id }) => booking_id === bad.booking.booking_id)
      assert.deepStrictEqual(
        owed.map(({ failure }) => failure),
        ["expired_or_canceled_card"]
      )
      // The operator gives it back by hand: then it is settled after all.
      provider.refundInDashboard(bad.session, 12_000)
      yield* reconcileAfter("7 hours")
      assert.strictEqual((yield* bookingState(bad.booking)).payment_status, "refunded")
      assert.isFalse((yield* failedRefunds).some(({ booking_id }) => booking_id === bad.booking.booking_id))
    })
  )

  it.effect("notices refunds made in the provider's dashboard, once, and refunds no more than what is left", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking()
      provider.refundInDashboard(session, 5000)
      for (let i = 0; i < 2; i++) {
        yield* reconcileAfter("7 hours")
      }
      assert.deepStrictEqual(yield* bookingState(booking), {
        ...confirmed,
        payment_status: "partially_refunded",
        refunded: 5000
      })
      assert.deepStrictEqual(yield* refundsOf(booking), [{ cause: "dashboard", status: "succeeded", amount: 5000 }])
      assert.strictEqual((yield* cancelBooking(booking)).refund.amount, 7000)
      yield* runProviderTasks
      assert.deepStrictEqual(provider.paidAndRefunded(session), { paid: 12_000, refunded: 12_000 })
      assert.strictEqual((yield* bookingState(booking)).payment_status, "refunded")
    })
  )

  it.effect("settles a refund that the operator had made by hand before ours was sent", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking()
      provider.refundInDashboard(session, 12_000)
      yield* cancelBooking(booking)
      yield* runProviderTasks
      assert.deepStrictEqual(provider.paidAndRefunded(session), { paid: 12_000, refunded: 12_000 })
      assert.strictEqual((yield* bookingState(booking)).payment_status, "refunded")
      assert.isFalse((yield* failedRefunds).some(({ booking_id }) => booking_id === booking.booking_id))
    })
  )

  it.effect("gives back what is left of a payment that the operator had refunded in part, unseen", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking()
      provider.refundInDashboard(session, 5000)
      assert.strictEqual((yield* cancelBooking(booking)).refund.amount, 7000)
      yield* runProviderTasks
      assert.deepStrictEqual(provider.paidAndRefunded(session), { paid: 12_000, refunded: 12_000 })
      const { payment_status, refunded } = yield* bookingState(booking)
      assert.deepStrictEqual([payment_status, refunded], ["refunded", 12_000])
      assert.sameDeepMembers(
        [...(yield* refundsOf(booking))],
        [
          { cause: "cancellation", status: "succeeded", amount: 7000 },
          { cause: "dashboard", status: "succeeded", amount: 5000 }
        ]
      )
      assert.isFalse((yield* failedRefunds).some(({ booking_id }) => booking_id === booking.booking_id))
    })
  )

  it.effect("says what is owed where the provider refuses a refund", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking } = yield* paidBooking()
      yield* cancelBooking(booking)
      provider.injectFault("createRefund", "refused")
      yield* runProviderTasks
      const owed = (yield* failedRefunds).find(({ booking_id }) => booking_id === booking.booking_id)
      assert.include(owed?.failure, "test_refused")
      assert.strictEqual((yield* bookingState(booking)).payment_status, "refund_pending")
    })
  )
})
