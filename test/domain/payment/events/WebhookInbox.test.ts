import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { maxAttempts, WebhookInbox } from "../../../../src/domain/payment/events/WebhookInbox.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import {
  bookingState,
  deliverEvent,
  expectedState,
  held,
  now,
  paymentWorld,
  sessionRow,
  storedEvent,
  paidEvent,
  withObject
} from "../../../support/PaymentWorld.ts"
import { recordingTracer } from "../../../support/recordedSpans.ts"

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

  it.effect("applies each event once where several nodes apply at the same time", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const inbox = yield* WebhookInbox
      const all = yield* Effect.forEach(Array.from({ length: 8 }), () => paidEvent)
      for (const { event } of all) yield* deliverEvent("connected", event)
      const tried = yield* Effect.all(
        Array.from({ length: 4 }, () => inbox.applyDue()),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(
        tried.reduce((total, count) => total + count, 0),
        8
      )
      for (const { booking } of all) assert.strictEqual((yield* bookingState(booking)).paid, 12_000)
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
      const { booking, event } = yield* paidEvent
      yield* deliverEvent("connected", event)
      const { spans, statements, tracer } = recordingTracer()
      yield* Effect.withTracer(inbox.applyStored(1), tracer)
      assert.strictEqual((yield* bookingState(booking)).status, "confirmed")
      const of = statements().map((text) => String(text).trim().replaceAll(/\s+/g, " ").slice(0, 40))
      assert.strictEqual(of.length, 6, of.join("\n"))
      assert.strictEqual(spans.filter(({ name }) => name.includes("transaction")).length, 1)
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
