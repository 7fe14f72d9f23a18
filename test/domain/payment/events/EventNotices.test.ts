import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { maxAttempts, WebhookInbox } from "../../../../src/domain/payment/events/WebhookInbox.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import {
  actAtProvider,
  bookingState,
  bookingWithSession,
  callCount,
  confirmed,
  deliverAndApply,
  deliverEvent,
  held,
  now,
  paymentWorld,
  sessionRow,
  storedEvent,
  paidEvent,
  withObject
} from "../../../support/PaymentWorld.ts"
import { sessionEvent } from "../../../support/providerEvents.ts"
import { otherVenue } from "../../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

const elsewhere = "2031-04-30.fern"
/** What another release might make of the object: nothing that this one reads. */
const unreadable = { payment_status: { code: "settled" }, amount_total: null, currency: null, expires_at: "soon" }
layer(paymentWorld())("an event is a notice", (it) => {
  it.effect("at another release, whatever it looks like, has the object asked for, and that is applied", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      for (const api_version of [elsewhere, "2019-01-01", null]) {
        const { booking, event, session } = yield* paidEvent
        const before = yield* callCount("getSession")
        const [seen] = yield* deliverAndApply({ ...withObject(event, unreadable), api_version })
        assert.deepStrictEqual(
          [seen?.status, seen?.payment_session_id, seen?.booking_id],
          ["applied", session.payment_session_id, booking.booking_id],
          seen?.outcome ?? ""
        )
        assert.deepStrictEqual(yield* bookingState(booking), confirmed)
        assert.strictEqual((yield* callCount("getSession")) - before, 1)
      }
      // At our own release nobody is asked.
      const before = yield* callCount("getSession")
      yield* deliverAndApply((yield* paidEvent).event)
      assert.strictEqual(yield* callCount("getSession"), before)
    })
  )

  it.effect("applies what the provider has now, not what the event was sent for", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      const closed = sessionEvent("checkout.session.expired", yield* actAtProvider(session, "pay"))
      yield* deliverAndApply({ ...closed, api_version: elsewhere })
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
    })
  )

  it.effect("in an upgrade of the provider's endpoints, which sends both releases under one id, is applied once", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      for (const first of [elsewhere, undefined]) {
        const { booking, event } = yield* paidEvent
        const other = { ...event, api_version: elsewhere }
        const [one, two] = first === undefined ? [event, other] : [other, event]
        assert.deepStrictEqual(yield* deliverEvent("connected", one), { duplicate: false })
        assert.deepStrictEqual(yield* deliverEvent("connected", two), { duplicate: first === undefined })
        const before = yield* callCount("getSession")
        yield* WebhookInbox.use((inbox) => inbox.applyDue())
        // The one that can be read is read, whichever came first.
        assert.strictEqual(yield* callCount("getSession"), before)
        assert.deepStrictEqual(yield* bookingState(booking), confirmed)
        assert.strictEqual((yield* storedEvent(event.id)).api_version, event.api_version)
      }
    })
  )

  it.effect("of both releases that come at one moment keeps the one that can be read", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const { booking, event } = yield* paidEvent
      const answers = yield* Effect.all(
        [elsewhere, event.api_version, elsewhere].map((api_version) =>
          deliverEvent("connected", { ...event, api_version })
        ),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ duplicate }) => !duplicate).length, 1)
      const before = yield* callCount("getSession")
      yield* WebhookInbox.use((inbox) => inbox.applyDue())
      assert.strictEqual(yield* callCount("getSession"), before)
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
    })
  )

  it.effect(
    "that was ignored, at another receiver or by an older version of this service, blocks no usable delivery",
    () =>
      Effect.gen(function* () {
        yield* setClock(now)
        const sql = yield* SqlClient.SqlClient
        const wrongReceiver = yield* paidEvent
        yield* deliverEvent("platform", wrongReceiver.event)
        assert.strictEqual((yield* storedEvent(wrongReceiver.event.id)).status, "ignored")
        assert.deepStrictEqual(yield* deliverEvent("connected", wrongReceiver.event), { duplicate: false })
        const older = yield* paidEvent
        yield* deliverEvent("connected", { ...older.event, api_version: elsewhere })
        yield* sql`update webhook_event set status = 'ignored', outcome = 'API version …, this service reads …', queue = 'rest',
        payment_session_id = null, booking_id = null where event_id = ${older.event.id}`
        assert.deepStrictEqual(yield* deliverEvent("connected", older.event), { duplicate: false })
        yield* WebhookInbox.use((inbox) => inbox.applyDue())
        assert.deepStrictEqual(yield* bookingState(wrongReceiver.booking), confirmed)
        assert.deepStrictEqual(yield* bookingState(older.booking), confirmed)
        // What is not for this service makes nothing else of what is.
        assert.deepStrictEqual(yield* deliverEvent("platform", older.event), { duplicate: true })
        assert.strictEqual((yield* storedEvent(older.event.id)).status, "applied")
      })
  )

  it.effect("is asked for when it is retried though only its envelope was kept", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const inbox = yield* WebhookInbox
      const sql = yield* SqlClient.SqlClient
      const { booking, event, session } = yield* paidEvent
      yield* sql`update payment_session set payment_session_id = 'payment_01h40000000000000000000009',
        provider_session_id = 'cs_hidden_9' where payment_session_id = ${session.payment_session_id}`
      yield* deliverAndApply(event)
      for (let i = 0; i < 10; i++) {
        yield* TestClock.adjust("1 minute")
        yield* inbox.applyDue()
      }
      const given = yield* storedEvent(event.id)
      assert.deepStrictEqual([given.status, given.payload.includes("amount_total")], ["ignored", false])
      yield* sql`update payment_session set payment_session_id = ${session.payment_session_id},
        provider_session_id = ${session.provider_session_id} where payment_session_id = 'payment_01h40000000000000000000009'`
      assert.isTrue(yield* inbox.retry(event.id))
      yield* inbox.applyDue()
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      assert.strictEqual((yield* sessionRow(session.payment_session_id)).status, "paid")
    })
  )

  it.effect("that the provider does not answer for is tried again, for days while it is away, and then named", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const inbox = yield* WebhookInbox
      const provider = yield* ScriptedGateway
      const { booking, event } = yield* paidEvent
      const notice = { ...event, api_version: elsewhere }
      provider.outage = "away"
      yield* deliverAndApply(notice)
      for (let i = 0; i < maxAttempts + 5; i++) {
        yield* TestClock.adjust("6 minutes")
        yield* inbox.applyDue()
      }
      const waiting = yield* storedEvent(event.id)
      assert.deepStrictEqual([waiting.status, waiting.attempts > maxAttempts], ["received", true])
      assert.include(waiting.outcome ?? "", "does not answer")
      provider.outage = undefined
      yield* TestClock.adjust("6 minutes")
      yield* inbox.applyDue()
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)

      const gone = yield* paidEvent
      for (let i = 0; i < maxAttempts; i++) provider.injectFault("getSession", "account_closed")
      yield* deliverAndApply({ ...gone.event, api_version: elsewhere })
      for (let i = 0; i < maxAttempts; i++) {
        yield* TestClock.adjust("6 minutes")
        yield* inbox.applyDue()
      }
      assert.strictEqual((yield* storedEvent(gone.event.id)).status, "dead")
      assert.isTrue(yield* inbox.retry(gone.event.id))
      yield* inbox.applyDue()
      assert.strictEqual((yield* storedEvent(gone.event.id)).status, "applied")
    })
  )

  it.effect("asks nothing about sessions and accounts that are not ours", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const { booking, event } = yield* paidEvent
      const before = yield* callCount("getSession")
      const never = "payment_01h40000000000000000000003"
      const foreign = [
        { ...event, account: "acct_unknown" },
        withObject(event, { id: "cs_9", client_reference_id: "order 7", metadata: {} }),
        withObject(event, { id: "cs_9", client_reference_id: never, metadata: { payment_session_id: never } })
      ]
      for (const [i, one] of foreign.entries()) {
        yield* deliverAndApply({ ...one, api_version: elsewhere, id: `${event.id}_${i}` })
      }
      assert.strictEqual(yield* callCount("getSession"), before)
      const [rejected] = yield* deliverAndApply({
        ...event,
        api_version: elsewhere,
        account: otherVenue.operator.connected_account_id,
        id: `${event.id}_theirs`
      })
      assert.strictEqual(rejected?.status, "rejected")
      assert.strictEqual(yield* callCount("getSession"), before)
      assert.deepStrictEqual(yield* bookingState(booking), held)
    })
  )

  it.effect("of an invoice at another release has the invoice asked for", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const operators = yield* Operators
      const ends = Date.parse("2027-06-01") / 1000
      const invoice = { customer: "cus_2", subscription: "sub_1", period_ends: [ends] }
      provider.invoices.set("in_1", { ...invoice, id: "in_1", status: "paid" })
      provider.invoices.set("in_2", { ...invoice, id: "in_2", status: "open", period_ends: [ends + 86_400] })
      const event = (id: string) => ({
        id: `evt_${id}`,
        object: "event",
        type: "invoice.paid",
        livemode: false,
        api_version: elsewhere,
        created: 1_795_190_400,
        data: { object: { id, object: "invoice" } }
      })
      for (const id of ["in_1", "in_2"]) yield* deliverEvent("platform", event(id))
      yield* WebhookInbox.use((inbox) => inbox.applyDue())
      const { paid_through } = yield* operators.get(otherVenue.operator.operator_id)
      assert.strictEqual(paid_through, ends * 1000)
      assert.deepStrictEqual(
        [(yield* storedEvent("evt_in_1")).status, (yield* storedEvent("evt_in_2")).status],
        ["applied", "ignored"]
      )
    })
  )
})
