import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import { type Cancellation, cancelAsOperator } from "../../../support/Acts.ts"
import type { RefundChoice } from "../../../../src/domain/payment/changes/RefundDecision.ts"
import { Disputes } from "../../../../src/domain/payment/refunds/Disputes.ts"
import { ProviderRefunds } from "../../../../src/domain/payment/refunds/ProviderRefunds.ts"
import { RefundRecords } from "../../../../src/domain/payment/refunds/RefundRecords.ts"
import { Refunds } from "../../../../src/domain/payment/refunds/Refunds.ts"
import {
  bookingState,
  deleteBookings,
  failedRefunds,
  historyOf,
  paidBooking,
  payBooking,
  paymentWorld,
  reconcile,
  reconcileAfter,
  refundsOf,
  runProviderTasks,
  setClockBefore,
  waitingRefunds
} from "../../../support/PaymentWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

/** £120 is paid; a cancellation now gives half of it back. */
const halfRefundableBooking = Effect.gen(function* () {
  yield* deleteBookings
  const made = yield* paidBooking()
  yield* setClockBefore(made.booking, 30)
  const provider = yield* ScriptedGateway
  provider.balanceTooSmall = false
  return { ...made, provider }
})
type HalfRefundable = Effect.Success<typeof halfRefundableBooking>

const cancel = ({ booking }: Pick<HalfRefundable, "booking">, preview = false, refund: RefundChoice = "terms") =>
  cancelAsOperator(booking.booking_id, { preview, refund, reason: "Burst pipe" })
const preview = (booked: HalfRefundable, refund: RefundChoice = "terms") => cancel(booked, true, refund)
/** What had gone back before, and what is refunded now. */
const amounts = ({ given_back, refund }: Cancellation) => [given_back.amount, refund.amount]
/** What went back of the payment, as the provider knows. */
const refundedAtProvider = ({ provider, session }: HalfRefundable) => provider.paidAndRefunded(session).refunded

/** A cancelled booking whose refund the provider has refused. */
const refusedRefund = Effect.gen(function* () {
  const booked = yield* halfRefundableBooking
  yield* cancel(booked)
  booked.provider.injectFault("createRefund", "refused")
  yield* runProviderTasks
  assert.strictEqual((yield* failedRefunds).length, 1)
  return booked
})

/** A booking with its deposit of £50 and its balance of £150 paid. */
const paidTwice = Effect.gen(function* () {
  yield* deleteBookings
  const { booking, session: deposit } = yield* paidBooking(packages.refundableParty)
  const balance = yield* payBooking(booking, "balance")
  return { booking, deposit, balance, provider: yield* ScriptedGateway }
})

layer(paymentWorld())("what was given back before", (it) => {
  for (const [byHand, more] of [
    [6000, 0],
    [7200, 0],
    [4500, 1500],
    [12_000, 0]
  ] as const) {
    it.effect(`is asked before a preview and a cancellation, and counted: ${byHand} by hand leaves ${more}`, () =>
      Effect.gen(function* () {
        const booked = yield* halfRefundableBooking
        booked.provider.refundInDashboard(booked.session, byHand)
        assert.deepStrictEqual(amounts(yield* preview(booked)), [byHand, more])
        assert.deepStrictEqual(amounts(yield* cancel(booked)), [byHand, more])
        yield* runProviderTasks
        yield* reconcile
        assert.strictEqual(refundedAtProvider(booked), byHand + more)
        assert.strictEqual((yield* bookingState(booked.booking)).refunded, byHand + more)
        assert.deepStrictEqual(yield* failedRefunds, [])
      })
    )
  }

  it.effect("is counted while it is on its way", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      const made = booked.provider.refundInDashboard(booked.session, 5000)
      booked.provider.setRefundStatus(made.id, "pending")
      assert.deepStrictEqual(amounts(yield* preview(booked)), [5000, 1000])
      yield* cancel(booked)
      yield* runProviderTasks
      assert.strictEqual(refundedAtProvider(booked), 6000)
    })
  )

  it.effect("is counted over all payments of the booking", () =>
    Effect.gen(function* () {
      const { balance, booking, deposit, provider } = yield* paidTwice
      yield* setClockBefore(booking, 30)
      provider.refundInDashboard(deposit, 5000)
      provider.refundInDashboard(balance, 2000)
      assert.deepStrictEqual(amounts(yield* cancel({ booking })), [7000, 3000])
      yield* runProviderTasks
      assert.strictEqual(provider.paidAndRefunded(balance).refunded, 5000)
      assert.strictEqual((yield* bookingState(booking)).refunded, 10_000)
    })
  )

  it.effect("between the decision and the sending lowers the refund, and the history says so", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      assert.deepStrictEqual(amounts(yield* cancel(booked)), [0, 6000])
      booked.provider.refundInDashboard(booked.session, 4000)
      yield* runProviderTasks
      assert.strictEqual(refundedAtProvider(booked), 6000)
      assert.sameDeepMembers(
        [...(yield* refundsOf(booked.booking))],
        [
          { cause: "cancellation", status: "succeeded", amount: 2000 },
          { cause: "dashboard", status: "succeeded", amount: 4000 }
        ]
      )
      assert.include(yield* historyOf(booked.booking), "refund_lowered")
    })
  )

  it.effect("settles the refund where it is all that was owed, and no person is needed", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      yield* cancel(booked)
      booked.provider.refundInDashboard(booked.session, 6000)
      yield* runProviderTasks
      assert.strictEqual(refundedAtProvider(booked), 6000)
      assert.strictEqual((yield* bookingState(booked.booking)).payment_status, "partially_refunded")
      assert.deepStrictEqual(yield* failedRefunds, [])
    })
  )

  it.effect("after a refused refund lowers it to what the terms still owe, not to what is left of the payment", () =>
    Effect.gen(function* () {
      const booked = yield* refusedRefund
      booked.provider.refundInDashboard(booked.session, 4500)
      assert.strictEqual(refundedAtProvider(booked), 4500)
      yield* Effect.forEach(yield* failedRefunds, (refund) =>
        ProviderRefunds.use((refunds) => refunds.resend(refund.refund_id))
      )
      yield* runProviderTasks
      assert.strictEqual(refundedAtProvider(booked), 6000)
    })
  )

  it.effect(
    "is asked for before sending where the provider did not answer: places are freed all the same, and the person is told",
    () =>
      Effect.gen(function* () {
        const booked = yield* halfRefundableBooking
        booked.provider.refundInDashboard(booked.session, 6000)
        booked.provider.outage = "away"
        const shown = yield* preview(booked)
        assert.include(shown.not_asked, "no answer")
        assert.deepStrictEqual(amounts(shown), [0, 6000])
        assert.isDefined((yield* cancel(booked)).not_asked)
        assert.isFalse((yield* bookingState(booked.booking)).places)
        yield* runProviderTasks
        booked.provider.outage = undefined
        yield* reconcileAfter("3 minutes")
        assert.strictEqual(refundedAtProvider(booked), 6000)
        assert.deepStrictEqual(yield* failedRefunds, [])
      })
  )

  it.effect("by a refund that names one of ours which we do not know, as after a restored backup, is counted", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      const made = booked.provider.refundInDashboard(booked.session, 6000)
      Object.assign(booked.provider.refunds.get(made.id) ?? {}, { refund_id: "refund_01h455vb4pex5vsknk084sn02q" })
      assert.deepStrictEqual(amounts(yield* cancel(booked)), [6000, 0])
    })
  )
})

layer(paymentWorld())("a refund that a person chose", (it) => {
  for (const [wish, byHand, given] of [
    ["full", 0, 12_000],
    ["full", 5000, 7000],
    ["none", 0, 0],
    [{ amount: 4500 }, 0, 4500],
    [{ amount: 4500 }, 6000, 4500]
  ] as const) {
    it.effect(`of ${JSON.stringify(wish)} after ${byHand} by hand gives ${given}, as its preview says`, () =>
      Effect.gen(function* () {
        const booked = yield* halfRefundableBooking
        if (byHand > 0) booked.provider.refundInDashboard(booked.session, byHand)
        assert.deepStrictEqual(amounts(yield* preview(booked, wish)), [byHand, given])
        assert.deepStrictEqual(amounts(yield* cancel(booked, false, wish)), [byHand, given])
        yield* runProviderTasks
        assert.strictEqual(refundedAtProvider(booked), byHand + given)
      })
    )
  }

  it.effect("never gives more in all than was said, though more went back meanwhile", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      yield* cancel(booked, false, { amount: 9000 })
      booked.provider.refundInDashboard(booked.session, 5000)
      yield* runProviderTasks
      assert.strictEqual(refundedAtProvider(booked), 9000)
    })
  )

  it.effect("of more than is left is refused, and nothing changes", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      booked.provider.refundInDashboard(booked.session, 5000)
      const refused = yield* Effect.flip(cancel(booked, false, { amount: 7001 }))
      assert.propertyVal(refused, "_tag", "RefundTooLarge")
      if (refused._tag === "RefundTooLarge") assert.strictEqual(refused.left.display, "£70.00")
      assert.strictEqual((yield* bookingState(booked.booking)).status, "confirmed")
    })
  )
})

layer(paymentWorld())("a disputed payment", (it) => {
  const disputesOf = ({ booking }: HalfRefundable) =>
    Effect.map(
      Disputes.use((disputes) => disputes.ofBooking(booking)),
      (all) => all.map(({ amount, status }) => [status, amount])
    )

  for (const [end, inAll] of [
    ["lost", 12_000],
    ["won", 6000]
  ] as const) {
    it.effect(`stops refunds; ${end}, the payer has ${inAll} in all`, () =>
      Effect.gen(function* () {
        const booked = yield* halfRefundableBooking
        const { id } = booked.provider.openDispute(booked.session)
        const shown = yield* preview(booked)
        assert.deepStrictEqual([...amounts(shown), shown.disputed.amount], [0, 6000, 12_000])
        yield* cancel(booked)
        yield* runProviderTasks
        assert.strictEqual(refundedAtProvider(booked), 0)
        assert.deepStrictEqual(yield* disputesOf(booked), [["needs_response", 12_000]])
        assert.deepStrictEqual(
          (yield* waitingRefunds).map((refund) => refund.waits_for),
          ["dispute"]
        )
        const sent = booked.provider.callsOf("createRefund").length
        yield* reconcileAfter("13 hours")
        assert.strictEqual(booked.provider.callsOf("createRefund").length, sent)
        booked.provider.setDisputeStatus(id, end)
        yield* reconcileAfter("13 hours")
        yield* reconcileAfter("3 minutes")
        assert.strictEqual(refundedAtProvider(booked), inAll)
        assert.deepStrictEqual(yield* waitingRefunds, [])
        assert.deepStrictEqual(yield* failedRefunds, [])
        const { payment_status, refunded } = yield* bookingState(booked.booking)
        assert.deepStrictEqual(
          [payment_status, refunded],
          [inAll === 12_000 ? "refunded" : "partially_refunded", inAll]
        )
      })
    )
  }

  it.effect("that was lost while a refund waited for it is told as gone back, not as on its way, too", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      const { id } = booked.provider.openDispute(booked.session)
      yield* cancel(booked, false, "full")
      yield* runProviderTasks
      const told = Effect.gen(function* () {
        const summary = yield* PaymentSummaries.use((summaries) => summaries.read(booked.booking))
        return [(yield* bookingState(booked.booking)).refunded, summary.refund_on_its_way]
      })
      assert.deepStrictEqual(yield* told, [0, 12_000])
      for (const lost of [5000, 12_000]) {
        yield* Disputes.use((disputes) =>
          disputes.reconcile(booked.session, [{ id, status: "lost", amount: lost, currency: "GBP", reason: "general" }])
        )
        assert.deepStrictEqual(yield* told, [lost, 12_000 - lost])
      }
    })
  )

  it.effect("that was lost before counts as money given back", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      booked.provider.openDispute(booked.session, 4000, "lost")
      assert.deepStrictEqual(amounts(yield* cancel(booked)), [4000, 2000])
      yield* runProviderTasks
      assert.strictEqual(refundedAtProvider(booked), 6000)
    })
  )

  it.effect(
    "of which nothing is open any more, and which the provider still refuses to refund, needs a person at once",
    () =>
      Effect.gen(function* () {
        const booked = yield* halfRefundableBooking
        booked.provider.openDispute(booked.session, 4000, "lost")
        yield* cancel(booked)
        booked.provider.injectFault("createRefund", "charged_back")
        yield* runProviderTasks
        assert.deepStrictEqual(yield* waitingRefunds, [])
        assert.deepStrictEqual(
          (yield* failedRefunds).map(({ amount, failure }) => [amount, failure]),
          [[2000, "charge_disputed: has been charged back"]]
        )
      })
  )

  it.effect("that is lost makes up for a refund that the provider had refused", () =>
    Effect.gen(function* () {
      const booked = yield* refusedRefund
      booked.provider.openDispute(booked.session, 6000, "lost")
      yield* reconcileAfter("8 days")
      assert.deepStrictEqual(yield* failedRefunds, [])
      assert.strictEqual((yield* bookingState(booked.booking)).payment_status, "partially_refunded")
    })
  )

  it.effect("holds back only what could be given twice: the other payment's share goes out", () =>
    Effect.gen(function* () {
      const { balance, booking, deposit, provider } = yield* paidTwice
      const { id } = provider.openDispute(deposit)
      assert.strictEqual((yield* cancel({ booking })).refund.amount, 20_000)
      yield* runProviderTasks
      assert.strictEqual(provider.paidAndRefunded(balance).refunded, 15_000)
      assert.strictEqual(provider.paidAndRefunded(deposit).refunded, 0)
      provider.setDisputeStatus(id, "lost")
      yield* reconcileAfter("13 hours")
      assert.strictEqual((yield* bookingState(booking)).refunded, 20_000)
      assert.strictEqual((yield* bookingState(booking)).payment_status, "refunded")
    })
  )

  it.effect(
    "is found by reconciliation, and reported until a person has dealt with it, and again when it is decided",
    () =>
      Effect.gen(function* () {
        const booked = yield* halfRefundableBooking
        const { id } = booked.provider.openDispute(booked.session)
        yield* reconcileAfter("7 hours")
        const named = Effect.map(
          Disputes.use((disputes) => disputes.unseen),
          (all) => all.map(({ dispute_id, status }) => [dispute_id, status])
        )
        const markSeen = Disputes.use((disputes) => disputes.markSeen(id))
        assert.deepStrictEqual(yield* named, [[id, "needs_response"]])
        assert.isTrue(yield* markSeen)
        assert.isFalse(yield* markSeen)
        assert.deepStrictEqual(yield* named, [])
        booked.provider.setDisputeStatus(id, "lost")
        yield* reconcileAfter("8 days")
        assert.deepStrictEqual(yield* named, [[id, "lost"]])
        assert.strictEqual((yield* bookingState(booked.booking)).status, "confirmed")
        assert.include(yield* historyOf(booked.booking), "dispute_changed")
      })
  )

  it.effect("as an inquiry holds no money: the refund that answers it goes out", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      booked.provider.openDispute(booked.session, undefined, "warning_needs_response")
      yield* cancel(booked)
      yield* runProviderTasks
      assert.strictEqual(refundedAtProvider(booked), 6000)
    })
  )
})

layer(paymentWorld())("a refund for which the operator's balance is too small", (it) => {
  const creates = ({ provider }: HalfRefundable) => provider.callsOf("createRefund")
  /** A cancelled booking whose refund waits for the balance. */
  const waitingBooking = Effect.gen(function* () {
    const booked = yield* halfRefundableBooking
    booked.provider.balanceTooSmall = true
    yield* cancel(booked)
    yield* runProviderTasks
    return booked
  })
  /** The same when the balance is large enough again, with the id of the refund that waits. */
  const payableBooking = Effect.gen(function* () {
    const booked = yield* waitingBooking
    booked.provider.balanceTooSmall = false
    const [waits] = yield* waitingRefunds
    return { ...booked, refund_id: waits?.refund_id ?? assert.fail("nothing waits") }
  })

  it.effect("is tried for days, each time under a new key, and is made once when there is money", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      booked.provider.balanceTooSmall = true
      yield* cancel(booked)
      const before = creates(booked).length
      yield* runProviderTasks
      assert.deepStrictEqual(yield* failedRefunds, [])
      for (let hours = 0; hours < 60; hours += 1) {
        yield* reconcileAfter("1 hour")
      }
      const [waits] = yield* waitingRefunds
      assert.deepInclude(waits, { waits_for: "balance", failure: "balance_insufficient" })
      const tried = creates(booked).slice(before)
      assert.strictEqual(new Set(tried.map(({ key }) => key)).size, tried.length)
      assert.isAtLeast(tried.length, 10)
      assert.isAtMost(tried.length, 20)
      assert.strictEqual((yield* historyOf(booked.booking)).filter((event) => event === "refund_waits").length, 1)
      booked.provider.balanceTooSmall = false
      yield* reconcileAfter("7 hours")
      assert.strictEqual(refundedAtProvider(booked), 6000)
      assert.deepStrictEqual(yield* waitingRefunds, [])
      assert.strictEqual((yield* bookingState(booked.booking)).payment_status, "partially_refunded")
    })
  )

  it.effect("needs a person after a week, who sends it again", () =>
    Effect.gen(function* () {
      yield* waitingBooking
      for (let days = 0; days <= 7; days += 0.5) {
        yield* reconcileAfter("12 hours")
      }
      assert.deepStrictEqual(yield* waitingRefunds, [])
      assert.include((yield* failedRefunds)[0]?.failure, "balance_insufficient, for 7 days")
    })
  )

  it.effect("that failed for want of money after it was taken is tried again, too", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      booked.provider.newRefundStatus = "pending"
      yield* cancel(booked)
      yield* runProviderTasks
      booked.provider.newRefundStatus = "succeeded"
      for (const refund of booked.provider.refunds.values()) {
        if (refund.status === "pending")
          Object.assign(refund, { status: "failed", failure_reason: "insufficient_funds" })
      }
      yield* reconcileAfter("11 minutes")
      assert.deepStrictEqual(
        (yield* waitingRefunds).map((refund) => refund.waits_for),
        ["balance"]
      )
      yield* reconcileAfter("11 minutes")
      assert.strictEqual(refundedAtProvider(booked), 6000)
    })
  )

  it.effect("is settled where a person paid it back in another way, and is not sent", () =>
    Effect.gen(function* () {
      const booked = yield* payableBooking
      const paidBack = Refunds.use((refunds) => refunds.markPaidBack(booked.refund_id))
      assert.isTrue(Option.isSome(yield* paidBack))
      assert.isTrue(Option.isNone(yield* paidBack))
      yield* reconcileAfter("1 day")
      assert.strictEqual(refundedAtProvider(booked), 0)
      assert.strictEqual((yield* bookingState(booked.booking)).refunded, 6000)
    })
  )

  it.effect("goes out at once when a person says so", () =>
    Effect.gen(function* () {
      const booked = yield* payableBooking
      assert.isTrue(yield* RefundRecords.use((refunds) => refunds.retryOneNow(booked.refund_id)))
      yield* reconcileAfter("3 minutes")
      assert.strictEqual(refundedAtProvider(booked), 6000)
    })
  )
})
