import { assert, layer } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import { Checkout } from "../../../../src/domain/payment/checkout/Checkout.ts"
import { makeSessionCreation } from "../../../../src/domain/payment/checkout/SessionRequest.ts"
import { principal, setClock } from "../../../support/BookingWorld.ts"
import {
  actAndDeliver,
  actAtProvider,
  bookingState,
  bookingWithSession,
  cancelBooking,
  createBooking,
  createSession,
  deliverAndApply,
  failureTag,
  historyOf,
  now,
  openSession,
  paymentWorld,
  runProviderTasks,
  sessionRow
} from "../../../support/PaymentWorld.ts"
import { sessionEvent } from "../../../support/providerEvents.ts"
import { packages, venue } from "../../../support/paymentVenues.ts"
import { providerId, ScriptedGateway } from "../../../support/ScriptedGateway.ts"

layer(paymentWorld())("asking for a payment session again", (it) => {
  it.effect("sends the same bytes under the same key after a call without an answer, and finds the page it made", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const booking = yield* createBooking()
      const provider = yield* ScriptedGateway
      const pages = provider.sessions.size
      provider.injectFault("createSession", "unanswered")
      assert.strictEqual(yield* failureTag(createSession(booking.booking_id)), "ProviderUnavailable")
      assert.strictEqual((yield* bookingState(booking)).status, "held")
      yield* TestClock.adjust("90 seconds")
      const view = yield* createSession(booking.booking_id)
      assert.strictEqual(view.status, "open")
      assert.strictEqual(provider.sessions.size - pages, 1)
      const [first, second] = provider.calls.slice(-2)
      assert.deepStrictEqual(first, second)
    })
  )

  for (const trouble of ["failing_kept", "acted_kept"] as const) {
    it.effect(`makes a new page where the provider keeps a failure under the first one's key (${trouble})`, () =>
      Effect.gen(function* () {
        yield* setClock(now)
        const provider = yield* ScriptedGateway
        const booking = yield* createBooking()
        provider.injectFault("createSession", trouble)
        for (let tries = 0; tries < 2; tries++)
          assert.strictEqual(yield* failureTag(createSession(booking.booking_id)), "ProviderUnavailable")
        const view = yield* createSession(booking.booking_id)
        assert.strictEqual(view.status, "open")
        assert.strictEqual((yield* bookingState(booking)).status, "held")
        yield* actAndDeliver(yield* sessionRow(view.payment_session_id), "pay")
        assert.strictEqual((yield* bookingState(booking)).status, "confirmed")
      })
    )
  }

  it.effect("makes a new page where the provider could no longer take the first request, and calls that no error", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const listening = Logger.layer([
        Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${JSON.stringify(message)}`))
      ])
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const other = yield* createBooking()
      provider.injectFault("createSession", "away")
      assert.strictEqual(yield* failureTag(createSession(other.booking_id)), "ProviderUnavailable")
      // Five minutes later the stored request asks for less than the provider's shortest session.
      yield* TestClock.adjust("5 minutes")
      const view = yield* createSession(other.booking_id).pipe(Effect.provide(listening))
      assert.strictEqual(view.expires_at, "2026-11-20T09:37:00+00:00")
      assert.isTrue(
        lines.some((line) => line.includes("came too late")),
        lines.join("\n")
      )
      assert.deepStrictEqual(
        lines.filter((line) => /^(Warn|Error|Fatal)/.test(line)),
        []
      )
    })
  )

  it.effect("gives nobody a page of a booking that was cancelled while the provider was asked", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const creation = yield* makeSessionCreation
      const booking = yield* createBooking()
      provider.injectFault("createSession", "unanswered")
      yield* failureTag(createSession(booking.booking_id))
      const sessions = yield* Effect.flatMap(
        SqlClient.SqlClient,
        (sql) =>
          sql<{
            id: string
          }>`select payment_session_id as id from payment_session where booking_id = ${booking.booking_id}`
      )
      yield* cancelBooking(booking)
      const { session } = yield* creation.finish(yield* sessionRow(sessions[0]?.id ?? ""))
      yield* runProviderTasks
      assert.strictEqual(provider.sessionOf(session).status, "expired")
      assert.strictEqual((yield* sessionRow(session.payment_session_id)).status, "expired")
    })
  )

  it.effect("makes another page where an event closed the first before its creation was answered", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking()
      provider.injectFault("createSession", "unanswered")
      yield* failureTag(createSession(booking.booking_id))
      const [made] = [...provider.sessions.values()].slice(-1)
      yield* deliverAndApply(sessionEvent("checkout.session.expired", provider.act(made?.id ?? "", "expire")))
      const view = yield* createSession(booking.booking_id)
      assert.strictEqual(view.status, "open")
      assert.notStrictEqual(yield* Effect.map(sessionRow(view.payment_session_id), providerId), made?.id)
    })
  )

  it.effect("asks the provider about a page whose time is up, and makes another while the hold still lives", () =>
    Effect.gen(function* () {
      const { booking, session: first } = yield* bookingWithSession()
      yield* actAtProvider(first, "expire")
      yield* TestClock.adjust("33 minutes")
      const second = yield* createSession(booking.booking_id)
      assert.notStrictEqual(second.payment_session_id, first.payment_session_id)
      assert.strictEqual((yield* sessionRow(first.payment_session_id)).status, "expired")
      assert.strictEqual(second.expires_at, "2026-11-20T10:05:00+00:00")
      assert.deepStrictEqual(yield* historyOf(booking), [
        "held",
        "payment_session_created",
        "payment_session_expired",
        "payment_session_created"
      ])
    })
  )

  it.effect(
    "says that the operator is unavailable where its account can't be asked about a page whose time is up",
    () =>
      Effect.gen(function* () {
        const provider = yield* ScriptedGateway
        const { booking, session: page } = yield* bookingWithSession()
        yield* TestClock.adjust("33 minutes")
        provider.injectFault("getSession", "away")
        assert.strictEqual(yield* failureTag(createSession(booking.booking_id)), "ProviderUnavailable")
        provider.injectFault("getSession", "account_closed")
        const { operator_id } = venue.operator
        assert.deepInclude(yield* Effect.flip(createSession(booking.booking_id)), {
          _tag: "OperatorUnavailable",
          operator_id
        })
        assert.strictEqual((yield* sessionRow(page.payment_session_id)).status, "open")
        assert.strictEqual((yield* bookingState(booking)).status, "held")
      })
  )

  it.effect("learns from the provider that a page whose event was lost is paid", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const booking = yield* createBooking()
      yield* actAtProvider(yield* openSession(booking), "pay")
      yield* TestClock.adjust("33 minutes")
      assert.strictEqual(yield* failureTag(createSession(booking.booking_id)), "NothingDue")
      assert.strictEqual((yield* bookingState(booking)).status, "confirmed")
    })
  )

  it.effect("answers the same session to the same idempotency key, and a conflict to other arguments", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const booking = yield* createBooking()
      const other = yield* createBooking()
      const first = yield* createSession(booking.booking_id, { idempotency_key: "k1" })
      yield* actAndDeliver(yield* sessionRow(first.payment_session_id), "pay")
      const again = yield* createSession(booking.booking_id, { idempotency_key: "k1" })
      assert.deepStrictEqual([again.payment_session_id, again.status], [first.payment_session_id, "paid"])
      assert.strictEqual(
        yield* failureTag(createSession(other.booking_id, { idempotency_key: "k1" })),
        "IdempotencyConflict"
      )
      assert.strictEqual(
        yield* failureTag(createSession(booking.booking_id, { idempotency_key: "k1", purpose: "balance" })),
        "IdempotencyConflict"
      )
      // Another caller's keys are its own.
      const mine = yield* createBooking(packages.party, { key: "key_b" })
      const theirs = yield* Checkout.use((payments) =>
        payments.createSession(principal("key_b"), { booking_id: mine.booking_id, idempotency_key: "k1" })
      )
      assert.notStrictEqual(theirs.payment_session_id, first.payment_session_id)
    })
  )

  it.effect("answers a key with the page whose payment was under way, also after that has failed", () =>
    Effect.gen(function* () {
      const { booking, session: page } = yield* bookingWithSession()
      yield* actAndDeliver(page, "pay_later")
      const first = yield* createSession(booking.booking_id, { idempotency_key: "under way" })
      assert.strictEqual(first.payment_session_id, page.payment_session_id)
      yield* actAndDeliver(page, "late_failure")
      const again = yield* createSession(booking.booking_id, { idempotency_key: "under way" })
      assert.deepStrictEqual([again.payment_session_id, again.status], [page.payment_session_id, "failed"])
    })
  )

  it.effect("does not answer a key with a page that closed before anyone had its address", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking()
      provider.injectFault("createSession", "unanswered")
      yield* failureTag(createSession(booking.booking_id, { idempotency_key: "no answer" }))
      const page = [...provider.sessions.values()].at(-1) ?? assert.fail("no page")
      yield* deliverAndApply(sessionEvent("checkout.session.expired", provider.act(page.id, "expire")))
      assert.notProperty(yield* PaymentSummaries.use((summaries) => summaries.read(booking)), "session")
      const made = yield* createSession(booking.booking_id, { idempotency_key: "no answer" })
      assert.strictEqual(made.status, "open")
      assert.notStrictEqual(made.url, "")
      assert.notStrictEqual(made.url, page.url)
    })
  )

  it.effect("does not let a new key stand for a page that turns out to be closed", () =>
    Effect.gen(function* () {
      const { booking, session: page } = yield* bookingWithSession()
      yield* TestClock.adjust("33 minutes")
      yield* actAtProvider(page, "expire")
      const made = yield* createSession(booking.booking_id, { idempotency_key: "after the end" })
      assert.strictEqual(made.status, "open")
      assert.notStrictEqual(made.payment_session_id, page.payment_session_id)
      const again = yield* createSession(booking.booking_id, { idempotency_key: "after the end" })
      assert.strictEqual(again.payment_session_id, made.payment_session_id)
    })
  )

  for (const under of [{}, { idempotency_key: "first heard of it" }])
    it.effect(`makes another where the provider says that the payment failed (${Object.keys(under).join()})`, () =>
      Effect.gen(function* () {
        const { booking, session: page } = yield* bookingWithSession()
        yield* actAtProvider(page, "pay_later")
        yield* actAtProvider(page, "late_failure")
        yield* TestClock.adjust("2 minutes")
        const made = yield* createSession(booking.booking_id, under)
        assert.strictEqual(made.status, "open")
        assert.notStrictEqual(made.payment_session_id, page.payment_session_id)
        assert.strictEqual((yield* createSession(booking.booking_id, under)).url, made.url)
      })
    )

  it.effect("makes the session under an idempotency key whose first call failed", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking()
      provider.injectFault("createSession", "refused")
      yield* failureTag(createSession(booking.booking_id, { idempotency_key: "k2" }))
      const made = yield* createSession(booking.booking_id, { idempotency_key: "k2" })
      assert.strictEqual((yield* createSession(booking.booking_id, { idempotency_key: "k2" })).url, made.url)
    })
  )
})
