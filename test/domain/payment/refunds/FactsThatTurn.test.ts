import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { disputeFinding } from "../../../../src/ops/attention/ActionItems.ts"
import { DueBookings } from "../../../../src/domain/booking/DueBookings.ts"
import { cancelAsOperator, giveGoodwill } from "../../../support/Acts.ts"
import { makeMonthAccounts } from "../../../../src/domain/payment/accounts/MonthAccounts.ts"
import type { RefundChoice } from "../../../../src/domain/payment/changes/RefundDecision.ts"
import { Disputes } from "../../../../src/domain/payment/refunds/Disputes.ts"
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
  resendFailedRefunds,
  runProviderTasks,
  sessionRow,
  setClockBefore
} from "../../../support/PaymentWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"
import { runs } from "../../../support/runs.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

/** £120 is paid; a cancellation now gives half of it back. */
const halfRefundableBooking = Effect.gen(function* () {
  yield* deleteBookings
  const made = yield* paidBooking()
  yield* setClockBefore(made.booking, 30)
  return { ...made, provider: yield* ScriptedGateway }
})
type Booked = Effect.Success<typeof halfRefundableBooking>

const cancel = ({ booking }: Booked, refund: RefundChoice = "terms") =>
  Effect.map(
    cancelAsOperator(booking.booking_id, { preview: false, refund, reason: "Burst pipe" }),
    ({ refund }) => refund.amount
  )
const atProvider = ({ provider, session }: Booked) => provider.paidAndRefunded(session).refunded
/** The payment status, and what is counted as refunded on the booking and on its payment. */
const counted = Effect.fnUntraced(function* ({ booking, session }: Booked) {
  const { payment_status, refunded } = yield* bookingState(booking)
  return [payment_status, refunded, (yield* sessionRow(session.payment_session_id)).refunded]
})
/** Long enough for every check of a payment, and the refunds that follow from it. */
const settled = Effect.andThen(reconcileAfter("8 days"), Effect.andThen(runProviderTasks, reconcile))

layer(paymentWorld())("a dispute that was lost", (it) => {
  it.effect("and is won on appeal returns the money: a cancellation then gives what its terms owe", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      const { id } = booked.provider.openDispute(booked.session, undefined, "lost")
      yield* settled
      assert.deepStrictEqual(yield* counted(booked), ["refunded", 12_000, 12_000])
      for (const status of ["appeal_needs_response", "appeal_under_review"]) {
        booked.provider.setDisputeStatus(id, status)
        yield* settled
        assert.deepStrictEqual(yield* counted(booked), ["refunded", 12_000, 12_000])
      }
      booked.provider.setDisputeStatus(id, "won")
      yield* settled
      assert.deepStrictEqual(yield* counted(booked), ["paid", 0, 0])
      assert.include(yield* historyOf(booked.booking), "refund_returned")
      yield* setClockBefore(booked.booking, 30)
      assert.strictEqual(yield* cancel(booked), 6000)
      yield* runProviderTasks
      assert.strictEqual(atProvider(booked), 6000)
      assert.deepStrictEqual(yield* counted(booked), ["partially_refunded", 6000, 6000])
    })
  )

  it.effect("and is won after the booking was cancelled has what the terms owe sent, once", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      const { id } = booked.provider.openDispute(booked.session, undefined, "lost")
      assert.strictEqual(yield* cancel(booked), 0)
      yield* runProviderTasks
      booked.provider.setDisputeStatus(id, "won")
      yield* settled
      yield* settled
      assert.strictEqual(atProvider(booked), 6000)
      assert.deepStrictEqual(yield* counted(booked), ["partially_refunded", 6000, 6000])
      assert.deepStrictEqual(yield* failedRefunds, [])
    })
  )

  it.effect("and is won after an amount was given back for goodwill has that sent, as goodwill", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      const { id } = booked.provider.openDispute(booked.session)
      yield* giveGoodwill(booked.booking.booking_id, { amount: 2000, reason: "Broken slide", preview: false })
      for (const status of ["lost", "won"]) {
        booked.provider.setDisputeStatus(id, status)
        yield* settled
      }
      assert.strictEqual(atProvider(booked), 2000)
      assert.deepStrictEqual(yield* refundsOf(booked.booking), [
        { cause: "goodwill", status: "failed", amount: 2000 },
        { cause: "goodwill", status: "succeeded", amount: 2000 }
      ])
    })
  )

  it.effect("in part, and is won after the rest was refunded, has the part sent too", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      const { id } = booked.provider.openDispute(booked.session, 4000, "lost")
      assert.strictEqual(yield* cancel(booked), 2000)
      yield* runProviderTasks
      assert.strictEqual(atProvider(booked), 6000)
      booked.provider.setDisputeStatus(id, "won")
      yield* settled
      assert.strictEqual(atProvider(booked), 6000)
      assert.deepStrictEqual(yield* counted(booked), ["partially_refunded", 6000, 6000])
    })
  )

  for (const [choice, given] of [
    ["none", 0],
    [{ amount: 3000 }, 3000],
    ["full", 12_000]
  ] as const) {
    it.effect(`and won after a person chose ${JSON.stringify(choice)} follows that person's word: ${given}`, () =>
      Effect.gen(function* () {
        const booked = yield* halfRefundableBooking
        const { id } = booked.provider.openDispute(booked.session, 4000, "lost")
        yield* cancel(booked, choice)
        yield* runProviderTasks
        booked.provider.setDisputeStatus(id, "won")
        yield* settled
        assert.strictEqual(atProvider(booked), given)
      })
    )
  }

  it.effect("and won leaves what was chosen before owed beside goodwill that was given while it covered that", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      yield* cancel(booked, { amount: 3000 })
      yield* runProviderTasks
      const { id } = booked.provider.openDispute(booked.session, 4000, "lost")
      yield* settled
      const sent = [...booked.provider.refunds.values()].findLast(({ amount }) => amount === 3000)
      booked.provider.setRefundStatus(sent?.id ?? "", "failed", "declined")
      yield* settled
      yield* giveGoodwill(booked.booking.booking_id, { amount: 1000, reason: "Broken slide", preview: false })
      yield* runProviderTasks
      booked.provider.setDisputeStatus(id, "won")
      yield* settled
      const sql = yield* SqlClient.SqlClient
      const owed = () => sql`select refund_owed from booking where booking_id = ${booked.booking.booking_id}`
      assert.deepStrictEqual(yield* owed(), [{ refund_owed: 4000 }])
      assert.deepStrictEqual(yield* resendFailedRefunds, ["sent"])
      yield* runProviderTasks
      assert.strictEqual(atProvider(booked), 4000)
      assert.deepStrictEqual(yield* counted(booked), ["partially_refunded", 4000, 4000])
    })
  )

  it.effect("is lost again after it was won, and each time the books follow", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      const { id } = booked.provider.openDispute(booked.session)
      for (const [status, payment_status, refunded] of [
        ["needs_response", "paid", 0],
        ["won", "paid", 0],
        ["lost", "refunded", 12_000],
        ["won", "paid", 0],
        ["under_review", "paid", 0],
        ["prevented", "refunded", 12_000],
        ["warning_closed", "paid", 0],
        ["appeal_under_review", "refunded", 12_000]
      ] as const) {
        booked.provider.setDisputeStatus(id, status)
        yield* settled
        assert.deepStrictEqual(yield* counted(booked), [payment_status, refunded, refunded], status)
      }
      assert.strictEqual((yield* bookingState(booked.booking)).status, "confirmed")
    })
  )

  it.effect("has its amount followed, up and down, in any order with refunds", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      const { id } = booked.provider.openDispute(booked.session, 4000, "lost")
      yield* settled
      for (const amount of [9000, 1000, 3000]) {
        const dispute = booked.provider.disputes.get(id) ?? assert.fail("no dispute")
        dispute.amount = amount
        yield* settled
        assert.deepStrictEqual(yield* counted(booked), ["partially_refunded", amount, amount])
      }
      const made = booked.provider.refundInDashboard(booked.session, 9000)
      yield* settled
      assert.deepStrictEqual(yield* counted(booked), ["refunded", 12_000, 12_000])
      booked.provider.setRefundStatus(made.id, "failed", "declined")
      yield* settled
      assert.deepStrictEqual(yield* counted(booked), ["refund_pending", 3000, 3000])
    })
  )

  it.effect("is asked about for as long as the bank has not decided, however long ago the visit was", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      const { id } = booked.provider.openDispute(booked.session)
      for (let weeks = 0; weeks < 60; weeks++) yield* reconcileAfter("8 days")
      booked.provider.setDisputeStatus(id, "lost")
      yield* settled
      assert.deepStrictEqual(yield* counted(booked), ["refunded", 12_000, 12_000])
    })
  )

  it.effect(
    "leaves the same books whatever was said before, in whatever order and how often: the last word counts",
    () =>
      Effect.gen(function* () {
        const statuses = [
          "needs_response",
          "won",
          "lost",
          "prevented",
          "warning_closed",
          "appeal_under_review"
        ] as const
        const refunds = ["succeeded", "failed", "pending", "requires_action", "canceled"] as const
        const said = fc.array(
          fc.record({
            status: fc.constantFrom(...statuses),
            amount: fc.constantFrom(2000, 5000),
            refund: fc.constantFrom(...refunds)
          }),
          { minLength: 1, maxLength: 6 }
        )
        for (const words of fc.sample(said, runs(12))) {
          const booked = yield* halfRefundableBooking
          const dispute = booked.provider.openDispute(booked.session, 2000)
          const made = booked.provider.refundInDashboard(booked.session, 3000)
          yield* settled
          for (const { amount, refund, status } of words) {
            Object.assign(booked.provider.disputes.get(dispute.id) ?? {}, { amount, status })
            booked.provider.setRefundStatus(made.id, refund)
            yield* settled
          }
          const { amount = 0, refund = "", status = "" } = words.at(-1) ?? {}
          const lost = ["lost", "prevented", "appeal_under_review"].includes(status) ? amount : 0
          const back = refund === "succeeded" ? 3000 : 0
          const [, ...books] = yield* counted(booked)
          assert.deepStrictEqual(books, [lost + back, lost + back], JSON.stringify(words))
        }
      })
  )

  it.effect("is named by the doctor, again when it is won, and not when nobody lost anything", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      const { id } = booked.provider.openDispute(booked.session)
      const named = Effect.map(
        Disputes.use((disputes) => disputes.unseen),
        (all) => all.map((one) => disputeFinding(one).what)
      )
      const settle = Disputes.use((disputes) => disputes.markSeen(id))
      for (const [status, what] of [
        ["needs_response", "payment disputed"],
        ["won", undefined],
        ["lost", "dispute lost"],
        ["appeal_needs_response", "payment disputed"],
        ["won", "dispute won after it was lost"]
      ] as const) {
        booked.provider.setDisputeStatus(id, status)
        yield* settled
        assert.deepStrictEqual(yield* named, what === undefined ? [] : [what], status)
        assert.strictEqual(yield* settle, true)
        assert.deepStrictEqual(yield* named, [])
      }
    })
  )
})

layer(paymentWorld())("a refund at the provider", (it) => {
  /** A cancelled booking of which £60 went back. */
  const refundedHalf = Effect.gen(function* () {
    const booked = yield* halfRefundableBooking
    yield* cancel(booked)
    yield* runProviderTasks
    const refund = [...booked.provider.refunds.values()].at(-1) ?? assert.fail("no refund was made")
    return { ...booked, refund }
  })

  it.effect("that failed and then succeeds is counted, and not sent a second time", () =>
    Effect.gen(function* () {
      const booked = yield* refundedHalf
      booked.provider.setRefundStatus(booked.refund.id, "failed", "declined")
      yield* settled
      assert.deepStrictEqual(yield* counted(booked), ["refund_pending", 0, 0])
      assert.strictEqual((yield* failedRefunds).length, 1)
      booked.provider.setRefundStatus(booked.refund.id, "succeeded")
      yield* settled
      assert.deepStrictEqual(yield* counted(booked), ["partially_refunded", 6000, 6000])
      assert.deepStrictEqual(yield* failedRefunds, [])
      assert.strictEqual(atProvider(booked), 6000)
    })
  )

  for (const status of ["requires_action", "pending"] as const) {
    it.effect(`that is ${status} again is on its way, and then counted or owed`, () =>
      Effect.gen(function* () {
        const booked = yield* refundedHalf
        for (const [end, expected] of [
          ["succeeded", ["partially_refunded", 6000, 6000]],
          ["canceled", ["refund_pending", 0, 0]]
        ] as const) {
          booked.provider.setRefundStatus(booked.refund.id, status)
          yield* settled
          assert.deepStrictEqual(yield* counted(booked), ["refund_pending", 0, 0])
          booked.provider.setRefundStatus(booked.refund.id, end)
          yield* settled
          assert.deepStrictEqual(yield* counted(booked), [...expected])
        }
        assert.strictEqual((yield* failedRefunds).length, 1)
      })
    )
  }

  it.effect("whose amount is corrected has the rest that is owed sent, and no more", () =>
    Effect.gen(function* () {
      const booked = yield* refundedHalf
      const before = booked.provider.callsOf("createRefund").length
      Object.assign(booked.refund, { amount: 2500 })
      yield* settled
      yield* settled
      assert.strictEqual(atProvider(booked), 6000)
      assert.strictEqual(booked.provider.callsOf("createRefund").length, before + 1)
      assert.deepStrictEqual(yield* counted(booked), ["partially_refunded", 6000, 6000])
    })
  )

  for (const meanwhile of ["succeeded", "pending"] as const) {
    it.effect(`on its way when a cancellation counted it has the rest sent if it is smaller (${meanwhile})`, () =>
      Effect.gen(function* () {
        const booked = yield* halfRefundableBooking
        const made = booked.provider.refundInDashboard(booked.session, 5000)
        booked.provider.setRefundStatus(made.id, "pending")
        assert.strictEqual(yield* cancel(booked), 1000)
        yield* runProviderTasks
        Object.assign(booked.provider.refunds.get(made.id) ?? {}, { amount: 2000 })
        booked.provider.setRefundStatus(made.id, meanwhile)
        yield* settled
        yield* settled
        assert.strictEqual(atProvider(booked), 6000)
        booked.provider.setRefundStatus(made.id, "succeeded")
        yield* settled
        assert.strictEqual(atProvider(booked), 6000)
        assert.deepStrictEqual(yield* counted(booked), ["partially_refunded", 6000, 6000])
      })
    )
  }

  it.effect("that failed and was paid back elsewhere counts with no more than the operator had not given by hand", () =>
    Effect.gen(function* () {
      for (const [byHand, elsewhere] of [
        [5000, [1000, "succeeded"]],
        [6000, [6000, "failed"]]
      ] as const) {
        const booked = yield* refundedHalf
        const hand = booked.provider.refundInDashboard(booked.session, byHand)
        yield* settled
        booked.provider.setRefundStatus(booked.refund.id, "failed", "declined")
        yield* settled
        const [failed = assert.fail("nothing failed")] = yield* failedRefunds
        // What the doctor and the operator's page tell.
        const told = yield* Refunds.use((refunds) => refunds.failed(failed.operator_id))
        assert.deepStrictEqual(
          told.map(({ amount }) => amount),
          [6000 - byHand]
        )
        yield* Refunds.use((refunds) => refunds.markPaidBack(failed.refund_id))
        assert.deepStrictEqual(yield* counted(booked), ["partially_refunded", 6000, 6000], hand.id)
        assert.deepStrictEqual((yield* refundsOf(booked.booking)).map(({ amount, status }) => [amount, status])[0], [
          ...elsewhere
        ])
        assert.deepStrictEqual(yield* failedRefunds, [])
      }
    })
  )

  it.effect("made in the dashboard and corrected changes what a cancellation gives", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      const made = booked.provider.refundInDashboard(booked.session, 5000)
      yield* settled
      Object.assign(booked.provider.refunds.get(made.id) ?? {}, { amount: 1000 })
      yield* settled
      assert.deepStrictEqual(yield* counted(booked), ["partially_refunded", 1000, 1000])
      yield* setClockBefore(booked.booking, 30)
      assert.strictEqual(yield* cancel(booked), 5000)
      yield* runProviderTasks
      assert.strictEqual(atProvider(booked), 6000)
    })
  )

  it.effect("that was corrected and then failed is sent again as it was corrected", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      const made = booked.provider.refundInDashboard(booked.session, 5000)
      yield* settled
      Object.assign(booked.provider.refunds.get(made.id) ?? {}, { amount: 2000 })
      yield* settled
      booked.provider.setRefundStatus(made.id, "failed", "declined")
      yield* settled
      assert.deepStrictEqual(yield* resendFailedRefunds, ["sent"])
      yield* runProviderTasks
      assert.strictEqual(atProvider(booked), 2000)
      assert.deepStrictEqual(yield* counted(booked), ["partially_refunded", 2000, 2000])
    })
  )

  it.effect("by hand that failed and was corrected then is sent again as it was corrected", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      const made = booked.provider.refundInDashboard(booked.session, 5000)
      yield* settled
      booked.provider.setRefundStatus(made.id, "failed", "declined")
      yield* settled
      Object.assign(booked.provider.refunds.get(made.id) ?? {}, { amount: 2000 })
      yield* settled
      assert.deepStrictEqual(yield* resendFailedRefunds, ["sent"])
      yield* runProviderTasks
      assert.strictEqual(atProvider(booked), 2000)
      assert.deepStrictEqual(yield* counted(booked), ["partially_refunded", 2000, 2000])
    })
  )

  it.effect(
    "by hand that counted for a cancellation, and fails with a smaller amount, leaves the rest to be sent",
    () =>
      Effect.gen(function* () {
        const booked = yield* halfRefundableBooking
        const made = booked.provider.refundInDashboard(booked.session, 5000)
        booked.provider.setRefundStatus(made.id, "pending")
        yield* settled
        yield* setClockBefore(booked.booking, 30)
        assert.strictEqual(yield* cancel(booked), 1000)
        yield* runProviderTasks
        Object.assign(booked.provider.refunds.get(made.id) ?? {}, { amount: 2000 })
        booked.provider.setRefundStatus(made.id, "failed", "declined")
        yield* settled
        assert.strictEqual(atProvider(booked), 4000)
        assert.deepStrictEqual(yield* resendFailedRefunds, ["sent"])
        yield* settled
        assert.strictEqual(atProvider(booked), 6000)
        assert.deepStrictEqual(yield* counted(booked), ["partially_refunded", 6000, 6000])
      })
  )

  it.effect("by hand covers one of two that failed, and not both: the other is owed until it is covered, too", () =>
    Effect.gen(function* () {
      const { session } = yield* halfRefundableBooking
      const records = yield* RefundRecords
      const row = yield* sessionRow(session.payment_session_id)
      const made = Effect.fnUntraced(function* (provider_refund_id: string, amount: number, failed = false) {
        const foreign = { cause: "dashboard", amount, currency: row.currency, provider_refund_id } as const
        const { refund_id } = Option.getOrThrow(
          yield* records.insertForeign(row, { ...foreign, status: failed ? "pending" : "succeeded" })
        )
        if (failed) yield* records.update(refund_id, { status: "failed", failure: "declined" })
        yield* records.settleCovered(row)
        return (yield* failedRefunds).map(({ amount }) => amount)
      })
      assert.deepStrictEqual(yield* made("re_a", 3000, true), [3000])
      assert.deepStrictEqual(yield* made("re_b", 3000, true), [3000, 3000])
      assert.deepStrictEqual(yield* made("re_c", 3000), [3000])
      assert.deepStrictEqual(yield* made("re_d", 1000), [3000])
      assert.deepStrictEqual(yield* made("re_e", 2000), [])
    })
  )

  it.effect("that was sent again, and of which the first then succeeds, is told to a person: it went back twice", () =>
    Effect.gen(function* () {
      const booked = yield* refundedHalf
      booked.provider.setRefundStatus(booked.refund.id, "failed", "declined")
      yield* settled
      booked.provider.refundInDashboard(booked.session, 1000)
      const [failed] = yield* failedRefunds
      assert.strictEqual(failed?.amount, 6000)
      assert.deepStrictEqual(yield* resendFailedRefunds, ["sent"])
      yield* runProviderTasks
      assert.strictEqual(atProvider(booked), 6000)
      booked.provider.setRefundStatus(booked.refund.id, "succeeded")
      yield* settled
      assert.deepStrictEqual(yield* counted(booked), ["refunded", 12_000, 12_000])
      const [flagged] = yield* DueBookings.use((bookings) => bookings.flagged(10))
      assert.match(flagged?.flagged ?? "", /£60.00 went back twice/)
    })
  )

  it.effect(
    "of the payment that a dispute had covered is sent when that dispute is won, and the other payment's is not sent twice",
    () =>
      Effect.gen(function* () {
        yield* deleteBookings
        const provider = yield* ScriptedGateway
        const { booking, session: deposit } = yield* paidBooking(packages.refundableParty)
        const balance = yield* payBooking(booking, "balance")
        yield* setClockBefore(booking, 30)
        const { id } = provider.openDispute(balance, undefined, "lost")
        const booked = { booking, provider, session: balance }
        assert.strictEqual(yield* cancel(booked, "full"), 5000)
        yield* runProviderTasks
        provider.setDisputeStatus(id, "won")
        yield* settled
        assert.strictEqual(provider.paidAndRefunded(deposit).refunded, 5000)
        assert.strictEqual(provider.paidAndRefunded(balance).refunded, 15_000)
        assert.strictEqual((yield* bookingState(booking)).payment_status, "refunded")
      })
  )
})

/** What accounts tell of a month, line by line. */
const linesIn = Effect.fnUntraced(function* (month: string) {
  const lines: Array<string> = []
  yield* (yield* makeMonthAccounts).own({ period: month }, ({ amount, application_fee, at, cause, id, kind, taxes }) =>
    Effect.sync(() => void lines.push(JSON.stringify({ at, kind, cause, amount, application_fee, id, taxes })))
  )
  return lines
})
const sumsOf = Effect.fnUntraced(function* (month: string) {
  const { sums } = yield* (yield* makeMonthAccounts).own({ period: month }, () => Effect.void)
  return Object.fromEntries(sums.flatMap((one) => one.sums.map(({ amount, name }) => [name, amount])))
})
const monthNow = Effect.map(Clock.currentTimeMillis, (now) => new Date(now).toISOString().slice(0, 7))

layer(paymentWorld())("a month that is over (M8)", (it) => {
  it.effect("keeps a refund that failed after it had succeeded: its return is a line of its own day, each time", () =>
    Effect.gen(function* () {
      const booked = yield* halfRefundableBooking
      yield* cancel(booked)
      yield* runProviderTasks
      const refund = [...booked.provider.refunds.values()].at(-1) ?? assert.fail("no refund was made")
      const first = yield* monthNow
      const told = yield* linesIn(first)
      assert.deepInclude(yield* sumsOf(first), { refund: -6000 })
      yield* TestClock.adjust("32 days")
      booked.provider.setRefundStatus(refund.id, "failed", "declined")
      yield* settled
      const second = yield* monthNow
      assert.notStrictEqual(second, first)
      assert.deepStrictEqual(yield* linesIn(first), told)
      assert.deepInclude(yield* sumsOf(second), { refund: 6000 })
      const [line = ""] = yield* linesIn(second)
      assert.include(line, '"cause":"returned"')
      const of = told.find((one) => one.includes('"kind":"refund"')) ?? ""
      const parts = (text: string) => text.slice(text.indexOf('"taxes"')).replaceAll("-", "")
      assert.strictEqual(parts(line), parts(of))
      yield* TestClock.adjust("32 days")
      booked.provider.setRefundStatus(refund.id, "succeeded")
      yield* settled
      assert.deepStrictEqual(yield* linesIn(first), told)
      assert.deepInclude(yield* sumsOf(second), { refund: 6000 })
      assert.deepInclude(yield* sumsOf(yield* monthNow), { refund: -6000 })
    })
  )

  it.effect(
    "keeps each line that was told, whatever refunds and disputes become; all lines sum to what went back",
    () =>
      Effect.gen(function* () {
        const said = fc.array(
          fc.record({
            status: fc.constantFrom("lost", "won", "appeal_under_review", "prevented", "needs_response"),
            dispute: fc.constantFrom(2000, 5000),
            refund: fc.constantFrom("succeeded", "failed", "pending", "canceled"),
            amount: fc.constantFrom(3000, 2500),
            own: fc.constantFrom("succeeded", "failed")
          }),
          { minLength: 1, maxLength: 5 }
        )
        for (const words of fc.sample(said, runs(12))) {
          const booked = yield* halfRefundableBooking
          const dispute = booked.provider.openDispute(booked.session, 2000)
          const made = booked.provider.refundInDashboard(booked.session, 3000)
          yield* settled
          yield* giveGoodwill(booked.booking.booking_id, { amount: 1000, reason: "Broken slide", preview: false })
          yield* runProviderTasks
          const own = [...booked.provider.refunds.values()].at(-1)
          const told = new Map<string, ReadonlyArray<string>>()
          for (const { amount, dispute: disputed, own: goodwill, refund, status } of words) {
            told.set(yield* monthNow, yield* linesIn(yield* monthNow))
            yield* TestClock.adjust("32 days")
            Object.assign(booked.provider.disputes.get(dispute.id) ?? {}, { amount: disputed, status })
            Object.assign(booked.provider.refunds.get(made.id) ?? {}, { amount })
            booked.provider.setRefundStatus(made.id, refund)
            if (own !== undefined) booked.provider.setRefundStatus(own.id, goodwill)
            yield* settled
            for (const [month, before] of told)
              assert.deepStrictEqual((yield* linesIn(month)).slice(0, before.length), before, JSON.stringify(words))
          }
          const months = new Set([...told.keys(), yield* monthNow])
          let back = 0
          for (const month of months) {
            const { dispute = 0, refund = 0 } = yield* sumsOf(month)
            back -= dispute + refund
          }
          assert.strictEqual(back, (yield* bookingState(booked.booking)).refunded, JSON.stringify(words))
        }
      })
  )
})
