/** Thin events only name their object: it is fetched, and that is applied. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { maxAttempts, WebhookInbox } from "../../../../src/domain/payment/events/WebhookInbox.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import {
  bookingState,
  callCount,
  confirmed,
  deliverAndApply,
  deliverEvent,
  held,
  historyOf,
  now,
  paidBooking,
  paymentWorld,
  sessionRow,
  storedEvent,
  paidEvent
} from "../../../support/PaymentWorld.ts"
import { otherVenue } from "../../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

let events = 0
/** A thin event about an object of an account, as the provider sends it. */
const thin = (type: string, id: string, context: string | null, changes: Record<string, unknown> = {}) => ({
  id: `evt_thin_${++events}`,
  object: "v2.core.event",
  type,
  context,
  livemode: false,
  created: "2026-11-20T09:00:00.000Z",
  reason: null,
  related_object: { id, type: type.includes("invoice") ? "invoice" : "checkout.session", url: `/v1/x/${id}` },
  ...changes
})
const completed = "v1.checkout.session.completed"
type Paid = Effect.Success<typeof paidEvent>
const thinOf = ({ event }: Paid, changes: Record<string, unknown> = {}) =>
  thin(completed, event.data.object.id, event.account, changes)

layer(paymentWorld())("a thin event", (it) => {
  it.effect("has its session fetched with its account, and that is applied, once however often it comes", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const paid = yield* paidEvent
      const notice = thinOf(paid)
      const before = yield* callCount("getSession")
      assert.deepStrictEqual(yield* deliverEvent("connected", notice), { duplicate: false })
      assert.deepStrictEqual(yield* deliverEvent("connected", notice), { duplicate: true })
      yield* WebhookInbox.use((inbox) => inbox.applyDue())
      const seen = yield* storedEvent(notice.id)
      assert.deepStrictEqual(
        [seen.status, seen.type, seen.account, seen.api_version, seen.booking_id],
        ["applied", completed, paid.event.account, null, paid.booking.booking_id],
        seen.outcome ?? ""
      )
      assert.strictEqual(seen.payload, JSON.stringify(notice))
      assert.deepStrictEqual(yield* bookingState(paid.booking), confirmed)
      assert.strictEqual((yield* callCount("getSession")) - before, 1)
      assert.deepStrictEqual(yield* deliverEvent("connected", notice), { duplicate: true })
    })
  )

  it.effect("of an invoice has it fetched from the platform's account", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const ends = Date.parse("2027-06-01") / 1000
      const invoice = { customer: "cus_2", subscription: "sub_1", period_ends: [ends] }
      provider.invoices.set("in_thin", { ...invoice, id: "in_thin", status: "paid" })
      const notice = thin("v1.invoice.paid", "in_thin", null)
      yield* deliverEvent("platform", notice)
      yield* WebhookInbox.use((inbox) => inbox.applyDue())
      const { paid_through } = yield* Operators.use((operators) => operators.get(otherVenue.operator.operator_id))
      assert.strictEqual(paid_through, ends * 1000)
      assert.strictEqual((yield* storedEvent(notice.id)).status, "applied")
    })
  )

  it.effect("of a type, account, livemode or session that is not ours is stored as ignored", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const paid = yield* paidEvent
      const calls = provider.calls.length
      const { account } = paid.event
      const id = paid.event.data.object.id
      const ignored = [
        thin("v2.core.account[requirements].updated", account, account),
        thin("v2.core.event_destination.ping", "ed_1", null),
        thin("v1.charge.updated", "ch_1", account),
        thin(completed, id, null),
        thin(completed, id, "acct_unknown"),
        thinOf(paid, { livemode: true }),
        thinOf(paid, { related_object: null })
      ]
      for (const seen of yield* deliverAndApply(...ignored)) assert.strictEqual(seen.status, "ignored", seen.type)
      assert.strictEqual(provider.calls.length, calls, "nobody is asked")
      yield* deliverEvent("platform", { ...thinOf(paid), context: null })
      // Another account's word about a session of ours changes nothing, and is shown to a person.
      const [theirs] = yield* deliverAndApply(thin(completed, id, otherVenue.operator.connected_account_id ?? ""))
      assert.strictEqual(theirs?.status, "rejected")
      assert.deepStrictEqual(yield* bookingState(paid.booking), held)
    })
  )

  it.effect("that comes before our own row knows the provider's session finds it by asking", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const sql = yield* SqlClient.SqlClient
      const paid = yield* paidEvent
      const { payment_session_id, provider_session_id } = paid.session
      yield* sql`update payment_session set provider_session_id = 'cs_not_yet' where payment_session_id = ${payment_session_id}`
      const describes = yield* callCount("describeSession")
      const [seen] = yield* deliverAndApply(thinOf(paid))
      assert.strictEqual((yield* callCount("describeSession")) - describes, 1)
      assert.strictEqual(seen?.payment_session_id, payment_session_id, seen?.outcome ?? "")
      yield* sql`update payment_session set provider_session_id = ${provider_session_id} where payment_session_id = ${payment_session_id}`
    })
  )

  it.effect(
    "of a refund or a dispute is heard of an account that its operator has left, and of none that nobody had",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const provider = yield* ScriptedGateway
        const operators = yield* Operators
        const { booking, session } = yield* paidBooking()
        const { account } = session
        const moveTo = (to: string) =>
          sql`update operator set connected_account_id = ${to} where operator_id = ${booking.operator_id}`
        yield* moveTo("acct_another")
        const refund = provider.refundInDashboard(session, 5000)
        const dispute = provider.openDispute(session)
        for (const [type, id, object] of [
          ["v1.refund.created", refund.id, "refund"],
          ["v1.charge.dispute.created", dispute.id, "dispute"]
        ] as const) {
          const related_object = { id, type: object, url: `/v1/x/${id}` }
          const [heard] = yield* deliverAndApply(thin(type, id, account, { related_object }))
          assert.deepStrictEqual(
            [heard?.status, heard?.booking_id],
            ["applied", booking.booking_id],
            heard?.outcome ?? ""
          )
          const [strange] = yield* deliverAndApply(thin(type, id, "acct_of_nobody", { related_object }))
          assert.strictEqual(strange?.status, "ignored")
        }
        const operator = yield* Effect.orDie(operators.get(booking.operator_id))
        assert.deepStrictEqual(yield* operators.accounts(operator), ["acct_another", account])
        yield* moveTo(account)
      })
  )

  it.effect("of money for a booking that is lost is rejected by its name, and applied once the booking is there", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const sql = yield* SqlClient.SqlClient
      const inbox = yield* WebhookInbox
      const paid = yield* paidEvent
      const { payment_session_id, provider_session_id } = paid.session
      yield* sql`update payment_session set payment_session_id = 'payment_01h40000000000000000000019',
        provider_session_id = 'cs_hidden_19' where payment_session_id = ${payment_session_id}`
      const notice = thinOf(paid)
      yield* deliverAndApply(notice)
      assert.strictEqual((yield* storedEvent(notice.id)).status, "received")
      for (let i = 0; i < 10; i++) {
        yield* TestClock.adjust("1 minute")
        yield* inbox.applyDue()
      }
      const lost = yield* storedEvent(notice.id)
      assert.deepStrictEqual([lost.status, lost.booking_id], ["rejected", paid.booking.booking_id], lost.outcome ?? "")
      yield* sql`update payment_session set payment_session_id = ${payment_session_id},
        provider_session_id = ${provider_session_id} where payment_session_id = 'payment_01h40000000000000000000019'`
      assert.isTrue(yield* inbox.retry(notice.id))
      yield* inbox.applyDue()
      assert.deepStrictEqual(yield* bookingState(paid.booking), confirmed)
    })
  )

  it.effect("that the provider does not answer for is tried again, and then given up", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const inbox = yield* WebhookInbox
      const provider = yield* ScriptedGateway
      const paid = yield* paidEvent
      const notice = thinOf(paid)
      provider.outage = "away"
      yield* deliverAndApply(notice)
      assert.include((yield* storedEvent(notice.id)).outcome ?? "", "does not answer")
      provider.outage = undefined
      yield* TestClock.adjust("6 minutes")
      yield* inbox.applyDue()
      assert.deepStrictEqual(yield* bookingState(paid.booking), confirmed)

      const gone = thinOf(yield* paidEvent)
      for (let i = 0; i < maxAttempts; i++) provider.injectFault("getSession", "account_closed")
      yield* deliverAndApply(gone)
      for (let i = 0; i < maxAttempts; i++) {
        yield* TestClock.adjust("6 minutes")
        yield* inbox.applyDue()
      }
      assert.strictEqual((yield* storedEvent(gone.id)).status, "dead")
    })
  )

  it.effect("for which a row of ours can't be read is tried again like any other, and the ones behind it go on", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const sql = yield* SqlClient.SqlClient
      const inbox = yield* WebhookInbox
      const [paid, behind] = [yield* paidEvent, yield* paidEvent]
      const { payment_session_id, request } = paid.session
      const store = (json: unknown) => sql`update payment_session set request = ${JSON.stringify(json)}::jsonb
        where payment_session_id = ${payment_session_id}`
      yield* store({})
      const [first, second] = [thinOf(paid), thinOf(behind)]
      yield* deliverEvent("connected", first)
      yield* deliverEvent("connected", second)
      yield* inbox.applyDue()
      const { attempts, outcome, status } = yield* storedEvent(first.id)
      assert.deepStrictEqual([status, attempts], ["received", 1])
      assert.notInclude(outcome ?? "the provider", "the provider")
      assert.deepStrictEqual(yield* bookingState(behind.booking), confirmed)
      yield* store(request)
      yield* TestClock.adjust("1 minute")
      yield* inbox.applyDue()
      assert.deepStrictEqual(yield* bookingState(paid.booking), confirmed)
    })
  )

  it.effect("beside the snapshot event of the same fact changes nothing twice", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      for (const thinFirst of [true, false]) {
        const paid = yield* paidEvent
        const notice = thinOf(paid, { snapshot_event: paid.event.id })
        yield* deliverAndApply(...(thinFirst ? [notice, paid.event] : [paid.event, notice]))
        assert.deepStrictEqual(yield* bookingState(paid.booking), confirmed)
        const history = yield* historyOf(paid.booking)
        assert.strictEqual(new Set(history).size, history.length, history.join(", "))
        assert.strictEqual((yield* sessionRow(paid.session.payment_session_id)).status, "paid")
      }
    })
  )
})
