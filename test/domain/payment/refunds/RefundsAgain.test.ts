import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { dayMs } from "../../../../src/platform/time/LocalTime.ts"
import { refundWindowMs } from "../../../../src/domain/payment/sessions/PaymentSession.ts"
import { cancelAsOperator } from "../../../support/Acts.ts"
import { ProviderRefunds } from "../../../../src/domain/payment/refunds/ProviderRefunds.ts"
import { RefundRecords } from "../../../../src/domain/payment/refunds/RefundRecords.ts"
import { PaymentSessions } from "../../../../src/domain/payment/sessions/PaymentSessions.ts"
import { confirmedOn, moveBooking, moveWorld, optionOn } from "../../../support/moveWorld.ts"
import {
  bookingState,
  cancelBooking,
  deleteBookings,
  expectedState,
  failedRefunds,
  historyOf,
  now,
  paidBooking,
  payBooking,
  paymentWorld,
  reconcile,
  reconcileAfter,
  refundsOf,
  resendFailedRefunds,
  runProviderTasks
} from "../../../support/PaymentWorld.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

/** A paid booking, with nothing else in the database. */
const onlyPaidBooking = Effect.gen(function* () {
  yield* deleteBookings
  return { ...(yield* paidBooking()), provider: yield* ScriptedGateway }
})
type OnlyPaidBooking = Effect.Success<typeof onlyPaidBooking>

/** Cancels the booking, and sends the refund to the provider. */
const cancelAndRefund = ({ booking }: OnlyPaidBooking) => Effect.andThen(cancelBooking(booking), runProviderTasks)

/** The provider says from now on that its latest refund has this status. */
const setLastRefundStatus = ({ provider }: OnlyPaidBooking, status: string) => {
  const last = [...provider.refunds.values()].at(-1) ?? assert.fail("no refund was made")
  provider.setRefundStatus(last.id, status, "expired_or_canceled_card")
}

const moneyAtProvider = ({ provider, session }: OnlyPaidBooking) => provider.paidAndRefunded(session)

layer(paymentWorld())("a refund that failed", (it) => {
  it.effect("after it had succeeded is found, is owed again, and reaches the payer when sent again", () =>
    Effect.gen(function* () {
      const booked = yield* onlyPaidBooking
      yield* cancelAndRefund(booked)
      assert.strictEqual((yield* bookingState(booked.booking)).payment_status, "refunded")
      setLastRefundStatus(booked, "failed")
      yield* reconcileAfter("7 hours")
      yield* reconcile
      const lost = expectedState("cancelled", "refund_pending", 12_000)
      assert.deepStrictEqual(yield* bookingState(booked.booking), lost)
      assert.deepStrictEqual(
        (yield* failedRefunds).map(({ amount, failure }) => [amount, failure]),
        [[12_000, "expired_or_canceled_card"]]
      )
      assert.deepStrictEqual(yield* resendFailedRefunds, ["sent"])
      assert.deepStrictEqual(yield* failedRefunds, [])
      yield* runProviderTasks
      assert.deepStrictEqual(yield* bookingState(booked.booking), {
        ...lost,
        payment_status: "refunded",
        refunded: 12_000
      })
      assert.deepStrictEqual(moneyAtProvider(booked), { paid: 12_000, refunded: 12_000 })
      assert.deepStrictEqual((yield* historyOf(booked.booking)).slice(-4), [
        "refunded",
        "refund_failed",
        "refund_sent_again",
        "refunded"
      ])
      // The first one's failure is old news now.
      yield* reconcileAfter("7 hours")
      assert.strictEqual((yield* bookingState(booked.booking)).payment_status, "refunded")
    })
  )

  it.effect("is sent again once, whoever asks how often, and also where the answer is lost for more than a day", () =>
    Effect.gen(function* () {
      const booked = yield* onlyPaidBooking
      booked.provider.injectFault("createRefund", "refused")
      yield* cancelAndRefund(booked)
      const [refund] = yield* failedRefunds
      if (refund === undefined) return assert.fail("nothing is owed")
      const refunds = yield* ProviderRefunds
      const asked = yield* Effect.all(
        Array.from({ length: 4 }, () => refunds.resend(refund.refund_id)),
        { concurrency: "unbounded" }
      )
      assert.sameMembers(asked, ["sent", "not_failed", "not_failed", "not_failed"])
      booked.provider.injectFault("createRefund", "unanswered")
      yield* runProviderTasks
      booked.provider.forgetIdempotencyKeys()
      yield* TestClock.adjust("25 hours")
      yield* runProviderTasks
      assert.deepStrictEqual(moneyAtProvider(booked), { paid: 12_000, refunded: 12_000 })
      assert.deepStrictEqual(yield* refundsOf(booked.booking), [
        { cause: "cancellation", status: "succeeded", amount: 12_000 }
      ])
    })
  )

  it.effect(
    "is not sent again where the operator has made it by hand, and only what is left where it was in part",
    () =>
      Effect.gen(function* () {
        const whole = yield* onlyPaidBooking
        whole.provider.injectFault("createRefund", "refused")
        yield* cancelAndRefund(whole)
        whole.provider.refundInDashboard(whole.session, 12_000)
        assert.deepStrictEqual(yield* resendFailedRefunds, ["settled"])
        assert.deepStrictEqual(yield* failedRefunds, [])
        assert.deepStrictEqual(moneyAtProvider(whole), { paid: 12_000, refunded: 12_000 })

        const part = yield* onlyPaidBooking
        part.provider.injectFault("createRefund", "refused")
        yield* cancelAndRefund(part)
        part.provider.refundInDashboard(part.session, 5000)
        assert.deepStrictEqual(yield* resendFailedRefunds, ["sent"])
        yield* runProviderTasks
        assert.deepStrictEqual(moneyAtProvider(part), { paid: 12_000, refunded: 12_000 })
        assert.strictEqual((yield* bookingState(part.booking)).payment_status, "refunded")
      })
  )

  it.effect("made in the dashboard is owed again where it fails, like any other", () =>
    Effect.gen(function* () {
      const booked = yield* onlyPaidBooking
      booked.provider.refundInDashboard(booked.session, 5000)
      yield* reconcileAfter("7 hours")
      assert.strictEqual((yield* bookingState(booked.booking)).refunded, 5000)
      setLastRefundStatus(booked, "failed")
      yield* reconcileAfter("7 hours")
      const { payment_status, refunded } = yield* bookingState(booked.booking)
      assert.deepStrictEqual([payment_status, refunded], ["refund_pending", 0])
      assert.deepStrictEqual(yield* resendFailedRefunds, ["sent"])
      yield* runProviderTasks
      assert.deepStrictEqual(moneyAtProvider(booked), { paid: 12_000, refunded: 5000 })
      assert.strictEqual((yield* bookingState(booked.booking)).payment_status, "partially_refunded")
    })
  )

  for (const trouble of ["failing_kept", "acted_kept"] as const) {
    it.effect(`is sent within minutes where the provider keeps a failure under its key (${trouble})`, () =>
      Effect.gen(function* () {
        const booked = yield* onlyPaidBooking
        booked.provider.injectFault("createRefund", trouble)
        yield* cancelAndRefund(booked)
        for (let round = 0; round < 3; round++) {
          yield* reconcileAfter("3 minutes")
        }
        assert.deepStrictEqual(moneyAtProvider(booked), { paid: 12_000, refunded: 12_000 })
        assert.strictEqual((yield* bookingState(booked.booking)).payment_status, "refunded")
      })
    )
  }

  it.effect("leaves a chosen amount whole that is sent beside a refund by hand on its way", () =>
    Effect.gen(function* () {
      const booked = yield* onlyPaidBooking
      const byHand = booked.provider.refundInDashboard(booked.session, 4000)
      booked.provider.setRefundStatus(byHand.id, "pending")
      yield* cancelAsOperator(booked.booking.booking_id, {
        preview: false,
        refund: { amount: 3000 },
        reason: "Burst pipe"
      })
      yield* runProviderTasks
      booked.provider.setRefundStatus(byHand.id, "succeeded")
      yield* reconcileAfter("8 days")
      assert.deepStrictEqual(moneyAtProvider(booked), { paid: 12_000, refunded: 7000 })
      assert.strictEqual((yield* bookingState(booked.booking)).refunded, 7000)
    })
  )

  it.effect("stays owed while the provider is away, and is tried again when it is back", () =>
    Effect.gen(function* () {
      const booked = yield* onlyPaidBooking
      booked.provider.injectFault("createRefund", "refused")
      yield* cancelAndRefund(booked)
      booked.provider.outage = "away"
      const refused = yield* Effect.flip(resendFailedRefunds)
      booked.provider.outage = undefined
      assert.strictEqual(refused._tag, "ProviderUnavailable")
      assert.strictEqual((yield* failedRefunds).length, 1)
      assert.deepStrictEqual(yield* resendFailedRefunds, ["sent"])
    })
  )
})

layer(paymentWorld())("looking for refunds at the provider", (it) => {
  it.effect(
    "goes on until the visit and its refund window are over, at least weekly, and then ends",
    () =>
      Effect.gen(function* () {
        const booked = yield* onlyPaidBooking
        const { booking, provider, session } = booked
        const days = (until: number) => Math.ceil((until - Date.parse(now)) / dayMs)
        const visit = days(booking.ends_at)
        const end = days(booking.ends_at + refundWindowMs)
        // Long after sixty days, and long after the visit.
        const byHand = [visit + 1, end - 9]
        const calls = () => provider.callsOf("listRefunds").length
        const before = calls()
        let latest = 0
        for (let day = 0; day < end + 90; day++) {
          const seen = calls()
          yield* reconcileAfter("1 day")
          if (byHand.includes(day)) provider.refundInDashboard(session, 1000)
          if (calls() > seen) latest = day
          if (byHand.includes(day - 8)) {
            assert.strictEqual((yield* bookingState(booking)).refunded, 1000 * (byHand.indexOf(day - 8) + 1))
          }
        }
        // Some at first and after each change, then one a week; the last one a while after the last change.
        assert.isAtMost(calls() - before, Math.ceil((end + 60) / 7) + 15)
        assert.isAtLeast(calls() - before, Math.floor(end / 7))
        assert.isAtMost(latest, end + 61)
      }),
    120_000
  )

  it.effect("comes back soon where the provider was away", () =>
    Effect.gen(function* () {
      const { booking, provider, session } = yield* onlyPaidBooking
      provider.refundInDashboard(session, 5000)
      provider.injectFault("listRefunds", "away")
      yield* reconcileAfter("7 hours")
      assert.strictEqual((yield* bookingState(booking)).refunded, 0)
      yield* reconcileAfter("11 minutes")
      assert.strictEqual((yield* bookingState(booking)).refunded, 5000)
    })
  )
})

layer(moveWorld)("a refund by hand of a booking that was moved", (it) => {
  it.effect("and failed is sent again up to what the last move owes, though that move sent nothing", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const provider = yield* ScriptedGateway
      const booking = yield* confirmedOn("2026-12-12")
      yield* moveBooking(booking, yield* optionOn("2026-12-14"))
      yield* runProviderTasks
      const [session] = yield* PaymentSessions.use((sessions) => sessions.ofBooking(booking.booking_id))
      const page = session ?? assert.fail("nothing was paid")
      // All that was left of £240 goes back by hand; the next move owes £230 altogether, which has gone.
      const { id } = provider.refundInDashboard(page, 20_000)
      yield* reconcileAfter("8 days")
      assert.strictEqual((yield* moveBooking(booking, yield* optionOn("2026-12-08"))).refund.amount, 0)
      provider.setRefundStatus(id, "failed", "declined")
      yield* reconcileAfter("8 days")
      assert.deepStrictEqual(yield* resendFailedRefunds, ["sent"])
      yield* runProviderTasks
      assert.strictEqual(provider.paidAndRefunded(page).refunded, 23_000)
      assert.strictEqual((yield* bookingState(booking)).refunded, 23_000)
    })
  )

  for (const [refund, back] of [
    ["terms", 20_000],
    ["none", 19_000]
  ] as const)
    it.effect(
      `counts once beside what was made before and waits: a cancellation by ${refund} gives back the rest`,
      () =>
        Effect.gen(function* () {
          yield* deleteBookings
          const provider = yield* ScriptedGateway
          const booking = yield* confirmedOn("2026-12-08")
          yield* moveBooking(booking, yield* optionOn("2026-12-14"))
          const balance = yield* payBooking(booking, "balance")
          provider.balanceTooSmall = true
          assert.strictEqual((yield* moveBooking(booking, yield* optionOn("2026-12-08"))).refund.amount, 19_000)
          yield* runProviderTasks
          provider.refundInDashboard(balance, 15_000)
          const cancelled = yield* cancelAsOperator(booking.booking_id, {
            preview: false,
            refund,
            reason: "Burst pipe"
          })
          assert.deepStrictEqual([cancelled.given_back.amount, cancelled.refund.amount], [19_000, back - 19_000])
          provider.balanceTooSmall = false
          yield* reconcileAfter("8 days")
          yield* runProviderTasks
          assert.strictEqual((yield* bookingState(booking)).refunded, back)
          assert.strictEqual(provider.paidAndRefunded(balance).refunded, 19_000)
          assert.deepStrictEqual(yield* RefundRecords.use((records) => records.decided(booking.booking_id)), back)
        })
    )
})
