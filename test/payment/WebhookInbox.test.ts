import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Option, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Operators } from "../../src/catalogue/Operators.ts"
import { PaymentSessions } from "../../src/payment/PaymentSessions.ts"
import { maxAttempts, WebhookInbox } from "../../src/payment/WebhookInbox.ts"
import { at } from "../support/BookingWorld.ts"
import {
  book,
  deliver,
  eventOf,
  now,
  open,
  paymentWorld,
  post,
  providerId,
  sessionRow,
  standing
} from "../support/PaymentWorld.ts"
import { otherVenue } from "../support/paymentVenues.ts"
import { ScriptedGateway } from "../support/ScriptedGateway.ts"

const untouched = { status: "held", payment_status: "unpaid", paid: 0, refunded: 0, places: true }

/** A booking with an open page, and the event that would confirm it. */
const paidEvent = Effect.gen(function* () {
  const provider = yield* ScriptedGateway
  const booking = yield* book()
  const session = yield* open(booking)
  const event = eventOf("checkout.session.completed", provider.act(providerId(session), "pay"))
  return { booking, session, event }
})

/** What became of an event when it was delivered to the connected receiver. */
const outcomeOf = (event: { readonly id: string }) =>
  Effect.map(deliver(event), ([stored]) => ({ status: stored?.status, outcome: stored?.outcome ?? "" }))

const withObject = <E extends { readonly data: { readonly object: object } }>(
  event: E,
  object: Record<string, unknown>
) => ({
  ...event,
  data: { object: { ...event.data.object, ...object } }
})

layer(paymentWorld())("the webhook inbox", (it) => {
  it.effect("stores a delivery once however often it comes, and applies it once", () =>
    Effect.gen(function* () {
      yield* at(now)
      const inbox = yield* WebhookInbox
      const { booking, event } = yield* paidEvent
      const answers = yield* Effect.all(
        Array.from({ length: 10 }, () => post("connected", event)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ duplicate }) => !duplicate).length, 1)
      assert.strictEqual(yield* inbox.applyDue(), 1)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* post("connected", event), { duplicate: true })
      assert.strictEqual(yield* inbox.applyDue(), 0)
      assert.deepStrictEqual(yield* standing(booking), {
        status: "confirmed",
        payment_status: "paid",
        paid: 12_000,
        refunded: 0,
        places: true
      })
    })
  )

  it.effect("answers after one statement, and what is not ours by its envelope costs no other", () =>
    Effect.gen(function* () {
      yield* at(now)
      const inbox = yield* WebhookInbox
      const { event } = yield* paidEvent
      yield* inbox.applyDue()
      const spans: Array<Tracer.NativeSpan> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const foreign = { ...event, id: `${event.id}_foreign`, type: "charge.updated" }
      for (const one of [event, event, foreign]) {
        spans.length = 0
        yield* Effect.withTracer(post("connected", one), tracer)
        const statements = spans
          .map(({ attributes }) => attributes.get("db.query.text"))
          .filter((text) => text !== undefined)
        assert.strictEqual(statements.length, 1, spans.map(({ name }) => name).join())
        assert.match(String(statements[0]), /^\s*insert into webhook_event/)
        assert.isFalse(
          spans.some(({ name }) => name.includes("transaction")),
          spans.map(({ name }) => name).join()
        )
      }
      assert.strictEqual(Option.getOrThrow(yield* inbox.show(foreign.id)).status, "ignored")
      assert.strictEqual(yield* inbox.applyDue(), 1)
    })
  )

  it.effect("stores nothing of what it can't verify, and neither receiver takes the other's signature", () =>
    Effect.gen(function* () {
      yield* at(now)
      const inbox = yield* WebhookInbox
      const sql = yield* SqlClient.SqlClient
      const { event } = yield* paidEvent
      const body = new TextEncoder().encode(JSON.stringify(event))
      const count = Effect.map(sql`select 1 from webhook_event`, (rows) => rows.length)
      const before = yield* count
      const refusal = (signatures: ReadonlyArray<string>) =>
        Effect.map(Effect.flip(inbox.receive("connected", body, signatures)), ({ _tag }) => _tag)
      assert.strictEqual(yield* refusal([]), "SignatureMissing")
      assert.strictEqual(yield* refusal(["t=1,v1=abc"]), "SignatureInvalid")
      assert.strictEqual(yield* count, before)
      // Each receiver has its own secrets: what the platform's opens is a platform event.
      yield* post("platform", event)
      yield* inbox.applyDue()
      const stored = Option.getOrThrow(yield* inbox.show(event.id))
      assert.deepStrictEqual([stored.receiver, stored.status], ["platform", "ignored"])
    })
  )

  it.effect("keeps, and does not apply, what is not addressed to this service", () =>
    Effect.gen(function* () {
      yield* at(now)
      const inbox = yield* WebhookInbox
      const { booking, event } = yield* paidEvent
      const { account: _, ...withoutAccount } = event
      const foreign = [
        { ...event, type: "checkout.session.something_new" },
        { ...event, type: "invoice.paid" },
        { ...event, livemode: true },
        { ...event, api_version: "2019-01-01" },
        { ...event, api_version: null },
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
        assert.deepStrictEqual(yield* standing(booking), untouched, outcome)
      }
      yield* post("platform", { ...event, id: "evt_platform", type: "invoice.paid" })
      yield* inbox.applyDue()
      const platform = Option.getOrThrow(yield* inbox.show("evt_platform"))
      assert.deepStrictEqual([platform.status, platform.outcome?.includes("account")], ["ignored", true])
      const listed = yield* inbox.list({ status: "ignored" })
      assert.isTrue(foreign.every((_, i) => listed.some(({ event_id }) => event_id === `evt_foreign_${i}`)))
      assert.strictEqual((yield* outcomeOf(event)).status, "applied")
      assert.strictEqual((yield* standing(booking)).status, "confirmed")
    })
  )

  it.effect("rejects and flags an amount, a currency, an account or a session id that is not what was asked for", () =>
    Effect.gen(function* () {
      yield* at(now)
      const sessions = yield* PaymentSessions
      const wrong: ReadonlyArray<(event: Effect.Success<typeof paidEvent>["event"]) => { readonly id: string }> = [
        (event) => withObject(event, { amount_total: 11_999 }),
        (event) => withObject(event, { amount_total: 0 }),
        (event) => withObject(event, { currency: "eur" }),
        (event) => ({ ...event, account: otherVenue.operator.connected_account_id }),
        (event) => withObject(event, { id: "cs_test_another" })
      ]
      for (const make of wrong) {
        const { booking, event, session } = yield* paidEvent
        const { outcome, status } = yield* outcomeOf(make(event))
        assert.strictEqual(status, "rejected", outcome)
        assert.deepStrictEqual(yield* standing(booking), untouched)
        const row = yield* sessionRow(session.payment_session_id)
        assert.deepStrictEqual([row.status, row.flagged], ["open", outcome])
      }
      assert.strictEqual((yield* sessions.flagged).length, wrong.length)
    })
  )

  it.effect("waits for a session of ours that is not committed yet, and gives up on one that never comes", () =>
    Effect.gen(function* () {
      yield* at(now)
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
      assert.strictEqual((yield* standing(booking)).status, "confirmed")

      const never = withObject(event, {
        id: "cs_never",
        metadata: { payment_session_id: "payment_01h40000000000000000000002" }
      })
      yield* deliver({ ...never, id: "evt_never" })
      for (let i = 0; i < 10; i++) {
        yield* TestClock.adjust("1 minute")
        yield* inbox.applyDue()
      }
      assert.strictEqual(Option.getOrThrow(yield* inbox.show("evt_never")).status, "ignored")
    })
  )

  it.effect("finds a session whose creation was not answered by our own id in the event", () =>
    Effect.gen(function* () {
      yield* at(now)
      const provider = yield* ScriptedGateway
      const sql = yield* SqlClient.SqlClient
      const booking = yield* book()
      provider.next("createSession", "unanswered")
      yield* Effect.flip(open(booking))
      const [made] = [...provider.sessions.values()].slice(-1)
      yield* deliver(eventOf("checkout.session.completed", provider.act(made?.id ?? "", "pay")))
      assert.strictEqual((yield* standing(booking)).status, "confirmed")
      const rows = yield* sql<{
        status: string
        id: string
      }>`select status, provider_session_id as id from payment_session
        where booking_id = ${booking.booking_id}`
      assert.deepStrictEqual(rows, [{ status: "paid", id: made?.id ?? "" }])
    })
  )

  it.effect(
    "sets a poison event aside after its tries, without holding up the others, and applies it when told to",
    () =>
      Effect.gen(function* () {
        yield* at(now)
        const inbox = yield* WebhookInbox
        const sql = yield* SqlClient.SqlClient
        const { booking, event, session } = yield* paidEvent
        const other = yield* paidEvent
        yield* sql`alter table booking_history add constraint poison check (booking_id <> ${sql.literal(`'${booking.booking_id}'`)}) not valid`
        yield* post("connected", event)
        yield* post("connected", other.event)
        yield* inbox.applyDue()
        assert.strictEqual((yield* standing(other.booking)).status, "confirmed")
        for (let i = 0; i < maxAttempts + 2; i++) {
          yield* TestClock.adjust("6 minutes")
          yield* inbox.applyDue()
        }
        const dead = Option.getOrThrow(yield* inbox.show(event.id))
        assert.deepStrictEqual([dead.status, dead.attempts], ["dead", maxAttempts])
        assert.include(dead.outcome ?? "", "poison")
        // Nothing of a failed try is left behind.
        assert.deepStrictEqual(yield* standing(booking), untouched)
        assert.strictEqual((yield* sessionRow(session.payment_session_id)).status, "open")
        yield* sql`alter table booking_history drop constraint poison`
        assert.isTrue(yield* inbox.retry(event.id))
        assert.isFalse(yield* inbox.retry("evt_unknown"))
        yield* inbox.applyDue()
        assert.strictEqual((yield* standing(booking)).status, "confirmed")
      })
  )

  it.effect("applies each event once where several nodes apply at the same time", () =>
    Effect.gen(function* () {
      yield* at(now)
      const inbox = yield* WebhookInbox
      const all = yield* Effect.forEach(Array.from({ length: 8 }), () => paidEvent)
      for (const { event } of all) yield* post("connected", event)
      const tried = yield* Effect.all(
        Array.from({ length: 4 }, () => inbox.applyDue()),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(
        tried.reduce((total, count) => total + count, 0),
        8
      )
      for (const { booking } of all) assert.strictEqual((yield* standing(booking)).paid, 12_000)
    })
  )

  it.effect("lets other statements in between two events, however many wait", () =>
    Effect.gen(function* () {
      yield* at(now)
      const inbox = yield* WebhookInbox
      const sql = yield* SqlClient.SqlClient
      yield* inbox.applyDue()
      const { event } = yield* paidEvent
      const foreign = withObject(event, { id: "cs_foreign", metadata: {}, client_reference_id: null })
      for (let i = 0; i < 60; i++) yield* post("connected", { ...foreign, id: `evt_many_${i}` })
      const waiting = Effect.map(
        sql`select 1 from webhook_event where status = 'received' and event_id like 'evt_many%'`,
        (rows) => rows.length
      )
      const applying = yield* Effect.forkChild(inbox.applyDue())
      const seen: Array<number> = []
      while (seen.at(-1) !== 0) {
        seen.push(yield* waiting)
        yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
      }
      assert.strictEqual(yield* Fiber.join(applying), 60)
      assert.isAtLeast(new Set(seen).size, 10, seen.join())
    })
  )

  it.effect("extends an operator's subscription by the latest period of its invoices, and never takes back", () =>
    Effect.gen(function* () {
      yield* at(now)
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
            object: "invoice",
            customer: "cus_2",
            parent: { type: "subscription_details", subscription_details: { subscription: "sub_1" } },
            lines: { data: [] },
            ...object
          }
        },
        ...envelope
      })
      const lines = (...ends: ReadonlyArray<string>) => ({
        lines: { data: ends.map((end) => ({ period: { start: 0, end: Date.parse(end) / 1000 } })) }
      })
      const after = Effect.fnUntraced(function* (event: { readonly id: string }) {
        yield* post("platform", event)
        yield* inbox.applyDue()
        const { status } = Option.getOrThrow(yield* inbox.show(event.id))
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
