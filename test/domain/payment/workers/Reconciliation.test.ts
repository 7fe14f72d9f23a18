import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { PaymentSessions } from "../../../../src/domain/payment/sessions/PaymentSessions.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import {
  actAtProvider,
  bookingState,
  bookingWithSession,
  cancelBooking,
  confirmed,
  createBooking,
  expectedState,
  historyOf,
  now,
  openSession,
  paymentWorld,
  reconcile,
  reconcileAfter,
  sessionRow
} from "../../../support/PaymentWorld.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

layer(paymentWorld())("reconciliation", (it) => {
  it.effect("releases a hold without a page when its time is up, and not before", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const booking = yield* createBooking()
      yield* reconcileAfter("899 seconds")
      assert.strictEqual((yield* bookingState(booking)).status, "held")
      yield* reconcileAfter("1 second")
      assert.deepStrictEqual(
        [(yield* bookingState(booking)).status, (yield* bookingState(booking)).places],
        ["expired", false]
      )
      assert.deepStrictEqual(yield* historyOf(booking), ["held", "hold_expired"])
    })
  )

  it.effect("has the page closed at the provider before it releases the places", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* bookingWithSession()
      yield* reconcileAfter("37 minutes")
      assert.strictEqual(provider.sessionOf(session).status, "expired")
      assert.strictEqual((yield* bookingState(booking)).status, "expired")
      assert.deepStrictEqual(yield* historyOf(booking), [
        "held",
        "payment_session_created",
        "payment_session_expired",
        "hold_expired"
      ])
    })
  )

  it.effect("keeps the places where the payer was faster, at once or with a delayed method", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const fast = yield* createBooking()
      yield* actAtProvider(yield* openSession(fast), "pay")
      const slow = yield* createBooking()
      const delayed = yield* openSession(slow)
      yield* actAtProvider(delayed, "pay_later")
      yield* reconcileAfter("38 minutes")
      assert.deepStrictEqual(yield* bookingState(fast), confirmed)
      assert.deepStrictEqual(yield* bookingState(slow), expectedState("held", "processing"))
      // The event of the failure is lost: asking finds it, and the hold ends after its fresh time.
      yield* actAtProvider(delayed, "late_failure")
      yield* reconcileAfter("11 minutes")
      assert.strictEqual((yield* bookingState(slow)).payment_status, "failed")
      assert.strictEqual((yield* bookingState(slow)).status, "held")
      yield* reconcileAfter("15 minutes")
      assert.strictEqual((yield* bookingState(slow)).status, "expired")
    })
  )

  it.effect(
    "ends a hold at its page's expiry and five minutes while the provider is away, and learns of the payment later",
    () =>
      Effect.gen(function* () {
        const provider = yield* ScriptedGateway
        const { booking, session } = yield* bookingWithSession()
        yield* actAtProvider(session, "pay")
        provider.outage = "away"
        yield* reconcileAfter("36 minutes")
        assert.strictEqual((yield* bookingState(booking)).status, "held")
        yield* reconcileAfter("1 minute")
        assert.strictEqual((yield* bookingState(booking)).status, "expired")
        provider.outage = undefined
        yield* reconcileAfter("2 minutes")
        assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      })
  )

  it.effect(
    "names the pages that an operator's lost account does not answer for, until it does or a person has looked",
    () =>
      Effect.gen(function* () {
        yield* setClock(now)
        const provider = yield* ScriptedGateway
        const sessions = yield* PaymentSessions
        const unanswered = Effect.map(Effect.flatMap(Clock.currentTimeMillis, sessions.unanswered), (rows) =>
          rows.map(({ payment_session_id }) => payment_session_id)
        )
        const paid = yield* openSession(yield* createBooking())
        const unpaid = yield* openSession(yield* createBooking())
        yield* actAtProvider(paid, "pay")
        yield* TestClock.adjust("37 minutes")
        provider.injectFault("expireSession", "account_closed")
        provider.injectFault("expireSession", "account_closed")
        yield* reconcile
        for (const { booking_id } of [paid, unpaid]) {
          const booking = yield* Bookings.use((bookings) => bookings.get(booking_id))
          assert.strictEqual(booking.status, "expired")
        }
        assert.deepStrictEqual(yield* unanswered, [])
        yield* TestClock.adjust("1 hour")
        provider.injectFault("getSession", "account_closed")
        provider.injectFault("getSession", "account_closed")
        yield* reconcile
        assert.sameMembers(yield* unanswered, [paid.payment_session_id, unpaid.payment_session_id])

        assert.isTrue(yield* sessions.markAccountedFor(unpaid.payment_session_id, yield* Clock.currentTimeMillis))
        assert.isFalse(yield* sessions.markAccountedFor(unpaid.payment_session_id, yield* Clock.currentTimeMillis))
        assert.deepStrictEqual(yield* unanswered, [paid.payment_session_id])
        yield* reconcileAfter("2 minutes")
        assert.deepStrictEqual(yield* unanswered, [])
        assert.strictEqual((yield* sessionRow(paid.payment_session_id)).status, "paid")
        assert.strictEqual((yield* sessionRow(unpaid.payment_session_id)).status, "expired")
      })
  )

  it.effect(
    "finishes a creation that was never answered, and gives it up where nobody needs it or its time is over",
    () =>
      Effect.gen(function* () {
        yield* setClock(now)
        const provider = yield* ScriptedGateway
        const sessions = yield* PaymentSessions
        const statusOf = (booking: { readonly booking_id: string }) =>
          Effect.map(
            Effect.flatMap(
              SqlClient.SqlClient,
              (sql) =>
                sql<{ status: string }>`select status from payment_session where booking_id = ${booking.booking_id}`
            ),
            (rows) => rows.map(({ status }) => status)
          )
        const wanted = yield* createBooking()
        const unwanted = yield* createBooking()
        for (const booking of [wanted, unwanted]) {
          provider.injectFault("createSession", "unanswered")
          yield* Effect.flip(openSession(booking))
        }
        yield* cancelBooking(unwanted)
        const pages = provider.sessions.size
        yield* reconcileAfter("70 seconds")
        assert.deepStrictEqual([yield* statusOf(wanted), yield* statusOf(unwanted)], [["open"], ["failed"]])
        assert.strictEqual(provider.sessions.size, pages)
        assert.isTrue(Option.isSome(yield* sessions.live(wanted.booking_id, "due_now")))

        const late = yield* createBooking()
        provider.injectFault("createSession", "away")
        yield* Effect.flip(openSession(late))
        const calls = provider.calls.length
        yield* reconcileAfter("40 minutes")
        assert.deepStrictEqual(yield* statusOf(late), ["failed"])
        assert.isFalse(provider.calls.slice(calls).some(({ operation }) => operation === "createSession"))
      })
  )
})
