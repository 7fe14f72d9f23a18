import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
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
  expectedState,
  held,
  now,
  paidEvent,
  paymentWorld,
  sessionRow,
  storedEvent,
  withObject
} from "../../../support/PaymentWorld.ts"
import { recordingTracer } from "../../../support/recordedSpans.ts"
import { makeRefusedDeliveries } from "../../../../src/domain/payment/events/RefusedDeliveries.ts"
import { SignatureInvalid, SignatureStale } from "../../../../src/domain/payment/events/WebhookSignature.ts"
import { commandWorld, playroom } from "../../../support/CommandLine.ts"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { sessionEvent } from "../../../support/providerEvents.ts"
import { otherVenue } from "../../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

layer(paymentWorld())("the webhook inbox", (it) => {
  it.effect("stores a delivery once however often it comes, and applies it once", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const inbox = yield* WebhookInbox
      const { booking, event } = yield* paidEvent
      const answers = yield* Effect.all(
        Array.from({ length: 10 }, () => deliverEvent("connected", event)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ duplicate }) => !duplicate).length, 1)
      assert.strictEqual(yield* inbox.applyDue(), 1)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* deliverEvent("connected", event), { duplicate: true })
      assert.strictEqual(yield* inbox.applyDue(), 0)
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "paid", 12_000))
    })
  )

  it.effect("answers after one statement, and what is not ours by its envelope costs no other", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const inbox = yield* WebhookInbox
      const { event } = yield* paidEvent
      yield* inbox.applyDue()
      const { spans, statements, tracer } = recordingTracer()
      const foreign = { ...event, id: `${event.id}_foreign`, type: "charge.updated" }
      for (const one of [event, event, foreign]) {
        spans.length = 0
        yield* Effect.withTracer(deliverEvent("connected", one), tracer)
        assert.strictEqual(statements().length, 1, spans.map(({ name }) => name).join())
        assert.match(String(statements()[0]), /^\s*insert into webhook_event/)
        assert.isFalse(
          spans.some(({ name }) => name.includes("transaction")),
          spans.map(({ name }) => name).join()
        )
      }
      assert.strictEqual((yield* storedEvent(foreign.id)).status, "ignored")
      assert.strictEqual(yield* inbox.applyDue(), 1)
    })
  )

  it.effect("stores nothing of what it can't verify, and neither receiver takes the other's signature", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const inbox = yield* WebhookInbox
      const sql = yield* SqlClient.SqlClient
      const { event } = yield* paidEvent
      const body = new TextEncoder().encode(JSON.stringify(event))
      const count = Effect.map(sql`select 1 from webhook_event`, (rows) => rows.length)
      const before = yield* count
      const refusal = (signatures: ReadonlyArray<string>) =>
        Effect.map(Effect.flip(inbox.receive("connected", body, signatures)), ({ _tag }) => _tag)
      assert.strictEqual(yield* refusal([]), "SignatureMissing")
      assert.strictEqual(yield* refusal(["t=1,v1=abc"]), "SignatureInvalid")
      assert.strictEqual(yield* count, before)
      // Each receiver has its own secrets: what the platform's opens is a platform event.
      yield* deliverEvent("platform", event)
      yield* inbox.applyDue()
      const stored = yield* storedEvent(event.id)
      assert.deepStrictEqual([stored.receiver, stored.status], ["platform", "ignored"])
    })
  )

  it.effect(
    "sets a poison event aside after its tries, without holding up the others, and applies it when told to",
    () =>
      Effect.gen(function* () {
        yield* setClock(now)
        const inbox = yield* WebhookInbox
        const sql = yield* SqlClient.SqlClient
        const { booking, event, session } = yield* paidEvent
        const other = yield* paidEvent
        yield* sql`alter table booking_history add constraint poison check (booking_id <> ${sql.literal(`'${booking.booking_id}'`)}) not valid`
        yield* deliverEvent("connected", event)
        yield* deliverEvent("connected", other.event)
        yield* inbox.applyDue()
        assert.strictEqual((yield* bookingState(other.booking)).status, "confirmed")
        for (let i = 0; i < maxAttempts + 2; i++) {
          yield* TestClock.adjust("6 minutes")
          yield* inbox.applyDue()
        }
        const dead = yield* storedEvent(event.id)
        assert.deepStrictEqual([dead.status, dead.attempts], ["dead", maxAttempts])
        assert.include(dead.outcome ?? "", "poison")
        // Nothing of a failed try is left behind.
        assert.deepStrictEqual(yield* bookingState(booking), held)
        assert.strictEqual((yield* sessionRow(session.payment_session_id)).status, "open")
        yield* sql`alter table booking_history drop constraint poison`
        assert.isTrue(yield* inbox.retry(event.id))
        assert.isFalse(yield* inbox.retry("evt_unknown"))
        yield* inbox.applyDue()
        assert.strictEqual((yield* bookingState(booking)).status, "confirmed")
      })
  )

  it.effect("lets other statements in between transactions, however many events wait", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const inbox = yield* WebhookInbox
      const sql = yield* SqlClient.SqlClient
      yield* inbox.applyDue()
      const { event } = yield* paidEvent
      for (let i = 0; i < 60; i++) yield* deliverEvent("connected", { ...event, id: `evt_many_${i}` })
      const waiting = Effect.map(
        sql`select 1 from webhook_event where status = 'received' and event_id like 'evt_many%'`,
        (rows) => rows.length
      )
      const applying = yield* Effect.forkChild(inbox.applyDue())
      const seen: Array<number> = []
      while (seen.at(-1) !== 0) {
        seen.push(yield* waiting)
        yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
      }
      assert.strictEqual(yield* Fiber.join(applying), 60)
      assert.isAbove(new Set(seen).size, 2, seen.join())
    })
  )

  it.effect("applies a payment in one transaction of six statements, and no savepoint", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const inbox = yield* WebhookInbox
      yield* inbox.applyDue()
      const counts: Array<number> = []
      const seen: Array<string> = []
      for (let one = 0; one < 2; one++) {
        const { booking, event } = yield* paidEvent
        yield* deliverEvent("connected", event)
        const { spans, statements, tracer } = recordingTracer()
        yield* Effect.withTracer(inbox.applyStored(1), tracer)
        assert.strictEqual((yield* bookingState(booking)).status, "confirmed")
        const of = statements().map((text) => String(text).trim().replaceAll(/\s+/g, " ").slice(0, 40))
        counts.push(of.length)
        seen.push(...of)
        assert.strictEqual(spans.filter(({ name }) => name.includes("transaction")).length, 1)
      }
      // Every second time it looks first for events of others.
      assert.deepStrictEqual(counts.sort(), [6, 7], seen.join("\n"))
    })
  )

  it.effect("lets no backlog of others delay an event of a known session, and lets the others have their turns", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const inbox = yield* WebhookInbox
      const sql = yield* SqlClient.SqlClient
      yield* inbox.applyDue()
      const first = yield* paidEvent
      const never = "payment_01h40000000000000000000005"
      const stranger = withObject(first.event, { client_reference_id: never, metadata: {} })
      yield* deliverEvent("connected", { ...stranger, id: "evt_stranger" })
      yield* deliverEvent("connected", { ...stranger, id: "evt_asked", api_version: "2031-04-30.fern" })
      yield* sql`insert into webhook_event (event_id, receiver, type, account, livemode, api_version, payload, status,
          next_attempt_at, received_at, queue)
        select event_id || '_' || n, receiver, type, account, livemode, api_version, payload, status,
          received_at - interval '1 hour', received_at, queue
        from webhook_event, generate_series(1, 10000) n where event_id in ('evt_stranger', 'evt_asked')`
      yield* deliverEvent("connected", first.event)
      yield* inbox.applyStored(2)
      assert.strictEqual((yield* bookingState(first.booking)).status, "confirmed")
      const many = yield* Effect.forEach(Array.from({ length: 40 }), () => paidEvent)
      for (const { event } of many) yield* deliverEvent("connected", event)
      const waiting = Effect.map(
        sql`select 1 from webhook_event where event_id like 'evt_stranger%' and attempts = 0`,
        (rows) => rows.length
      )
      const before = yield* waiting
      // A claim of known ones, and the turns of the others around it.
      yield* inbox.applyStored(34)
      assert.oneOf(before - (yield* waiting), [1, 2])
      yield* sql`delete from webhook_event where event_id like 'evt_stranger%' or event_id like 'evt_asked%'`
      yield* inbox.applyDue()
      for (const { booking } of many) assert.strictEqual((yield* bookingState(booking)).status, "confirmed")
    })
  )

  it.effect("does not queue what names no session of ours: it is told by itself, and costs nothing more", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const inbox = yield* WebhookInbox
      yield* inbox.applyDue()
      const { event } = yield* paidEvent
      const foreign = withObject(event, { id: "cs_foreign", metadata: {}, client_reference_id: "order 7" })
      yield* deliverEvent("connected", { ...foreign, id: `${event.id}_order` })
      assert.strictEqual((yield* storedEvent(`${event.id}_order`)).status, "ignored")
      assert.strictEqual(yield* inbox.applyDue(), 0)
    })
  )
})

const doctorSays = Effect.map(playroom("doctor"), ({ failure, out }) => (failure === undefined ? "" : out))
const times = (n: number, refused: Effect.Effect<void>) => Effect.repeat(refused, { times: n - 1 })

layer(commandWorld)("deliveries that a receiver refuses", (it) => {
  it.effect("are over with the next one that is taken, if the database was too busy to note the first", () =>
    Effect.gen(function* () {
      const deliveries = yield* makeRefusedDeliveries
      yield* times(5, deliveries.refused("platform", new SignatureStale({ seconds_ahead: 312 })))
      assert.include(yield* doctorSays, "deliveries refused  platform")
      const sql = yield* SqlClient.SqlClient
      yield* sql`alter table refused_delivery rename to refused_delivery_away`
      yield* deliveries.accepted("platform")
      yield* sql`alter table refused_delivery_away rename to refused_delivery`
      assert.include(yield* doctorSays, "deliveries refused  platform")
      yield* deliveries.accepted("platform")
      assert.strictEqual(yield* doctorSays, "")
    })
  )

  it.effect("are told after five in a row, with the receiver, since when and why, until one is taken", () =>
    Effect.gen(function* () {
      const deliveries = yield* makeRefusedDeliveries
      const stale = deliveries.refused("connected", new SignatureStale({ seconds_ahead: -361 }))
      yield* times(4, stale)
      assert.strictEqual(yield* doctorSays, "")
      const since = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 19).replace("T", " ")
      yield* stale
      const said = yield* doctorSays
      assert.include(said, "deliveries refused  connected")
      assert.include(said, "/api/PaymentWebhook/HandleConnected")
      assert.include(said, `since ${since}Z`)
      assert.include(said, "they are the provider's, and were signed 361 seconds before this machine's time")
      assert.include(said, "time server")
      // Of the other receiver.
      yield* deliveries.accepted("platform")
      assert.include(yield* doctorSays, "deliveries refused  connected")
      yield* deliveries.accepted("connected")
      assert.strictEqual(yield* doctorSays, "")
    })
  )

  it.effect("without a valid signature may be anybody's: they are told so, and are stored seldom", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const deliveries = yield* makeRefusedDeliveries
      const invalid = deliveries.refused("platform", new SignatureInvalid())
      yield* times(1000, invalid)
      const [{ count } = { count: 0 }] = yield* sql<{ count: number }>`select count from refused_delivery`
      assert.isAtMost(count, 6)
      yield* TestClock.adjust("11 seconds")
      yield* invalid
      const said = yield* doctorSays
      assert.include(said, "1001 deliveries in a row")
      assert.include(said, "Either somebody else posts there, which does no harm, or the secret is not the endpoint's")
      assert.notInclude(said, "they are the provider's")
      yield* deliveries.accepted("platform")
      assert.strictEqual(yield* doctorSays, "")
    })
  )
})

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

layer(paymentWorld())("an event that another node received, applied where the clock has been set back since", (it) => {
  it.effect("dates what it pays by its own time", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const { event, session } = yield* paidEvent
      const created = Math.floor((yield* Clock.currentTimeMillis) / 1000) + 47
      yield* deliverAndApply({ ...event, created })
      assert.strictEqual((yield* sessionRow(session.payment_session_id)).paid_at, created * 1000)
    })
  )
})
