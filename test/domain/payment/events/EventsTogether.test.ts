import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Ref, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { BookingRecords } from "../../../../src/domain/booking/BookingRecords.ts"
import { Failpoint, type FailpointName } from "../../../../src/platform/concurrency/Failpoint.ts"
import { WebhookInbox } from "../../../../src/domain/payment/events/WebhookInbox.ts"
import type { PaymentSessionRow } from "../../../../src/domain/payment/sessions/PaymentSession.ts"
import {
  bookingState,
  confirmed,
  createBooking,
  deliverEvent,
  held,
  historyOf,
  openSession,
  paymentWorld,
  refundsOf,
  sessionRow,
  startAnew,
  storedEvent,
  paidEvent,
  withObject
} from "../../../support/PaymentWorld.ts"
import { sessionEvent } from "../../../support/providerEvents.ts"
import { packages } from "../../../support/paymentVenues.ts"
import { recordingTracer } from "../../../support/recordedSpans.ts"
import { runs } from "../../../support/runs.ts"
import { type PageAction, ScriptedGateway } from "../../../support/ScriptedGateway.ts"
import { serverUrl } from "../../../support/TestDatabase.ts"

type Act = (action: PageAction) => ReturnType<ScriptedGateway["Service"]["act"]>
type Told = ReturnType<typeof sessionEvent>

/** What is told of a booking, one event after the other. */
const stories = {
  paid: (act: Act) => [sessionEvent("checkout.session.completed", act("pay"))],
  told_twice: (act: Act) => {
    const said = act("pay")
    return [sessionEvent("checkout.session.completed", said), sessionEvent("checkout.session.completed", said)]
  },
  free: (act: Act) => [sessionEvent("checkout.session.completed", act("free"))],
  closed: (act: Act) => [sessionEvent("checkout.session.expired", act("expire"))],
  closed_and_paid: (act: Act) => {
    const said = act("pay")
    return [sessionEvent("checkout.session.expired", said), sessionEvent("checkout.session.completed", said)]
  },
  paid_later: (act: Act) => [
    sessionEvent("checkout.session.completed", act("pay_later")),
    sessionEvent("checkout.session.async_payment_succeeded", act("late_success"))
  ],
  failed_later: (act: Act) => [
    sessionEvent("checkout.session.completed", act("pay_later")),
    sessionEvent("checkout.session.async_payment_failed", act("late_failure"))
  ],
  wrong_amount: (act: Act) => [withObject(sessionEvent("checkout.session.completed", act("pay")), { amount_total: 1 })],
  second_page: (act: Act) => {
    const said = act("pay")
    const event = sessionEvent("checkout.session.completed", said)
    return [event, withObject({ ...event, id: `${event.id}_other` }, { id: `${said.id}_other` })]
  },
  unreadable: (act: Act) => [
    withObject(sessionEvent("checkout.session.completed", act("pay")), { expires_at: "soon" })
  ],
  other_account: (act: Act) => [sessionEvent("checkout.session.completed", act("pay"), { account: "acct_2" })]
} satisfies Record<string, (act: Act) => ReadonlyArray<Told>>

const Case = Schema.Struct({
  story: Schema.Literals([
    "paid",
    "told_twice",
    "free",
    "closed",
    "closed_and_paid",
    "paid_later",
    "failed_later",
    "wrong_amount",
    "second_page",
    "unreadable",
    "other_account"
  ]),
  deposit: Schema.Boolean,
  /** What became of the booking before anything is told. */
  before: Schema.Literals(["held", "held", "held", "expired", "cancelled", "erased"])
})

interface Made {
  readonly booking: BookingRow
  readonly session: PaymentSessionRow
  readonly told: ReadonlyArray<Told>
}

const make = Effect.fnUntraced(function* ({ before, deposit, story }: typeof Case.Type) {
  const provider = yield* ScriptedGateway
  const records = yield* BookingRecords
  const sql = yield* SqlClient.SqlClient
  const booking = yield* createBooking(deposit ? packages.depositParty : packages.party)
  const session = yield* openSession(booking)
  const told = stories[story]((action) => provider.act(session, action))
  if (before === "expired") yield* records.change(booking, { transition: "hold_lapsed", event: "hold_expired" })
  if (before === "cancelled") yield* records.change(booking, { transition: "cancelled", event: "cancelled" })
  if (before === "erased") yield* sql`update booking set erased_at = now() where booking_id = ${booking.booking_id}`
  return { booking, session, told } satisfies Made
})

const withoutIds = (text: string | null) => text?.replaceAll(/\b(payment|booking|cs|evt)_\w+/g, "$1")

/** What became of a booking, of its session, and of each event, without ids. */
const end = Effect.fnUntraced(function* ({ booking, session, told }: Made) {
  const { failed_attempt, flagged, paid_at, payment_intent_id, status } = yield* sessionRow(session.payment_session_id)
  return {
    booking: yield* bookingState(booking),
    session: {
      status,
      flagged: withoutIds(flagged),
      attempt: failed_attempt?.outcome,
      paid: paid_at !== null,
      payment_intent_id: payment_intent_id !== null
    },
    refunds: yield* refundsOf(booking),
    history: yield* historyOf(booking),
    events: yield* Effect.forEach(told, ({ id }) =>
      Effect.map(storedEvent(id), (event) => ({
        status: event.status,
        attempts: event.attempts,
        outcome: withoutIds(event.outcome),
        ofBooking: event.booking_id === booking.booking_id,
        whole: event.payload.includes("amount_total")
      }))
    )
  }
})

/** Delivers the events, a millisecond apart. */
const deliver = (events: ReadonlyArray<{ readonly id: string }>) =>
  Effect.forEach(events, (event) => Effect.andThen(TestClock.adjust("1 millis"), deliverEvent("connected", event)), {
    discard: true
  })

layer(paymentWorld())("events that wait together", (it) => {
  it.effect.prop(
    "end as if each had been applied alone",
    { cases: Schema.Array(Case).check(Schema.isMinLength(2), Schema.isMaxLength(10)) },
    ({ cases }) =>
      Effect.gen(function* () {
        yield* startAnew
        const inbox = yield* WebhookInbox
        const alone = yield* Effect.forEach(cases, make)
        const waiting = yield* Effect.forEach(cases, make)
        yield* deliver(alone.flatMap(({ told }) => told))
        while ((yield* inbox.applyStored(1)) > 0);
        yield* deliver(waiting.flatMap(({ told }) => told))
        yield* inbox.applyStored()
        assert.deepStrictEqual(yield* Effect.forEach(waiting, end), yield* Effect.forEach(alone, end))
      }),
    { arbitrary: { runs: runs(8) }, timeout: 240_000 }
  )

  it.effect("share a transaction and its six statements, if they are payments of held bookings", () =>
    Effect.gen(function* () {
      yield* startAnew
      const inbox = yield* WebhookInbox
      const { spans, statements, tracer } = recordingTracer()
      const all = yield* Effect.forEach(Array.from({ length: 14 }), () => paidEvent)
      yield* deliver(all.map(({ event }) => event))
      assert.strictEqual(yield* Effect.withTracer(inbox.applyStored(14), tracer), 14)
      assert.strictEqual(spans.filter(({ name }) => name.includes("transaction")).length, 1)
      // Events of unknown sessions may have their turn first.
      assert.oneOf(statements().length, [6, 7])
      const applied = spans
        .filter(({ name }) => name === "WebhookInbox.apply")
        .map((span) => span.attributes.get("event_id"))
      assert.deepStrictEqual(applied.toSorted(), all.map(({ event }) => event.id).toSorted())
      for (const { booking } of all) assert.deepStrictEqual(yield* bookingState(booking), confirmed)
    })
  )

  // The embedded database has one connection, so that nobody else can hold a lock.
  it.effect.skipIf(serverUrl === undefined)("do not wait for a booking that somebody else has locked", () =>
    Effect.gen(function* () {
      yield* startAnew
      const inbox = yield* WebhookInbox
      const records = yield* BookingRecords
      const sql = yield* SqlClient.SqlClient
      const all = yield* Effect.forEach(Array.from({ length: 4 }), () => paidEvent)
      yield* deliver(all.map(({ event }) => event))
      const others = all.slice(0, -1)
      const locked = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      const holder = yield* records
        .lock(all.at(-1)?.booking.booking_id ?? "")
        .pipe(
          Effect.andThen(Deferred.succeed(locked, undefined)),
          Effect.andThen(Deferred.await(release)),
          sql.withTransaction,
          Effect.forkChild
        )
      yield* Deferred.await(locked)
      const applying = yield* Effect.forkChild(inbox.applyStored())
      const confirmedOthers = Effect.map(
        Effect.forEach(others, ({ booking }) => bookingState(booking)),
        (states) => states.every(({ status }) => status === "confirmed")
      )
      while (!(yield* confirmedOthers)) yield* Effect.yieldNow
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(holder)
      yield* Fiber.join(applying)
      yield* inbox.applyStored()
      for (const { booking } of all) assert.strictEqual((yield* bookingState(booking)).status, "confirmed")
    })
  )

  const points = [
    "session fact applied, not committed",
    "event applied, not marked",
    "event marked, not committed"
  ] satisfies ReadonlyArray<FailpointName>
  for (const point of points) {
    it.effect(`are all applied, each once, after the process dies at "${point}" or the attempt fails there`, () =>
      Effect.gen(function* () {
        yield* startAnew
        const inbox = yield* WebhookInbox
        const all = yield* Effect.forEach(Array.from({ length: 5 }), () => paidEvent)
        yield* deliver(all.map(({ event }) => event))
        const states = Effect.forEach(all, ({ booking }) => bookingState(booking))
        const failing = (failure: Effect.Effect<never>) =>
          Effect.gen(function* () {
            const left = yield* Ref.make(1)
            return (name: FailpointName) =>
              name !== point
                ? Effect.void
                : Effect.flatMap(
                    Ref.getAndUpdate(left, (n) => n - 1),
                    (n) => (n > 0 ? failure : Effect.void)
                  )
          })
        yield* inbox.applyStored().pipe(Effect.provideServiceEffect(Failpoint, failing(Effect.interrupt)), Effect.exit)
        assert.deepStrictEqual(
          yield* states,
          all.map(() => held)
        )
        yield* Effect.provideServiceEffect(inbox.applyStored(), Failpoint, failing(Effect.die(new Error("broken"))))
        // An event that was claimed alone failed by itself, and is tried again later.
        yield* TestClock.adjust("1 minute")
        yield* inbox.applyStored()
        assert.deepStrictEqual(
          yield* states,
          all.map(() => confirmed)
        )
        for (const { booking, event } of all) {
          assert.strictEqual((yield* historyOf(booking)).filter((line) => line === "paid").length, 1)
          assert.strictEqual((yield* storedEvent(event.id)).status, "applied")
        }
      })
    )
  }
})
