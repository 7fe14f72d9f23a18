import { assert, layer } from "@effect/vitest"
import { Cause, Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { replicaFinding } from "../../../src/ops/attention/ActionItems.ts"
import { Reconciliation } from "../../../src/domain/payment/workers/Reconciliation.ts"
import { commandWorld, member, parsed, playroom } from "../../support/CommandLine.ts"
import {
  actAndDeliver,
  bookingState,
  createBooking,
  deliverAndApply,
  expectedState,
  openSession,
  runProviderTasks
} from "../../support/PaymentWorld.ts"
import { accountEvent, sessionEvent } from "../../support/providerEvents.ts"
import { packages } from "../../support/paymentVenues.ts"
import { providerId, ScriptedGateway } from "../../support/ScriptedGateway.ts"

/** A paid booking that was cancelled, and whose refund the provider refused. */
const refusedRefund = Effect.gen(function* () {
  const provider = yield* ScriptedGateway
  const booking = yield* createBooking(packages.party)
  const session = yield* openSession(booking)
  yield* actAndDeliver(session, "pay")
  provider.injectFault("createRefund", "refused")
  assert.include((yield* playroom("booking", "cancel", booking.reference)).out, "£120.00")
  yield* runProviderTasks
  return { booking, provider, session }
})

layer(commandWorld)("playroom doctor", (it) => {
  it("says why the replica is not read from, and nothing of one that is", () => {
    assert.isUndefined(replicaFinding({ is: "used" }))
    const paused = replicaFinding({ is: "behind" })
    assert.strictEqual(paused?.what, "replica not used")
    assert.strictEqual(paused?.id, "DATABASE_REPLICA_URL")
    assert.include(paused?.fix, "pg_is_wal_replay_paused")
    const reason = new SqlError.ConnectionError({ cause: new Error("connect ECONNREFUSED 10.0.0.7:5432") })
    const away = replicaFinding({ is: "away", failure: Cause.fail(new SqlError.SqlError({ reason })) })
    assert.include(away?.detail, "ECONNREFUSED")
  })

  it.effect("says that all is well, and lists the provider's events", () =>
    Effect.gen(function* () {
      const all = yield* playroom("doctor")
      assert.isUndefined(all.failure)
      assert.include(all.out, "All is well")
      assert.deepStrictEqual(parsed((yield* playroom("doctor", "--json")).out), [])
      assert.isUndefined((yield* playroom("webhook", "list")).failure)
      assert.include((yield* playroom("doctor", "--revive", "refund_nothing")).failure ?? "", "refund_nothing")
    })
  )

  it.effect("names operators that can't sell before they can take payments, which is no finding", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [{ connected_account_id: account, operator_id } = assert.fail("no operator")] = yield* sql<{
        readonly connected_account_id: string
        readonly operator_id: string
      }>`select operator_id, connected_account_id from operator order by operator_id limit 1`
      yield* sql`update operator set connected_account_id = null where operator_id = ${operator_id}`
      const { failure, out } = yield* playroom("doctor")
      yield* sql`update operator set connected_account_id = ${account} where operator_id = ${operator_id}`
      assert.isUndefined(failure)
      assert.include(out, "All is well")
      assert.include(out, `Not on sale until they can take payments:`)
      assert.include(out, `playroom operator onboard ${operator_id}`)
      assert.notInclude((yield* playroom("doctor")).out, "Not on sale")
    })
  )

  it.effect("S1: says which doors are open to whom, and counts paths that others can change", () =>
    Effect.gen(function* () {
      const said = yield* playroom("doctor", "--doors")
      assert.match(said.out, /DOOR +AT +OPEN TO +NEEDS/)
      const json = member(parsed((yield* playroom("doctor", "--doors", "--json")).out), "changed_by_others")
      assert.isArray(json)
      assert.strictEqual(said.failure === undefined, Array.isArray(json) && json.length === 0)
    })
  )

  it.effect("lists a payment and an event that do not fit until a person has dealt with them", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking(packages.party)
      const session = yield* openSession(booking)
      const paid = { status: "complete", payment_status: "paid" }
      const said = { ...provider.sessionOf(session), ...paid, id: "cs_test_another" }
      const event = sessionEvent("checkout.session.completed", said)
      yield* deliverAndApply(event)
      const sick = yield* playroom("doctor")
      assert.include(sick.failure ?? "", "2 things need a person")
      const shown = (yield* playroom("booking", "show", booking.reference)).out
      assert.match(
        shown,
        /open \(!\).* not accounted for: a second provider session, cs_test_another, names this payment session/
      )
      for (const id of [event.id, session.payment_session_id]) {
        assert.include(sick.out, `playroom doctor --settle ${id}`)
        assert.include((yield* playroom("doctor", "--settle", id)).out, id)
        assert.include(
          (yield* playroom("doctor", "--settle", id)).failure ?? "",
          `names no event, payment, refund or booking ${id}`
        )
      }
      assert.include((yield* playroom("doctor")).out, "All is well")
      assert.include((yield* playroom("webhook", "show", event.id)).out, "dealt with by a person")
      // Nor is it found again, though the provider's answer still does not fit.
      yield* TestClock.adjust("2 hours")
      yield* Reconciliation.use(({ runOnce }) => runOnce)
      assert.include((yield* playroom("doctor")).out, "All is well")
    })
  )

  it.effect("lists a page that closed without an answer of the provider, until a person has looked", () =>
    Effect.gen(function* () {
      const { payment_session_id: id } = yield* openSession(yield* createBooking(packages.party))
      assert.include((yield* playroom("doctor")).out, "All is well")
      yield* TestClock.adjust("2 hours")
      assert.include((yield* playroom("doctor")).out, `playroom doctor --settle ${id}`)
      assert.include((yield* playroom("doctor", "--settle", id)).out, "accounted for")
      assert.include((yield* playroom("doctor")).out, "All is well")
    })
  )

  it.effect(
    "takes note of a refund that was paid back in another way, and shows a booking's payments and refunds",
    () =>
      Effect.gen(function* () {
        const { booking, provider, session } = yield* refusedRefund
        const id = /refund_[0-9a-z]{26}/.exec((yield* playroom("doctor")).out)?.[0] ?? assert.fail("no refund failed")
        const shown = (yield* playroom("booking", "show", booking.reference)).out
        for (const text of [
          session.payment_session_id,
          "acct_1",
          `pi_${providerId(session)}`,
          id,
          "cancellation",
          "failed"
        ]) {
          assert.include(shown, text)
        }
        assert.include((yield* playroom("doctor", "--settle", id)).out, "paid back in another way")
        assert.include((yield* playroom("doctor")).out, "All is well")
        assert.deepStrictEqual(yield* bookingState(booking), expectedState("cancelled", "refunded", 12_000, 12_000))
        assert.strictEqual(provider.paidAndRefunded(session).refunded, 0)
        assert.include((yield* playroom("doctor", "--revive", id)).failure ?? "", "was given up")
      })
  )

  it.effect("names a refund that failed with what to do about it, and sends it again", () =>
    Effect.gen(function* () {
      const { provider, session } = yield* refusedRefund
      const sick = yield* playroom("doctor")
      const id = /refund_[0-9a-z]{26}/.exec(sick.out)?.[0] ?? assert.fail(sick.out)
      assert.include(sick.out, `playroom doctor --revive ${id}`)
      assert.include(sick.failure ?? "", "1 thing needs a person")
      provider.outage = "away"
      assert.include((yield* playroom("doctor", "--revive", id)).failure ?? "", "was not sent")
      provider.outage = undefined
      assert.include((yield* playroom("doctor", "--revive", id)).out, "will be sent again")
      assert.include((yield* playroom("doctor", "--revive", id)).failure ?? "", "was given up")
      yield* runProviderTasks
      assert.include((yield* playroom("doctor")).out, "All is well")
      assert.deepStrictEqual(provider.paidAndRefunded(session), { paid: 12_000, refunded: 12_000 })
    })
  )

  it.effect("names a payment without a result with since when and until when, and settles it", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking(packages.party)
      const session = yield* openSession(booking)
      yield* actAndDeliver(session, "pay_later")
      assert.include((yield* playroom("doctor")).out, "All is well")
      yield* TestClock.adjust("1 day")
      provider.injectFault("getSession", "account_closed")
      yield* Reconciliation.use(({ runOnce }) => runOnce)
      yield* TestClock.adjust("1 hour")
      const sick = (yield* playroom("doctor")).out
      assert.match(
        sick,
        /payment without a result.*\n.*processing since 20.*does not answer for acct_1.*released at 20/
      )
      assert.include(sick, `playroom doctor --settle ${session.payment_session_id}`)
      assert.match(
        (yield* playroom("booking", "show", booking.reference)).out,
        /processing .* the provider does not answer for it since 20\d\d-/
      )
      assert.include((yield* playroom("doctor", "--settle", session.payment_session_id)).out, "not paid")
      assert.strictEqual((yield* bookingState(booking)).status, "expired")
      assert.include((yield* playroom("doctor")).out, "account takes no payments")
      yield* deliverAndApply(accountEvent())
      assert.include((yield* playroom("doctor")).out, "All is well")
    })
  )

  it.effect("names a refund that can't be sent, and settles it, so that it is not sent after all", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking(packages.party)
      const session = yield* openSession(booking)
      yield* actAndDeliver(session, "pay")
      yield* playroom("booking", "cancel", booking.reference)
      provider.outage = "account_closed"
      yield* Effect.exit(runProviderTasks)
      yield* TestClock.adjust("5 hours")
      assert.notInclude((yield* playroom("doctor")).out, "refund not sent yet")
      yield* TestClock.adjust("2 hours")
      const sick = (yield* playroom("doctor")).out
      assert.include(sick, "refund not sent yet")
      assert.include(sick, session.account)
      const refund = /refund_[0-9a-z]{26}/.exec(sick)?.[0] ?? assert.fail(sick)
      assert.isUndefined((yield* playroom("doctor", "--settle", refund)).failure)
      assert.notInclude((yield* playroom("doctor")).out, refund)
      provider.outage = undefined
      yield* Effect.exit(runProviderTasks)
      assert.isFalse([...provider.refunds.values()].some(({ refund_id }) => refund_id === refund))
      // Its refusal takes the operator off sale; what the provider says of the account, back.
      assert.include((yield* playroom("doctor")).out, "account takes no payments")
      yield* deliverAndApply(accountEvent())
      assert.include((yield* playroom("doctor")).out, "All is well")
      assert.deepInclude(yield* bookingState(booking), { payment_status: "refunded", refunded: 12_000 })
    })
  )

  it.effect("names a page that nobody makes and a refund without a result, and settles them", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      provider.injectFault("createSession", "unanswered")
      yield* Effect.flip(openSession(yield* createBooking(packages.party)))
      yield* TestClock.adjust("61 minutes")
      const page = (yield* playroom("doctor")).out
      assert.include(page, "payment page not made")
      const id = /payment_[0-9a-z]{26}/.exec(page)?.[0] ?? assert.fail(page)
      assert.isUndefined((yield* playroom("doctor", "--settle", id)).failure)
      assert.include((yield* playroom("doctor")).out, "All is well")

      const booking = yield* createBooking(packages.party)
      const session = yield* openSession(booking)
      yield* actAndDeliver(session, "pay")
      provider.newRefundStatus = "pending"
      yield* playroom("booking", "cancel", booking.reference)
      yield* runProviderTasks
      provider.newRefundStatus = "succeeded"
      assert.include((yield* playroom("doctor")).out, "All is well")
      yield* TestClock.adjust("17 days")
      const sick = (yield* playroom("doctor")).out
      assert.include(sick, "refund without a result")
      const refund = /refund_[0-9a-z]{26}/.exec(sick)?.[0] ?? assert.fail(sick)
      assert.isUndefined((yield* playroom("doctor", "--settle", refund)).failure)
      assert.include((yield* playroom("doctor")).out, "All is well")
      assert.deepInclude(yield* bookingState(booking), { payment_status: "refunded", refunded: 12_000 })
    })
  )
})
