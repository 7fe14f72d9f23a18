import { assert, layer } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { BookingRecords } from "../../../src/domain/booking/BookingRecords.ts"
import { DueBookings } from "../../../src/domain/booking/DueBookings.ts"
import { ProviderTasks } from "../../../src/domain/payment/provider/ProviderTasks.ts"
import { Reconciliation } from "../../../src/domain/payment/workers/Reconciliation.ts"
import { EventRecords } from "../../../src/domain/payment/events/EventRecords.ts"
import { WebhookInbox } from "../../../src/domain/payment/events/WebhookInbox.ts"
import { commandWorld, member, parsed, playroom } from "../../support/CommandLine.ts"
import {
  actAndDeliver,
  actAtProvider,
  bookingState,
  bookingWithSession,
  cancelBooking,
  createBooking,
  deliverAndApply,
  deliverEvent,
  openSession,
  paidBooking,
  payBooking,
  runProviderTasks
} from "../../support/PaymentWorld.ts"
import { sessionEvent } from "../../support/providerEvents.ts"
import { packages } from "../../support/paymentVenues.ts"
import { providerId, ScriptedGateway } from "../../support/ScriptedGateway.ts"

layer(commandWorld)("the thread of a booking", (it) => {
  it.effect("is shown whole: pages, events with what became of each, tasks, refunds, history", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking()
      const other = yield* paidBooking()
      const late = sessionEvent("checkout.session.expired", yield* actAtProvider(session, "expire"))
      const waiting = sessionEvent("checkout.session.completed", yield* actAtProvider(session, "pay"))
      yield* deliverAndApply(late)
      yield* deliverEvent("connected", waiting)
      yield* cancelBooking(booking)
      provider.injectFault("createRefund", "away")
      yield* runProviderTasks
      const shown = yield* playroom("booking", "show", booking.reference)
      const json = parsed((yield* playroom("booking", "show", booking.reference, "--json")).out)
      const events = yield* EventRecords.use((records) => records.ofBooking(booking.booking_id))
      assert.strictEqual(events.length, 3)
      assert.isTrue(events.every(({ payment_session_id }) => payment_session_id === session.payment_session_id))
      const refund = /refund_[0-9a-z]{26}/.exec(shown.out)?.[0] ?? "no refund"
      const tasks = yield* ProviderTasks.use((all) => all.about([session.payment_session_id]))
      assert.deepStrictEqual(tasks, [])
      for (const text of [
        session.payment_session_id,
        late.id,
        waiting.id,
        "received",
        `${session.payment_session_id} of ${booking.booking_id}: nothing to change: the session is paid`,
        refund,
        "pending",
        "payment_session_created",
        "cancelled"
      ])
        assert.include(shown.out, text)
      assert.notInclude(shown.out, other.session.payment_session_id)
      for (const [list, length] of [
        ["events", 3],
        ["tasks", 1],
        ["refunds", 1],
        ["payment_sessions", 1]
      ] as const) {
        const found = member(json, list)
        assert.strictEqual(Array.isArray(found) ? found.length : -1, length, list)
      }
      const one = yield* playroom("webhook", "show", waiting.id)
      for (const text of [session.payment_session_id, booking.booking_id]) assert.include(one.out, text)
      // An end for those that come after.
      yield* WebhookInbox.use((inbox) => inbox.applyDue())
      yield* runProviderTasks
    })
  )

  it.effect("names a page that is still to be closed", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      yield* cancelBooking(booking)
      assert.include(
        (yield* playroom("booking", "show", booking.reference)).out,
        `expire_${session.payment_session_id}`
      )
      yield* runProviderTasks
    })
  )

  it.effect(
    "has money that its status could not follow as an error in the log, and in the doctor until it is put right",
    () =>
      Effect.gen(function* () {
        const bookings = yield* BookingRecords
        const sql = yield* SqlClient.SqlClient
        const { booking, session } = yield* bookingWithSession(packages.depositParty)
        // A state that nothing of ours leads to: held, and paid in full.
        yield* sql`update booking set payment_status = 'paid' where booking_id = ${booking.booking_id}`
        const lines: Array<string> = []
        const listening = Logger.layer([
          Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${JSON.stringify(message)}`))
        ])
        yield* actAndDeliver(session, "pay").pipe(Effect.provide(listening))
        const { paid, status } = yield* bookingState(booking)
        assert.deepStrictEqual([status, paid], ["confirmed", 5_000])
        assert.isTrue(
          lines.some((line) => line.startsWith("Error") && line.includes(booking.booking_id)),
          lines.join("\n")
        )
        const sick = yield* playroom("doctor")
        assert.include(sick.out, "its payment stays paid (deposit_paid)")
        assert.include(sick.out, `playroom doctor --settle ${booking.booking_id}`)
        assert.match(
          (yield* playroom("booking", "show", booking.reference)).out,
          /not accounted for +paid: .* its payment stays paid/
        )
        assert.include(sick.out, "booking not accounted for")
        assert.include((yield* playroom("doctor", "--settle", booking.booking_id)).out, "put right")
        assert.include((yield* playroom("doctor")).out, "All is well")
        assert.isFalse(yield* bookings.clearFlag(booking.booking_id))
      })
  )

  it.effect("is flagged by no story that money takes of itself", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const deposit = yield* createBooking(packages.depositParty)
      const first = yield* payBooking(deposit)
      provider.refundInDashboard(first, 1000)
      yield* Reconciliation.use(({ runOnce }) => runOnce)
      yield* payBooking(deposit, "balance")
      const late = yield* bookingWithSession()
      yield* actAtProvider(late.session, "pay")
      yield* cancelBooking(late.booking)
      yield* actAndDeliver(late.session, "pay")
      yield* runProviderTasks
      const again = yield* createBooking()
      yield* openSession(again)
      yield* cancelBooking(again)
      assert.deepStrictEqual(yield* DueBookings.use((bookings) => bookings.flagged(10)), [])
    })
  )

  it.effect("names in the doctor an event that has waited too long", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { event } = yield* Effect.map(bookingWithSession(), ({ session }) => ({
        event: {
          ...sessionEvent("checkout.session.completed", { ...blank, id: providerId(session) }),
          account: "acct_1"
        }
      }))
      const never = "payment_01h40000000000000000000007"
      const object = { ...event.data.object, client_reference_id: never, metadata: {} }
      yield* deliverEvent("connected", { ...event, data: { object } })
      assert.include((yield* playroom("doctor")).out, "All is well")
      yield* sql`update webhook_event set received_at = received_at - interval '1 hour' where event_id = ${event.id}`
      assert.include((yield* playroom("doctor")).out, event.id)
    })
  )
})

const blank = {
  status: "complete",
  payment_status: "paid",
  amount_total: 1,
  currency: "GBP",
  expires_at: 1_795_190_400,
  livemode: false
}
