/** What a payer reads who comes back from the provider's page: on the family's page, the pay page, or a general one. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { letReach } from "../../../../src/domain/booking/BookingLinks.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { standingOf } from "../../../../src/domain/booking/Standing.ts"
import { type Language, messages } from "../../../../src/words/Languages.ts"
import { minuteMs } from "../../../../src/platform/time/LocalTime.ts"
import { paidNotice, bookingPage, payerReturned } from "../../../../src/surfaces/web/family/BookingPage.ts"
import type { ReturnedPayment, ShownBooking } from "../../../../src/surfaces/web/family/ShownBookings.ts"
import { PaymentInquiry } from "../../../../src/domain/payment/settlement/PaymentInquiry.ts"
import type { PaymentSessionRow } from "../../../../src/domain/payment/sessions/PaymentSession.ts"
import { PaymentSessions } from "../../../../src/domain/payment/sessions/PaymentSessions.ts"
import { distinctLanguages, escape, backFrom, familyWorld, pageOf } from "../../../support/FamilyPages.ts"
import { packages } from "../../../support/paymentVenues.ts"
import {
  actAndDeliver,
  actAtProvider,
  bookingState,
  bookingWithSession,
  cancelBooking,
  comesBack,
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
} from "../../../support/PaymentWorld.ts"
import { sessionEvent } from "../../../support/providerEvents.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"
import { misfitOf, shownAt, shownBookings } from "../../../support/shownBookings.ts"

/** How the booking stands, and what is said of the payment besides. */
const told = (session: PaymentSessionRow, success = true) =>
  Effect.map(comesBack(returnTokens(session), success), (seen) => [seen?.standing, seen?.notice] as const)

/** As `get_booking` asks: once, about all sessions of the booking. */
const ask = Effect.fnUntraced(function* ({ booking_id }: PaymentSessionRow) {
  const booking = yield* Bookings.use((bookings) => bookings.get(booking_id))
  const all = yield* PaymentSessions.use((sessions) => sessions.ofBooking(booking_id))
  return yield* PaymentInquiry.use((inquiry) => inquiry.askForReader(booking, all))
})

/** A turn of the event loop, in which the database may answer. */
const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

const asked = Effect.map(ScriptedGateway, ({ callsOf }) => callsOf("getSession").length)

layer(familyWorld())("the payer who comes back", (it) => {
  it.effect("is led to the family's page, and finds a paid booking confirmed there although its event was lost", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      yield* TestClock.adjust("3 minutes")
      yield* actAtProvider(session, "pay")
      assert.deepStrictEqual(yield* bookingState(booking), held)
      const { location, status, text } = yield* backFrom(session)
      const page = new URL(yield* pageOf(booking)).pathname
      assert.strictEqual(location, `${page}?paid=${session.payment_session_id}&outcome=success`)
      assert.strictEqual(status, 200)
      assert.include(text, messages.en.standings.paid.heading)
      assert.include(text, messages.en.afterPaying.arrived("£120.00"))
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
    })
  )

  it.effect("reads a payment that was not needed: it goes back, its refund failed, or it went back", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session: first } = yield* bookingWithSession()
      // The first page is given up, and someone pays on it after the second one.
      yield* deliverAndApply(
        sessionEvent("checkout.session.expired", { ...(yield* actAtProvider(first, "pay")), payment_status: "unpaid" })
      )
      yield* actAndDeliver(yield* openSession(booking), "pay")
      yield* deliverAndApply(sessionEvent("checkout.session.completed", provider.sessionOf(first)))
      const read = Effect.map(backFrom(first), ({ text }) => text)
      const { afterPaying, letters, words } = messages.en
      const going = yield* read
      assert.include(going, escape(afterPaying.notNeeded("£120.00")))
      assert.include(going, words.backByBank)
      assert.include(going, messages.en.standings.paid.heading)
      yield* runProviderTasks
      const went = yield* read
      assert.notInclude(went, words.backByBank)
      assert.include(went, afterPaying.wentBack)
      for (const { id } of provider.refunds.values()) provider.setRefundStatus(id, "failed", "lost_or_stolen_card")
      yield* reconcileAfter("8 days")
      const failed = yield* read
      assert.include(failed, escape(letters.refundFailed.lead("£120.00")))
      assert.notInclude(failed, words.backByBank)
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
        yield* runProviderTasks
        const { text } = yield* backFrom(first)
        const { words } = messages.en
        assert.include(text, escape(words.backAfterDispute("£120.00")))
        assert.notInclude(text, words.backByBank)
      })
  )

  it.effect("is not led to the family's page where a guest who may only read and pay has found the booking", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { booking, session } = yield* bookingWithSession()
      const { contact_email, contact_name } = yield* Bookings.use((bookings) => bookings.get(booking.booking_id))
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
      const general = Effect.fnUntraced(function* (outcome: "success" | "cancel") {
        const { location, status, text } = yield* backFrom(session, outcome)
        assert.deepStrictEqual([location, status], [null, 200])
        assert.include(text, "with the link that you were given when you booked")
        for (const secret of ["/b/", "/p/", contact_email, contact_name]) assert.notInclude(text, secret)
        return text
      })
      const waiting = yield* general("success")
      assert.include(waiting, messages.en.afterPaying.waiting.title)
      assert.notInclude(waiting, session.url ?? "none")
      const left = yield* general("cancel")
      assert.include(left, `href="${session.url}"`)
      assert.include(left, messages.en.afterPaying.notPaid)
      // Nor once it is paid: the address of the return page was known before.
      yield* actAtProvider(session, "pay")
      yield* TestClock.adjust("10 seconds")
      assert.include(yield* general("success"), messages.en.standings.paid.heading)
      // A guest who had the page's link may have it again.
      yield* reach(true)
      assert.include((yield* backFrom(session)).location, new URL(yield* pageOf(booking)).pathname)
    })
  )

  it.effect("is told what is true in every state: not paid, on its way, failed, ended, cancelled, paid back", () =>
    Effect.gen(function* () {
      const { session } = yield* bookingWithSession()
      assert.deepStrictEqual(yield* told(session), ["to_pay", "waiting"])
      assert.deepStrictEqual(yield* told(session, false), ["to_pay", "not_paid"])
      yield* actAtProvider(session, "pay_later")
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* told(session), ["payment_processing", undefined])
      yield* actAtProvider(session, "late_failure")
      yield* TestClock.adjust("31 seconds")
      assert.deepStrictEqual(yield* told(session), ["payment_failed", undefined])
      yield* TestClock.adjust("16 minutes")
      assert.deepStrictEqual(yield* told(session), ["expired", undefined])

      const { session: unpaid } = yield* bookingWithSession()
      yield* actAtProvider(unpaid, "expire")
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* told(unpaid), ["to_pay", "closed"])
      yield* reconcileAfter("38 minutes")
      assert.deepStrictEqual(yield* told(unpaid), ["expired", undefined])

      const { booking: dropped, session: late } = yield* bookingWithSession()
      yield* cancelBooking(dropped)
      assert.deepStrictEqual(yield* told(late), ["cancelled", "late"])
      assert.deepStrictEqual(yield* told(late, false), ["cancelled", undefined])
      yield* actAtProvider(late, "pay")
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* told(late), ["cancelled_going_back", undefined])
      yield* runProviderTasks
      assert.deepStrictEqual(yield* told(late), ["cancelled_paid_back", undefined])
    })
  )

  it.effect("sees the balance beside the booking, which stays confirmed", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking(packages.depositParty)
      const session = yield* openSession(booking, "balance")
      assert.deepStrictEqual(yield* told(session, false), ["balance_due", "not_paid"])
      yield* actAtProvider(session, "pay")
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* told(session), ["paid", "arrived"])
      assert.strictEqual((yield* bookingState(booking)).payment_status, "paid")
    })
  )

  it.effect("is not offered to pay again while the payment is awaited, and looks again by the page itself", () =>
    Effect.gen(function* () {
      const { session } = yield* bookingWithSession()
      const waiting = yield* backFrom(session)
      assert.notInclude(waiting.text, 'value="pay"')
      assert.match(waiting.headers.get("refresh") ?? "", /^5; url=\/b\//)
      const left = yield* backFrom(session, "cancel")
      assert.include(left.text, 'value="pay"')
      assert.isNull(left.headers.get("refresh"))
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
          assert.isUndefined(yield* comesBack({ booking, payment }), `${booking} ${payment}`)
        }
      }
      assert.strictEqual(yield* asked, before)
      yield* TestClock.adjust("500 days")
      assert.isUndefined(yield* comesBack(tokens))
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

describe("what a page says of a payment", () => {
  const token = "t".repeat(48)
  const payment = (status: PaymentSessionRow["status"], changes: Partial<ReturnedPayment["session"]> = {}) => ({
    session: {
      amount: 12_000,
      currency: "GBP",
      expires_at: shownAt + 14 * minuteMs,
      misfit: null,
      purpose: "due_now" as const,
      status,
      url: "https://pay.example/cs_1",
      ...changes
    }
  })
  const statuses = ["open", "processing", "paid", "failed", "expired"] as const
  const pageWith = (
    shown: ShownBooking,
    query: { readonly outcome?: string; readonly look?: string },
    language: Language = "en"
  ) => bookingPage({ ...shown, asked: { token, language, query: { paid: "", ...query } } }, [], "'self'")
  const textOf = (response: HttpServerResponse.HttpServerResponse): string =>
    response.body._tag === "Uint8Array" ? new TextDecoder().decode(response.body.body) : assert.fail("no page")

  it("leaves what the booking's standing says, whatever the address says, but while a payment is awaited", () => {
    for (const [kind, shown] of Object.entries(shownBookings))
      for (const status of statuses)
        for (const outcome of ["success", "cancel", undefined, "paid", "__proto__"]) {
          const of = { ...shown, returned: payment(status) }
          const standing = standingOf(of.booking, of.summary)
          const { heading } = messages.en.standings[standing.kind]
          const text = textOf(pageWith(of, outcome === undefined ? {} : { outcome }))
          const awaited = paidNotice(of, standing, outcome === "success") === "waiting"
          const place = `${kind} ${status} ${outcome}`
          assert.include(text, `<h1>${escape(awaited ? messages.en.afterPaying.waiting.title : heading)}</h1>`, place)
          assert.strictEqual(
            /payment of £120\.00 has arrived/.test(text),
            paidNotice(of, standing, false) === "arrived"
          )
        }
  })

  it("says of no payment that nothing was charged where it was paid, is processed, or is awaited", () => {
    for (const [kind, shown] of Object.entries(shownBookings))
      for (const status of statuses) {
        const of = { ...shown, returned: payment(status) }
        const notice = paidNotice(of, standingOf(of.booking, of.summary), true)
        const place = `${kind} ${status}`
        if (status === "paid" || status === "processing")
          assert.notInclude(["closed", "not_paid", "late"], notice, place)
        if (status === "open") assert.notInclude(["closed", "not_paid"], notice, place)
      }
  })

  it("tells a payment that is not what was asked for, unless the standing tells it", () => {
    const misfit = payment("paid", { misfit: misfitOf(11_999) })
    const of = { ...shownBookings.paid, returned: misfit }
    assert.strictEqual(paidNotice(of, standingOf(of.booking, of.summary), true), "under_review")
    assert.include(textOf(pageWith(of, {})), escape(messages.en.afterPaying.underReview("£119.99")))
    const held = { ...shownBookings.payment_under_review, returned: misfit }
    assert.isUndefined(paidNotice(held, standingOf(held.booking, held.summary), true))
  })

  it("is written in the reader's language, money too", () => {
    const notices: ReadonlyArray<readonly [ShownBooking, ReturnedPayment]> = [
      [shownBookings.to_pay, payment("open")],
      [shownBookings.to_pay, payment("expired")],
      [shownBookings.paid, payment("paid")],
      [shownBookings.expired, payment("open")]
    ]
    for (const [shown, returned] of notices)
      for (const outcome of ["success", "cancel"]) {
        const said = distinctLanguages.map(
          (language) =>
            /<div class="notice">.*?<\/div>/s.exec(textOf(pageWith({ ...shown, returned }, { outcome }, language)))?.[0]
        )
        assert.strictEqual(new Set(said).size, distinctLanguages.length, said[0])
      }
    const japanese = textOf(pageWith({ ...shownBookings.paid, returned: payment("paid") }, {}, "ja"))
    assert.include(japanese, "£120.00のお支払いを確認しました")
  })

  it("looks again by itself a few times while a payment is awaited, and then only where it is asked to", () => {
    const waiting = { ...shownBookings.to_pay, returned: payment("open") }
    let look: string | undefined
    let looks = 0
    for (;;) {
      const { refresh } = pageWith(waiting, { outcome: "success", ...(look === undefined ? {} : { look }) }).headers
      if (refresh === undefined) break
      assert.isBelow(looks++, 7)
      const [, next] = /^5; url=(\/b\/\S+)$/.exec(refresh) ?? []
      const url = new URL(`https://book.example${next}`)
      assert.strictEqual(url.pathname, `/b/${token}`)
      assert.strictEqual(url.searchParams.get("outcome"), "success")
      look = url.searchParams.get("look") ?? assert.fail("the next look is not counted")
    }
    assert.strictEqual(looks, 6)
    assert.include(textOf(pageWith(waiting, { outcome: "success", look: look ?? "" })), "Look again")
    for (const forged of ["-1", "1e9", "x", "00", ""])
      assert.isUndefined(pageWith(waiting, { outcome: "success", look: forged }).headers.refresh, forged)
    for (const status of ["paid", "failed", "expired"] as const)
      assert.isUndefined(
        pageWith({ ...waiting, returned: payment(status) }, { outcome: "success" }).headers.refresh,
        status
      )
    const processing = { ...shownBookings.payment_processing, returned: payment("processing") }
    assert.isDefined(pageWith(processing, { outcome: "success" }).headers.refresh)
  })

  it("tells nothing of any booking, and echoes nothing, without a token that opens one", () => {
    for (const outcome of [undefined, "success", "cancel", "<script>"]) {
      const query = { look: "<b>", ...(outcome === undefined ? {} : { outcome }) }
      const text = textOf(payerReturned("unknown", { booking: "<b>", payment: "<b>" }, query, "en"))
      assert.notMatch(text, /Thank you|confirmed\.|was charged|<b>|<script/)
      assert.notInclude(text, 'class="reference"')
    }
  })

  it("says that it can't look where it can't, and promises nothing", () => {
    const tokens = { booking: token, payment: "p".repeat(48) }
    const response = payerReturned("unavailable", tokens, { outcome: "success" }, "en")
    assert.strictEqual(response.status, 503)
    assert.notMatch(textOf(response), /confirmed|charged/)
    assert.include(textOf(response), `token=${tokens.booking}&amp;payment=${tokens.payment}`)
  })

  it("leads on only to pages of this service, with nothing that the address brought but how the page was left", () => {
    for (const outcome of ["success", "cancel", "//evil.example", undefined]) {
      const query = outcome === undefined ? {} : { outcome, look: "3" }
      const { headers, status } = payerReturned({ page: "pay", token }, { booking: token, payment: "" }, query, "en")
      const said = outcome === "success" || outcome === "cancel" ? `&outcome=${outcome}` : ""
      assert.deepStrictEqual([status, headers.location], [303, `/p/${token}?paid=${said}`])
      assert.strictEqual(headers["cache-control"], "no-store")
    }
  })
})
