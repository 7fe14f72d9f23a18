import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { bookingWithNextStep } from "../../../../src/surfaces/mcp/tools/NextSteps.ts"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import { Sandbox } from "../../../../src/extras/sandbox/Sandbox.ts"
import { Faults } from "../../../../src/extras/sandbox/Faults.ts"
import { WebhookInbox } from "../../../../src/domain/payment/events/WebhookInbox.ts"
import { paymentServices } from "../../../../src/domain/payment/PaymentLayers.ts"
import { PaymentGateway } from "../../../../src/domain/payment/provider/PaymentGateway.ts"
import { bookingServices, importVenue, setClock } from "../../../support/BookingWorld.ts"
import {
  bookingState,
  cancelBooking,
  confirmed,
  createBooking,
  dateOf,
  expectedState,
  now,
  openSession,
  reconcile,
  reconcileAfter,
  refundsOf,
  runProviderTasks
} from "../../../support/PaymentWorld.ts"
import { providerId } from "../../../support/ScriptedGateway.ts"
import { otherVenue, packages, venue } from "../../../support/paymentVenues.ts"
import { callSandbox, Receiver, SandboxWorld } from "../../../support/SandboxWorld.ts"

const world = Layer.unwrap(
  Effect.as(
    setClock(now),
    Layer.effectDiscard(Effect.suspend(() => importVenue(venue, otherVenue))).pipe(
      Layer.provideMerge(paymentServices),
      Layer.provideMerge(bookingServices({ maxHoldsPerEmail: 1000, maxHoldsPerKey: 1000 })),
      Layer.provideMerge(SandboxWorld.layer)
    )
  )
)

const choose = (session: { readonly provider_session_id: string | null }, outcome: string) =>
  Effect.map(callSandbox("POST", `/pay/${providerId(session)}`, { form: { outcome } }), ({ status }) =>
    assert.strictEqual(status, 303)
  )

/** Lets the sandbox send what is due, and hands what arrived to the inbox (or loses it). */
const hear = Effect.fnUntraced(function* (lost: boolean) {
  const receiver = yield* Receiver
  const inbox = yield* WebhookInbox
  yield* Sandbox.use((sandbox) => sandbox.work)
  for (const { body, headers } of receiver.requests.splice(0)) {
    if (lost) continue
    const signature = headers["stripe-signature"]
    // One that the sandbox sent before the test's clock jumped is as good as lost.
    yield* inbox
      .receive("connected", new TextEncoder().encode(body), [String(signature)])
      .pipe(Effect.catchTag("SignatureStale", () => Effect.void))
  }
  yield* inbox.applyDue()
})

const fresh = Effect.gen(function* () {
  yield* setClock(now)
  const receiver = yield* Receiver
  receiver.answer({ status: 200, body: { received: true } })
  receiver.requests.length = 0
  yield* (yield* Faults).reset
})

const over = expectedState("expired", "unpaid")
const ends = {
  pay: confirmed,
  pay_later_succeeds: confirmed,
  pay_later_fails: { ...over, payment_status: "failed" },
  decline: over,
  expire: over
}

layer(world)("payments over the provider's client and the sandbox", (it) => {
  for (const [outcome, end] of Object.entries(ends)) {
    for (const lost of [false, true]) {
      it.effect(`${outcome} ends the same where its events are ${lost ? "lost" : "heard"}`, () =>
        Effect.gen(function* () {
          yield* fresh
          const booking = yield* createBooking()
          yield* choose(yield* openSession(booking), outcome)
          for (let round = 0; round < 5; round++) {
            yield* hear(lost)
            yield* reconcileAfter("20 minutes")
            yield* runProviderTasks
          }
          assert.deepStrictEqual(yield* bookingState(booking), end)
        })
      )
    }
  }

  it.effect("a decline at the sandbox is told by its event, and by asking if that is lost", () =>
    Effect.gen(function* () {
      for (const lost of [false, true]) {
        yield* fresh
        const booking = yield* createBooking()
        const session = yield* openSession(booking)
        yield* choose(session, "decline")
        yield* hear(lost)
        const row = yield* Bookings.use(({ get }) => get(booking.booking_id))
        const { read, refresh } = yield* PaymentSummaries
        if (lost) assert.isTrue((yield* refresh(row)).outdated)
        const { booking: shown } = bookingWithNextStep(row, yield* read(row))
        assert.deepStrictEqual(shown.last_attempt, { at: "2026-11-20T09:00:00+00:00", outcome: "declined" })
        assert.strictEqual(shown.standing, "payment_failed")
        assert.strictEqual(shown.payment_session?.url, session.url ?? "")
        // The same page takes another card.
        yield* choose(session, "pay")
        yield* hear(false)
        assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      }
    })
  )

  it.effect("a payer whose address the provider does not take gets a page all the same, and pays on it", () =>
    Effect.gen(function* () {
      yield* fresh
      const booking = yield* createBooking()
      const sql = yield* SqlClient.SqlClient
      yield* sql`update booking set contact_email = 'josé@exämple.es' where booking_id = ${booking.booking_id}`
      const session = yield* openSession(booking)
      assert.notProperty(session.request, "customer_email")
      yield* choose(session, "pay")
      yield* hear(false)
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
    })
  )

  it.effect("a payment after the places are gone is refunded, in full and once", () =>
    Effect.gen(function* () {
      yield* fresh
      const gateway = yield* PaymentGateway
      const faults = yield* Faults
      const booking = yield* createBooking()
      const session = yield* openSession(booking)
      yield* choose(session, "pay")
      yield* TestClock.adjust("38 minutes")
      yield* faults.set({ api: { fault: "html_502", times: 4 } })
      yield* reconcile
      yield* faults.reset
      assert.strictEqual((yield* bookingState(booking)).status, "expired")
      yield* createBooking(packages.trustedParty, { date: dateOf(booking) })
      yield* hear(false)
      yield* reconcileAfter("5 minutes")
      yield* runProviderTasks
      yield* runProviderTasks
      assert.deepStrictEqual(yield* bookingState(booking), {
        ...over,
        payment_status: "refunded",
        paid: 12_000,
        refunded: 12_000
      })
      assert.deepStrictEqual(yield* refundsOf(booking), [
        { cause: "late_payment", status: "succeeded", amount: 12_000 }
      ])
      const said = yield* gateway.getSession(session.account, providerId(session))
      const refunds = yield* gateway.listRefunds(session.account, said.payment_intent_id ?? "")
      assert.deepStrictEqual(
        refunds.map(({ amount }) => amount),
        [12_000]
      )
    })
  )

  it.effect(
    "refunds by hand, disputes and what turns of them are in the books as soon as the sandbox's events come",
    () =>
      Effect.gen(function* () {
        yield* fresh
        const gateway = yield* PaymentGateway
        const booking = yield* createBooking()
        const session = yield* openSession(booking)
        yield* choose(session, "pay")
        yield* hear(false)
        const { payment_intent_id = "" } = yield* gateway.getSession(session.account, providerId(session))
        const form = { account: session.account, payment_intent: payment_intent_id }
        const told = Effect.gen(function* () {
          yield* TestClock.adjust("1 minute")
          yield* hear(false)
          yield* reconcileAfter("1 minute")
          return (yield* bookingState(booking)).refunded
        })
        const turn = Effect.fnUntraced(function* (path: string, changes: Record<string, string>) {
          assert.strictEqual((yield* callSandbox("POST", path, { form: changes })).status, 200)
          return yield* told
        })
        assert.strictEqual(yield* turn("/sandbox/refund", { ...form, amount: "4500" }), 4500)
        const [made] = yield* gateway.listRefunds(session.account, payment_intent_id)
        const refund = made?.id ?? ""
        assert.strictEqual(yield* turn("/sandbox/refund_turns", { refund, amount: "3000" }), 3000)
        assert.strictEqual(yield* turn("/sandbox/refund_turns", { refund, status: "failed" }), 0)
        const dispute = { payment_intent: payment_intent_id, amount: "7500" }
        assert.strictEqual(yield* turn("/sandbox/dispute", dispute), 0)
        assert.strictEqual(yield* turn("/sandbox/dispute", { ...dispute, status: "lost" }), 7500)
        const [lost] = yield* gateway.listDisputes(session.account, payment_intent_id)
        const again = { payment_intent: payment_intent_id, dispute: lost?.id ?? "" }
        assert.strictEqual(yield* turn("/sandbox/dispute", { ...again, status: "appeal_under_review" }), 7500)
        assert.strictEqual(yield* turn("/sandbox/dispute", { ...again, status: "won" }), 0)
        const sql = yield* SqlClient.SqlClient
        const seen = yield* sql`select distinct status from webhook_event where booking_id = ${booking.booking_id}`
        assert.deepStrictEqual(seen, [{ status: "applied" }])
      })
  )

  it.effect("our own refund that is on its way is settled by the sandbox's event", () =>
    Effect.gen(function* () {
      yield* fresh
      const booking = yield* createBooking()
      const session = yield* openSession(booking)
      yield* choose(session, "pay")
      yield* hear(false)
      const { refund } = yield* cancelBooking(booking)
      yield* (yield* Faults).set({ api: { fault: "refund_pends", times: 10 } })
      yield* runProviderTasks
      yield* (yield* Faults).reset
      assert.strictEqual((yield* bookingState(booking)).refunded, 0)
      yield* TestClock.adjust("1 minute")
      yield* hear(false)
      yield* reconcileAfter("1 minute")
      assert.strictEqual((yield* bookingState(booking)).refunded, refund.amount)
    })
  )

  it.effect("a refund by hand, a dispute and a too small balance at the sandbox count as at the provider", () =>
    Effect.gen(function* () {
      yield* fresh
      const gateway = yield* PaymentGateway
      const faults = yield* Faults
      // Soon: each three seconds that the test's clock jumps over are a tick of the task queue's.
      const booking = yield* createBooking(packages.party, { date: "2026-11-22" })
      const session = yield* openSession(booking)
      yield* choose(session, "pay")
      yield* hear(false)
      const said = yield* gateway.getSession(session.account, providerId(session))
      const payment_intent = said.payment_intent_id ?? ""
      yield* setClock(new Date(booking.starts_at - 30 * 3_600_000).toISOString())
      const byHand = { account: session.account, payment_intent, amount: "4500" }
      assert.strictEqual((yield* callSandbox("POST", "/sandbox/refund", { form: byHand })).status, 200)
      yield* callSandbox("POST", "/sandbox/dispute", { form: { payment_intent, amount: "7500" } })
      const cancelled = yield* cancelBooking(booking)
      assert.deepStrictEqual(
        [cancelled.given_back.amount, cancelled.refund.amount, cancelled.disputed.amount],
        [4500, 1500, 7500]
      )
      yield* runProviderTasks
      const wait = Effect.gen(function* () {
        yield* reconcileAfter("13 hours")
      })
      const back = Effect.map(bookingState(booking), ({ refunded }) => refunded)
      assert.strictEqual(yield* back, 4500)
      yield* callSandbox("POST", "/sandbox/dispute", { form: { payment_intent, status: "won" } })
      yield* faults.set({ api: { fault: "balance_insufficient", times: 1 } })
      yield* wait
      assert.strictEqual(yield* back, 4500)
      yield* wait
      assert.strictEqual(yield* back, 6000)
      const refunds = yield* gateway.listRefunds(session.account, payment_intent)
      assert.deepStrictEqual(
        refunds.map(({ amount }) => amount),
        [4500, 1500]
      )
    })
  )
})
