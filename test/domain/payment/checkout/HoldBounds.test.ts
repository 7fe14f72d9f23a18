import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { maxPages } from "../../../../src/domain/payment/sessions/PaymentSession.ts"
import { Reconciliation } from "../../../../src/domain/payment/workers/Reconciliation.ts"
import { hourMs } from "../../../../src/platform/time/LocalTime.ts"
import { importVenue, setClock } from "../../../support/BookingWorld.ts"
import {
  actAndDeliver,
  bookingState,
  createBooking,
  deliverAndApply,
  now,
  openSession,
  paymentWorld
} from "../../../support/PaymentWorld.ts"
import { sessionEvent } from "../../../support/providerEvents.ts"
import { packages, venue } from "../../../support/paymentVenues.ts"
import { providerId, ScriptedGateway } from "../../../support/ScriptedGateway.ts"

const runDue = Reconciliation.use((reconciliation) => reconciliation.runDue)
const holdEnd = (booking: { readonly booking_id: string }) =>
  Effect.map(
    Bookings.use((bookings) => bookings.get(booking.booking_id)),
    ({ hold_expires_at }) => hold_expires_at ?? 0
  )

layer(paymentWorld())("a hold", (it) => {
  it.effect("ends with the last of its three pages, however eagerly new ones are asked for", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const booking = yield* createBooking()
      for (let page = 1; page <= maxPages; page++) {
        const session = yield* openSession(booking)
        assert.strictEqual((yield* bookingState(booking)).status, "held")
        // The page closes by itself, and the event comes at once.
        yield* TestClock.adjust("33 minutes")
        yield* actAndDeliver(session, "expire")
      }
      assert.strictEqual((yield* Effect.flip(openSession(booking)))._tag, "HoldExpired")
      yield* runDue
      const { places, status } = yield* bookingState(booking)
      assert.deepStrictEqual([status, places], ["expired", false])
    })
  )

  it.effect("gets no fresh time from a delayed payment that fails on its last page", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking()
      for (let page = 1; page <= maxPages; page++) {
        const id = providerId(yield* openSession(booking))
        yield* deliverAndApply(sessionEvent("checkout.session.completed", provider.act(id, "pay_later")))
        yield* TestClock.adjust("2 days")
        yield* deliverAndApply(sessionEvent("checkout.session.async_payment_failed", provider.act(id, "late_failure")))
        yield* runDue
        const { payment_status, status } = yield* bookingState(booking)
        assert.deepStrictEqual([status, payment_status], [page < maxPages ? "held" : "expired", "failed"])
      }
    })
  )

  it.effect("that a waiting list made for hours is no shorter by a payment that fails", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const booking = yield* createBooking()
      const told = Date.parse(now) + 12 * hourMs
      const sql = yield* SqlClient.SqlClient
      yield* sql`update booking set hold_expires_at = ${new Date(told)} where booking_id = ${booking.booking_id}`
      const session = yield* openSession(booking)
      yield* actAndDeliver(session, "pay_later")
      yield* TestClock.adjust("1 hour")
      yield* actAndDeliver(session, "late_failure")
      assert.deepInclude(yield* bookingState(booking), { status: "held", payment_status: "failed" })
      assert.strictEqual(yield* holdEnd(booking), told)
    })
  )

  it.effect("that has used its pages is confirmed all the same by money on any of them", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking()
      let last = ""
      for (let page = 1; page <= maxPages; page++) {
        last = providerId(yield* openSession(booking))
        if (page < maxPages) {
          yield* deliverAndApply(sessionEvent("checkout.session.expired", provider.act(last, "expire")))
        }
      }
      yield* deliverAndApply(sessionEvent("checkout.session.completed", provider.act(last, "pay")))
      assert.strictEqual((yield* bookingState(booking)).status, "confirmed")
    })
  )

  it.effect("never outlives the start of its visit, with a page or without", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      yield* importVenue({ ...venue, playroom: { ...venue.playroom, lead_time_minutes: 0 } })
      yield* setClock("2026-12-24T09:50:00Z")
      const next = yield* createBooking(packages.party, { date: "2026-12-24" })
      assert.strictEqual(next.starts_at, Date.parse("2026-12-24T10:00:00Z"))
      assert.strictEqual(yield* holdEnd(next), next.starts_at)
      const page = yield* openSession(next)
      assert.strictEqual(yield* holdEnd(next), next.starts_at)
      assert.isAbove(page.expires_at, next.starts_at)
      yield* TestClock.setTime(next.starts_at)
      yield* runDue
      assert.strictEqual((yield* bookingState(next)).status, "expired")
      assert.strictEqual(provider.sessionOf(page).status, "expired")
    })
  )

  it.effect("is kept alive for two hours at most by asking a provider that gives no page", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking()
      provider.outage = "away"
      let minutes = 0
      for (; minutes < 300; minutes++) {
        const error = yield* Effect.flip(openSession(booking))
        if (error._tag === "HoldExpired") break
        yield* TestClock.adjust("1 minute")
      }
      provider.outage = undefined
      assert.isAtLeast(minutes, 15)
      assert.isAtMost(minutes, 121)
    })
  )
})
