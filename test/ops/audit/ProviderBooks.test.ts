/** Our books of the last days beside the provider's, while the service runs. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Audit } from "../../../src/ops/audit/Audit.ts"
import type { BookingRow } from "../../../src/domain/booking/Booking.ts"
import { AccountComparison } from "../../../src/domain/payment/recovery/AccountComparison.ts"
import { Disputes } from "../../../src/domain/payment/refunds/Disputes.ts"
import type { PaymentSessionRow } from "../../../src/domain/payment/sessions/PaymentSession.ts"
import {
  actAndDeliver,
  actAtProvider,
  bookingState,
  bookingWithSession,
  cancelBooking,
  deliverAndApply,
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
import { moneyEvent } from "../../support/providerEvents.ts"
import { providerId } from "../../support/ScriptedGateway.ts"

const compared = Effect.map(
  Audit.use(({ books }) => books),
  (found) => found ?? assert.fail("the provider is away")
)
const found = Effect.map(compared, (all) => all.map(({ id, what }) => [what, id]))

/** An event of a dispute comes, and is applied. */
const hear = Effect.fnUntraced(function* (
  { payment_intent_id }: PaymentSessionRow,
  type: Parameters<typeof moneyEvent>[0],
  id: string
) {
  yield* deliverAndApply(moneyEvent(type, id, payment_intent_id ?? assert.fail("nothing was paid")))
  yield* reconcileAfter("2 minutes")
})
const disputesOf = (booking: BookingRow) =>
  Effect.map(
    Disputes.use((disputes) => disputes.ofBooking(booking)),
    (all) => all.map(({ amount, dispute_id, status }) => [dispute_id, status, amount])
  )
/** What `playroom payment reconcile --apply` puts right. */
const noted = Effect.gen(function* () {
  const since = yield* Clock.currentTimeMillis
  const { differences, failed } = yield* AccountComparison.use((all) => all.compare("acct_1", { since, apply: true }))
  assert.deepStrictEqual(failed, [])
  return differences.map(({ kind }) => kind)
})

layer(Layer.provideMerge(Audit.layer, paymentWorld()))("the provider's books", (it) => {
  it.effect("are not blamed for what is paid, cancelled, disputed, under way, or has just happened", () =>
    Effect.gen(function* () {
      const provider = yield* startAnew
      const cancelled = yield* paidBooking()
      yield* cancelBooking(cancelled.booking)
      yield* runProviderTasks
      const { session } = yield* paidBooking(packages.depositParty)
      yield* hear(session, "charge.dispute.created", provider.openDispute(session, 5000).id)
      provider.openDispute((yield* paidBooking()).session)
      const slow = yield* bookingWithSession()
      yield* actAndDeliver(slow.session, "pay_later")
      const fresh = yield* bookingWithSession()
      yield* actAtProvider(fresh.session, "pay")
      assert.deepStrictEqual(yield* found, [])
      yield* reconcileAfter("7 hours")
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

  it.effect("whose disputes can't be read are told, and what is known of the payments all the same", () =>
    Effect.gen(function* () {
      const provider = yield* startAnew
      const { session } = yield* paidBooking()
      const lost = yield* paidBooking()
      yield* hear(session, "charge.dispute.created", provider.openDispute(session).id)
      provider.sessions.delete(providerId(lost.session))
      yield* TestClock.adjust("3 hours")
      for (const _ of ["acct_1", "acct_2"]) provider.injectFault("disputesPage", "unanswered")
      assert.sameDeepMembers(yield* found, [
        ["not checked", "disputes of acct_1"],
        ["not checked", "disputes of acct_2"],
        ["paid here, not at the provider", lost.session.payment_session_id]
      ])
    })
  )

  // The clock goes further in these. New ids sort after all earlier ones, so tests after them would compare no
  // payments.
  it.effect("name a dispute of which nobody told us, and what is withdrawn for it; the command notes it", () =>
    Effect.gen(function* () {
      const provider = yield* startAnew
      const { booking, session } = yield* paidBooking()
      const asked = yield* paidBooking()
      // More than a page of the provider's list.
      const known = yield* Effect.replicateEffect(paidBooking(), 3)
      for (const one of known)
        yield* hear(one.session, "charge.dispute.created", provider.openDispute(one.session, undefined, "won").id)
      const inquiry = provider.openDispute(asked.session, 700, "warning_needs_response")
      const { id } = provider.openDispute(session, 5000)
      assert.deepStrictEqual(yield* found, [], "its event may be on the way")
      yield* TestClock.adjust("3 hours")
      const [first, second, ...others] = yield* compared
      assert.deepStrictEqual(others, [])
      assert.deepInclude(first, { what: "disputed at the provider, not here", id })
      assert.include(first?.detail ?? "", `£50.00 of ${booking.reference}`)
      assert.include(first?.detail ?? "", "(needs_response) is not stored; £50.00 is withdrawn")
      assert.match(first?.fix ?? "", /playroom payment reconcile --account acct_1 --since .* --apply/)
      assert.deepInclude(second, { what: "disputed at the provider, not here", id: inquiry.id })
      assert.include(second?.detail ?? "", "nothing is withdrawn")
      assert.deepStrictEqual(yield* disputesOf(booking), [])
      assert.deepStrictEqual(yield* noted, ["disputed", "disputed"])
      assert.deepStrictEqual(yield* disputesOf(booking), [[id, "needs_response", 5000]])
      assert.deepStrictEqual(yield* found, [])
      assert.deepStrictEqual(yield* noted, [])
    })
  )

  it.effect(
    "name a dispute that stands otherwise there: decided, appealed, won after it was lost, of another amount",
    () =>
      Effect.gen(function* () {
        const provider = yield* startAnew
        const { booking, session } = yield* paidBooking()
        const { id } = provider.openDispute(session, 5000)
        yield* hear(session, "charge.dispute.created", id)
        for (const status of ["under_review", "lost", "appeal_under_review", "won", "lost"]) {
          provider.setDisputeStatus(id, status)
          assert.deepStrictEqual(yield* found, [], `${status}: its event may be on the way`)
          yield* TestClock.adjust("3 hours")
          const [one, ...others] = yield* compared
          assert.deepStrictEqual(others, [])
          assert.deepInclude(one, { what: "dispute differs at the provider", id })
          assert.include(one?.detail ?? "", `${status}, £50.00 at the provider`)
          assert.deepStrictEqual(yield* noted, ["dispute_changed"])
          assert.deepStrictEqual(yield* disputesOf(booking), [[id, status, 5000]])
          assert.deepStrictEqual(yield* found, [])
        }
        Object.assign(provider.disputes.get(id) ?? {}, { amount: 6000 })
        assert.deepStrictEqual(yield* found, [["dispute differs at the provider", id]])
        assert.deepStrictEqual(yield* noted, ["dispute_changed"])
        assert.deepInclude(yield* bookingState(booking), { refunded: 6000 })
        const sql = yield* SqlClient.SqlClient
        yield* sql`update dispute set currency = 'EUR' where dispute_id = ${id}`
        const [one] = yield* compared
        assert.deepInclude(one, { what: "dispute differs at the provider", id })
        assert.include(one?.detail ?? "", "lost, £60.00 at the provider, and lost, €60.00 here")
        assert.deepStrictEqual(yield* noted, ["dispute_changed"])
        assert.deepStrictEqual(yield* found, [])
      })
  )

  it.effect("name a dispute that is stored as one of another payment, which no command can know better", () =>
    Effect.gen(function* () {
      const provider = yield* startAnew
      const { session } = yield* paidBooking()
      const other = yield* paidBooking()
      const { id } = provider.openDispute(session)
      yield* hear(session, "charge.dispute.created", id)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update dispute set payment_session_id = ${other.session.payment_session_id}, booking_id = ${other.booking.booking_id}
        where dispute_id = ${id}`
      yield* TestClock.adjust("3 hours")
      for (const _ of [1, 2]) {
        const [one, ...others] = yield* compared
        assert.deepStrictEqual(others, [])
        assert.deepInclude(one, { what: "dispute differs at the provider", id })
        assert.include(one?.detail ?? "", `stored as one of ${other.session.payment_session_id}`)
        assert.include(one?.fix ?? "", "look at dp_")
        yield* noted
      }
    })
  )

  it.effect("name a dispute that is stored here and unknown there, once it is no news, however old it is", () =>
    Effect.gen(function* () {
      const provider = yield* startAnew
      const { session } = yield* paidBooking()
      const { id } = provider.openDispute(session)
      yield* hear(session, "charge.dispute.created", id)
      provider.disputes.clear()
      assert.deepStrictEqual(yield* found, [])
      yield* TestClock.adjust("40 days")
      const [one, ...others] = yield* compared
      assert.deepStrictEqual(others, [])
      assert.deepInclude(one, { what: "disputed here, not at the provider", id })
      assert.include(one?.detail ?? "", "needs_response, £120.00")
    })
  )

  it.effect("name no dispute of a payment that is not ours, and at most twenty of a kind", () =>
    Effect.gen(function* () {
      const provider = yield* startAnew
      const { session } = yield* paidBooking()
      provider.openDispute(session)
      const foreign = [...provider.disputes.values()][0] ?? assert.fail("no dispute")
      provider.disputes.clear()
      for (let n = 0; n < 30; n++)
        provider.disputes.set(`dp_other_${n}`, { ...foreign, id: `dp_other_${n}`, payment_intent_id: `pi_other_${n}` })
      yield* TestClock.adjust("3 hours")
      assert.deepStrictEqual(yield* found, [])
      for (const one of provider.disputes.values())
        provider.disputes.set(one.id, { ...one, payment_intent_id: foreign.payment_intent_id })
      const all = yield* found
      assert.strictEqual(all.length, 21)
      assert.deepStrictEqual(all.at(-1), ["disputed at the provider, not here", "-"])
    })
  )

  it.effect("are those of the account that a payment was made on, though its operator has left it (M6)", () =>
    Effect.gen(function* () {
      const provider = yield* startAnew
      const sql = yield* SqlClient.SqlClient
      const { booking, session } = yield* paidBooking()
      const { operator_id } = booking
      yield* sql`update operator set connected_account_id = 'acct_new' where operator_id = ${operator_id}`
      provider.refundInDashboard(session, 3000)
      yield* TestClock.adjust("3 hours")
      assert.deepStrictEqual(yield* found, [["the provider knows more", providerId(session)]])
      yield* sql`update operator set connected_account_id = ${session.account} where operator_id = ${operator_id}`
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
