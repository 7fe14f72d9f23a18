import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import { Checkout } from "../../../../src/domain/payment/checkout/Checkout.ts"
import { Reconciliation } from "../../../../src/domain/payment/workers/Reconciliation.ts"
import { principal, setClock } from "../../../support/BookingWorld.ts"
import {
  actAndDeliver,
  bookingState,
  callCount,
  cancelBooking,
  createBooking,
  createSession,
  expectedState,
  failureTag,
  now,
  openSession,
  paymentWorld,
  sessionRow
} from "../../../support/PaymentWorld.ts"
import { account, packages, venue } from "../../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

layer(paymentWorld())("creating a payment session", (it) => {
  it.effect("opens a page for what is due now and lets the hold live as long as the page and five minutes", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const booking = yield* createBooking()
      const { booked, ...view } = yield* createSession(booking.booking_id)
      assert.deepStrictEqual(
        { ...view, payment_session_id: "", url: "", provider_url: "", page_url: view.page_url?.slice(0, -48) },
        {
          payment_session_id: "",
          page_url: "http://localhost:3000/b/",
          booking_id: booking.booking_id,
          purpose: "due_now",
          status: "open",
          url: "",
          provider_url: "",
          amount: { amount: 12_000, currency: "GBP", display: "£120.00" },
          expires_at: "2026-11-20T09:32:00+00:00",
          expires_in: "in 32 minutes"
        }
      )
      assert.match(view.url ?? "", /^https:\/\/pay\.example\//)
      const held = yield* Bookings.use((bookings) => bookings.get(booking.booking_id))
      assert.strictEqual(held.hold_expires_at, Date.parse("2026-11-20T09:37:00Z"))
      assert.isTrue(held.awaiting_provider)
      const row = yield* sessionRow(view.payment_session_id)
      const links = yield* LinkTokens
      const token = yield* links.make({ page: "checkout_return", booking_id: booking.booking_id, counter: 0 })
      const { payment_session_id } = row
      const payment = yield* links.make({ page: "payment", payment_session_id, counter: 0 })
      const landing = `http://localhost:3000/checkout/return?outcome=success&token=${token}&payment=${payment}`
      assert.deepStrictEqual(
        [row.account, row.application_fee, row.request?.success_url, row.request?.customer_email],
        [account, 600, landing, booking.contact_email]
      )
      const { page_url, session } = yield* PaymentSummaries.use((summaries) => summaries.read(held))
      assert.deepStrictEqual<unknown>({ ...session, page_url, provider_url: view.url }, view)
      assert.strictEqual(booked.booking_id, booking.booking_id)
    })
  )

  it.effect("answers the same page when asked again, and asks the provider once", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const booking = yield* createBooking()
      const before = yield* callCount("createSession")
      const first = yield* createSession(booking.booking_id)
      assert.deepStrictEqual(yield* createSession(booking.booking_id), first)
      assert.strictEqual((yield* callCount("createSession")) - before, 1)
    })
  )

  it.effect("answers one page to ten callers at once", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const booking = yield* createBooking()
      const provider = yield* ScriptedGateway
      const pages = provider.sessions.size
      const views = yield* Effect.all(
        Array.from({ length: 10 }, () => createSession(booking.booking_id)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(views.map(({ url }) => url)).size, 1)
      assert.strictEqual(provider.sessions.size - pages, 1)
    })
  )

  it.effect(
    "says that the operator is unavailable where its account is closed, it is suspended, or its subscription lapsed",
    () =>
      Effect.gen(function* () {
        const provider = yield* ScriptedGateway
        const operators = yield* Operators
        const { operator_id } = venue.operator
        const booking = yield* createBooking()
        provider.injectFault("createSession", "account_closed")
        assert.strictEqual(yield* failureTag(createSession(booking.booking_id)), "OperatorUnavailable")
        yield* operators.openAccount(account)
        yield* operators.suspend(operator_id)
        assert.strictEqual(yield* failureTag(createSession(booking.booking_id)), "OperatorUnavailable")
        yield* operators.resume(operator_id)
        assert.strictEqual((yield* createSession(booking.booking_id)).status, "open")

        const deposit = yield* createBooking(packages.depositParty)
        const held = yield* createBooking(packages.depositParty)
        yield* actAndDeliver(yield* openSession(deposit), "pay")
        const sql = yield* SqlClient.SqlClient
        yield* sql`update operator set billing_customer_id = 'cus_late', paid_through = '2026-11-10' where operator_id = ${operator_id}`
        assert.strictEqual(yield* failureTag(createSession(held.booking_id)), "OperatorUnavailable")
        assert.strictEqual((yield* createSession(deposit.booking_id, { purpose: "balance" })).amount.amount, 15_000)
        yield* sql`update operator set billing_customer_id = null, paid_through = null where operator_id = ${operator_id}`
      })
  )

  it.effect("tells a payment that the provider will not have from an outage: asking again is no use", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking()
      provider.injectFault("createSession", "payment_method_refused")
      const refused = yield* Effect.flip(createSession(booking.booking_id))
      assert.deepInclude(refused, { _tag: "OperatorUnavailable", payment_refused: "other" })
      provider.injectFault("createSession", "away")
      assert.strictEqual(yield* failureTag(createSession(booking.booking_id)), "ProviderUnavailable")
      // A retry that is refused is asked anew once, and told then.
      provider.injectFault("createSession", "payment_method_refused")
      provider.injectFault("createSession", "payment_method_refused")
      assert.strictEqual(yield* failureTag(createSession(booking.booking_id)), "OperatorUnavailable")
      assert.strictEqual((yield* createSession(booking.booking_id)).status, "open")
    })
  )

  it.effect("is not found with another key, and an admin key finds it", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const payments = yield* Checkout
      const booking = yield* createBooking()
      const ask = (key: string, ...scopes: ReadonlyArray<"admin">) =>
        payments.createSession(principal(key, scopes), { booking_id: booking.booking_id })
      assert.strictEqual(yield* failureTag(ask("key_b")), "BookingNotFound")
      assert.strictEqual((yield* ask("key_b", "admin")).status, "open")
    })
  )

  it.effect("refuses return addresses whose origin is not on the list, and takes those that are", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const booking = yield* createBooking()
      const bad = [
        "https://evil.example/",
        "http://localhost:3000@evil.example/",
        "http://user:pw@localhost:3000/",
        "javascript:alert(1)",
        "//localhost:3000/x",
        "http://localhost:3000.evil.example/"
      ]
      for (const success_url of bad) {
        const error = yield* Effect.flip(createSession(booking.booking_id, { success_url }))
        assert(error._tag === "InvalidArguments", success_url)
        assert.strictEqual(error.issues[0]?.path, "success_url")
      }
      const view = yield* createSession(booking.booking_id, { cancel_url: "http://localhost:3000/sorry?x=1" })
      assert.strictEqual(
        (yield* sessionRow(view.payment_session_id)).request?.cancel_url,
        "http://localhost:3000/sorry?x=1"
      )
    })
  )

  it.effect("says why nothing is due: paid, nothing to pay, no balance, balance not yet, balance paid", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const paid = yield* createBooking()
      assert.strictEqual(yield* failureTag(createSession(paid.booking_id, { purpose: "balance" })), "NothingDue")
      yield* actAndDeliver(yield* openSession(paid), "pay")
      assert.strictEqual(yield* failureTag(createSession(paid.booking_id)), "NothingDue")
      assert.strictEqual(yield* failureTag(createSession(paid.booking_id, { purpose: "balance" })), "NothingDue")

      const trusted = yield* createBooking(packages.trustedParty)
      assert.deepStrictEqual(yield* bookingState(trusted), expectedState("confirmed", "not_required"))
      assert.strictEqual(yield* failureTag(createSession(trusted.booking_id)), "NothingDue")
      yield* actAndDeliver(yield* openSession(trusted, "balance"), "pay")
      assert.strictEqual((yield* bookingState(trusted)).payment_status, "paid")

      const deposit = yield* createBooking(packages.depositParty)
      assert.strictEqual(yield* failureTag(createSession(deposit.booking_id, { purpose: "balance" })), "NothingDue")
      yield* actAndDeliver(yield* openSession(deposit), "pay")
      assert.strictEqual((yield* bookingState(deposit)).payment_status, "deposit_paid")
      yield* actAndDeliver(yield* openSession(deposit, "balance"), "pay")
      assert.deepStrictEqual(yield* bookingState(deposit), expectedState("confirmed", "paid", 20_000))
      assert.strictEqual(yield* failureTag(createSession(deposit.booking_id, { purpose: "balance" })), "NothingDue")
    })
  )

  it.effect("refuses a booking whose hold is over, released or not, and one that is cancelled", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const booking = yield* createBooking()
      const cancelled = yield* createBooking()
      yield* cancelBooking(cancelled)
      assert.strictEqual(yield* failureTag(createSession(cancelled.booking_id)), "BookingCancelled")
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual(yield* failureTag(createSession(booking.booking_id)), "HoldExpired")
      yield* Reconciliation.use(({ runOnce }) => runOnce)
      assert.strictEqual((yield* bookingState(booking)).status, "expired")
      assert.strictEqual(yield* failureTag(createSession(booking.booking_id)), "HoldExpired")
    })
  )
})
