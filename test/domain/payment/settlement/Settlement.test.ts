import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { makeAccounts } from "../../../../src/domain/payment/accounts/Accounts.ts"
import { ProviderHealth } from "../../../../src/domain/payment/provider/ProviderHealth.ts"
import { monotonicMs } from "../../../../src/platform/time/Elapsed.ts"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import {
  actAndDeliver,
  actAtProvider,
  bookingState,
  bookingWithSession,
  cancelBooking,
  confirmed,
  createBooking,
  dateOf,
  deliverAndApply,
  expectedState,
  expired,
  historyOf,
  now,
  openSession,
  paymentWorld,
  reconcile,
  reconcileAfter,
  refundsOf,
  runProviderTasks
} from "../../../support/PaymentWorld.ts"
import { Settlement } from "../../../../src/domain/payment/settlement/Settlement.ts"
import { sessionEvent } from "../../../support/providerEvents.ts"
import { packages } from "../../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

const Times = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ at: Schema.Date })))
const countedAt = <E, R>(query: Effect.Effect<unknown, E, R>) => Effect.flatMap(query, Times)

/** A booking whose hold ended while its page was open and the provider could not be asked. */
const expiredBooking = Effect.gen(function* () {
  const provider = yield* ScriptedGateway
  const { booking, session } = yield* bookingWithSession()
  yield* TestClock.adjust("38 minutes")
  provider.outage = "away"
  yield* reconcile
  provider.outage = undefined
  assert.deepStrictEqual(yield* bookingState(booking), expired)
  return { booking, session }
})

// A world of its own: the clocks of other tests are set back, and with them the provider's.
layer(paymentWorld())("when the provider says it", (it) => {
  it.effect(
    "a payment and its refund are of the provider's time, in its month, on a machine whose clock is twenty minutes behind",
    () =>
      Effect.gen(function* () {
        const { observeDate } = yield* ProviderHealth
        const provider = yield* ScriptedGateway
        const sql = yield* SqlClient.SqlClient
        for (const excess of [0, 1000]) {
          const { booking, session } = yield* bookingWithSession()
          const here = yield* Clock.currentTimeMillis
          const there = here + 20 * 60_000
          const answer = { sent_at: here, received_at: here, received_monotonic: yield* monotonicMs }
          const seen = (date: number) => observeDate({ ...answer, date: new Date(date).toUTCString() })
          seen(there)
          yield* Effect.gen(function* () {
            if (excess === 0) yield* actAndDeliver(session, "pay")
            else {
              // More than was asked for came: a person takes it, and the rest goes back.
              yield* actAtProvider(session, "pay")
              provider.sessionOf(session).amount_total += excess
              yield* deliverAndApply(sessionEvent("checkout.session.completed", provider.sessionOf(session)))
              yield* Settlement.use((settlement) => settlement.decide(session.payment_session_id, "take", "Sam"))
            }
            yield* cancelBooking(booking)
            yield* runProviderTasks
          }).pipe(Effect.ensuring(Effect.sync(() => seen(here))))
          const times = yield* countedAt(sql`select paid_at as at from payment_session
            where booking_id = ${booking.booking_id} union all
            select succeeded_at from refund where booking_id = ${booking.booking_id}`)
          assert.lengthOf(times, excess === 0 ? 2 : 3)
          for (const { at } of times) assert.isAtMost(Math.abs(at.getTime() - there), 1000)
        }
      })
  )
})

layer(paymentWorld())("what the provider says", (it) => {
  it.effect("a page that is done for nothing, by the venue's discount, is no payment of the month", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      yield* actAndDeliver(session, "free")
      assert.deepStrictEqual(yield* bookingState(booking), { ...confirmed, paid: 0 })
      const { lines } = yield* makeAccounts
      const all = yield* lines({ from: 0, until: (yield* Clock.currentTimeMillis) + 1, limit: 1000 })
      assert.deepStrictEqual(
        all.filter(({ booking_id }) => booking_id === booking.booking_id),
        []
      )
      yield* cancelBooking(booking)
    })
  )

  it.effect("a delayed payment keeps the hold until it succeeds", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      yield* actAndDeliver(session, "pay_later")
      yield* reconcileAfter("3 days")
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("held", "processing"))
      yield* actAndDeliver(session, "late_success")
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      assert.deepStrictEqual(yield* historyOf(booking), [
        "held",
        "payment_session_created",
        "payment_processing",
        "paid"
      ])
    })
  )

  it.effect("a delayed payment that fails gives the hold a fresh time, and a new session may be made", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      yield* actAndDeliver(session, "pay_later")
      yield* TestClock.adjust("1 day")
      yield* actAndDeliver(session, "late_failure")
      const held = yield* Bookings.use((bookings) => bookings.get(booking.booking_id))
      assert.deepStrictEqual([held.status, held.payment_status, held.awaiting_provider], ["held", "failed", false])
      assert.strictEqual(held.hold_expires_at, Date.parse("2026-11-21T09:15:00Z"))
      const second = yield* openSession(booking)
      assert.notStrictEqual(second.payment_session_id, session.payment_session_id)
      yield* actAndDeliver(second, "pay")
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
    })
  )

  it.effect("a balance that is paid after the deposit was given back stays paid: not all is back", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session: deposit } = yield* bookingWithSession(packages.depositParty)
      yield* actAndDeliver(deposit, "pay")
      const balance = yield* openSession(booking, "balance")
      yield* actAndDeliver(balance, "pay_later")
      provider.refundInDashboard(deposit, 5000)
      yield* reconcileAfter("7 hours")
      assert.strictEqual((yield* bookingState(booking)).payment_status, "refunded")
      yield* actAndDeliver(balance, "late_success")
      assert.deepStrictEqual(
        yield* bookingState(booking),
        expectedState("confirmed", "partially_refunded", 20_000, 5000)
      )
    })
  )

  it.effect("a page on which nothing had to be paid confirms the booking, and no money is counted", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      yield* actAndDeliver(session, "free")
      assert.deepStrictEqual(yield* bookingState(booking), { ...confirmed, paid: 0 })
      const cancelled = yield* cancelBooking(booking)
      assert.strictEqual(cancelled.refund.amount, 0)
    })
  )

  it.effect("a page that closed leaves the hold until its own end, and then the places are free", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      yield* TestClock.adjust("33 minutes")
      yield* actAndDeliver(session, "expire")
      yield* reconcile
      assert.strictEqual((yield* bookingState(booking)).status, "held")
      yield* reconcileAfter("5 minutes")
      assert.deepStrictEqual(yield* bookingState(booking), expired)
      yield* createBooking(packages.party, { date: dateOf(booking) })
    })
  )

  it.effect("a page that closed after it was paid changes nothing", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      const paid = yield* actAtProvider(session, "pay")
      yield* deliverAndApply(
        sessionEvent("checkout.session.completed", paid),
        sessionEvent("checkout.session.expired", { ...paid, status: "expired" }),
        sessionEvent("checkout.session.async_payment_failed", paid),
        sessionEvent("checkout.session.completed", { ...paid, payment_status: "unpaid" })
      )
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
    })
  )

  it.effect("a payment after the hold has ended takes the places again where they are still free", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* expiredBooking
      yield* actAndDeliver(session, "pay")
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      assert.deepStrictEqual(yield* refundsOf(booking), [])
      assert.strictEqual((yield* historyOf(booking)).at(-1), "paid_late")
    })
  )

  it.effect("a payment after the places are gone goes back once, with the application fee", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* expiredBooking
      const winner = yield* createBooking(packages.party, { date: dateOf(booking) })
      const paid = yield* actAtProvider(session, "pay")
      yield* deliverAndApply(
        sessionEvent("checkout.session.completed", paid),
        sessionEvent("checkout.session.completed", paid)
      )
      const pending = expectedState("expired", "refund_pending", 12_000)
      assert.deepStrictEqual(yield* bookingState(booking), pending)
      assert.strictEqual(yield* runProviderTasks, 1)
      assert.deepStrictEqual(yield* bookingState(booking), { ...pending, payment_status: "refunded", refunded: 12_000 })
      assert.deepStrictEqual(provider.paidAndRefunded(session), { paid: 12_000, refunded: 12_000 })
      const sent = provider.calls.findLast(({ operation }) => operation === "createRefund")
      assert.deepInclude(sent?.body, {
        amount: 12_000,
        refund_application_fee: true,
        payment_intent_id: paid.payment_intent_id
      })
      assert.strictEqual((yield* bookingState(winner)).status, "held")
      assert.deepStrictEqual((yield* historyOf(booking)).slice(-2), ["paid_late", "refunded"])
    })
  )

  it.effect("a payment after the visit has begun goes back, though the places are free", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* expiredBooking
      yield* setClock(new Date(booking.starts_at).toISOString())
      yield* actAndDeliver(session, "pay")
      yield* runProviderTasks
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("expired", "refunded", 12_000, 12_000))
    })
  )

  it.effect("a payment for a cancelled booking goes back in full, whatever was refunded before", () =>
    Effect.gen(function* () {
      const { booking: held, session } = yield* bookingWithSession()
      yield* cancelBooking(held)
      // Paid between our decision and the provider's hearing of it.
      yield* actAndDeliver(session, "pay")
      yield* runProviderTasks
      assert.deepStrictEqual(yield* bookingState(held), expectedState("cancelled", "refunded", 12_000, 12_000))

      const deposit = yield* createBooking(packages.depositParty, { date: "2027-09-30" })
      yield* actAndDeliver(yield* openSession(deposit), "pay")
      const balance = yield* openSession(deposit, "balance")
      yield* cancelBooking(deposit)
      yield* actAndDeliver(balance, "pay")
      yield* runProviderTasks
      assert.deepStrictEqual(
        yield* bookingState(deposit),
        expectedState("cancelled", "partially_refunded", 20_000, 15_000)
      )
    })
  )

  it.effect("a balance whose payment fails leaves the deposit paid, and can be tried again", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const booking = yield* createBooking(packages.depositParty)
      yield* actAndDeliver(yield* openSession(booking), "pay")
      const balance = yield* openSession(booking, "balance")
      yield* actAndDeliver(balance, "pay_later")
      yield* actAndDeliver(balance, "late_failure")
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "deposit_paid", 5000))
      yield* actAndDeliver(yield* openSession(booking, "balance"), "pay")
      assert.strictEqual((yield* bookingState(booking)).payment_status, "paid")
      const { session } = yield* PaymentSummaries.use((summaries) => summaries.read(booking))
      assert.strictEqual(session?.purpose, "balance")
    })
  )
})
