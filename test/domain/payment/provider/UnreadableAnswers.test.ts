/**
 * What becomes of payments, events, refunds and commands while answers come that the provider's documentation does not
 * know.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { cancelAsOperator } from "../../../support/Acts.ts"
import { Checkout } from "../../../../src/domain/payment/checkout/Checkout.ts"
import { WebhookInbox } from "../../../../src/domain/payment/events/WebhookInbox.ts"
import { PlatformGateway } from "../../../../src/domain/payment/provider/PlatformGateway.ts"
import { receiverPaths } from "../../../../src/domain/payment/provider/Receivers.ts"
import { AppConfig } from "../../../../src/platform/config/AppConfig.ts"
import { principal, setClock } from "../../../support/BookingWorld.ts"
import { commandsOverSandbox, parsed, playroom, RecordedWire } from "../../../support/CommandLine.ts"
import {
  bookingState,
  createBooking,
  held,
  now,
  openSession,
  runProviderTasks,
  storedEvent
} from "../../../support/PaymentWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"
import { session } from "../../../support/stripeAnswers.ts"
import { callSandbox, deliverDueEvents, Receiver } from "../../../support/SandboxWorld.ts"
import { testSettings } from "../../../support/testSettings.ts"

const base = "https://book.example.com"
/** A proxy's, a half-made one, and what says that something failed, but not what. */
const answers = [
  { status: 403, body: "<html>Sign in to the network</html>" },
  { status: 200, body: "[]" },
  { status: 302, body: "{}" },
  { status: 404, body: "{}" },
  { status: 503, body: "{}" },
  { status: 200, body: '{"error": {"code": "account_invalid", "message": "no"}}' }
]

/** Runs while these requests are answered so. The circuit, which may have opened, is closed again before. */
const answered = Effect.fnUntraced(function* <A, E, R>(
  answer: (typeof answers)[number],
  at: RegExp,
  run: Effect.Effect<A, E, R>
) {
  const { instead } = yield* RecordedWire
  yield* TestClock.adjust("2 seconds")
  instead(({ method, path }) => (at.test(`${method} ${path}`) ? answer : undefined))
  return yield* Effect.ensuring(
    run,
    Effect.sync(() => instead(() => undefined))
  )
})

const begin = Effect.gen(function* () {
  yield* setClock(now)
  const sql = yield* SqlClient.SqlClient
  for (const table of ["endpoint", "delivery"]) yield* sql.unsafe(`delete from sandbox.${table}`)
  const receiver = yield* Receiver
  receiver.requests.length = 0
  receiver.answer({ status: 200, body: { received: true } })
})

const pay = Effect.gen(function* () {
  const booking = yield* createBooking(packages.refundableParty)
  const session = yield* openSession(booking)
  const page = new URL(session.url ?? "").pathname
  assert.strictEqual((yield* callSandbox("POST", page, { form: { outcome: "pay" } })).status, 303)
  return booking
})

const setup = (...args: ReadonlyArray<string>) =>
  playroom("provider", "setup", ...args).pipe(Effect.provideService(AppConfig, testSettings({ baseUrl: base })))

/** Has the sandbox send what is due, and the inbox take it and try once; answers the ids of what was sent. */
const hear = Effect.gen(function* () {
  const inbox = yield* WebhookInbox
  const { requests } = yield* Receiver
  yield* deliverDueEvents
  const ids: Array<string> = []
  for (const { body, headers, path } of requests.splice(0)) {
    const side = path === receiverPaths.platform ? "platform" : "connected"
    yield* inbox.receive(side, new TextEncoder().encode(body), [String(headers["stripe-signature"])])
    const event: unknown = parsed(body)
    ids.push(String(Object(event).id))
  }
  yield* inbox.applyDue()
  return ids
})

layer(commandsOverSandbox())("an answer of a kind that the provider never gives", (it) => {
  it.effect("to the wish for a page leaves the hold as it is, and the next call gets a page", () =>
    Effect.gen(function* () {
      yield* begin
      for (const answer of answers) {
        const { booking_id, ...booking } = yield* createBooking()
        const ask = Checkout.use((checkout) => checkout.createSession(principal(), { booking_id }))
        const error = yield* Effect.flip(answered(answer, /^POST \/v1\/checkout\/sessions/, ask))
        assert.deepInclude(error, { _tag: "ProviderUnavailable", operation: "createSession" }, JSON.stringify(answer))
        assert.deepStrictEqual(yield* bookingState({ ...booking, booking_id }), held)
        yield* TestClock.adjust("2 seconds")
        assert.match((yield* ask).url ?? "", /^http/)
      }
    })
  )

  it.effect(
    "that is a page of another payment, for other money, is handed to nobody: the next call has another made",
    () =>
      Effect.gen(function* () {
        yield* begin
        const { booking_id, ...booking } = yield* createBooking()
        const ask = Checkout.use((checkout) => checkout.createSession(principal(), { booking_id }))
        const other = { status: 200, body: JSON.stringify({ ...session, amount_total: 100, currency: "usd" }) }
        const { seen } = yield* RecordedWire
        seen.length = 0
        const error = yield* Effect.flip(answered(other, /^POST \/v1\/checkout\/sessions/, ask))
        assert.deepInclude(error, { _tag: "ProviderUnavailable", kept: true })
        assert.deepStrictEqual(yield* bookingState({ ...booking, booking_id }), held)
        const { amount, url } = yield* ask
        assert.strictEqual(amount.amount, 12_000)
        assert.notStrictEqual(url, session.url)
        const keys = seen.filter(({ method }) => method === "POST").map(({ headers }) => headers["idempotency-key"])
        assert.deepStrictEqual([keys.length, new Set(keys).size], [2, 2])
      })
  )

  it.effect("to the question whose a thin dispute is leaves the event to be applied, which it is", () =>
    Effect.gen(function* () {
      for (const answer of answers) {
        yield* begin
        yield* setup("--payload", "thin")
        const booking = yield* pay
        yield* hear
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<{ readonly intent: string }>`select payment_intent_id as intent from payment_session
          where booking_id = ${booking.booking_id} and status = 'paid'`
        const form = { payment_intent: row?.intent ?? "", amount: "1500" }
        assert.strictEqual((yield* callSandbox("POST", "/sandbox/dispute", { form })).status, 200)
        const [id = ""] = yield* answered(answer, /^GET \/v1\/disputes\//, hear)
        assert.strictEqual((yield* storedEvent(id)).status, "received", JSON.stringify(answer))
        yield* TestClock.adjust("1 hour")
        yield* WebhookInbox.use((inbox) => inbox.applyDue())
        assert.deepInclude(yield* storedEvent(id), { status: "applied", booking_id: booking.booking_id })
      }
    })
  )

  it.effect("to the writes of provider setup is no step that is done", () =>
    Effect.gen(function* () {
      for (const answer of answers) {
        yield* begin
        const { failure, out } = yield* answered(answer, /^POST \/v[12]\//, setup())
        assert.isDefined(failure, JSON.stringify(answer))
        assert.notMatch(out, /2 of 2/)
        assert.deepStrictEqual(yield* PlatformGateway.use((gateway) => gateway.endpoints), [])
        yield* setup()
        yield* PlatformGateway.use((gateway) =>
          Effect.flatMap(gateway.endpoints, (all) =>
            Effect.forEach(all, (one) => gateway.changeEndpoint(one, { enabled: false }))
          )
        )
        const repaired = yield* answered(answer, /^POST \/v1\/webhook_endpoints\//, setup())
        assert.isDefined(repaired.failure, JSON.stringify(answer))
        const all = yield* PlatformGateway.use((gateway) => gateway.endpoints)
        assert.deepStrictEqual([all.length, all.some(({ enabled }) => enabled)], [2, false])
      }
    })
  )

  it.effect("to a refund in the background has it asked for again, and it goes back once", () =>
    Effect.gen(function* () {
      yield* begin
      for (const answer of answers) {
        const booking = yield* pay
        yield* hear
        yield* cancelAsOperator(booking.booking_id, { preview: false })
        const before = yield* bookingState(booking)
        assert.strictEqual(before.payment_status, "refund_pending")
        yield* answered(answer, /^POST \/v1\/refunds/, runProviderTasks)
        assert.deepStrictEqual(yield* bookingState(booking), before, JSON.stringify(answer))
        yield* TestClock.adjust("1 hour")
        yield* runProviderTasks
        assert.strictEqual((yield* bookingState(booking)).payment_status, "refunded")
      }
    })
  )
})
