import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { refundDue } from "../../../../src/domain/catalogue/RefundSchedule.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { toView } from "../../../../src/domain/booking/BookingViews.ts"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import { cancelAsOperator, changeVisit, giveGoodwill } from "../../../support/Acts.ts"
import { splitRefund } from "../../../../src/domain/payment/refunds/Refund.ts"
import type { PaymentSessionRow } from "../../../../src/domain/payment/sessions/PaymentSession.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import {
  bookingState,
  bookingWithSession,
  createBooking,
  expectedState,
  historyOf,
  now,
  openSession,
  paidBooking,
  payBooking,
  paymentWorld,
  refundsOf,
  resendFailedRefunds,
  runProviderTasks,
  setClockBefore
} from "../../../support/PaymentWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"
import { runs } from "../../../support/runs.ts"
import { providerId, ScriptedGateway } from "../../../support/ScriptedGateway.ts"

const cancel = (booking_id: string, preview: boolean, reason?: string) =>
  cancelAsOperator(booking_id, { preview, ...(reason === undefined ? {} : { reason }) })

layer(paymentWorld())("cancelling a booking", (it) => {
  for (const [before, percent, refund] of [
    ["3 days", 100, 12_000],
    ["30 hours", 50, 6000],
    ["2 hours", 0, 0]
  ] as const) {
    it.effect(`${before} ahead refunds ${percent} %, exactly as the preview said, and once`, () =>
      Effect.gen(function* () {
        const provider = yield* ScriptedGateway
        const { booking, session } = yield* paidBooking()
        const ahead = { "3 days": 72, "30 hours": 30, "2 hours": 2 }[before] * 3_600_000
        yield* setClock(new Date(booking.starts_at - ahead).toISOString())
        const preview = yield* cancel(booking.booking_id, true)
        assert.deepStrictEqual([preview.refund_percent, preview.refund.amount], [percent, refund])
        assert.deepStrictEqual(yield* refundsOf(booking), [])
        assert.strictEqual((yield* bookingState(booking)).status, "confirmed")

        const { refund: given, refund_percent } = yield* cancel(booking.reference, false, "Burst pipe")
        assert.deepStrictEqual(
          { given, refund_percent },
          { given: preview.refund, refund_percent: preview.refund_percent }
        )
        assert.strictEqual((yield* Effect.flip(cancel(booking.booking_id, false)))._tag, "BookingCancelled")
        assert.strictEqual((yield* Effect.flip(cancel(booking.booking_id, true)))._tag, "BookingCancelled")
        yield* runProviderTasks
        yield* runProviderTasks
        assert.deepStrictEqual(provider.paidAndRefunded(session), { paid: 12_000, refunded: refund })
        assert.deepStrictEqual(yield* bookingState(booking), {
          status: "cancelled",
          payment_status: refund === 0 ? "paid" : refund === 12_000 ? "refunded" : "partially_refunded",
          paid: 12_000,
          refunded: refund,
          places: false
        })
        assert.include(yield* historyOf(booking), "cancelled")
      })
    )
  }

  it.effect("of ten at the same time, one cancels", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking()
      const results = yield* Effect.all(
        Array.from({ length: 10 }, () => Effect.exit(cancel(booking.booking_id, false))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(results.filter(({ _tag }) => _tag === "Success").length, 1)
      yield* runProviderTasks
      assert.deepStrictEqual(provider.paidAndRefunded(session), { paid: 12_000, refunded: 12_000 })
    })
  )

  it.effect("keeps a deposit that is not refundable, and takes the refund from the balance first", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking(packages.depositParty, { date: "2027-10-10" })
      const deposit = yield* payBooking(booking)
      assert.strictEqual((yield* cancel(booking.booking_id, true)).refund.amount, 0)
      const balance = yield* payBooking(booking, "balance")
      assert.strictEqual((yield* cancel(booking.booking_id, false)).refund.amount, 15_000)
      yield* runProviderTasks
      assert.deepStrictEqual(provider.paidAndRefunded(deposit), { paid: 5000, refunded: 0 })
      assert.deepStrictEqual(provider.paidAndRefunded(balance), { paid: 15_000, refunded: 15_000 })
      assert.strictEqual((yield* bookingState(booking)).payment_status, "partially_refunded")
    })
  )

  it.effect("refunds two payments where one is not enough", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking(packages.refundableParty, { date: "2027-10-11" })
      const deposit = yield* payBooking(booking)
      const balance = yield* payBooking(booking, "balance")
      assert.strictEqual((yield* cancel(booking.booking_id, false)).refund.amount, 20_000)
      const sent = yield* refundsOf(booking)
      assert.deepStrictEqual(sent.map(({ amount }) => amount).sort(), [15_000, 5000])
      yield* runProviderTasks
      assert.deepStrictEqual(provider.paidAndRefunded(deposit), { paid: 5000, refunded: 5000 })
      assert.deepStrictEqual(provider.paidAndRefunded(balance), { paid: 15_000, refunded: 15_000 })
      assert.strictEqual((yield* bookingState(booking)).payment_status, "refunded")
    })
  )

  it.effect("frees the places of a hold, and has its page closed", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking()
      const session = providerId(yield* openSession(booking))
      const { booking: after, refund } = yield* cancel(booking.booking_id, false)
      assert.deepStrictEqual([after.status, refund.amount], ["cancelled", 0])
      yield* runProviderTasks
      assert.strictEqual(provider.sessions.get(session)?.status, "expired")
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("cancelled", "unpaid"))
    })
  )

  it.effect("finds no booking of an unknown id, and leaves an expired one as it is", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      assert.strictEqual((yield* Effect.flip(cancel("ZZZZ-ZZZZ", false)))._tag, "BookingNotFound")
      const booking = yield* createBooking()
      yield* TestClock.adjust("16 minutes")
      // Whoever books the same places releases the hold that has run out.
      yield* createBooking(packages.party, { date: new Date(booking.starts_at).toISOString().slice(0, 10) })
      assert.strictEqual((yield* Effect.flip(cancel(booking.booking_id, false)))._tag, "HoldExpired")
    })
  )

  it.effect.prop(
    "spreads a refund over the payments: all of it where there is enough, and never more than is left of one",
    [
      Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30_000 }))),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60_000 }))
    ],
    ([lefts, amount]) =>
      Effect.gen(function* () {
        const { session: row } = yield* bookingWithSession()
        const paid = lefts.map((left, i): { readonly session: PaymentSessionRow; readonly left: number } => ({
          session: { ...row, amount: i },
          left
        }))
        const parts = splitRefund(amount, paid)
        const total = parts.reduce((sum, part) => sum + part.amount, 0)
        const available = lefts.reduce((sum, left) => sum + left, 0)
        assert.strictEqual(total, Math.min(amount, available))
        for (const part of parts) {
          assert.isAbove(part.amount, 0)
          assert.isAtMost(part.amount, lefts[part.session.amount] ?? 0)
        }
        assert.strictEqual(new Set(parts.map(({ session }) => session.amount)).size, parts.length)
      }),
    { arbitrary: { runs: runs(20) } }
  )

  it.effect("previews what the pure rule says", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking()
      const { refund, refund_percent } = yield* cancel(booking.booking_id, true)
      const { owed, ...due } = refundDue({
        currency: booking.currency,
        cancellation: booking.terms.cancellation,
        non_refundable: booking.terms.non_refundable,
        paid: 12_000,
        refunded: 0,
        starts_at: booking.starts_at,
        now: Date.parse(now)
      })
      assert.deepStrictEqual({ refund_percent, amount: refund.amount }, due)
      assert.strictEqual(owed, refund.amount)
    })
  )
})

layer(paymentWorld())("goodwill", (it) => {
  const given = (booking_id: string, amount: number) =>
    giveGoodwill(booking_id, { amount, reason: "Broken slide", preview: false })
  const told = Effect.fnUntraced(function* (booking_id: string) {
    const row = yield* Bookings.use((bookings) => bookings.get(booking_id))
    const summary = yield* PaymentSummaries.use((summaries) => summaries.read(row))
    return { summary, view: toView(row, summary) }
  })

  for (const [percent, back] of [
    [50, 6000],
    [100, 10_000]
  ] as const) {
    it.effect(`stands outside the terms (M5): a cancellation at ${percent} % gives its share beside it`, () =>
      Effect.gen(function* () {
        const provider = yield* ScriptedGateway
        const { booking, session } = yield* paidBooking()
        yield* given(booking.booking_id, 2000)
        yield* runProviderTasks
        yield* setClockBefore(booking, percent === 50 ? 30 : 72)
        const { view } = yield* told(booking.booking_id)
        assert.strictEqual(view.refund_if_cancelled_now?.amount, back, "get_booking")
        assert.strictEqual(view.terms.refunds?.[0]?.refund.amount, back, "the terms")
        assert.strictEqual((yield* cancel(booking.booking_id, true)).refund.amount, back, "the preview")
        assert.strictEqual((yield* cancel(booking.booking_id, false)).refund.amount, back)
        yield* runProviderTasks
        assert.strictEqual(provider.paidAndRefunded(session).refunded, 2000 + back)
      })
    )
  }

  it.effect("that failed to go back stays owed, beside what is given or cancelled later", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking()
      yield* given(booking.booking_id, 2000)
      provider.injectFault("createRefund", "refused")
      yield* runProviderTasks
      const failed = Effect.map(told(booking.booking_id), ({ summary }) => summary.refund_failed)
      assert.strictEqual(yield* failed, 2000)
      // No move or party is decided before that is settled.
      const option = { option_id: booking.option_id, preview: true, by: "operator", reason: "They asked" } as const
      const { option_id: _, ...party } = { ...option, party: { children: 9 } }
      const refused = yield* Effect.flip(changeVisit(booking.booking_id, party))
      assert.propertyVal(refused, "reason", "refund_pending")
      yield* given(booking.booking_id, 1000)
      yield* runProviderTasks
      assert.strictEqual(yield* failed, 2000)
      yield* setClockBefore(booking, 30)
      const { view } = yield* told(booking.booking_id)
      assert.strictEqual(view.refund_if_cancelled_now?.amount, 6000)
      assert.strictEqual((yield* cancel(booking.booking_id, false)).refund.amount, 6000)
      yield* runProviderTasks
      assert.strictEqual(yield* failed, 2000)
      assert.strictEqual(provider.paidAndRefunded(session).refunded, 7000)
      yield* resendFailedRefunds
      yield* runProviderTasks
      assert.strictEqual(provider.paidAndRefunded(session).refunded, 9000)
      assert.isUndefined(yield* failed)
    })
  )
})
