/**
 * The payment services over the scripted gateway, and the steps that their tests are made of: `createBooking`,
 * `openSession` and `payBooking` set the scene; `actAtProvider`, `deliverEvent` and `runProviderTasks` are the world
 * outside; `reconcile` and `cancelBooking` are what the service is asked to do; `bookingState`, `refundsOf` and
 * `historyOf` are what came of it.
 */
import { assert } from "@effect/vitest"
import { Clock, type Duration, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Settings } from "../../src/platform/config/AppConfig.ts"
import type { BookingRow, BookingStatus, PaymentStatus } from "../../src/domain/booking/Booking.ts"
import { BookingOptions } from "../../src/domain/availability/BookingOptions.ts"
import { BookingRecords } from "../../src/domain/booking/BookingRecords.ts"
import { amountsToPay, standingOf } from "../../src/domain/booking/Standing.ts"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import type { Package } from "../../src/domain/catalogue/Package.ts"
import type { Venue } from "../../src/domain/catalogue/Playroom.ts"
import { BookingId, PaymentSessionId } from "../../src/platform/ids/Ids.ts"
import { addDays, dayMs, hourMs, localDateOf } from "../../src/platform/time/LocalTime.ts"
import { cancelAsOperator } from "./Acts.ts"
import { paymentServices } from "../../src/domain/payment/PaymentLayers.ts"
import { paidNotice } from "../../src/surfaces/web/family/BookingPage.ts"
import { type ReturnTokens, ShownBookings } from "../../src/surfaces/web/family/ShownBookings.ts"
import { Checkout } from "../../src/domain/payment/checkout/Checkout.ts"
import type { PaymentSessionRow } from "../../src/domain/payment/sessions/PaymentSession.ts"
import { PaymentSessions } from "../../src/domain/payment/sessions/PaymentSessions.ts"
import { ProviderTask } from "../../src/domain/payment/provider/ProviderTasks.ts"
import { runProviderTask } from "../../src/domain/payment/workers/ProviderTaskWorker.ts"
import { Reconciliation } from "../../src/domain/payment/workers/Reconciliation.ts"
import { ProviderRefunds } from "../../src/domain/payment/refunds/ProviderRefunds.ts"
import { RefundRecords } from "../../src/domain/payment/refunds/RefundRecords.ts"
import { EventRecords } from "../../src/domain/payment/events/EventRecords.ts"
import { WebhookInbox } from "../../src/domain/payment/events/WebhookInbox.ts"
import { bookingServices, contact, importVenue, principal, setClock } from "./BookingWorld.ts"
import { signatureHeader, eventTypeOf, sessionEvent } from "./providerEvents.ts"
import { type Operation, type PageAction, ScriptedGateway, scriptedGateway } from "./ScriptedGateway.ts"
import { otherVenue, packages, venue } from "./paymentVenues.ts"
import { TestDatabase } from "./TestDatabase.ts"

/** When the tests begin. */
export const now = "2026-11-20T09:00:00Z"

/** Everything, on a database of its own that has the two venues, at `now`. */
export const paymentWorld = (settings: Partial<Settings> = {}) =>
  Layer.unwrap(Effect.as(setClock(now), paymentWorldInRealTime(settings)))

/**
 * For what has timers, as the queue that renews its locks: a test that jumps months ahead would wait for each of their
 * ticks.
 */
export const inRealTime = Layer.provide(Layer.succeed(Clock.Clock, Clock.Clock.defaultValue()))

/** The same on the real clock. */
export const paymentWorldInRealTime = (settings: Partial<Settings> = {}) =>
  Layer.effectDiscard(Effect.suspend(() => importVenue(venue, otherVenue))).pipe(
    Layer.provideMerge(emptyPaymentWorld(settings))
  )

/** The services on whatever `SqlClient` is below. */
export const paymentServicesOnDatabase = (settings: Partial<Settings> = {}) =>
  Layer.merge(paymentServices, ShownBookings.layer).pipe(
    inRealTime,
    Layer.provideMerge(scriptedGateway),
    Layer.provideMerge(bookingServices({ maxHoldsPerKey: 10_000, maxHoldsPerEmail: 10_000, ...settings }))
  )

/** The services on a database of their own that holds nothing yet. */
export const emptyPaymentWorld = (settings: Partial<Settings> = {}) =>
  paymentServicesOnDatabase(settings).pipe(Layer.provideMerge(TestDatabase.layer))

/** Deletes all bookings, payments, refunds and events. */
export const deleteBookings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`with a as (delete from occupancy where booking_id is not null), b as (delete from booking_history), c as (delete from refund), c2 as (delete from dispute),
    d as (delete from payment_session), e as (delete from idempotency), f as (delete from webhook_event),
    g as (delete from provider_task), h as (delete from voucher), i as (delete from voucher_refund),
    j as (delete from voucher_sale) delete from booking`
})

/** Nothing is booked, the provider has no sessions and no refunds, and it is `now`. Answers the provider. */
export const startAnew = Effect.gen(function* () {
  yield* deleteBookings
  yield* setClock(now)
  const provider = yield* ScriptedGateway
  provider.sessions.clear()
  provider.refunds.clear()
  return provider
})

let days = 0
/** The next of 300 days of which the first is three weeks ahead, as tests let two pass. */
const nextDate = Effect.map(Clock.currentTimeMillis, (at) => addDays(localDateOf("UTC", at + 22 * dayMs), days++ % 300))

/** A booking of a package, on the next free day; on a day of the caller's with `date`. */
export const createBooking = Effect.fnUntraced(function* (
  pkg: Package = packages.party,
  {
    at = venue,
    date: given,
    key = "key_a"
  }: { readonly at?: Venue; readonly date?: string; readonly key?: string } = {}
) {
  const options = yield* BookingOptions
  const bookings = yield* Bookings
  const { playroom_id } = at.playroom
  const { package_id } = pkg
  const freeOn = (date: string) =>
    Effect.map(options.list({ playroom_id, package_id, date, children: 8 }), ({ options }) => options[0])
  let date = given ?? (yield* nextDate)
  let option = yield* freeOn(date)
  for (let tries = 1; option === undefined && tries < (given === undefined ? 300 : 1); tries += 1) {
    date = yield* nextDate
    option = yield* freeOn(date)
  }
  if (option === undefined) return assert.fail(`no option on ${date}`)
  const { row } = yield* bookings.create(principal(key), {
    option_id: option.option_id,
    contact: contact(`payer${days}`),
    idempotency_key: `${date} ${days++}`
  })
  return row
})

/** The day of a booking, for `book`. */
export const dateOf = (booking: BookingRow): string => new Date(booking.starts_at).toISOString().slice(0, 10)

/** Creates a payment session as `key_a`, and answers what the tool would. */
export const createSession = (booking_id: string, more: Record<string, unknown> = {}) =>
  Checkout.use((payments) =>
    payments.createSession(principal("key_a"), { booking_id: BookingId.make(booking_id), ...more })
  )

/** The tag of the error that an effect fails with. */
export const failureTag = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

/** Creates a payment session as `key_a`, and answers its row. */
export const openSession = Effect.fnUntraced(function* (
  booking: Pick<BookingRow, "booking_id">,
  purpose: "due_now" | "balance" = "due_now"
) {
  const view = yield* createSession(booking.booking_id, { purpose })
  return yield* sessionRow(view.payment_session_id)
})

/** Our row of a payment session, as it is now. */
export const sessionRow = (id: string) =>
  PaymentSessions.use((sessions) => sessions.find(PaymentSessionId.make(id))).pipe(
    Effect.flatMap((row) => Effect.orDie(Effect.fromOption(row)))
  )

/** The tokens that our own return address of a session carries. */
export const returnTokens = ({ request }: PaymentSessionRow): ReturnTokens => {
  const { searchParams } = new URL(request?.success_url ?? "")
  const of = (name: string) => searchParams.get(name) ?? assert.fail(`no ${name} in the return address`)
  return { booking: of("token"), payment: of("payment") }
}

/**
 * What a payer with these tokens reads: how the booking stands, what is said of the payment besides, and where.
 * `success`: as the provider leads whoever has paid.
 */
export const comesBack = Effect.fnUntraced(function* (tokens: ReturnTokens, success = true) {
  const pages = yield* ShownBookings
  const found = yield* pages.payerReturn(tokens)
  if (Option.isNone(found)) return undefined
  const back = found.value
  const shown =
    "page" in back
      ? Option.getOrThrow(yield* pages.show(back.page, back.token, { paid: back.payment ?? "", together: false }))
      : back.shown
  const standing = standingOf(shown.booking, shown.summary)
  const { outstanding } = amountsToPay(shown.booking, shown.summary)
  return { back, shown, standing: standing.kind, notice: paidNotice(shown, standing, success), outstanding }
})

/** The state of a booking: both statuses, its amounts in minor units, and whether it has its places. */
export const bookingState = Effect.fnUntraced(function* (booking: Pick<BookingRow, "booking_id">) {
  const bookings = yield* Bookings
  const { status, payment_status, paid, refunded } = yield* bookings.get(booking.booking_id)
  const sql = yield* SqlClient.SqlClient
  const places = (yield* sql`select 1 from occupancy where booking_id = ${booking.booking_id}`).length
  return { status, payment_status, paid, refunded, places: places > 0 }
})

/** The events of a booking's history, oldest first. */
export const historyOf = Effect.fnUntraced(function* (booking: BookingRow) {
  return (yield* BookingRecords.use((bookings) => bookings.history(booking))).map(({ event }) => event)
})

/**
 * A state to compare with `bookingState`: amounts in minor units; places are taken while a booking is held or
 * confirmed.
 */
export const expectedState = (status: BookingStatus, payment_status: PaymentStatus, paid = 0, refunded = 0) => ({
  status,
  payment_status,
  paid,
  refunded,
  places: status === "held" || status === "confirmed"
})

/** The states of a booking of `party`: while it is held, after it was paid, and after its hold has ended. */
export const held = expectedState("held", "unpaid")
export const confirmed = expectedState("confirmed", "paid", 12_000)
export const expired = expectedState("expired", "unpaid")

/** Our refunds of a booking: cause, status and amount. */
export const refundsOf = (booking: Pick<BookingRow, "booking_id">) =>
  Effect.map(
    RefundRecords.use((refunds) => refunds.ofBooking(booking)),
    (all) => all.map(({ amount, cause, status }) => ({ cause, status, amount }))
  )

/** Refunds that need a person, because the provider refused them or they failed. */
export const failedRefunds = RefundRecords.use((refunds) => refunds.failed())

/** Refunds that wait for the end of a dispute, or for the operator's balance. */
export const waitingRefunds = RefundRecords.use((refunds) => refunds.waiting)

/** Sends the refunds that failed again, as a person does at the command line; answers what became of each. */
export const resendFailedRefunds = Effect.gen(function* () {
  const refunds = yield* ProviderRefunds
  return yield* Effect.forEach(yield* failedRefunds, ({ refund_id }) => refunds.resend(refund_id))
})

const secrets = { platform: "whsec_test_platform", connected: "whsec_test_connected" }

/** Delivers an event with a valid signature, and does not apply it; answers whether it was stored before. */
export const deliverEvent = Effect.fnUntraced(function* (receiver: "platform" | "connected", event: unknown) {
  const inbox = yield* WebhookInbox
  const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const body = JSON.stringify(event)
  const signature = signatureHeader(body, secrets[receiver], seconds)
  return yield* inbox.receive(receiver, new TextEncoder().encode(body), [signature])
})

/** An event as the inbox has it; a defect where there is none. */
export const storedEvent = (event_id: string) =>
  Effect.map(
    EventRecords.use((records) => records.show(event_id)),
    Option.getOrThrow
  )

/** Delivers events of connected accounts one after the other, applies each, and answers them as they are stored. */
export const deliverAndApply = Effect.fnUntraced(function* (...all: ReadonlyArray<{ readonly id: string }>) {
  const inbox = yield* WebhookInbox
  for (const event of all) {
    yield* deliverEvent("connected", event)
    yield* inbox.applyDue()
  }
  return yield* Effect.forEach(all, ({ id }) => storedEvent(id))
})

/** How often the provider was asked to do an operation so far. */
export const callCount = (operation: Operation) =>
  Effect.map(ScriptedGateway, ({ callsOf }) => callsOf(operation).length)

/** Acts on a session's page at the provider, as the payer, the bank or time does. No event is delivered. */
export const actAtProvider = (session: { readonly provider_session_id: string | null }, action: PageAction) =>
  ScriptedGateway.use((provider) => Effect.sync(() => provider.act(session, action)))

/** Acts on a session's page at the provider; the event about it is delivered and applied. */
export const actAndDeliver = (session: { readonly provider_session_id: string | null }, action: PageAction) =>
  Effect.flatMap(actAtProvider(session, action), (said) => deliverAndApply(sessionEvent(eventTypeOf[action], said)))

/** A booking made at `now`, with an open payment session. */
export const bookingWithSession = Effect.fnUntraced(function* (pkg: Package = packages.party) {
  yield* setClock(now)
  const booking = yield* createBooking(pkg)
  return { booking, session: yield* openSession(booking) }
})

/** Pays what is due with a new session, delivers the event, and answers the session's row. */
export const payBooking = Effect.fnUntraced(function* (
  booking: Pick<BookingRow, "booking_id">,
  purpose: "due_now" | "balance" = "due_now"
) {
  const session = yield* openSession(booking, purpose)
  yield* actAndDeliver(session, "pay")
  return yield* sessionRow(session.payment_session_id)
})

/** A booking made at `now`, and paid. */
export const paidBooking = Effect.fnUntraced(function* (pkg: Package = packages.party) {
  yield* setClock(now)
  const booking = yield* createBooking(pkg)
  return { booking, session: yield* payBooking(booking) }
})

/** Cancels by the terms. */
export const cancelBooking = (booking: Pick<BookingRow, "booking_id">) =>
  cancelAsOperator(booking.booking_id, { preview: false })

/** Sets the clock to so many hours before the visit. */
export const setClockBefore = ({ starts_at }: Pick<BookingRow, "starts_at">, hours: number) =>
  TestClock.setTime(starts_at - hours * hourMs)

/** One whole round of reconciliation. */
export const reconcile = Reconciliation.use(({ runOnce }) => runOnce)

/** Lets time pass on the test's clock, and reconciles. */
export const reconcileAfter = (duration: Duration.Input) => Effect.andThen(TestClock.adjust(duration), reconcile)

const Pending = Schema.Array(Schema.Struct({ id: Schema.String, element: Schema.fromJsonString(ProviderTask) }))

/**
 * Runs the pending provider tasks once each, as the workers would; those that fail stay pending. Answers how many
 * succeeded.
 */
export const runProviderTasks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const pending = yield* Effect.orDie(
    Schema.decodeUnknownEffect(Pending)(
      yield* sql`select id, element from provider_task where state = 'pending' order by sequence`
    )
  )
  let done = 0
  for (const { element, id } of pending) {
    const result = yield* Effect.exit(runProviderTask(element))
    if (result._tag === "Failure") continue
    yield* sql`update provider_task set state = 'completed' where id = ${id}`
    done++
  }
  return done
})

/** A booking with an open page, and the event that would confirm it. */
export const paidEvent = Effect.gen(function* () {
  const provider = yield* ScriptedGateway
  const booking = yield* createBooking()
  const session = yield* openSession(booking)
  const event = sessionEvent("checkout.session.completed", provider.act(session, "pay"))
  return { booking, session, event }
})

/** An event with other words about its object. */
export const withObject = <E extends { readonly data: { readonly object: object } }>(
  event: E,
  object: Record<string, unknown>
) => ({
  ...event,
  data: { object: { ...event.data.object, ...object } }
})
