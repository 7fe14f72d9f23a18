import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { cancelAsOperator } from "../../support/Acts.ts"
import { paymentServices } from "../../../src/domain/payment/PaymentLayers.ts"
import { Reconciliation } from "../../../src/domain/payment/workers/Reconciliation.ts"
import { WebhookInbox } from "../../../src/domain/payment/events/WebhookInbox.ts"
import { setClock } from "../../support/BookingWorld.ts"
import {
  actAndDeliver,
  actAtProvider,
  bookingState,
  createBooking,
  deleteBookings,
  deliverEvent,
  historyOf,
  now,
  openSession,
  paymentWorld,
  refundsOf
} from "../../support/PaymentWorld.ts"
import { sessionEvent } from "../../support/providerEvents.ts"
import { type Operation, providerId, ScriptedGateway } from "../../support/ScriptedGateway.ts"

/** A node: services of its own, on the database and the provider that all nodes share. */
const node = Layer.fresh(paymentServices)

/** The same work at the same time on three nodes. */
const onThree = <A, E>(work: Effect.Effect<A, E, Reconciliation | WebhookInbox>) =>
  Effect.all([Effect.provide(work, node), Effect.provide(work, node), Effect.provide(work, node)], {
    concurrency: "unbounded"
  })

const all = Reconciliation.use(({ runOnce }) => runOnce)
const cancel = (booking_id: string) => cancelAsOperator(booking_id, { preview: false })

layer(paymentWorld())("three nodes over one database", (it) => {
  it.effect("ask the provider about each row once, and each change is made once", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      yield* deleteBookings
      const provider = yield* ScriptedGateway
      const sql = yield* SqlClient.SqlClient
      const paid = Effect.gen(function* () {
        const booking = yield* createBooking()
        const session = yield* openSession(booking)
        yield* actAndDeliver(session, "pay")
        return { booking, session }
      })

      // Paid, and refunded in the dashboard since; to be looked at.
      const byHand = yield* Effect.all([paid, paid])
      for (const { session } of byHand) provider.refundInDashboard(session, 5000)
      yield* TestClock.adjust("6 hours")
      // A refund that nobody has sent, and one that takes its time.
      const unsent = yield* paid
      yield* cancel(unsent.booking.booking_id)
      const slow = yield* paid
      yield* cancel(slow.booking.booking_id)
      const [refund] = yield* sql<{
        refund_id: string
      }>`select refund_id from refund where booking_id = ${slow.booking.booking_id}`
      provider.refunds.set("re_slow", {
        id: "re_slow",
        status: "succeeded",
        amount: 12_000,
        currency: "GBP",
        refund_id: refund?.refund_id ?? "",
        account: slow.session.account,
        payment_intent_id: `pi_${providerId(slow.session)}`
      })
      yield* sql`update refund set status = 'pending', provider_refund_id = 're_slow' where refund_id = ${refund?.refund_id ?? ""}`
      // Pages whose time is up: one unpaid, one being paid.
      const lapsing = yield* Effect.all([createBooking(), createBooking(), createBooking()])
      const pages = yield* Effect.forEach(lapsing, (booking) => openSession(booking))
      yield* actAtProvider(pages[1] ?? assert.fail(), "pay_later")
      // A page that was never answered.
      const stuck = yield* createBooking()
      provider.injectFault("createSession", "unanswered")
      yield* Effect.flip(openSession(stuck))
      yield* TestClock.adjust("1 minute")
      const created = provider.calls.length
      yield* onThree(Reconciliation.use(({ runDue }) => runDue))
      const count = (since: number, operation: Operation) =>
        provider.calls.slice(since).filter((call) => call.operation === operation).length
      assert.strictEqual(count(created, "createSession"), 1)

      yield* TestClock.adjust("37 minutes")
      const before = provider.calls.length
      yield* onThree(all)
      assert.deepStrictEqual(
        {
          pages: count(before, "expireSession"),
          looked: count(before, "listRefunds"),
          refunds: count(before, "createRefund"),
          asked: count(before, "getRefund")
        },
        // Four pages: the three above, and the one that was made late. Two payments are looked at, and one before its
        // refund.
        { pages: 4, looked: 3, refunds: 1, asked: 1 }
      )
      for (const { booking } of byHand) {
        assert.strictEqual((yield* bookingState(booking)).refunded, 5000)
        assert.deepStrictEqual(yield* refundsOf(booking), [{ cause: "dashboard", status: "succeeded", amount: 5000 }])
      }
      for (const { booking } of [unsent, slow]) {
        const { payment_status, refunded } = yield* bookingState(booking)
        assert.deepStrictEqual([payment_status, refunded], ["refunded", 12_000])
        assert.strictEqual((yield* historyOf(booking)).filter((event) => event === "refunded").length, 1)
      }
      const ended = yield* Effect.forEach([...lapsing, stuck], bookingState)
      assert.deepStrictEqual(
        ended.map(({ payment_status, status }) => `${status} ${payment_status}`),
        ["expired unpaid", "held processing", "expired unpaid", "expired unpaid"]
      )
      for (const [i, booking] of lapsing.entries()) {
        const released = (yield* historyOf(booking)).filter((event) => event === "hold_expired").length
        assert.strictEqual(released, i === 1 ? 0 : 1)
      }
    })
  )

  it.effect("apply each of a hundred events once", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      yield* deleteBookings
      const provider = yield* ScriptedGateway
      const bookings = yield* Effect.forEach(Array.from({ length: 20 }), () => createBooking())
      for (const booking of bookings) {
        const id = providerId(yield* openSession(booking))
        const event = sessionEvent("checkout.session.completed", provider.act(id, "pay"))
        for (const copy of [1, 2, 3, 4, 5]) yield* deliverEvent("connected", { ...event, id: `${event.id}_${copy}` })
      }
      const applied = yield* onThree(WebhookInbox.use((inbox) => inbox.applyDue()))
      assert.strictEqual(applied[0] + applied[1] + applied[2], 100)
      for (const booking of bookings) {
        assert.strictEqual((yield* bookingState(booking)).paid, 12_000)
        assert.strictEqual((yield* historyOf(booking)).filter((event) => event === "paid").length, 1)
      }
    })
  )
})
