import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { LinkTokens } from "../../../src/access/LinkTokens.ts"
import { letReach } from "../../../src/booking/BookingGuests.ts"
import { bookingLink } from "../../../src/booking/BookingLinks.ts"
import { Bookings } from "../../../src/booking/Bookings.ts"
import { CheckoutReturn, type ReturnTokens } from "../../../src/pages/checkout/CheckoutReturn.ts"
import { checkoutReturn } from "../../../src/pages/checkout/CheckoutReturnPage.ts"
import { PaymentInquiry } from "../../../src/payment/settlement/PaymentInquiry.ts"
import { PaymentSessions } from "../../../src/payment/sessions/PaymentSessions.ts"
import type { PaymentSessionRow } from "../../../src/payment/sessions/PaymentSession.ts"
import { messages } from "../../../src/i18n/Languages.ts"
import { escape } from "../../support/escaped.ts"
import { packages } from "../../support/paymentVenues.ts"
import {
  actAndDeliver,
  actAtProvider,
  bookingState,
  bookingWithSession,
  cancelBooking,
  confirmed,
  deliverAndApply,
  held,
  openSession,
  paidBooking,
  paymentWorld,
  reconcile,
  reconcileAfter,
  returnTokens,
  runProviderTasks
} from "../../support/PaymentWorld.ts"
import { sessionEvent } from "../../support/providerEvents.ts"
import { ScriptedGateway } from "../../support/ScriptedGateway.ts"

const look = (tokens: ReturnTokens) => CheckoutReturn.use((service) => service.read(tokens))

const stands = (session: PaymentSessionRow) =>
  Effect.map(look(returnTokens(session)), (view) => (Option.isSome(view) ? view.value.status : "nothing"))

/** As `get_booking` asks: once, about all sessions of the booking. */
const ask = Effect.fnUntraced(function* ({ booking_id }: PaymentSessionRow) {
  const booking = yield* Bookings.use((bookings) => bookings.get(booking_id))
  const all = yield* PaymentSessions.use((sessions) => sessions.ofBooking(booking_id))
  return yield* PaymentInquiry.use((inquiry) => inquiry.askForReader(booking, all))
})

/** A turn of the event loop, in which the database may answer. */
const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

const asked = Effect.map(ScriptedGateway, ({ callsOf }) => callsOf("getSession").length)

layer(paymentWorld())("the payer who comes back", (it) => {
  it.effect("finds a paid booking confirmed although its event was lost", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      yield* TestClock.adjust("3 minutes")
      yield* actAtProvider(session, "pay")
      assert.deepStrictEqual(yield* bookingState(booking), held)
      const view = Option.getOrThrow(yield* look(returnTokens(session)))
      assert.strictEqual(view.status, "confirmed")
      assert.strictEqual(view.reference, booking.reference)
      const page = LinkTokens.use((links) => links.address(bookingLink("booking", booking)))
      assert.strictEqual(view.page_url, yield* page)
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
    })
  )

  it.effect(
    "reads that a payment which was not needed goes back only once the bank has decided, if it is disputed",
    () =>
      Effect.gen(function* () {
        const provider = yield* ScriptedGateway
        const { booking, session: first } = yield* bookingWithSession()
        yield* deliverAndApply(
          sessionEvent("checkout.session.expired", {
            ...(yield* actAtProvider(first, "pay")),
            payment_status: "unpaid"
          })
        )
        yield* actAndDeliver(yield* openSession(booking), "pay")
        yield* deliverAndApply(sessionEvent("checkout.session.completed", provider.sessionOf(first)))
        provider.openDispute(first)
        const tokens = returnTokens(first)
        yield* runProviderTasks
        const view = Option.getOrThrow(yield* look(tokens))
        assert.strictEqual(view.status, "not_needed_going_back")
        const { body } = checkoutReturn({ payment: "known", tokens, view }, { outcome: "success", look: "9" }, "en")
        const text = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
        const { words } = messages.en
        assert.include(text, escape(words.backAfterDispute("£120.00")))
        assert.notInclude(text, words.backByBank)
      })
  )

  it.effect("reads that a payment which was not needed goes back, that its refund failed, and that it went back", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session: first } = yield* bookingWithSession()
      // The first page is given up, and someone pays on it after the second one.
      yield* deliverAndApply(
        sessionEvent("checkout.session.expired", { ...(yield* actAtProvider(first, "pay")), payment_status: "unpaid" })
      )
      yield* actAndDeliver(yield* openSession(booking), "pay")
      yield* deliverAndApply(sessionEvent("checkout.session.completed", provider.sessionOf(first)))
      const tokens = returnTokens(first)
      const read = Effect.gen(function* () {
        const view = Option.getOrThrow(yield* look(tokens))
        const { body } = checkoutReturn({ payment: "known", tokens, view }, { outcome: "success", look: "9" }, "en")
        return body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
      })
      const { letters, words } = messages.en
      assert.include(yield* read, words.backByBank)
      yield* runProviderTasks
      assert.notInclude(yield* read, words.backByBank)
      for (const { id } of provider.refunds.values()) provider.setRefundStatus(id, "failed", "lost_or_stolen_card")
      yield* reconcileAfter("8 days")
      const failed = yield* read
      assert.include(failed, escape(letters.refundFailed.lead("£120.00")))
      assert.notInclude(failed, words.backByBank)
    })
  )

  it.effect("is not led to the family's page where a guest who may only read and pay has found the booking", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { booking, session } = yield* bookingWithSession()
      const key_id = "key_of_a_guest"
      yield* sql`insert into api_key (key_id, label, hash, scopes, created_at)
        values (${key_id}, 'guest', sha256('guest'), '{bookings:read}', now())`
      const reach = (may_change: boolean) =>
        Effect.provideService(
          letReach({ key_id, booking_id: booking.booking_id, may_change }, 0),
          SqlClient.SqlClient,
          sql
        )
      yield* reach(false)
      const found = Option.getOrThrow(yield* look(returnTokens(session)))
      assert.isUndefined(found.page_url)
      assert.strictEqual(found.page_withheld, "found")
      // Nor once it is paid: the address of the return page was known before.
      yield* actAtProvider(session, "pay")
      yield* TestClock.adjust("10 seconds")
      const paid = Option.getOrThrow(yield* look(returnTokens(session)))
      assert.deepStrictEqual([paid.status, paid.page_url], ["confirmed", undefined])
      const page = checkoutReturn(
        { payment: "known", tokens: returnTokens(session), view: paid },
        { outcome: "success", look: undefined },
        "en"
      )
      const text = yield* Effect.promise(() => HttpServerResponse.toWeb(page).text())
      assert.include(text, "with the link that you were given when you booked")
      assert.notInclude(text, "/b/")
      // A guest who had the page's link may have it again.
      yield* reach(true)
      const joined = Option.getOrThrow(yield* look(returnTokens(session)))
      assert.isString(joined.page_url)
    })
  )

  it.effect("is told what is true in every state: not paid, on its way, failed, ended, cancelled, paid back", () =>
    Effect.gen(function* () {
      const { session } = yield* bookingWithSession()
      const view = Option.getOrThrow(yield* look(returnTokens(session)))
      assert.strictEqual(view.status, "open")
      assert.strictEqual(view.url, session.url)

      yield* actAtProvider(session, "pay_later")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* stands(session), "on_its_way")
      yield* actAtProvider(session, "late_failure")
      yield* TestClock.adjust("31 seconds")
      assert.strictEqual(yield* stands(session), "failed")
      yield* TestClock.adjust("16 minutes")
      assert.strictEqual(yield* stands(session), "ended")

      const { session: unpaid } = yield* bookingWithSession()
      yield* actAtProvider(unpaid, "expire")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* stands(unpaid), "closed")
      yield* reconcileAfter("38 minutes")
      assert.strictEqual(yield* stands(unpaid), "ended")

      const { booking: dropped, session: late } = yield* bookingWithSession()
      yield* cancelBooking(dropped)
      assert.strictEqual(yield* stands(late), "cancelled")
      yield* actAtProvider(late, "pay")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* stands(late), "going_back")
      yield* runProviderTasks
      assert.strictEqual(yield* stands(late), "paid_back")
    })
  )

  it.effect("sees the balance beside the booking, which stays confirmed", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking(packages.depositParty)
      const session = yield* openSession(booking, "balance")
      const view = Option.getOrThrow(yield* look(returnTokens(session)))
      assert.deepStrictEqual([view.status, view.balance], ["open", true])
      yield* actAtProvider(session, "pay")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* stands(session), "confirmed")
      assert.strictEqual((yield* bookingState(booking)).payment_status, "paid")
    })
  )

  it.effect("is shown nothing, and nobody is asked, with a token that was made up or is too old", () =>
    Effect.gen(function* () {
      const { session } = yield* bookingWithSession()
      const before = yield* asked
      const tokens = returnTokens(session)
      const forgeriesOf = (token: string) => [
        "",
        "x",
        token.slice(0, 47),
        `${token.slice(0, 47)}${token.endsWith("A") ? "B" : "A"}`,
        "A".repeat(48)
      ]
      for (const booking of [...forgeriesOf(tokens.booking), tokens.payment]) {
        for (const payment of [...forgeriesOf(tokens.payment), tokens.booking]) {
          assert.isTrue(Option.isNone(yield* look({ booking, payment })), `${booking} ${payment}`)
        }
      }
      assert.strictEqual(yield* asked, before)
      yield* TestClock.adjust("500 days")
      assert.isTrue(Option.isNone(yield* look(tokens)))
    })
  )
})

layer(paymentWorld())("a payment that someone waits for", (it) => {
  it.effect("is asked about once in five seconds, however many look on however many nodes", () =>
    Effect.gen(function* () {
      const { session } = yield* bookingWithSession()
      const before = yield* asked
      const looks = Array.from({ length: 10 }, () => ask(session))
      yield* Effect.all(looks, { concurrency: "unbounded" })
      assert.strictEqual(yield* asked, before + 1)
      yield* TestClock.adjust("4 seconds")
      yield* ask(session)
      assert.strictEqual(yield* asked, before + 1)
      yield* TestClock.adjust("1 second")
      yield* ask(session)
      assert.strictEqual(yield* asked, before + 2)
    })
  )

  it.effect("is answered with what is known after two seconds, and the provider's later answer still counts", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* bookingWithSession()
      yield* actAtProvider(session, "pay")
      provider.injectFault("getSession", "slow")
      const before = yield* asked
      const looking = yield* Effect.forkChild(ask(session))
      while ((yield* asked) === before) yield* turn
      yield* TestClock.adjust("2 seconds")
      assert.isFalse(yield* Fiber.join(looking))
      assert.deepStrictEqual(yield* bookingState(booking), held)
      yield* TestClock.adjust("3 seconds")
      // Applied by the database in its own time.
      for (let i = 0; i < 1000 && (yield* bookingState(booking)).status === "held"; i++) yield* turn
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
    })
  )

  it.effect("is shown as it is known where the provider is away or the account is closed", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* bookingWithSession()
      for (const trouble of ["away", "account_closed", "refused", "key_reused"] as const) {
        provider.injectFault("getSession", trouble)
        yield* TestClock.adjust("10 seconds")
        yield* ask(session)
        assert.deepStrictEqual(yield* bookingState(booking), held)
      }
    })
  )

  it.effect("does not keep a hold alive by being viewed: after its end, reconciliation settles it", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      yield* TestClock.adjust("32 minutes")
      for (let i = 0; i < 12; i++) {
        yield* TestClock.adjust("30 seconds")
        yield* ask(session)
        yield* reconcile
      }
      assert.strictEqual((yield* bookingState(booking)).status, "expired")
      const before = yield* asked
      yield* TestClock.adjust("1 hour")
      assert.isFalse(yield* ask(session))
      assert.strictEqual(yield* asked, before)
    })
  )
})
