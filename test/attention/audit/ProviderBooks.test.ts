/** Our books of the last days beside the provider's, while the service runs. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Audit } from "../../../src/attention/audit/Audit.ts"
import {
  actAndDeliver,
  actAtProvider,
  bookingState,
  bookingWithSession,
  cancelBooking,
  expectedState,
  paidBooking,
  paymentWorld,
  reconcileAfter,
  refundsOf,
  runProviderTasks,
  sessionRow,
  startAnew
} from "../../support/PaymentWorld.ts"
import { packages } from "../../support/paymentVenues.ts"
import { providerId } from "../../support/ScriptedGateway.ts"

const compared = Audit.use(({ books }) => books)
const found = Effect.map(compared, (all) => all.map(({ id, what }) => [what, id]))

layer(Layer.provideMerge(Audit.layer, paymentWorld()))("the provider's books", (it) => {
  it.effect("are not blamed for what is paid, cancelled, disputed, under way, or has just happened", () =>
    Effect.gen(function* () {
      const provider = yield* startAnew
      const cancelled = yield* paidBooking()
      yield* cancelBooking(cancelled.booking)
      yield* runProviderTasks
      const { session } = yield* paidBooking(packages.depositParty)
      provider.openDispute(session, 5000)
      const slow = yield* bookingWithSession()
      yield* actAndDeliver(slow.session, "pay_later")
      const fresh = yield* bookingWithSession()
      yield* actAtProvider(fresh.session, "pay")
      assert.deepStrictEqual(yield* found, [])
      yield* reconcileAfter("3 hours")
      assert.deepStrictEqual(yield* bookingState(fresh.booking), expectedState("confirmed", "paid", 12_000))
      assert.deepStrictEqual(yield* found, [])
      // The bank has decided, and reconciliation comes to that in a moment.
      yield* actAtProvider(slow.session, "late_success")
      assert.deepStrictEqual(yield* found, [])
    })
  )

  it.effect("name what expired here and was paid there, with the command that puts it right, and change nothing", () =>
    Effect.gen(function* () {
      const provider = yield* startAnew
      const { booking, session } = yield* bookingWithSession()
      provider.outage = "away"
      yield* reconcileAfter("1 hour")
      provider.outage = undefined
      yield* actAtProvider(session, "pay")
      const expired = expectedState("expired", "unpaid")
      assert.deepStrictEqual(yield* bookingState(booking), expired)
      assert.deepStrictEqual(yield* found, [])
      yield* TestClock.adjust("3 hours")
      const [one, ...others] = yield* compared
      assert.deepStrictEqual(others, [])
      assert.deepInclude(one, { what: "the provider knows more", id: providerId(session) })
      assert.include(one?.detail ?? "", `£120.00 of ${booking.reference}`)
      assert.match(one?.fix ?? "", /playroom payment reconcile --account acct_1 --since 2026-11-17T.*--apply/)
      assert.deepStrictEqual(yield* bookingState(booking), expired)
    })
  )

  it.effect("name a refund by hand of which nobody told us", () =>
    Effect.gen(function* () {
      const provider = yield* startAnew
      const { session } = yield* paidBooking()
      provider.refundInDashboard(session, 2000)
      yield* TestClock.adjust("3 hours")
      assert.deepStrictEqual(yield* found, [["the provider knows more", providerId(session)]])
    })
  )

  it.effect("name what counts as paid here, and is not paid there, or is unknown there, or another amount", () =>
    Effect.gen(function* () {
      const provider = yield* startAnew
      const lost = yield* paidBooking()
      const unpaid = yield* paidBooking()
      const other = yield* paidBooking()
      yield* paidBooking()
      provider.sessions.delete(providerId(lost.session))
      Object.assign(provider.sessions.get(providerId(unpaid.session)) ?? {}, {
        status: "expired",
        payment_status: "unpaid"
      })
      Object.assign(provider.sessions.get(providerId(other.session)) ?? {}, { amount_total: 11_000 })
      assert.deepStrictEqual(yield* found, [])
      yield* TestClock.adjust("3 hours")
      assert.deepStrictEqual(
        yield* found,
        [lost, unpaid, other].map(({ session }) => ["paid here, not at the provider", session.payment_session_id])
      )
      assert.strictEqual((yield* sessionRow(lost.session.payment_session_id)).status, "paid")
    })
  )

  it.effect("name a refund that counts here, and was never made there", () =>
    Effect.gen(function* () {
      const provider = yield* startAnew
      const { booking } = yield* paidBooking()
      yield* cancelBooking(booking)
      yield* runProviderTasks
      assert.deepStrictEqual(yield* refundsOf(booking), [
        { cause: "cancellation", status: "succeeded", amount: 12_000 }
      ])
      provider.refunds.clear()
      yield* TestClock.adjust("3 hours")
      assert.deepStrictEqual(
        (yield* found).map(([what]) => what),
        ["refunded here, not at the provider"]
      )
    })
  )

  it.effect("that can't be asked are told, and a closed account needs nobody", () =>
    Effect.gen(function* () {
      const provider = yield* startAnew
      yield* paidBooking()
      provider.outage = "account_closed"
      assert.deepStrictEqual(yield* found, [])
      provider.outage = "away"
      const [one] = yield* found
      assert.strictEqual(one?.[0], "not checked")
      assert.include(one?.[1] ?? "", "books of operator_")
      provider.outage = undefined
    })
  )
})
