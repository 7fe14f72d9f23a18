import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Bookings } from "../../src/booking/Bookings.ts"
import { Operators } from "../../src/catalogue/Operators.ts"
import { Payments } from "../../src/payment/Payments.ts"
import { Reconciliation } from "../../src/payment/Reconciliation.ts"
import { SessionCreation } from "../../src/payment/SessionCreation.ts"
import { at, principal } from "../support/BookingWorld.ts"
import {
  account,
  book,
  cancel,
  deliver,
  doTasks,
  eventOf,
  hear,
  historyOf,
  now,
  open,
  openBooking,
  packages,
  paymentWorld,
  providerId,
  sessionRow,
  standing,
  venue
} from "../support/PaymentWorld.ts"
import { ScriptedGateway } from "../support/ScriptedGateway.ts"

const create = (booking_id: string, more: Record<string, unknown> = {}) =>
  Payments.use((payments) => payments.createSession(principal("key_a"), { booking_id, ...more }))
const failure = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)
const callsOf = (operation: string) =>
  ScriptedGateway.use((provider) =>
    Effect.sync(() => provider.calls.filter((call) => call.operation === operation).length)
  )

layer(paymentWorld())("creating a payment session", (it) => {
  it.effect("opens a page for what is due now and lets the hold live as long as the page and five minutes", () =>
    Effect.gen(function* () {
      yield* at(now)
      const booking = yield* book()
      const view = yield* create(booking.booking_id)
      assert.deepStrictEqual(
        { ...view, payment_session_id: "", url: "" },
        {
          payment_session_id: "",
          booking_id: booking.booking_id,
          purpose: "due_now",
          status: "open",
          url: "",
          amount: { amount: 12_000, currency: "GBP", display: "£120.00" },
          expires_at: "2026-11-20T09:32:00+00:00"
        }
      )
      assert.match(view.url, /^https:\/\/pay\.example\//)
      const held = yield* Bookings.use((bookings) => bookings.get(booking.booking_id))
      assert.strictEqual(held.hold_expires_at, Date.parse("2026-11-20T09:37:00Z"))
      assert.isTrue(held.awaiting_provider)
      const row = yield* sessionRow(view.payment_session_id)
      assert.deepStrictEqual(
        [row.account, row.application_fee, row.request.success_url, row.request.customer_email],
        [
          account,
          600,
          `http://localhost:3000/checkout/return?outcome=success&reference=${booking.reference}`,
          booking.contact_email
        ]
      )
      const latest = yield* Payments.use((payments) => payments.latestSession(booking))
      assert.deepStrictEqual(Option.getOrThrow(latest), view)
    })
  )

  it.effect("answers the same page when asked again, and asks the provider once", () =>
    Effect.gen(function* () {
      yield* at(now)
      const booking = yield* book()
      const before = yield* callsOf("createSession")
      const first = yield* create(booking.booking_id)
      assert.deepStrictEqual(yield* create(booking.booking_id), first)
      assert.strictEqual((yield* callsOf("createSession")) - before, 1)
    })
  )

  it.effect("answers one page to ten callers at once", () =>
    Effect.gen(function* () {
      yield* at(now)
      const booking = yield* book()
      const provider = yield* ScriptedGateway
      const pages = provider.sessions.size
      const views = yield* Effect.all(
        Array.from({ length: 10 }, () => create(booking.booking_id)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(views.map(({ url }) => url)).size, 1)
      assert.strictEqual(provider.sessions.size - pages, 1)
    })
  )

  it.effect("sends the same bytes under the same key after a call without an answer, and finds the page it made", () =>
    Effect.gen(function* () {
      yield* at(now)
      const booking = yield* book()
      const provider = yield* ScriptedGateway
      const pages = provider.sessions.size
      provider.next("createSession", "unanswered")
      assert.strictEqual(yield* failure(create(booking.booking_id)), "ProviderUnavailable")
      assert.strictEqual((yield* standing(booking)).status, "held")
      yield* TestClock.adjust("90 seconds")
      const view = yield* create(booking.booking_id)
      assert.strictEqual(view.status, "open")
      assert.strictEqual(provider.sessions.size - pages, 1)
      const [first, second] = provider.calls.slice(-2)
      assert.deepStrictEqual(first, second)
    })
  )

  it.effect("makes a new page where the provider could no longer take the first request", () =>
    Effect.gen(function* () {
      yield* at(now)
      const provider = yield* ScriptedGateway
      const other = yield* book()
      provider.next("createSession", "away")
      assert.strictEqual(yield* failure(create(other.booking_id)), "ProviderUnavailable")
      // Five minutes later the stored request asks for less than the provider's shortest session.
      yield* TestClock.adjust("5 minutes")
      const view = yield* create(other.booking_id)
      assert.strictEqual(view.expires_at, "2026-11-20T09:37:00+00:00")
    })
  )

  it.effect(
    "says that the operator is unavailable where its account is closed, it is suspended, or its subscription lapsed",
    () =>
      Effect.gen(function* () {
        const provider = yield* ScriptedGateway
        const operators = yield* Operators
        const { operator_id } = venue.operator
        const booking = yield* book()
        provider.next("createSession", "account_closed")
        assert.strictEqual(yield* failure(create(booking.booking_id)), "OperatorUnavailable")
        yield* operators.suspend(operator_id)
        assert.strictEqual(yield* failure(create(booking.booking_id)), "OperatorUnavailable")
        yield* operators.resume(operator_id)
        assert.strictEqual((yield* create(booking.booking_id)).status, "open")

        const deposit = yield* book(packages.depositParty)
        const held = yield* book(packages.depositParty)
        yield* hear(yield* open(deposit), "pay")
        const sql = yield* SqlClient.SqlClient
        yield* sql`update operator set billing_customer_id = 'cus_late', paid_through = '2026-11-10' where operator_id = ${operator_id}`
        assert.strictEqual(yield* failure(create(held.booking_id)), "OperatorUnavailable")
        assert.strictEqual((yield* create(deposit.booking_id, { purpose: "balance" })).amount.amount, 15_000)
        yield* sql`update operator set billing_customer_id = null, paid_through = null where operator_id = ${operator_id}`
      })
  )

  it.effect("tells a payment that the provider will not have from an outage: asking again is no use", () =>
    Effect.gen(function* () {
      yield* at(now)
      const provider = yield* ScriptedGateway
      const booking = yield* book()
      provider.next("createSession", "refused")
      const refused = yield* Effect.flip(create(booking.booking_id))
      assert.deepInclude(refused, { _tag: "OperatorUnavailable", payment_refused: true })
      provider.next("createSession", "away")
      assert.strictEqual(yield* failure(create(booking.booking_id)), "ProviderUnavailable")
      // A retry that is refused is asked anew once, and told then.
      provider.next("createSession", "refused")
      provider.next("createSession", "refused")
      assert.strictEqual(yield* failure(create(booking.booking_id)), "OperatorUnavailable")
      assert.strictEqual((yield* create(booking.booking_id)).status, "open")
    })
  )

  it.effect("is not found with another key, and an admin key finds it", () =>
    Effect.gen(function* () {
      yield* at(now)
      const payments = yield* Payments
      const booking = yield* book()
      const ask = (key: string, ...scopes: ReadonlyArray<"admin">) =>
        payments.createSession(principal(key, scopes), { booking_id: booking.booking_id })
      assert.strictEqual(yield* failure(ask("key_b")), "BookingNotFound")
      assert.strictEqual((yield* ask("key_b", "admin")).status, "open")
    })
  )

  it.effect("refuses return addresses whose origin is not on the list, and takes those that are", () =>
    Effect.gen(function* () {
      yield* at(now)
      const booking = yield* book()
      const bad = [
        "https://evil.example/",
        "http://localhost:3000@evil.example/",
        "http://user:pw@localhost:3000/",
        "javascript:alert(1)",
        "//localhost:3000/x",
        "http://localhost:3000.evil.example/"
      ]
      for (const success_url of bad) {
        const error = yield* Effect.flip(create(booking.booking_id, { success_url }))
        assert(error._tag === "InvalidArguments", success_url)
        assert.strictEqual(error.issues[0]?.path, "success_url")
      }
      const view = yield* create(booking.booking_id, { cancel_url: "http://localhost:3000/sorry?x=1" })
      assert.strictEqual(
        (yield* sessionRow(view.payment_session_id)).request.cancel_url,
        "http://localhost:3000/sorry?x=1"
      )
    })
  )

  it.effect("says why nothing is due: paid, nothing to pay, no balance, balance not yet, balance paid", () =>
    Effect.gen(function* () {
      yield* at(now)
      const paid = yield* book()
      assert.strictEqual(yield* failure(create(paid.booking_id, { purpose: "balance" })), "NothingDue")
      yield* hear(yield* open(paid), "pay")
      assert.strictEqual(yield* failure(create(paid.booking_id)), "NothingDue")
      assert.strictEqual(yield* failure(create(paid.booking_id, { purpose: "balance" })), "NothingDue")

      const trusted = yield* book(packages.trustedParty)
      assert.deepStrictEqual(yield* standing(trusted), {
        status: "confirmed",
        payment_status: "not_required",
        paid: 0,
        refunded: 0,
        places: true
      })
      assert.strictEqual(yield* failure(create(trusted.booking_id)), "NothingDue")
      yield* hear(yield* open(trusted, "balance"), "pay")
      assert.strictEqual((yield* standing(trusted)).payment_status, "paid")

      const deposit = yield* book(packages.depositParty)
      assert.strictEqual(yield* failure(create(deposit.booking_id, { purpose: "balance" })), "NothingDue")
      yield* hear(yield* open(deposit), "pay")
      assert.strictEqual((yield* standing(deposit)).payment_status, "deposit_paid")
      yield* hear(yield* open(deposit, "balance"), "pay")
      assert.deepStrictEqual(yield* standing(deposit), {
        status: "confirmed",
        payment_status: "paid",
        paid: 20_000,
        refunded: 0,
        places: true
      })
      assert.strictEqual(yield* failure(create(deposit.booking_id, { purpose: "balance" })), "NothingDue")
    })
  )

  it.effect("refuses a booking whose hold is over, released or not, and one that is cancelled", () =>
    Effect.gen(function* () {
      yield* at(now)
      const booking = yield* book()
      const cancelled = yield* book()
      yield* cancel(cancelled)
      assert.strictEqual(yield* failure(create(cancelled.booking_id)), "BookingCancelled")
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual(yield* failure(create(booking.booking_id)), "HoldExpired")
      yield* Reconciliation.use(({ runOnce }) => runOnce)
      assert.strictEqual((yield* standing(booking)).status, "expired")
      assert.strictEqual(yield* failure(create(booking.booking_id)), "HoldExpired")
    })
  )

  it.effect("gives nobody a page of a booking that was cancelled while the provider was asked", () =>
    Effect.gen(function* () {
      yield* at(now)
      const provider = yield* ScriptedGateway
      const creation = yield* SessionCreation
      const booking = yield* book()
      provider.next("createSession", "unanswered")
      yield* failure(create(booking.booking_id))
      const sessions = yield* Effect.flatMap(
        SqlClient.SqlClient,
        (sql) =>
          sql<{
            id: string
          }>`select payment_session_id as id from payment_session where booking_id = ${booking.booking_id}`
      )
      yield* cancel(booking)
      const { session } = yield* creation.finish(yield* sessionRow(sessions[0]?.id ?? ""))
      yield* doTasks
      assert.strictEqual(provider.sessions.get(providerId(session))?.status, "expired")
      assert.strictEqual((yield* sessionRow(session.payment_session_id)).status, "expired")
    })
  )

  it.effect("makes another page where an event closed the first before its creation was answered", () =>
    Effect.gen(function* () {
      yield* at(now)
      const provider = yield* ScriptedGateway
      const booking = yield* book()
      provider.next("createSession", "unanswered")
      yield* failure(create(booking.booking_id))
      const [made] = [...provider.sessions.values()].slice(-1)
      yield* deliver(eventOf("checkout.session.expired", provider.act(made?.id ?? "", "expire")))
      const view = yield* create(booking.booking_id)
      assert.strictEqual(view.status, "open")
      assert.notStrictEqual(yield* Effect.map(sessionRow(view.payment_session_id), providerId), made?.id)
    })
  )

  it.effect("asks the provider about a page whose time is up, and makes another while the hold still lives", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session: first } = yield* openBooking()
      provider.act(providerId(first), "expire")
      yield* TestClock.adjust("33 minutes")
      const second = yield* create(booking.booking_id)
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
        yield* at(now)
        const provider = yield* ScriptedGateway
        const booking = yield* book()
        const page = yield* open(booking)
        yield* TestClock.adjust("33 minutes")
        provider.next("getSession", "away")
        assert.strictEqual(yield* failure(create(booking.booking_id)), "ProviderUnavailable")
        provider.next("getSession", "account_closed")
        const { operator_id, name } = venue.operator
        assert.deepInclude(yield* Effect.flip(create(booking.booking_id)), {
          _tag: "OperatorUnavailable",
          operator_id,
          operator_name: name
        })
        assert.strictEqual((yield* sessionRow(page.payment_session_id)).status, "open")
        assert.strictEqual((yield* standing(booking)).status, "held")
      })
  )

  it.effect("learns from the provider that a page whose event was lost is paid", () =>
    Effect.gen(function* () {
      yield* at(now)
      const provider = yield* ScriptedGateway
      const booking = yield* book()
      provider.act(providerId(yield* open(booking)), "pay")
      yield* TestClock.adjust("33 minutes")
      assert.strictEqual(yield* failure(create(booking.booking_id)), "NothingDue")
      assert.strictEqual((yield* standing(booking)).status, "confirmed")
    })
  )

  it.effect("answers the same session to the same idempotency key, and a conflict to other arguments", () =>
    Effect.gen(function* () {
      yield* at(now)
      const booking = yield* book()
      const other = yield* book()
      const first = yield* create(booking.booking_id, { idempotency_key: "k1" })
      yield* hear(yield* sessionRow(first.payment_session_id), "pay")
      const again = yield* create(booking.booking_id, { idempotency_key: "k1" })
      assert.deepStrictEqual([again.payment_session_id, again.status], [first.payment_session_id, "paid"])
      assert.strictEqual(yield* failure(create(other.booking_id, { idempotency_key: "k1" })), "IdempotencyConflict")
      assert.strictEqual(
        yield* failure(create(booking.booking_id, { idempotency_key: "k1", purpose: "balance" })),
        "IdempotencyConflict"
      )
      // Another caller's keys are its own.
      const mine = yield* book(packages.party, { key: "key_b" })
      const theirs = yield* Payments.use((payments) =>
        payments.createSession(principal("key_b"), { booking_id: mine.booking_id, idempotency_key: "k1" })
      )
      assert.notStrictEqual(theirs.payment_session_id, first.payment_session_id)
    })
  )

  it.effect("answers a key with the page whose payment was under way, also after that has failed", () =>
    Effect.gen(function* () {
      const { booking, session: page } = yield* openBooking()
      yield* hear(page, "pay_later")
      const first = yield* create(booking.booking_id, { idempotency_key: "under way" })
      assert.strictEqual(first.payment_session_id, page.payment_session_id)
      yield* hear(page, "late_failure")
      const again = yield* create(booking.booking_id, { idempotency_key: "under way" })
      assert.deepStrictEqual([again.payment_session_id, again.status], [page.payment_session_id, "failed"])
    })
  )

  it.effect("does not answer a key with a page that closed before anyone had its address", () =>
    Effect.gen(function* () {
      yield* at(now)
      const provider = yield* ScriptedGateway
      const booking = yield* book()
      provider.next("createSession", "unanswered")
      yield* failure(create(booking.booking_id, { idempotency_key: "no answer" }))
      const page = [...provider.sessions.values()].at(-1) ?? assert.fail("no page")
      yield* deliver(eventOf("checkout.session.expired", provider.act(page.id, "expire")))
      assert.isTrue(Option.isNone(yield* Payments.use((payments) => payments.latestSession(booking))))
      const made = yield* create(booking.booking_id, { idempotency_key: "no answer" })
      assert.strictEqual(made.status, "open")
      assert.notStrictEqual(made.url, "")
      assert.notStrictEqual(made.url, page.url)
    })
  )

  it.effect("does not let a new key stand for a page that turns out to be closed", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session: page } = yield* openBooking()
      yield* TestClock.adjust("33 minutes")
      provider.act(providerId(page), "expire")
      const made = yield* create(booking.booking_id, { idempotency_key: "after the end" })
      assert.strictEqual(made.status, "open")
      assert.notStrictEqual(made.payment_session_id, page.payment_session_id)
      const again = yield* create(booking.booking_id, { idempotency_key: "after the end" })
      assert.strictEqual(again.payment_session_id, made.payment_session_id)
    })
  )

  it.effect("makes the session under an idempotency key whose first call failed", () =>
    Effect.gen(function* () {
      yield* at(now)
      const provider = yield* ScriptedGateway
      const booking = yield* book()
      provider.next("createSession", "refused")
      yield* failure(create(booking.booking_id, { idempotency_key: "k2" }))
      const made = yield* create(booking.booking_id, { idempotency_key: "k2" })
      assert.strictEqual((yield* create(booking.booking_id, { idempotency_key: "k2" })).url, made.url)
    })
  )
})
