/** `/b/{token}` as it is served: over real services, a database and a scripted provider, on the test's clock. */
import { pagesPerCall } from "../../../../src/platform/access/RateLimits.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import ICAL from "ical.js"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { bookingLink, BookingLinks } from "../../../../src/domain/booking/BookingLinks.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { dayMs } from "../../../../src/platform/time/LocalTime.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import { ask, FamilyPages, familyWorld, pageOf, press } from "../../../support/FamilyPages.ts"
import { packages, venue } from "../../../support/paymentVenues.ts"
import {
  actAndDeliver,
  actAtProvider,
  bookingState,
  bookingWithSession,
  cancelBooking,
  confirmed,
  createBooking,
  expectedState,
  held,
  historyOf,
  now,
  openSession,
  paidBooking,
  reconcile,
  runProviderTasks
} from "../../../support/PaymentWorld.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

const bookingAt = (booking: Pick<BookingRow, "booking_id">) =>
  Bookings.use((bookings) => bookings.get(booking.booking_id))

layer(familyWorld(), { timeout: "2 minutes" })("the family's page, served", (it) => {
  it.effect("is one and the same 404 for every token that opens nothing, in the person's language, by any method", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const base = yield* FamilyPages
      const links = yield* LinkTokens
      const booking = yield* createBooking()
      const page = yield* pageOf(booking)
      const right = page.slice(-48)
      const renewed = yield* createBooking()
      const old = yield* pageOf(renewed)
      yield* BookingLinks.use((links) => links.renew(renewed))
      const paying = yield* links.make(bookingLink("checkout_return", booking))
      const none = yield* ask(`${base}/b/x`, { headers: { "accept-language": "de" } })
      assert.strictEqual(none.status, 404)
      assert.include(none.text, "Dieser Link funktioniert nicht mehr")
      assert.strictEqual(none.headers.get("vary"), "accept-language")
      const changed = `${right.slice(0, 47)}${right.endsWith("A") ? "B" : "A"}`
      const nobody = Buffer.concat([Buffer.alloc(16, 7), Buffer.from(right, "base64url").subarray(16)])
      for (const token of [
        old.slice(-48),
        paying,
        changed,
        nobody.toString("base64url"),
        right.slice(1),
        `${right}A`,
        "__proto__",
        "A".repeat(3000)
      ]) {
        for (const path of [`/b/${token}`, `/b/${token}.ics`]) {
          const seen = yield* ask(base + path, { headers: { "accept-language": "de" } })
          assert.strictEqual(seen.status, 404, path)
          assert.isTrue(seen.text === none.text, path)
        }
        const sent = yield* ask(`${base}/b/${token}`, {
          method: "POST",
          body: new URLSearchParams({ step: "pay" }),
          headers: { "accept-language": "de" }
        })
        assert.strictEqual(sent.status, 404, token)
        assert.isTrue(sent.text === none.text, token)
      }
      // Copied badly: with what stood beside it.
      for (const path of [`/b//${right}`, "/o/x"]) {
        const seen = yield* ask(base + path, { headers: { "accept-language": "de" } })
        assert.strictEqual(seen.status, 404, path)
        assert.isTrue(seen.text === none.text, path)
      }
      // What was long ago opens nothing either.
      assert.strictEqual((yield* ask(page)).status, 200)
      yield* TestClock.setTime(booking.ends_at + 90 * dayMs)
      assert.isTrue((yield* ask(page, { headers: { "accept-language": "de" } })).text === none.text)
      yield* setClock(now)
    })
  )

  it.effect(
    "shows the booking and changes nothing, by GET and HEAD, with what browsers send before a person clicks",
    () =>
      Effect.gen(function* () {
        yield* setClock(now)
        const booking = yield* createBooking()
        const url = yield* pageOf(booking)
        const sql = yield* SqlClient.SqlClient
        const before = yield* sql`select b::text from booking b where booking_id = ${booking.booking_id}`
        for (const init of [
          {},
          { method: "HEAD" },
          { headers: { purpose: "prefetch" } },
          { headers: { "sec-purpose": "prefetch;prerender" } }
        ]) {
          for (const more of ["", ".ics", "?step=pay", "?step=nothing", "?step=__proto__"])
            assert.strictEqual((yield* ask(url + more, init)).status, 200, more)
        }
        assert.deepStrictEqual(
          yield* sql`select b::text from booking b where booking_id = ${booking.booking_id}`,
          before
        )
        assert.strictEqual((yield* sql`select from payment_session where booking_id = ${booking.booking_id}`).length, 0)
        const { headers, text } = yield* ask(url)
        assert.include(text, "Your places are held")
        assert.strictEqual(headers.get("cache-control"), "no-store")
        assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
        assert.include(text, '<meta name="robots" content="noindex">')
        assert.include(headers.get("content-security-policy") ?? "", "default-src 'none'")
        const wrong = yield* ask(url, { method: "PUT" })
        assert.strictEqual(wrong.status, 405)
        assert.strictEqual(wrong.headers.get("allow"), "GET, HEAD, POST")
        assert.notInclude(wrong.text, url.slice(-48))
      })
  )

  it.effect("X30: opens by a link with what a sentence put behind it", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const url = yield* pageOf(yield* createBooking())
      const right = yield* ask(url)
      for (const behind of [".", ")", ",", ".)!"])
        assert.deepStrictEqual([(yield* ask(url + behind)).status, behind], [right.status, behind])
      for (const behind of ["/", ";x=1", "%20and", "/."]) {
        const { headers, status } = yield* ask(`${url}${behind}`)
        assert.deepStrictEqual([status, headers.get("location")], [302, new URL(url).pathname], behind)
      }
    })
  )

  it.effect("leads to the payment page by a button, to the same one however often it is pressed", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking()
      const url = yield* pageOf(booking)
      const seen = yield* ask(url)
      const pages = provider.sessions.size
      const sent = yield* Effect.all(
        [1, 2, 3].map(() => press(url, seen, "pay")),
        { concurrency: "unbounded" }
      )
      const places = new Set(sent.map(({ headers }) => headers.get("location")))
      assert.deepStrictEqual([...new Set(sent.map(({ status }) => status))], [303])
      assert.strictEqual(places.size, 1)
      assert.match([...places][0] ?? "", /^https:\/\/pay\.example\//)
      assert.strictEqual(provider.sessions.size - pages, 1)
      // Paid, and its event lost: whoever looks finds it paid. The button that is pressed then leads nowhere.
      const session = yield* openSession(booking)
      yield* actAtProvider(session, "pay")
      yield* TestClock.adjust("10 seconds")
      assert.include((yield* ask(url)).text, "Your booking is confirmed")
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      const late = yield* press(url, seen, "pay")
      assert.strictEqual(late.status, 409)
      assert.include(late.text, "There is nothing to pay here right now.")
      assert.notInclude(late.text, 'value="pay"')
    })
  )

  it.effect("takes the balance when it can be paid on a page, and says at the venue where it can't", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking(packages.depositParty)
      const url = yield* pageOf(booking)
      const seen = yield* ask(url)
      assert.include(seen.text, "Pay the rest: £150.00")
      const sent = yield* press(url, seen, "pay")
      assert.match(sent.headers.get("location") ?? "", /^https:\/\/pay\.example\//)
      const session = yield* openSession(booking, "balance")
      yield* actAndDeliver(session, "pay")
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "paid", 20_000))
      assert.include((yield* ask(url)).text, "Everything is paid.")
    })
  )

  it.effect("says why a payment page can't be opened, and still shows the booking", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const provider = yield* ScriptedGateway
      const operators = yield* Operators
      const booking = yield* createBooking()
      const url = yield* pageOf(booking)
      const seen = yield* ask(url)
      provider.outage = "away"
      const away = yield* press(url, seen, "pay")
      provider.outage = undefined
      assert.include(away.text, "The payment page can’t be reached right now.")
      assert.include(away.text, booking.reference)
      yield* operators.suspend(venue.operator.operator_id)
      const suspended = yield* press(url, seen, "pay")
      yield* operators.resume(venue.operator.operator_id)
      assert.include(suspended.text, "The venue can’t take payments online right now.")
      assert.deepStrictEqual(yield* bookingState(booking), held)
      const sent = yield* press(url, seen, "pay")
      assert.strictEqual(sent.status, 303)
    })
  )

  it.effect(
    "shows what is known while the provider is away or silent, and for a playroom that is no longer listed",
    () =>
      Effect.gen(function* () {
        const { booking, session } = yield* bookingWithSession()
        const provider = yield* ScriptedGateway
        const url = yield* pageOf(booking)
        yield* actAtProvider(session, "pay")
        yield* TestClock.adjust("10 seconds")
        provider.outage = "away"
        assert.include((yield* ask(url)).text, "Your places are held")
        provider.outage = undefined
        const sql = yield* SqlClient.SqlClient
        yield* sql`update playroom set listed = false where playroom_id = ${booking.playroom_id}`
        const gone = yield* ask(url)
        yield* sql`update playroom set listed = true where playroom_id = ${booking.playroom_id}`
        assert.include(gone.text, "openstreetmap.org/?mlat=")
        yield* TestClock.adjust("10 seconds")
        assert.include((yield* ask(url)).text, "Your booking is confirmed")
      })
  )

  it.effect("tells of money on its way back, paid back, and flagged", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking()
      const url = yield* pageOf(booking)
      yield* cancelBooking(booking)
      assert.include((yield* ask(url)).text, "£120.00 comes back to you")
      yield* runProviderTasks
      assert.include((yield* ask(url)).text, "£120.00 was paid back to you")
      const sql = yield* SqlClient.SqlClient
      yield* sql`update booking set flagged = 'paid: it stays' where booking_id = ${booking.booking_id}`
      const flagged = (yield* ask(url)).text
      assert.include(flagged, "someone is looking into it")
      assert.notInclude(flagged, "it stays")
    })
  )

  it.effect("keeps one calendar entry up to date: tentative while held, then confirmed, then cancelled", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      const url = `${yield* pageOf(booking)}.ics`
      const entry = Effect.map(ask(url), ({ headers, text }) => {
        assert.strictEqual(headers.get("content-type"), "text/calendar; charset=utf-8")
        assert.strictEqual(headers.get("content-disposition"), `attachment; filename="${booking.reference}.ics"`)
        // The calendar may be shown to others.
        assert.notInclude(text, url.slice(-52, -4))
        const event = new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent("vevent") ?? assert.fail(text)
        const of = new ICAL.Event(event)
        assert.strictEqual(of.uid, booking.booking_id)
        assert.strictEqual(of.startDate.toJSDate().getTime(), booking.starts_at)
        assert.strictEqual(of.endDate.toJSDate().getTime(), booking.ends_at)
        return { status: String(event.getFirstPropertyValue("status")), sequence: of.sequence, title: of.summary }
      })
      const first = yield* entry
      assert.strictEqual(first.status, "TENTATIVE")
      assert.deepStrictEqual(yield* entry, first)
      yield* actAndDeliver(session, "pay")
      const second = yield* entry
      assert.strictEqual(second.status, "CONFIRMED")
      assert.isAbove(second.sequence, first.sequence)
      yield* cancelBooking(booking)
      const third = yield* entry
      assert.strictEqual(third.status, "CANCELLED")
      // calcurse 4.7.1 reads neither METHOD nor STATUS, so the title has to say it.
      assert.strictEqual(third.title, `Cancelled – ${first.title}`)
      assert.isAbove(third.sequence, second.sequence)
    })
  )

  it.effect("cancels the calendar entry of a hold that lapsed, before and after its end is written down", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const booking = yield* createBooking()
      const url = `${yield* pageOf(booking)}.ics`
      const sequenceOf = (text: string) => Number(/SEQUENCE:(\d+)/.exec(text)?.[1])
      const tentative = sequenceOf((yield* ask(url)).text)
      yield* TestClock.adjust("16 minutes")
      const lapsed = (yield* ask(url)).text
      assert.include(lapsed, "STATUS:CANCELLED")
      assert.isAbove(sequenceOf(lapsed), tentative)
      yield* reconcile
      assert.include(yield* historyOf(booking), "hold_expired")
      const written = (yield* ask(url)).text
      assert.strictEqual(sequenceOf(written), sequenceOf(lapsed))
      assert.include((yield* ask(url.slice(0, -4))).text, "Your booking has ended")
      assert.strictEqual((yield* bookingAt(booking)).status, "expired")
    })
  )

  it.effect("refuses forms that are too large or no form, with a page", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const url = yield* pageOf(yield* createBooking())
      const large = yield* ask(url, { method: "POST", body: new URLSearchParams({ step: "x".repeat(20_000) }) })
      assert.strictEqual(large.status, 413)
      assert.include(large.text, "This form could not be read")
      for (const body of ["", "step", "step=%00&step=pay", "\u0000\u00ff", "{}"]) {
        const { headers, status } = yield* ask(url, { method: "POST", body })
        assert.deepStrictEqual([status, headers.get("location")], [303, new URL(url).pathname], JSON.stringify(body))
      }
    })
  )
})

layer(familyWorld({ rateLimits: { perAddress: 1, perKey: 100 } }))("the family's page, for a flood", (it) => {
  it.effect("answers one network address so often a minute, and then with a page that says to wait", () =>
    Effect.gen(function* () {
      const base = yield* FamilyPages
      for (let i = 0; i < pagesPerCall; i++) assert.strictEqual((yield* ask(`${base}/b/${"A".repeat(48)}`)).status, 404)
      const refused = yield* ask(`${base}/b/${"A".repeat(48)}`, { headers: { "accept-language": "fr" } })
      assert.strictEqual(refused.status, 429)
      assert.include(refused.text, "Trop de demandes")
      assert.isAbove(Number(refused.headers.get("retry-after")), 0)
    })
  )
})
