import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Ref } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { BookingRecords } from "../../../../src/domain/booking/BookingRecords.ts"
import { FaultPoint, type FaultPointName } from "../../../../src/platform/concurrency/FaultPoint.ts"
import { WebhookInbox } from "../../../../src/domain/payment/events/WebhookInbox.ts"
import {
  bookingState,
  confirmed,
  deliverEvent,
  held,
  historyOf,
  paymentWorld,
  startAnew,
  storedEvent
} from "../../../support/PaymentWorld.ts"
import { paidEvent } from "../../../support/paidEvent.ts"
import { serverUrl } from "../../../support/TestDatabase.ts"

/** Delivers the events, a millisecond apart. */
const deliver = (events: ReadonlyArray<{ readonly id: string }>) =>
  Effect.forEach(events, (event) => Effect.andThen(TestClock.adjust("1 millis"), deliverEvent("connected", event)), {
    discard: true
  })

layer(paymentWorld())("events that wait", (it) => {
  // The embedded database has one connection, so that nobody else can hold a lock.
  it.effect.skipIf(serverUrl === undefined)(
    "go on in another fiber while one waits for a booking that somebody else has locked",
    () =>
      Effect.gen(function* () {
        yield* startAnew
        const inbox = yield* WebhookInbox
        const records = yield* BookingRecords
        const sql = yield* SqlClient.SqlClient
        const all = yield* Effect.forEach(Array.from({ length: 4 }), () => paidEvent)
        yield* deliver(all.map(({ event }) => event))
        const others = all.slice(1)
        const locked = yield* Deferred.make<void>()
        const release = yield* Deferred.make<void>()
        const holder = yield* records
          .lock(all[0]?.booking.booking_id ?? "")
          .pipe(
            Effect.andThen(Deferred.succeed(locked, undefined)),
            Effect.andThen(Deferred.await(release)),
            sql.withTransaction,
            Effect.forkChild
          )
        yield* Deferred.await(locked)
        const applying = yield* Effect.forkChild(
          Effect.all([inbox.applyStored(), inbox.applyStored()], { concurrency: "unbounded" })
        )
        const confirmedOthers = Effect.map(
          Effect.forEach(others, ({ booking }) => bookingState(booking)),
          (states) => states.every(({ status }) => status === "confirmed")
        )
        while (!(yield* confirmedOthers)) yield* Effect.yieldNow
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        yield* Fiber.join(applying)
        for (const { booking } of all) assert.strictEqual((yield* bookingState(booking)).status, "confirmed")
      })
  )

  const points = [
    "session fact applied, not committed",
    "event applied, not marked",
    "event marked, not committed"
  ] satisfies ReadonlyArray<FaultPointName>
  for (const point of points) {
    it.effect(`are all applied, each once, after the process dies at "${point}" or the attempt fails there`, () =>
      Effect.gen(function* () {
        yield* startAnew
        const inbox = yield* WebhookInbox
        const all = yield* Effect.forEach(Array.from({ length: 5 }), () => paidEvent)
        yield* deliver(all.map(({ event }) => event))
        const states = Effect.forEach(all, ({ booking }) => bookingState(booking))
        const failing = (failure: Effect.Effect<never>) =>
          Effect.gen(function* () {
            const left = yield* Ref.make(1)
            return (name: FaultPointName) =>
              name !== point
                ? Effect.void
                : Effect.flatMap(
                    Ref.getAndUpdate(left, (n) => n - 1),
                    (n) => (n > 0 ? failure : Effect.void)
                  )
          })
        yield* inbox.applyStored().pipe(Effect.provideServiceEffect(FaultPoint, failing(Effect.interrupt)), Effect.exit)
        assert.deepStrictEqual(
          yield* states,
          all.map(() => held)
        )
        yield* Effect.provideServiceEffect(inbox.applyStored(), FaultPoint, failing(Effect.die(new Error("broken"))))
        // An event that was claimed alone failed by itself, and is tried again later.
        yield* TestClock.adjust("1 minute")
        yield* inbox.applyStored()
        assert.deepStrictEqual(
          yield* states,
          all.map(() => confirmed)
        )
        for (const { booking, event } of all) {
          assert.strictEqual((yield* historyOf(booking)).filter((line) => line === "paid").length, 1)
          assert.strictEqual((yield* storedEvent(event.id)).status, "applied")
        }
      })
    )
  }
})
