import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { cancelAsOperator } from "../../support/Acts.ts"
import { Reconciliation } from "../../../src/domain/payment/workers/Reconciliation.ts"
import { WebhookInbox } from "../../../src/domain/payment/events/WebhookInbox.ts"
import { setClock } from "../../support/BookingWorld.ts"
import {
  actAndDeliver,
  actAtProvider,
  bookingState,
  bookingWithSession,
  confirmed,
  createBooking,
  dateOf,
  deliverAndApply,
  deliverEvent,
  held,
  historyOf,
  now,
  openSession,
  paymentWorld,
  refundsOf,
  runProviderTasks,
  sessionRow
} from "../../support/PaymentWorld.ts"
import { sessionEvent } from "../../support/providerEvents.ts"
import { packages } from "../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../support/ScriptedGateway.ts"

layer(paymentWorld())("events that overtake each other", (it) => {
  it.effect("the late event of an older page's end leaves the booking with its newer page", () =>
    Effect.gen(function* () {
      const { booking, session: older } = yield* bookingWithSession()
      yield* TestClock.adjust("33 minutes")
      const ended = sessionEvent("checkout.session.expired", yield* actAtProvider(older, "expire"))
      // The page's time is up, so the provider is asked before the event comes, and another page is made.
      const newer = yield* openSession(booking)
      assert.notStrictEqual(newer.payment_session_id, older.payment_session_id)
      yield* deliverAndApply(ended, { ...ended, id: `${ended.id}_again` })
      assert.deepStrictEqual(yield* bookingState(booking), held)
      assert.strictEqual((yield* sessionRow(newer.payment_session_id)).status, "open")
      yield* actAndDeliver(newer, "pay")
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
    })
  )

  it.effect("money on an older page confirms the booking, and the newer page is closed", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session: first } = yield* bookingWithSession()
      const paid = yield* actAtProvider(first, "pay")
      yield* deliverAndApply(sessionEvent("checkout.session.expired", { ...paid, payment_status: "unpaid" }))
      const second = yield* openSession(booking)
      yield* deliverAndApply(sessionEvent("checkout.session.completed", paid))
      yield* runProviderTasks
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      assert.strictEqual(provider.sessionOf(second).status, "expired")
      assert.strictEqual((yield* sessionRow(second.payment_session_id)).status, "expired")
      assert.deepStrictEqual(yield* refundsOf(booking), [])
    })
  )

  it.effect("a second payment of what is paid goes back, and the booking stays as it is", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session: first } = yield* bookingWithSession()
      // The first page's creation is given up, as after an answer that never came; someone pays on it all the same.
      yield* deliverAndApply(
        sessionEvent("checkout.session.expired", { ...(yield* actAtProvider(first, "pay")), payment_status: "unpaid" })
      )
      const second = yield* openSession(booking)
      yield* actAndDeliver(second, "pay")
      const late = provider.sessionOf(first)
      yield* deliverAndApply(
        sessionEvent("checkout.session.completed", late),
        sessionEvent("checkout.session.completed", late)
      )
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      yield* runProviderTasks
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      assert.deepStrictEqual(yield* refundsOf(booking), [
        { cause: "duplicate_payment", status: "succeeded", amount: 12_000 }
      ])
      assert.deepStrictEqual(provider.paidAndRefunded(first), { paid: 12_000, refunded: 12_000 })
      assert.deepStrictEqual(provider.paidAndRefunded(second), { paid: 12_000, refunded: 0 })
      const cancelled = yield* cancelAsOperator(booking.booking_id, { preview: true })
      assert.strictEqual(cancelled.refund.amount, 12_000)
    })
  )

  it.effect("an abandoned page confirms nothing, also where the same place is booked again", () =>
    Effect.gen(function* () {
      const { booking: first, session: abandoned } = yield* bookingWithSession()
      yield* TestClock.adjust("38 minutes")
      yield* Reconciliation.use(({ runDue }) => runDue)
      const second = yield* createBooking(packages.party, { date: dateOf(first) })
      const page = yield* openSession(second)
      yield* actAndDeliver(abandoned, "expire")
      assert.strictEqual((yield* bookingState(first)).status, "expired")
      assert.deepStrictEqual(yield* bookingState(second), held)
      yield* actAndDeliver(page, "pay")
      assert.deepStrictEqual(yield* bookingState(second), confirmed)
      assert.strictEqual((yield* bookingState(first)).status, "expired")
    })
  )

  it.effect("the event, its copy, and being asked about all at once confirm one time", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const inbox = yield* WebhookInbox
      const booking = yield* createBooking()
      const session = yield* openSession(booking)
      const event = sessionEvent("checkout.session.completed", yield* actAtProvider(session, "pay"))
      yield* deliverEvent("connected", event)
      yield* deliverEvent("connected", { ...event, id: `${event.id}_copy` })
      // The page's time is up, so that whoever asks for it makes the service ask the provider.
      yield* TestClock.adjust("33 minutes")
      yield* Effect.all(
        [
          inbox.applyDue(),
          Effect.exit(openSession(booking)),
          Reconciliation.use(({ runOnce }) => runOnce),
          inbox.applyDue(),
          Effect.exit(openSession(booking))
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      assert.strictEqual((yield* historyOf(booking)).filter((event) => event === "paid").length, 1)
    })
  )
})
