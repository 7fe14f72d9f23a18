import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Cancellations } from "../../src/payment/Cancellations.ts"
import { Reconciliation } from "../../src/payment/workers/Reconciliation.ts"
import { WebhookInbox } from "../../src/payment/events/WebhookInbox.ts"
import { at } from "../support/BookingWorld.ts"
import {
  act,
  book,
  confirmed,
  dateOf,
  deliver,
  doTasks,
  eventOf,
  hear,
  held,
  historyOf,
  now,
  open,
  openBooking,
  paymentWorld,
  post,
  providerId,
  refundsOf,
  sessionRow,
  standing
} from "../support/PaymentWorld.ts"
import { packages } from "../support/paymentVenues.ts"
import { ScriptedGateway } from "../support/ScriptedGateway.ts"

layer(paymentWorld())("events that overtake each other", (it) => {
  it.effect("a delayed payment's success confirms, also where it is heard before its completion", () =>
    Effect.gen(function* () {
      yield* at(now)
      const provider = yield* ScriptedGateway
      const booking = yield* book()
      const id = providerId(yield* open(booking))
      const completed = eventOf("checkout.session.completed", provider.act(id, "pay_later"))
      const succeeded = eventOf("checkout.session.async_payment_succeeded", provider.act(id, "late_success"))
      yield* deliver(succeeded)
      assert.deepStrictEqual(yield* standing(booking), confirmed)
      yield* deliver(completed)
      assert.deepStrictEqual(yield* standing(booking), confirmed)
    })
  )

  it.effect("the end of an older page, heard late, leaves the booking with its newer one", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session: older } = yield* openBooking()
      yield* TestClock.adjust("33 minutes")
      const ended = eventOf("checkout.session.expired", provider.act(providerId(older), "expire"))
      // The page's time is up, so the provider is asked before the event comes, and another page is made.
      const newer = yield* open(booking)
      assert.notStrictEqual(newer.payment_session_id, older.payment_session_id)
      yield* deliver(ended, { ...ended, id: `${ended.id}_again` })
      assert.deepStrictEqual(yield* standing(booking), held)
      assert.strictEqual((yield* sessionRow(newer.payment_session_id)).status, "open")
      yield* hear(newer, "pay")
      assert.deepStrictEqual(yield* standing(booking), confirmed)
    })
  )

  it.effect("money on an older page confirms the booking, and the newer page is closed", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session: first } = yield* openBooking()
      const paid = yield* act(first, "pay")
      yield* deliver(eventOf("checkout.session.expired", { ...paid, payment_status: "unpaid" }))
      const second = yield* open(booking)
      yield* deliver(eventOf("checkout.session.completed", paid))
      yield* doTasks
      assert.deepStrictEqual(yield* standing(booking), confirmed)
      assert.strictEqual(provider.sessions.get(providerId(second))?.status, "expired")
      assert.strictEqual((yield* sessionRow(second.payment_session_id)).status, "expired")
      assert.deepStrictEqual(yield* refundsOf(booking), [])
    })
  )

  it.effect("a second payment of what is paid goes back, and the booking stays as it is", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session: first } = yield* openBooking()
      // The first page's creation is given up, as after an answer that never came; someone pays on it all the same.
      yield* deliver(eventOf("checkout.session.expired", { ...(yield* act(first, "pay")), payment_status: "unpaid" }))
      const second = yield* open(booking)
      yield* hear(second, "pay")
      const late = provider.sessions.get(providerId(first)) ?? assert.fail("the session is gone")
      yield* deliver(eventOf("checkout.session.completed", late), eventOf("checkout.session.completed", late))
      assert.deepStrictEqual(yield* standing(booking), confirmed)
      yield* doTasks
      assert.deepStrictEqual(yield* standing(booking), confirmed)
      assert.deepStrictEqual(yield* refundsOf(booking), [
        { cause: "duplicate_payment", status: "succeeded", amount: 12_000 }
      ])
      assert.deepStrictEqual(provider.balance(providerId(first)), { paid: 12_000, refunded: 12_000 })
      assert.deepStrictEqual(provider.balance(providerId(second)), { paid: 12_000, refunded: 0 })
      const cancelled = yield* Cancellations.use((all) => all.cancel(booking.booking_id, { preview: true }))
      assert.strictEqual(cancelled.refund.amount, 12_000)
    })
  )

  it.effect("an abandoned page confirms nothing, also where the same place is booked again", () =>
    Effect.gen(function* () {
      yield* at(now)
      const first = yield* book()
      const abandoned = yield* open(first)
      yield* TestClock.adjust("38 minutes")
      yield* Reconciliation.use(({ runDue }) => runDue)
      const second = yield* book(packages.party, { date: dateOf(first) })
      const page = yield* open(second)
      yield* hear(abandoned, "expire")
      assert.strictEqual((yield* standing(first)).status, "expired")
      assert.deepStrictEqual(yield* standing(second), held)
      yield* hear(page, "pay")
      assert.deepStrictEqual(yield* standing(second), confirmed)
      assert.strictEqual((yield* standing(first)).status, "expired")
    })
  )

  it.effect("the event, its copy, and being asked about all at once confirm one time", () =>
    Effect.gen(function* () {
      yield* at(now)
      const provider = yield* ScriptedGateway
      const inbox = yield* WebhookInbox
      const booking = yield* book()
      const session = yield* open(booking)
      const event = eventOf("checkout.session.completed", provider.act(providerId(session), "pay"))
      yield* post("connected", event)
      yield* post("connected", { ...event, id: `${event.id}_copy` })
      // The page's time is up, so that whoever asks for it makes the service ask the provider.
      yield* TestClock.adjust("33 minutes")
      yield* Effect.all(
        [
          inbox.applyDue(),
          Effect.exit(open(booking)),
          Reconciliation.use(({ runOnce }) => runOnce),
          inbox.applyDue(),
          Effect.exit(open(booking))
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* standing(booking), confirmed)
      assert.strictEqual((yield* historyOf(booking)).filter((event) => event === "paid").length, 1)
    })
  )
})
