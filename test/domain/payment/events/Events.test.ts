import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { PaymentSessions } from "../../../../src/domain/payment/sessions/PaymentSessions.ts"
import { EventRecords } from "../../../../src/domain/payment/events/EventRecords.ts"
import { eventsInWords, usedEvents } from "../../../../src/domain/payment/events/Events.ts"
import { WebhookInbox } from "../../../../src/domain/payment/events/WebhookInbox.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import {
  bookingState,
  createBooking,
  deliverAndApply,
  deliverEvent,
  expectedState,
  held,
  now,
  openSession,
  paymentWorld,
  sessionRow,
  storedEvent,
  paidEvent,
  withObject
} from "../../../support/PaymentWorld.ts"
import { sessionEvent } from "../../../support/providerEvents.ts"
import { otherVenue } from "../../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"
import { invoiceLines } from "../../../support/stripeAnswers.ts"

/** What became of an event when it was delivered to the connected receiver. */
const outcomeOf = (event: { readonly id: string }) =>
  Effect.map(deliverAndApply(event), ([stored]) => ({ status: stored?.status, outcome: stored?.outcome ?? "" }))

layer(paymentWorld())("the provider's events", (it) => {
  it("are named in the documentation of the receiver that they come to, each", () => {
    for (const receiver of ["platform", "connected"] as const) {
      const text = eventsInWords[receiver]
      const missing = usedEvents[receiver].filter(
        (type) => !text.includes(`\`${type}\``) && !text.includes(`\`.${type.split(".").at(-1)}\``)
      )
      assert.deepStrictEqual(missing, [])
      assert.isNotEmpty(usedEvents[receiver])
    }
  })

  it.effect("keeps, and does not apply, what is not addressed to this service", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const inbox = yield* WebhookInbox
      const { booking, event } = yield* paidEvent
      const { account: _, ...withoutAccount } = event
      const foreign = [
        { ...event, type: "checkout.session.something_new" },
        { ...event, type: "invoice.paid" },
        { ...event, livemode: true },
        { ...event, account: "acct_unknown" },
        withoutAccount,
        withObject(event, { id: "cs_test_foreign", metadata: {}, client_reference_id: "order 7" }),
        withObject(event, { payment_status: "on_the_moon" }),
        withObject(event, { amount_total: "120.00" })
      ]
      for (const [i, one] of foreign.entries()) {
        const { outcome, status } = yield* outcomeOf({ ...one, id: `evt_foreign_${i}` })
        assert.strictEqual(status, "ignored", outcome)
        assert.notStrictEqual(outcome, "")
        assert.deepStrictEqual(yield* bookingState(booking), held, outcome)
      }
      yield* deliverEvent("platform", { ...event, id: "evt_platform", type: "invoice.paid" })
      yield* inbox.applyDue()
      const platform = yield* storedEvent("evt_platform")
      assert.deepStrictEqual([platform.status, platform.outcome?.includes("account")], ["ignored", true])
      const listed = yield* EventRecords.use((records) => records.list({ status: "ignored" }))
      assert.isTrue(foreign.every((_, i) => listed.some(({ event_id }) => event_id === `evt_foreign_${i}`)))
      assert.strictEqual((yield* outcomeOf(event)).status, "applied")
      assert.strictEqual((yield* bookingState(booking)).status, "confirmed")
    })
  )

  it.effect("rejects and flags an amount, a currency, an account or a session id that is not what was asked for", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const sessions = yield* PaymentSessions
      type Wrong = (event: Effect.Success<typeof paidEvent>["event"]) => { readonly id: string }
      // `true`: it is money of this page, about which a person decides.
      const wrong: ReadonlyArray<readonly [Wrong, boolean]> = [
        [(event) => withObject(event, { amount_total: 11_999 }), true],
        [(event) => withObject(event, { amount_total: 0 }), false],
        [(event) => withObject(event, { currency: "eur" }), true],
        [(event) => ({ ...event, account: otherVenue.operator.connected_account_id }), false],
        [(event) => withObject(event, { id: "cs_test_another" }), false]
      ]
      for (const [make, money] of wrong) {
        const { booking, event, session } = yield* paidEvent
        const { outcome, status } = yield* outcomeOf(make(event))
        assert.strictEqual(status, money ? "applied" : "rejected", outcome)
        assert.deepStrictEqual(yield* bookingState(booking), money ? expectedState("held", "processing") : held)
        const row = yield* sessionRow(session.payment_session_id)
        assert.strictEqual(row.status, money ? "processing" : "open")
        // The outcome names what it is of.
        for (const told of [row.flagged ?? "no flag", session.payment_session_id, booking.booking_id])
          assert.include(outcome, told)
      }
      assert.strictEqual((yield* sessions.flagged).length, wrong.length)
    })
  )

  it.effect("waits for a session of ours that is not committed yet, and gives up on one that never comes", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const inbox = yield* WebhookInbox
      const sql = yield* SqlClient.SqlClient
      const { booking, event, session } = yield* paidEvent
      yield* sql`update payment_session set payment_session_id = 'payment_01h40000000000000000000001',
        provider_session_id = 'cs_hidden' where payment_session_id = ${session.payment_session_id}`
      assert.strictEqual((yield* outcomeOf(event)).status, "received")
      yield* sql`update payment_session set payment_session_id = ${session.payment_session_id},
        provider_session_id = ${session.provider_session_id} where payment_session_id = 'payment_01h40000000000000000000001'`
      yield* TestClock.adjust("5 seconds")
      yield* inbox.applyDue()
      assert.strictEqual((yield* bookingState(booking)).status, "confirmed")

      const never = withObject(event, {
        id: "cs_never",
        client_reference_id: null,
        metadata: { payment_session_id: "payment_01h40000000000000000000002" }
      })
      yield* deliverAndApply({ ...never, id: "evt_never" })
      for (let i = 0; i < 10; i++) {
        yield* TestClock.adjust("1 minute")
        yield* inbox.applyDue()
      }
      assert.strictEqual((yield* storedEvent("evt_never")).status, "ignored")
    })
  )

  it.effect("finds a session whose creation was not answered by our own id in the event", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const sql = yield* SqlClient.SqlClient
      const booking = yield* createBooking()
      provider.injectFault("createSession", "unanswered")
      yield* Effect.flip(openSession(booking))
      const [made] = [...provider.sessions.values()].slice(-1)
      yield* deliverAndApply(sessionEvent("checkout.session.completed", provider.act(made?.id ?? "", "pay")))
      assert.strictEqual((yield* bookingState(booking)).status, "confirmed")
      const rows = yield* sql<{
        status: string
        id: string
      }>`select status, provider_session_id as id from payment_session
        where booking_id = ${booking.booking_id}`
      assert.deepStrictEqual(rows, [{ status: "paid", id: made?.id ?? "" }])
    })
  )

  it.effect("extends an operator's subscription by the latest period of its invoices, and never takes back", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const inbox = yield* WebhookInbox
      const operators = yield* Operators
      let serial = 0
      const invoice = (object: Record<string, unknown>, envelope: Record<string, unknown> = {}) => ({
        id: `evt_invoice_${++serial}`,
        object: "event",
        type: "invoice.paid",
        livemode: false,
        api_version: "2026-10-28.endive",
        created: 1_795_190_400,
        data: {
          object: {
            id: "in_1",
            object: "invoice",
            status: "paid",
            customer: "cus_2",
            parent: { type: "subscription_details", subscription_details: { subscription: "sub_1" } },
            lines: invoiceLines(),
            ...object
          }
        },
        ...envelope
      })
      const lines = (...ends: ReadonlyArray<string>) => ({
        lines: invoiceLines(...ends.map((end) => Date.parse(end) / 1000))
      })
      const after = Effect.fnUntraced(function* (event: { readonly id: string }) {
        yield* deliverEvent("platform", event)
        yield* inbox.applyDue()
        const { status } = yield* storedEvent(event.id)
        const { paid_through } = yield* operators.get(otherVenue.operator.operator_id)
        return [status, paid_through === undefined ? "" : new Date(paid_through).toISOString().slice(0, 10)]
      })
      assert.deepStrictEqual(yield* after(invoice({ parent: null, ...lines("2030-01-01") })), ["ignored", ""])
      assert.deepStrictEqual(yield* after(invoice({ customer: "cus_unknown", ...lines("2030-01-01") })), [
        "ignored",
        ""
      ])
      assert.deepStrictEqual(yield* after(invoice({ ...lines() })), ["ignored", ""])
      assert.deepStrictEqual(yield* after(invoice(lines("2030-01-01"), { account: "acct_1" })), ["ignored", ""])
      assert.deepStrictEqual(yield* after(invoice(lines("2027-02-01", "2027-03-01", "2026-01-01"))), [
        "applied",
        "2027-03-01"
      ])
      assert.deepStrictEqual(yield* after(invoice(lines("2027-01-01"))), ["applied", "2027-03-01"])
      assert.deepStrictEqual(
        yield* after(invoice({ parent: undefined, subscription: "sub_1", ...lines("2027-04-01") })),
        ["applied", "2027-04-01"]
      )
      assert.deepStrictEqual(
        yield* after(invoice({ customer: { id: "cus_2", object: "customer" }, ...lines("2027-05-01") })),
        ["applied", "2027-05-01"]
      )
    })
  )
})
