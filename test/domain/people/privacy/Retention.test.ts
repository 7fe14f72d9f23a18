import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { removeExpired } from "../../../../src/domain/people/privacy/Retention.ts"
import { Checkout } from "../../../../src/domain/payment/checkout/Checkout.ts"
import { EventRecords } from "../../../../src/domain/payment/events/EventRecords.ts"
import { WebhookInbox } from "../../../../src/domain/payment/events/WebhookInbox.ts"
import { principal, setClock } from "../../../support/BookingWorld.ts"
import {
  actAtProvider,
  createBooking,
  deleteBookings,
  deliverAndApply,
  deliverEvent,
  now,
  openSession,
  paymentWorld
} from "../../../support/PaymentWorld.ts"
import { sessionEvent } from "../../../support/providerEvents.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

layer(paymentWorld())("retention", (it) => {
  it.effect("removes events after 90 days, but none that waits or needs a person", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      yield* deleteBookings
      const sql = yield* SqlClient.SqlClient
      const inbox = yield* WebhookInbox
      const records = yield* EventRecords
      const session = yield* openSession(yield* createBooking())
      const event = sessionEvent("checkout.session.completed", yield* actAtProvider(session, "pay"))
      yield* deliverAndApply(event, { ...event, id: "evt_ignored", livemode: true })
      for (const status of ["received", "rejected", "dead"]) {
        yield* deliverEvent("connected", { ...event, id: `evt_${status}` })
        yield* sql`update webhook_event set status = ${status} where event_id = ${`evt_${status}`}`
      }
      yield* TestClock.adjust("89 days")
      assert.strictEqual((yield* removeExpired).events, 0)
      yield* deliverEvent("connected", { ...event, id: "evt_young" })
      yield* inbox.applyDue()
      yield* TestClock.adjust("2 days")
      // The one that waited was applied meanwhile, and is as old as the others.
      assert.strictEqual((yield* removeExpired).events, 3)
      assert.isTrue(Option.isNone(yield* records.show(event.id)))
      for (const id of ["evt_rejected", "evt_dead", "evt_young"]) assert.isTrue(Option.isSome(yield* records.show(id)))
    })
  )

  it.effect("remembers idempotency keys for more than a day, and forgets them after two", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      yield* deleteBookings
      const payments = yield* Checkout
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking()
      const call = { booking_id: booking.booking_id, idempotency_key: "once" }
      const first = yield* payments.createSession(principal("key_a"), call)
      provider.act([...provider.sessions.keys()].at(-1) ?? "", "expire")
      yield* TestClock.adjust("25 hours")
      assert.strictEqual((yield* removeExpired).keys, 0)
      const again = yield* payments.createSession(principal("key_a"), call)
      assert.strictEqual(again.payment_session_id, first.payment_session_id)
      yield* TestClock.adjust("24 hours")
      assert.strictEqual((yield* removeExpired).keys, 2)
    })
  )

  it.effect("removes the other old rows if some can't be removed", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from idempotency`
      yield* sql`insert into idempotency (key_id, operation, idempotency_key, fingerprint, result_id, created_at)
        values ('key_a', 'create_booking', 'old', decode(repeat('00', 32), 'hex'), 'booking_x', ${new Date(0)})`
      yield* sql`alter table webhook_event rename to webhook_event_away`
      const removed = yield* Effect.ensuring(
        removeExpired,
        Effect.orDie(sql`alter table webhook_event_away rename to webhook_event`)
      )
      assert.deepInclude(removed, { events: 0, keys: 1 })
    })
  )

  it.effect("removes thousands in small steps, also where two nodes are at it", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      yield* deleteBookings
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into webhook_event (event_id, receiver, type, livemode, payload, status, next_attempt_at, received_at)
        select 'evt_' || n, 'connected', 'charge.updated', false, '{}', 'ignored', ${new Date(0)}, ${new Date(0)}
        from generate_series(1, 1700) n`
      const removed = yield* Effect.all([removeExpired, removeExpired], { concurrency: "unbounded" })
      assert.strictEqual(removed[0].events + removed[1].events, 1700)
    })
  )
})
