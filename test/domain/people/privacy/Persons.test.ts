import { assert, layer } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { unguarded } from "../../../../src/platform/access/ApiKeys.ts"
import { Grants } from "../../../../src/domain/oauth/Grants.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { BookingOptions } from "../../../../src/domain/availability/BookingOptions.ts"
import { EventRecords } from "../../../../src/domain/payment/events/EventRecords.ts"
import { WebhookInbox } from "../../../../src/domain/payment/events/WebhookInbox.ts"
import { ShownBookings } from "../../../../src/surfaces/web/family/ShownBookings.ts"
import { Checkout } from "../../../../src/domain/payment/checkout/Checkout.ts"
import { Persons } from "../../../../src/domain/people/privacy/Persons.ts"
import { Sandbox } from "../../../../src/extras/sandbox/Sandbox.ts"
import { principal } from "../../../support/BookingWorld.ts"
import { commandsOverSandbox, member, parsed, playroom } from "../../../support/CommandLine.ts"
import { bookingState, expectedState, reconcile, runProviderTasks } from "../../../support/PaymentWorld.ts"
import { packages, venue } from "../../../support/paymentVenues.ts"
import { everyRow } from "../../../support/TestDatabase.ts"
import { callSandbox, Receiver } from "../../../support/SandboxWorld.ts"

/** What nobody else in the test's world says. */
const marks = [
  "Zebedee",
  "zebedee@family.example",
  "+44 20 7946 0999",
  "allergic to quinoa",
  "broke a leg",
  "/thanks/zeb"
]
const email = "Zebedee@Family.example"

const Payloads = Schema.decodeUnknownSync(Schema.Tuple([Schema.Struct({ payload: Schema.String })]))

const optionOn = Effect.fnUntraced(function* (date: string) {
  const { options } = yield* BookingOptions.use((service) =>
    service.list({
      playroom_id: venue.playroom.playroom_id,
      package_id: packages.party.package_id,
      date,
      children: 8
    })
  )
  return options[0] ?? assert.fail(`no option on ${date}`)
})

const wish = (option_id: string, key: string) =>
  ({
    option_id,
    contact: { name: "Zebedee Ochre", email, phone: "+44 20 7946 0999" },
    child_ages: [4, 4, 4, 5, 5, 5, 6, 6],
    notes: "One is allergic to quinoa",
    idempotency_key: key
  }) as const

const book = Effect.fnUntraced(function* (date: string) {
  const option = yield* optionOn(date)
  const bookings = yield* Bookings
  return (yield* bookings.create(principal(), wish(option.option_id, `book ${date}`))).row
})

/** Lets the sandbox send what is due, and hands it to the inbox. */
const hear = Effect.gen(function* () {
  const receiver = yield* Receiver
  const inbox = yield* WebhookInbox
  receiver.answer({ status: 200, body: { received: true } })
  yield* Sandbox.use((sandbox) => sandbox.work)
  for (const { body, headers } of receiver.requests.splice(0))
    yield* inbox.receive("connected", new TextEncoder().encode(body), [String(headers["stripe-signature"])])
  yield* inbox.applyDue()
})

const pay = Effect.fnUntraced(function* (booking: Parameters<typeof bookingState>[0]) {
  const payments = yield* Checkout
  const session = yield* payments.createSession(principal(), {
    booking_id: booking.booking_id,
    success_url: "http://localhost:3000/thanks/zeb?of=zebedee@family.example"
  })
  const page = new URL(session.url ?? "").pathname
  assert.strictEqual((yield* callSandbox("POST", page, { form: { outcome: "pay" } })).status, 303)
})

const found = Effect.map(everyRow, (rows) =>
  marks.filter((mark) => rows.some((row) => row.toLowerCase().includes(mark.toLowerCase())))
)

const cancelled = expectedState("cancelled", "refunded", 12_000, 12_000)

layer(commandsOverSandbox())("a person who booked", (it) => {
  it.effect("is told all that is stored, and erased from all of it, once nothing of theirs is open any more", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const booking = yield* book("2026-12-01")
      const held = yield* playroom("person", "erase", "--email", email.toLowerCase())
      assert.include(held.failure ?? "", `${booking.reference} is held: cancel it first`)

      yield* pay(booking)
      assert.include((yield* playroom("person", "erase", "--email", email)).failure ?? "", "is held")
      yield* hear
      assert.include(
        (yield* playroom("person", "erase", "--email", email, "--preview")).out,
        `In the way: ${booking.reference} is a visit to come`
      )
      yield* playroom("booking", "cancel", booking.reference, "--reason", "Zebedee broke a leg")
      assert.include(
        (yield* playroom("person", "erase", "--email", email)).failure ?? "",
        "a refund that is not settled"
      )
      yield* runProviderTasks
      yield* reconcile
      yield* hear
      assert.deepStrictEqual(yield* bookingState(booking), cancelled)
      assert.sameMembers(yield* found, marks)

      const told = yield* playroom("person", "export", "--email", ` ${email} `)
      for (const mark of marks) assert.include(told.out.toLowerCase(), mark.toLowerCase())
      const [exported] = [member(parsed(told.out), "bookings")].flat()
      for (const part of ["history", "payment_sessions", "refunds", "provider_events", "idempotency_keys"])
        assert.isNotEmpty(member(exported, part), part)
      assert.include(told.out, "sandbox_delivery")

      const preview = yield* playroom("person", "erase", "--email", email, "--preview")
      assert.include(preview.out, `would be erased from 1 booking (${booking.reference})`)
      assert.sameMembers(yield* found, marks)
      const done = yield* playroom("person", "erase", "--email", email)
      assert.include(done.out, `is erased from 1 booking (${booking.reference})`)
      assert.include(done.out, "the payment provider's own records")
      assert.deepStrictEqual(yield* found, [])
      assert.include((yield* playroom("person", "erase", "--email", email)).out, "from 0 bookings")

      // What was sold and paid is still there, and everything that reads it works.
      assert.deepStrictEqual(yield* bookingState(booking), cancelled)
      const [amounts] =
        yield* sql`select (select sum(amount)::int from payment_session where booking_id = ${booking.booking_id}) as paid,
        (select sum(amount)::int from refund where booking_id = ${booking.booking_id}) as back`
      assert.deepStrictEqual(amounts, { paid: 12_000, back: 12_000 })
      const shown = yield* playroom("booking", "show", booking.reference)
      assert.isUndefined(shown.failure)
      assert.include(shown.out, "person_erased")
      const bookings = yield* Bookings
      const again = yield* bookings.create(principal(), wish(booking.option_id, "book 2026-12-01"))
      assert.deepInclude(again, { already_existed: true })
      assert.strictEqual(again.row.contact_email, "erased@erased.invalid")
      assert.isUndefined((yield* playroom("doctor")).failure)
      const link = parsed((yield* playroom("booking", "link", booking.reference, "--json")).out)
      const token = String(member(link, "page_url")).split("/").at(-1) ?? ""
      assert.isTrue(
        Option.isSome(
          yield* Effect.provide(
            ShownBookings.use((pages) => pages.show("booking", token, { paid: undefined, together: false })),
            ShownBookings.layer
          )
        )
      )
    })
  )

  it.effect("may book again, and is not found in an event that comes after they were erased", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const booking = yield* book("2026-12-02")
      yield* pay(booking)
      yield* hear
      yield* playroom("booking", "cancel", booking.reference)
      yield* runProviderTasks
      yield* reconcile
      const of = sql`booking_id = ${booking.booking_id}`
      const [{ payload }] = Payloads(yield* sql`select payload from webhook_event where ${of}`)
      yield* sql`update webhook_event set status = 'received', next_attempt_at = '2020-01-01' where ${of}`
      const waiting = yield* playroom("person", "erase", "--email", email)
      assert.include(waiting.failure ?? "", "events of the provider that are not settled")
      yield* sql`update webhook_event set status = 'applied' where ${of}`
      assert.isUndefined((yield* playroom("person", "erase", "--email", email)).failure)
      assert.deepStrictEqual(yield* found, [])
      yield* sql`update webhook_event set payload = ${payload}, status = 'received' where ${of}`
      assert.include(yield* found, "zebedee@family.example")
      yield* WebhookInbox.use((inbox) => inbox.applyDue())
      assert.deepStrictEqual(yield* found, [])
      assert.deepStrictEqual(yield* bookingState(booking), cancelled)
    })
  )

  it.effect("is erased to the end by the next call, where one was interrupted between two bookings", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const persons = yield* Persons
      const [one, other] = [yield* book("2026-12-03"), yield* book("2026-12-04")]
      for (const { reference } of [one, other]) yield* playroom("booking", "cancel", reference)
      yield* sql`create function crash() returns trigger language plpgsql as $$ begin raise exception 'crash'; end $$`
      yield* sql`create trigger crash before update on booking for each row
        when (new.booking_id = ${sql.literal(`'${other.booking_id}'`)}) execute function crash()`
      const outcomes = (yield* persons.erase(email)).outcomes.map(({ item, outcome }) => `${item} ${outcome}`)
      assert.includeMembers(outcomes, [`${one.reference} done`, `${other.reference} failed`])
      assert.include(yield* found, "Zebedee")
      assert.deepStrictEqual((yield* persons.plan(email)).bookings, [other.reference])
      yield* sql`drop trigger crash on booking`
      assert.deepStrictEqual((yield* persons.erase(email)).bookings, [other.reference])
      assert.deepStrictEqual(yield* found, [])
    })
  )

  it.effect("ends as a guest of /mcp/connect with the last booking, and the network address goes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const grants = yield* Grants
      const grant = {
        consent: "consent",
        scopes: ["bookings:read", "bookings:write"],
        client_id: "client",
        client_name: "Host",
        host: "host.example",
        proven: false,
        address: "192.0.2.77",
        key: undefined
      } as const
      const { grant_id, key_id } = yield* grants.agree(grant, unguarded)
      const [one, other] = [yield* book("2026-12-05"), yield* book("2026-12-06")]
      yield* sql`update booking set key_id = ${key_id}, contact_email = 'b' || contact_email where booking_id = ${other.booking_id}`
      yield* sql`update booking set key_id = ${key_id} where booking_id = ${one.booking_id}`
      for (const { reference } of [one, other]) yield* playroom("booking", "cancel", reference)
      yield* playroom("person", "erase", "--email", email)
      assert.isTrue(yield* grants.counts(grant_id), "another person's booking is left under the guest's key")
      assert.include((yield* playroom("person", "export", "--email", `b${email}`)).out, "192.0.2.77")
      yield* playroom("person", "erase", "--email", `b${email}`)
      assert.isFalse(yield* grants.counts(grant_id))
      assert.isFalse((yield* everyRow).some((row) => row.includes("192.0.2.77")))
    })
  )

  it.effect("is found in events by the whole address, however JSON writes it, and not in another's that holds it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const records = yield* EventRecords
      const bodies = [
        '{"email":"Jo.Ann@fam.example"}',
        '{"text":"from \\u003cjo.ann@fam.example\\u003e."}',
        '{"text":"mailto:jo.ann@fam.example. Thanks"}',
        '{"email":"mojo.ann@fam.example"}',
        '{"email":"jo.ann@fam.example.org"}',
        '{"email":"jo-ann@fam.example","also":"joxann@famxexample"}',
        '{"email":"j\\u00f6@fam.example"}',
        '{"email":"JÖ@fam.example"}'
      ]
      for (const [n, body] of bodies.entries())
        yield* sql`insert into webhook_event (event_id, receiver, type, livemode, payload, status, next_attempt_at, received_at)
          values (${`evt_named_${n}`}, 'connected', 'charge.updated', false, ${body}, 'applied', now(), now())`
      const named = (address: string) =>
        Effect.map(records.naming(address), (events) => events.map(({ event_id }) => event_id.slice(-1)).join(""))
      assert.strictEqual(yield* named("jo.ann@FAM.example"), "012")
      assert.strictEqual(yield* named("jö@fam.example"), "67")
      const done = yield* playroom("person", "erase", "--email", "jo.ann@fam.example")
      assert.include(done.out, "from 0 bookings and 3 events of other bookings")
      assert.strictEqual(yield* named("jo.ann@fam.example"), "")
      assert.strictEqual(yield* named("mojo.ann@fam.example"), "3")
    })
  )

  it.effect("is erased from an event of no booking once that is settled, and not said to be before", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const body = { created: 1, data: { object: { id: "cs_1", email: "ida@fam.example" } } }
      const naming = EventRecords.use((records) => records.naming("ida@fam.example"))
      for (const status of ["dead", "rejected"]) {
        const id = `evt_waits_${status}`
        yield* sql`insert into webhook_event (event_id, receiver, type, livemode, payload, status, next_attempt_at, received_at)
          values (${id}, 'connected', 'checkout.session.completed', false, ${JSON.stringify(body)}, ${status}, now(), now())`
        const erase = playroom("person", "erase", "--email", "ida@fam.example")
        const waiting = `${id} is an event of the provider that is not settled: see playroom doctor`
        assert.include((yield* erase).failure ?? "", waiting)
        assert.include((yield* playroom("person", "erase", "--email", "ida@fam.example", "--preview")).out, waiting)
        assert.lengthOf(yield* naming, 1)
        // What a person has dealt with is told by its envelope.
        yield* playroom("doctor", "--settle", id)
        assert.lengthOf(yield* naming, 0)
        assert.isUndefined((yield* erase).failure)
      }
    })
  )

  it.effect("is asked for by an e-mail address", () =>
    Effect.gen(function* () {
      for (const command of ["export", "erase"])
        for (const address of [" ", "@", "ana@", "@example.com", "ana"])
          assert.include(
            (yield* playroom("person", command, "--email", address)).failure ?? "",
            "takes an e-mail address"
          )
      for (const kept of ["ana@example.com.", "ana@example..com"])
        assert.isUndefined((yield* playroom("person", "export", "--email", kept)).failure)
    })
  )
})
