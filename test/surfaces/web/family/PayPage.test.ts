/** `PAYMENT_LINK=own`: the page where a booking can be paid and nothing else, and who gives out its address. */
import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { bookingLink, BookingLinks } from "../../../../src/domain/booking/BookingLinks.ts"
import { BookingRecords } from "../../../../src/domain/booking/BookingRecords.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import { PaymentSessions } from "../../../../src/domain/payment/sessions/PaymentSessions.ts"
import { escape, ask, backFrom, familyWorld, FamilyPages, pageOf, press } from "../../../support/FamilyPages.ts"
import {
  actAndDeliver,
  bookingState,
  bookingWithSession,
  callCount,
  cancelBooking,
  createBooking,
  createSession,
  now,
  openSession,
  paidBooking,
  sessionRow
} from "../../../support/PaymentWorld.ts"
import { packages } from "../../../support/paymentVenues.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

const own = { paymentLink: "own" } as const

/** Where the tests reach an address that was given out. */
const reached = (url: string) => Effect.map(FamilyPages, (base) => base + new URL(url).pathname)
const payPageOf = (booking: Pick<BookingRow, "booking_id" | "link_counter">) =>
  Effect.flatMap(
    LinkTokens.use((links) => links.address(bookingLink("pay", booking))),
    reached
  )
const rowOf = ({ booking_id }: Pick<BookingRow, "booking_id">) => Bookings.use((bookings) => bookings.get(booking_id))
const buttonsOf = (text: string) => [...text.matchAll(/<form/g)].length

layer(familyWorld(own))("with PAYMENT_LINK=own, a payment session's url", (it) => {
  it.effect("is the pay page, in both tools' answers, and its one button leads to the provider's page", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const booking = yield* createBooking(packages.party)
      const view = yield* createSession(booking.booking_id)
      const { url: provider_url } = yield* sessionRow(view.payment_session_id)
      assert.match(view.url ?? "", /^http:\/\/localhost:3000\/p\/[\w-]{48}$/)
      assert.strictEqual(view.provider_url, provider_url)
      const { session } = yield* PaymentSummaries.use((all) => Effect.flatMap(rowOf(booking), all.read))
      assert.strictEqual(session?.url, view.url)

      const made = yield* callCount("createSession")
      const page = yield* reached(view.url ?? "")
      const seen = yield* ask(page)
      assert.strictEqual(seen.status, 200)
      const { terms } = booking
      const inLondon = (options: Intl.DateTimeFormatOptions) =>
        new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/London", ...options }).format(booking.starts_at)
      for (const said of [
        "Pay for your booking",
        "You pay",
        terms.operator_name,
        terms.playroom_name,
        terms.package_name,
        "8 children",
        "£120.00",
        inLondon({ month: "long", year: "numeric" }),
        // Greenwich Mean Time, or British Summer Time: each test books another week.
        inLondon({ timeZoneName: "long" }).replace(/^\S+ /, ""),
        booking.reference,
        messages.en.booking.terms,
        messages.en.payPage.thenConfirmed
      ])
        assert.include(seen.text, escape(said), said)
      assert.strictEqual(buttonsOf(seen.text), 1)
      assert.include(seen.text, "Pay £120.00</button>")
      const pressed = yield* press(page, seen, "pay")
      assert.deepStrictEqual([pressed.status, pressed.headers.get("location")], [303, provider_url])
      assert.strictEqual(pressed.headers.get("cache-control"), "no-store")
      // The session that the tool made is the one that is paid, with the caller's or our own return addresses.
      assert.strictEqual(yield* callCount("createSession"), made)
    })
  )

  it.effect(
    "reads nothing and changes nothing of the person: no name, e-mail, notes or ages, no way to the family's page",
    () =>
      Effect.gen(function* () {
        const { booking } = yield* bookingWithSession()
        const row = yield* BookingRecords.use((records) => records.byId(booking.booking_id)).pipe(
          Effect.map(Option.getOrThrow)
        )
        const page = yield* payPageOf(row)
        const family = new URL(yield* pageOf(row)).pathname
        const { text } = yield* ask(page)
        for (const secret of [
          row.contact_email,
          row.contact_name,
          family,
          family.slice(3),
          "/b/",
          "step=move",
          "step=cancel",
          "/i/"
        ])
          assert.notInclude(text, secret, secret)
        // Its token opens no other page, and theirs do not open it.
        const base = yield* FamilyPages
        const token = page.slice(page.lastIndexOf("/") + 1)
        for (const path of [`/b/${token}`, `/b/${token}.ics`, `/b/${token}?step=cancel`, family.replace("/b/", "/p/")])
          assert.strictEqual((yield* ask(base + path)).status, 404, path)
        const done = yield* ask(`${base}/b/${token}`, { method: "POST", body: new URLSearchParams({ step: "cancel" }) })
        assert.strictEqual(done.status, 404)
        // Other steps in the form of the pay page do nothing but pay, or fail.
        const seen = yield* ask(page)
        const shown = /name="shown" value="([^"]*)"/.exec(seen.text)?.[1] ?? assert.fail()
        yield* ask(page, { method: "POST", body: new URLSearchParams({ step: "cancel", shown }) })
        assert.strictEqual((yield* bookingState(booking)).status, "held")
      })
  )

  it.effect(
    "passed on to somebody else leads neither forth nor back to the family's page, and tells no e-mail address",
    () =>
      Effect.gen(function* () {
        const base = yield* FamilyPages
        const { booking, session } = yield* bookingWithSession()
        const row = yield* rowOf(booking)
        const payPage = yield* payPageOf(row)
        const family = new URL(yield* pageOf(row)).pathname
        assert.isUndefined(session.request?.customer_email)
        const noWayTo = (text: string, where: string) => {
          for (const secret of [
            row.contact_email,
            row.contact_name,
            family.slice(3),
            "/b/",
            "step=cancel",
            "step=move"
          ])
            assert.notInclude(text, secret, where)
        }
        const cancelled = yield* backFrom(session, "cancel")
        assert.strictEqual(cancelled.status, 200)
        assert.include(cancelled.location, new URL(payPage).pathname)
        assert.include(cancelled.text, escape(messages.en.afterPaying.notPaid))
        noWayTo(cancelled.text, "back from the provider")
        const { searchParams } = new URL(session.request?.cancel_url ?? "")
        for (const token of [searchParams.get("token"), searchParams.get("payment")])
          for (const path of [`/b/${token}`, `/b/${token}.ics`, `/b/${token}?step=cancel`])
            assert.strictEqual((yield* ask(base + path)).status, 404, path)
        // Whoever failed to pay tries again where they began.
        yield* actAndDeliver(session, "expire")
        const again = yield* createSession((yield* createBooking(packages.party)).booking_id)
        const other = yield* sessionRow(again.payment_session_id)
        yield* actAndDeliver(other, "pay_later")
        yield* actAndDeliver(other, "late_failure")
        const failed = yield* backFrom(other)
        noWayTo(failed.text, "after a failed payment")
        assert.strictEqual(buttonsOf(failed.text), 1)
        const { session: last } = yield* bookingWithSession()
        yield* actAndDeliver(last, "pay")
        const paid = yield* backFrom(last)
        assert.include(paid.text, messages.en.standings.paid.heading)
        assert.include(paid.text, messages.en.afterPaying.arrived("£120.00"))
        noWayTo(paid.text, "after paying")
        assert.strictEqual((yield* ask(payPage)).status, 200)
      })
  )

  it.effect("opens no payment by being read, however often, and one by the button after the tool's has expired", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const booking = yield* createBooking(packages.party)
      const page = yield* payPageOf(booking)
      const before = yield* callCount("createSession")
      for (let i = 0; i < 5; i++) assert.strictEqual((yield* ask(page)).status, 200)
      assert.strictEqual((yield* ask(page, { method: "HEAD" })).status, 200)
      assert.strictEqual(yield* callCount("createSession"), before)
      const seen = yield* ask(page)
      const pressed = yield* Effect.all(
        Array.from({ length: 8 }, () => press(page, seen, "pay")),
        {
          concurrency: "unbounded"
        }
      )
      assert.strictEqual(new Set(pressed.map(({ headers }) => headers.get("location"))).size, 1)
      // Presses at the same moment may send the one request twice, under one idempotency key.
      assert.strictEqual((yield* PaymentSessions.use((all) => all.ofBooking(booking.booking_id))).length, 1)
    })
  )

  it.effect("says how a booking stands that can't be paid any more, in each language, without a button", () =>
    Effect.gen(function* () {
      const { booking: paid } = yield* paidBooking()
      const { booking: cancelled } = yield* bookingWithSession()
      yield* cancelBooking(cancelled)
      const { booking: processing, session } = yield* bookingWithSession()
      yield* actAndDeliver(session, "pay_later")
      const { booking: expired, session: old } = yield* bookingWithSession()
      yield* actAndDeliver(old, "expire")
      yield* TestClock.adjust("2 hours")
      for (const [booking, kind] of [
        [paid, "paid"],
        [cancelled, "cancelled"],
        [processing, "payment_processing"],
        [expired, "expired"]
      ] as const)
        for (const language of languages) {
          const page = yield* payPageOf(booking)
          const { status, text } = yield* ask(page, { headers: { "accept-language": language } })
          assert.strictEqual(status, 200)
          assert.include(text, `<html lang="${language}">`)
          assert.include(text, escape(messages[language].standings[kind].heading), kind)
          assert.strictEqual(buttonsOf(text), 0, kind)
          assert.include(text, escape(messages[language].booking.questions))
        }
    })
  )

  it.effect("refuses what was seen before it changed: a superseded amount, a booking paid or cancelled meanwhile", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking(packages.depositParty)
      const page = yield* payPageOf(booking)
      const seen = yield* ask(page)
      assert.include(seen.text, escape(messages.en.payPage.thenPaid))
      const session = yield* openSession(booking, "balance")
      yield* actAndDeliver(session, "pay")
      const late = yield* press(page, seen, "pay")
      assert.strictEqual(late.status, 409)
      assert.include(late.text, 'role="alert"')
      assert.include(late.text, messages.en.booking.faults.changed)
      const { booking: other } = yield* bookingWithSession()
      const otherPage = yield* payPageOf(other)
      const otherSeen = yield* ask(otherPage)
      yield* cancelBooking(other)
      assert.strictEqual((yield* press(otherPage, otherSeen, "pay")).status, 409)
    })
  )

  it.effect(
    "says that the provider is away, keeps the button, and takes no form of another site or too long a one",
    () =>
      Effect.gen(function* () {
        const provider = yield* ScriptedGateway
        yield* setClock(now)
        const booking = yield* createBooking(packages.party)
        const page = yield* payPageOf(booking)
        const seen = yield* ask(page)
        provider.outage = "away"
        const away = yield* press(page, seen, "pay")
        assert.strictEqual(away.status, 409)
        assert.include(away.text, messages.en.booking.faults.provider)
        assert.strictEqual(buttonsOf(away.text), 1)
        provider.outage = undefined
        assert.strictEqual((yield* press(page, seen, "pay", { origin: "https://evil.example" })).status, 400)
        assert.strictEqual((yield* press(page, seen, "pay", { "sec-fetch-site": "cross-site" })).status, 400)
        assert.strictEqual((yield* ask(page, { method: "POST", body: "x".repeat(100_000) })).status, 413)
        assert.strictEqual((yield* ask(page, { method: "POST", body: "step=pay" })).status, 400)
        assert.strictEqual((yield* press(page, away, "pay")).status, 303)
      })
  )

  it.effect("dies with a renewed link, and each changed byte of it opens nothing", () =>
    Effect.gen(function* () {
      const { booking } = yield* bookingWithSession()
      const page = yield* payPageOf(booking)
      const token = page.slice(-48)
      for (let at = 0; at < token.length; at += 5) {
        const other = token[at] === "A" ? "B" : "A"
        assert.strictEqual(
          (yield* ask(page.slice(0, -48) + token.slice(0, at) + other + token.slice(at + 1))).status,
          404
        )
      }
      const row = yield* rowOf(booking)
      yield* BookingLinks.use((links) => links.renew(row))
      assert.strictEqual((yield* ask(page)).status, 404)
      assert.strictEqual((yield* ask(yield* payPageOf(yield* rowOf(booking)))).status, 200)
    })
  )
})

layer(familyWorld())("with PAYMENT_LINK=provider, a payment session's url", (it) => {
  it.effect("is the provider's page, as it has always been", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      const view = yield* createSession(booking.booking_id)
      assert.deepStrictEqual([view.url, view.provider_url], [session.url, session.url])
    })
  )
})
