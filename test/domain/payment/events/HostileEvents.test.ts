import { assert, layer } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { WebhookInbox } from "../../../../src/domain/payment/events/WebhookInbox.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import {
  bookingState,
  confirmed,
  deliverAndApply,
  deliverEvent,
  held,
  now,
  paymentWorld,
  storedEvent,
  paidEvent,
  withObject
} from "../../../support/PaymentWorld.ts"
import { invoiceLines } from "../../../support/stripeAnswers.ts"

const nul = "a\u0000b"
const half = "a\ud800b"

layer(paymentWorld())("an event that the database can't hold", (it) => {
  it.effect("in its object is settled with an outcome that can be read, and the ones behind it go on", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const inbox = yield* WebhookInbox
      for (const text of [nul, half, "a\u001b[2Jb\nc", "x".repeat(100_000)]) {
        for (const field of ["payment_status", "currency", "status", "id", "payment_intent"]) {
          const { booking, event } = yield* paidEvent
          const behind = yield* paidEvent
          yield* deliverEvent("connected", withObject(event, { [field]: text }))
          yield* deliverEvent("connected", behind.event)
          yield* inbox.applyDue()
          const { outcome, status } = yield* storedEvent(event.id)
          const about = `${field} ${JSON.stringify(text.slice(0, 20))}: ${outcome}`
          // A status beside `completed` says nothing: whatever it is, the payment counts.
          if (field !== "status") {
            assert.include(["ignored", "rejected"], status, about)
            assert.deepStrictEqual(yield* bookingState(booking), held, about)
          }
          assert.match(outcome ?? "", /^[^\p{Cc}\p{Cs}]{1,500}$/u, about)
          assert.deepStrictEqual(yield* bookingState(behind.booking), confirmed, about)
        }
      }
    })
  )

  it.effect("in its envelope is refused as malformed", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const { event } = yield* paidEvent
      for (const text of [nul, half, "", "x".repeat(300)]) {
        for (const field of ["id", "type", "account", "api_version"]) {
          const refused = yield* Effect.flip(deliverEvent("connected", { ...event, [field]: text }))
          assert.strictEqual(refused._tag, "EventMalformed", `${field} ${JSON.stringify(text.slice(0, 20))}`)
        }
      }
    })
  )

  it.effect("of an invoice is ignored: no customer, no subscription, no instant of it reaches the database", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const { booking, event } = yield* paidEvent
      const { account: _, ...platform } = event
      const invoice = {
        status: "paid",
        customer: "cus_2",
        subscription: "sub_1",
        lines: invoiceLines(1_800_000_000)
      }
      const wrong = [{ customer: nul }, { subscription: half }, { lines: invoiceLines(1e17) }]
      for (const [i, one] of wrong.entries()) {
        const object = { id: "in_1", object: "invoice", ...invoice, ...one }
        yield* deliverEvent("platform", { ...platform, id: `evt_invoice_${i}`, type: "invoice.paid", data: { object } })
      }
      yield* deliverAndApply(event)
      for (const i of wrong.keys()) assert.strictEqual((yield* storedEvent(`evt_invoice_${i}`)).status, "ignored")
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
    })
  )

  it.effect("when its mark is refused makes way for the ones behind it, and is tried again", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const inbox = yield* WebhookInbox
      const sql = yield* SqlClient.SqlClient
      const { booking, event } = yield* paidEvent
      const behind = yield* paidEvent
      yield* deliverEvent("connected", event)
      yield* deliverEvent("connected", behind.event)
      // Whatever is to be written about it is refused, but for that nothing can be.
      yield* sql`alter table webhook_event add constraint mute check (event_id <> ${sql.literal(`'${event.id}'`)}
        or outcome is null or outcome like 'it could not be applied%') not valid`
      yield* inbox.applyDue()
      assert.deepStrictEqual(yield* bookingState(booking), held)
      assert.deepStrictEqual(yield* bookingState(behind.booking), confirmed)
      const aside = yield* storedEvent(event.id)
      assert.deepStrictEqual([aside.status, aside.attempts], ["received", 1])
      assert.isAbove(aside.next_attempt_at, Date.parse(now))
      yield* sql`alter table webhook_event drop constraint mute`
      yield* inbox.retry(event.id)
      yield* inbox.applyDue()
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
    })
  )

  it.effect("of an operator's own customers leaves their names and addresses nowhere", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const inbox = yield* WebhookInbox
      const sql = yield* SqlClient.SqlClient
      const { event } = yield* paidEvent
      const person = {
        customer_email: "josé@exämple.es",
        customer_details: { name: "José Núñez", email: "josé@exämple.es", phone: "+34600000000" }
      }
      const theirs = {
        id: "cs_theirs",
        client_reference_id: "order 7",
        metadata: { order: "for José Núñez" },
        ...person
      }
      const never = "payment_01h40000000000000000000004"
      const lines: Array<string> = []
      const listening = Logger.layer([
        Logger.make(({ cause, message }) => void lines.push(JSON.stringify([message, cause])))
      ])
      yield* Effect.gen(function* () {
        yield* deliverEvent("connected", { ...withObject(event, theirs), id: "evt_theirs_1" })
        yield* deliverEvent("connected", { ...withObject(event, person), id: "evt_theirs_2", type: "charge.updated" })
        yield* deliverEvent("connected", { ...withObject(event, person), id: "evt_theirs_3", account: "acct_theirs" })
        yield* deliverEvent("connected", {
          ...withObject(event, { ...theirs, client_reference_id: never }),
          id: "evt_theirs_4"
        })
        yield* inbox.applyDue()
        yield* sql`update webhook_event set attempts = 100, next_attempt_at = received_at where status = 'received'`
        yield* inbox.applyDue()
      }).pipe(Effect.provide(listening))
      const rows = yield* sql<{
        readonly status: string
        readonly all: string
      }>`select status, row_to_json(webhook_event)::text as all from webhook_event where event_id like 'evt_theirs%'`
      assert.deepStrictEqual(
        rows.map(({ status }) => status),
        ["ignored", "ignored", "ignored", "ignored"]
      )
      assert.notMatch(rows.map(({ all }) => all).join() + lines.join(), /jos|núñez|34600|order/i)
      const kept: unknown = JSON.parse((yield* storedEvent("evt_theirs_1")).payload)
      assert.deepInclude(kept, {
        id: "evt_theirs_1",
        data: {
          object: { id: "cs_theirs", object: "checkout.session", payment_intent: event.data.object.payment_intent }
        }
      })
    })
  )
})
