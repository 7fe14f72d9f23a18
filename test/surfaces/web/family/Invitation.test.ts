/** What a family hands on and keeps: the invitation of its guests, its calendar entries, and the receipt. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import ICAL from "ical.js"
import { convertIcsCalendar } from "ts-ics"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import { BookingLinks } from "../../../../src/domain/booking/BookingLinks.ts"
import { addGuest, mostGuests } from "../../../../src/domain/booking/InvitedGuests.ts"
import { erasePerson } from "../../../../src/domain/booking/BookingRecords.ts"
import { rowOf } from "../../../support/moveWorld.ts"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { dateIn, moneyIn } from "../../../../src/words/Localized.ts"
import { escape, ask, FamilyPages, familyWorld, pageOf, type Seen } from "../../../support/FamilyPages.ts"
import { giveGoodwill } from "../../../support/Acts.ts"
import {
  bookingState,
  cancelBooking,
  createBooking,
  openSession,
  paidBooking,
  payBooking,
  reconcile,
  reconcileAfter,
  runProviderTasks,
  setClockBefore
} from "../../../support/PaymentWorld.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { packages, venue } from "../../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

const invitationOf = Effect.fnUntraced(function* (booking: BookingRow) {
  const url = yield* BookingLinks.use((links) => links.invitation(booking))
  return (yield* FamilyPages) + new URL(url).pathname
})

/** The booking with everything that a guest may not learn. */
const private_ = Effect.fnUntraced(function* () {
  const { booking } = yield* paidBooking(packages.depositParty)
  const sql = yield* SqlClient.SqlClient
  yield* sql`update booking set notes = 'My son has epilepsy', child_ages = '{4,5}', contact_phone = '+44 20 7946 0018'
    where booking_id = ${booking.booking_id}`
  return booking
})

layer(familyWorld())("an invitation", (it) => {
  it.effect("says when and where in each language, and gives nothing away: no price, name, notes or reference", () =>
    Effect.gen(function* () {
      const sold = yield* private_()
      const hidden = { guest_id: "1", name: "Hidden Guest", allergies: "no eggs" }
      yield* Effect.flatMap(Clock.currentTimeMillis, (now) => addGuest(sold.booking_id, hidden, 9, now))
      const booking = yield* rowOf(sold)
      const url = yield* invitationOf(booking)
      const token = new URL(yield* pageOf(booking)).pathname.slice(3)
      for (const language of languages)
        for (const path of ["", ".ics"]) {
          const { headers, status, text } = yield* ask(url + path, { headers: { "accept-language": language } })
          assert.strictEqual(status, 200)
          const { address, playroom_name } = booking.terms
          const unfolded = text.replaceAll("\r\n ", "").replaceAll("\\,", ",")
          assert.include(unfolded, path === "" ? escape(address) : address)
          assert.include(unfolded, path === "" ? escape(playroom_name) : playroom_name)
          if (path === "") assert.include(text, `<h1>${escape(messages[language].invitation.title)}</h1>`)
          for (const secret of [
            booking.reference,
            booking.booking_id,
            booking.contact_name,
            booking.contact_email,
            "7946",
            "epilepsy",
            "£",
            "/b/",
            "/p/",
            token,
            "Hidden Guest",
            "no eggs"
          ])
            assert.notInclude(unfolded.replaceAll(/<style>.*?<\/style>/gs, ""), secret, `${language}${path}`)
          assert.strictEqual(headers.get("cache-control"), "no-store")
          assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
        }
      // A form of another page that is sent there changes nothing.
      const sent = yield* ask(url, { method: "POST", body: new URLSearchParams({ step: "cancel" }) })
      assert.strictEqual(sent.status, 409)
      assert.deepStrictEqual(yield* rowOf(booking), booking)
    })
  )

  it.effect("is offered on the family's page of a confirmed visit alone, and its token opens no other page", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking()
      const held = yield* createBooking(packages.party)
      const url = yield* invitationOf(booking)
      const path = new URL(url).pathname
      assert.include((yield* ask(yield* pageOf(booking))).text, path)
      assert.notInclude((yield* ask(yield* pageOf(held))).text, "/i/")
      assert.strictEqual((yield* ask(yield* invitationOf(held))).status, 404)
      const base = yield* FamilyPages
      const pages = ["/b/", "/p/", "/o/"]
      for (const other of pages) assert.strictEqual((yield* ask(base + path.replace("/i/", other))).status, 404)
      const token = new URL(yield* pageOf(booking)).pathname.slice(3)
      assert.strictEqual((yield* ask(`${base}/i/${token}`)).status, 404)
      // The sixteen bytes of the id are public; each changed character of the rest opens nothing.
      for (let at = 24; at < path.length - 3; at++) {
        const changed = path
          .slice(3)
          .split("")
          .with(at, path[at + 3] === "A" ? "B" : "A")
          .join("")
        assert.isFalse(
          yield* LinkTokens.use((links) =>
            links.opens(changed, { page: "invitation", booking_id: booking.booking_id, counter: 0 })
          )
        )
      }
    })
  )

  it.effect(
    "ends with the booking, with a renewed link and with the visit, and sends guests to whoever invited them",
    () =>
      Effect.gen(function* () {
        const ends = Effect.fnUntraced(function* (url: string) {
          for (const language of languages) {
            const { status, text } = yield* ask(url, { headers: { "accept-language": language } })
            assert.strictEqual(status, 404)
            assert.include(text, escape(messages[language].linkProblems.invitation.more))
          }
          assert.strictEqual((yield* ask(`${url}.ics`)).status, 404)
        })
        const { booking: cancelled } = yield* paidBooking()
        const first = yield* invitationOf(cancelled)
        yield* cancelBooking(cancelled)
        yield* ends(first)
        const { booking: renewed } = yield* paidBooking()
        const second = yield* invitationOf(renewed)
        const now = yield* BookingLinks.use((links) => links.renew(renewed))
        yield* ends(second)
        const third = yield* invitationOf(now)
        assert.strictEqual((yield* ask(third)).status, 200)
        yield* setClockBefore(now, -3)
        yield* ends(third)
        yield* ends(`${yield* FamilyPages}/i/${"A".repeat(48)}`)
      })
  )
})

layer(familyWorld())("a visit in calendars", (it) => {
  it.effect("reminds a day before by two readers, and not once it is cancelled", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking()
      const page = yield* pageOf(booking)
      for (const url of [`${page}.ics`, `${yield* invitationOf(booking)}.ics`]) {
        const { text } = yield* ask(url)
        const event = new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent("vevent")
        const alarm = event?.getFirstSubcomponent("valarm")
        assert.strictEqual(alarm?.getFirstPropertyValue("action"), "DISPLAY")
        assert.strictEqual(String(alarm?.getFirstPropertyValue("trigger")), "-P1D")
        const [other] = convertIcsCalendar(undefined, text).events ?? []
        assert.strictEqual(other?.start.date.getTime(), booking.starts_at)
        const [reminder] = other?.alarms ?? []
        assert.strictEqual(reminder?.action, "DISPLAY")
        assert.deepInclude(reminder?.trigger.type === "relative" ? reminder.trigger.value : {}, {
          before: true,
          days: 1
        })
      }
      yield* cancelBooking(booking)
      assert.notInclude((yield* ask(`${page}.ics`)).text, "VALARM")
    })
  )

  it.effect("opens in calendars on the web with its time and place, and with no token", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking()
      const page = yield* pageOf(booking)
      const { text } = yield* ask(page)
      const links = [...text.matchAll(/href="(https:\/\/(?:calendar\.google|outlook\.live)[^"]+)"/g)].map(
        ([, href = ""]) => new URL(href.replaceAll("&amp;", "&"))
      )
      assert.lengthOf(links, 2)
      for (const link of links) {
        assert.notInclude(link.href, new URL(page).pathname.slice(3))
        assert.notInclude(link.href, booking.reference)
        assert.strictEqual(
          link.searchParams.get("location"),
          `${booking.terms.playroom_name}, ${booking.terms.address}`
        )
      }
      const at = (instant: number) => new Date(instant).toISOString()
      assert.strictEqual(
        links[0]?.searchParams.get("dates"),
        [booking.starts_at, booking.ends_at].map((one) => at(one).replaceAll(/[-:]|\.000/g, "")).join("/")
      )
      assert.strictEqual(links[1]?.searchParams.get("startdt"), at(booking.starts_at))
    })
  )
})

layer(familyWorld())("a receipt", (it) => {
  it.effect("has the seller, the lines, the tax, each payment and refund with its day, and what is left", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking(packages.depositParty)
      const page = yield* pageOf(booking)
      assert.include((yield* ask(page)).text, "?step=receipt")
      const shown = Effect.map(ask(`${page}?step=receipt`), ({ text }) => text)
      assert.include(yield* shown, `<dt>From</dt><dd><bdi>${venue.operator.name}</bdi></dd>`)
      const seller = { legal_name: "Play & Party Ltd", tax_number: "GB 123 4567 89" }
      yield* importVenue({ ...venue, operator: { ...venue.operator, ...seller } })
      const first = yield* shown
      assert.include(
        first,
        `<dt>From</dt><dd><bdi>Play &amp; Party Ltd</bdi><br><bdi>${venue.operator.name}</bdi></dd>`
      )
      assert.include(first, "<dt>Tax number</dt><dd><bdi>GB 123 4567 89</bdi></dd>")
      const row = (what: string, amount: string, why?: string) =>
        new RegExp(
          `<th scope="row">\\w+, \\d+ \\w+ 20\\d\\d</th><td[^>]*>${what}${why === undefined ? "" : `<br><span class="soft">${why}</span>`}</td><td[^>]*><span class="amount">${amount}<`
        )
      assert.include(first, booking.contact_name)
      assert.include(first, booking.reference)
      assert.match(first, row("Payment", "£50\\.00"))
      assert.include(first, "<dt>Still to pay</dt><dd><strong>£150.00</strong>")
      yield* payBooking(booking, "balance")
      yield* setClockBefore(booking, 30)
      yield* cancelBooking(booking)
      const way = (yield* ask(`${page}?step=receipt`)).text
      assert.match(way, row("Payment", "£150\\.00"))
      assert.match(way, row("Refund, on its way", "-£75\\.00", "By the cancellation"))
      assert.notInclude(way, "Still to pay")
      yield* runProviderTasks
      assert.match((yield* ask(`${page}?step=receipt`)).text, row("Refund", "-£75\\.00", "By the cancellation"))
    })
  )

  it.effect("has the decision behind each refund, and what is kept in all (M5)", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking()
      yield* giveGoodwill(booking.booking_id, { amount: 2000, reason: "Broken slide", preview: false })
      yield* runProviderTasks
      yield* setClockBefore(booking, 30)
      yield* cancelBooking(booking)
      yield* runProviderTasks
      const { paid, refunded } = yield* bookingState(booking)
      const { text } = yield* ask(`${yield* pageOf(booking)}?step=receipt`)
      assert.match(text, />Goodwill<[^]*-£20\.00<[^]*>By the cancellation<[^]*-£60\.00</)
      const kept = moneyIn("en", paid - refunded, booking.currency)
      assert.match(text, new RegExp(`<strong>Total</strong>[^]*${kept}`))
      assert.strictEqual(kept, "£40.00")
    })
  )

  it.effect("has a refund that waited for a dispute once it goes, on the day on which it went", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking()
      const { id } = provider.openDispute(session)
      yield* cancelBooking(booking)
      const address = `${yield* pageOf(booking)}?step=receipt`
      for (const tried of [false, true]) {
        if (tried) yield* runProviderTasks
        assert.notInclude((yield* ask(address)).text, messages.en.receipt.refund)
      }
      provider.setDisputeStatus(id, "won")
      yield* reconcileAfter("8 days")
      yield* reconcile
      const day = dateIn("en", booking.terms.time_zone, yield* Clock.currentTimeMillis)
      const row = new RegExp(`<th scope="row">${day}</th><td[^>]*>${messages.en.receipt.refund}<br>`)
      assert.match((yield* ask(address)).text, row)
    })
  )

  it.effect("is not offered before anything was paid, says so if it is asked for, and is in each language", () =>
    Effect.gen(function* () {
      const held = yield* createBooking(packages.party)
      const page = yield* pageOf(held)
      assert.notInclude((yield* ask(page)).text, "step=receipt")
      yield* openSession(held)
      for (const language of languages) {
        const { status, text } = yield* ask(`${page}?step=receipt`, { headers: { "accept-language": language } })
        assert.strictEqual(status, 200)
        assert.include(text, escape(messages[language].receipt.nonePaid))
        assert.notMatch(text, /undefined|NaN/)
      }
      // There is no form to send.
      const sent = yield* ask(page, { method: "POST", body: new URLSearchParams({ step: "receipt" }) })
      assert.strictEqual(sent.status, 303)
    })
  )
})

/** Sends the form of an invitation that was seen. */
const say = (
  url: string,
  seen: Seen,
  guest: Readonly<Record<string, string>>,
  headers: Record<string, string> = {}
) => {
  const shown = /name="shown" value="(\d+)"/.exec(seen.text)?.[1] ?? ""
  return ask(url, { method: "POST", body: new URLSearchParams({ shown, ...guest }), headers })
}
const guestsOf = (booking: BookingRow) =>
  Effect.map(rowOf(booking), ({ guests }) => (guests ?? []).map(({ allergies, name }) => [name, allergies]))

layer(familyWorld())("a guest who is invited", (it) => {
  it.effect(
    "says that it comes and what it must not eat; the family sees it, and takes out whom it does not know",
    () =>
      Effect.gen(function* () {
        const { booking } = yield* paidBooking()
        const url = yield* invitationOf(booking)
        const seen = yield* ask(url)
        for (let press = 0; press < 2; press++) {
          const said = yield* say(url, seen, { name: " Ida <3 ", allergies: "nuts & <b>milk</b>" })
          assert.deepStrictEqual([said.status, said.headers.get("location")], [303, `${new URL(url).pathname}?said=1`])
        }
        yield* setClockBefore(booking, 48)
        yield* say(url, yield* ask(url), { name: "Tom", allergies: "" })
        assert.deepStrictEqual(yield* guestsOf(booking), [
          ["Ida <3", "nuts & <b>milk</b>"],
          ["Tom", ""]
        ])
        const thanked = yield* ask(`${url}?said=1`)
        assert.include(thanked.text, escape(messages.en.invitation.thanks))
        assert.notInclude(thanked.text, "Tom")
        const page = yield* pageOf(booking)
        const shown = yield* ask(page)
        assert.include(shown.text, "Guests who say they come: 2")
        assert.include(shown.text, "<bdi>Ida &lt;3</bdi></strong>: <bdi>nuts &amp; &lt;b&gt;milk&lt;/b&gt;</bdi>")
        const [first] = (yield* rowOf(booking)).guests ?? []
        const body = new URLSearchParams({ step: "invite", guest: first?.guest_id ?? "" })
        assert.strictEqual((yield* ask(page, { method: "POST", body })).status, 303)
        assert.deepStrictEqual(yield* guestsOf(booking), [["Tom", ""]])
        assert.strictEqual((yield* ask(page, { method: "POST", body })).status, 303)
        assert.deepStrictEqual(yield* guestsOf(booking), [["Tom", ""]])
      })
  )

  it.effect("is told what is wrong, in every language, and loses nothing that was typed", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking()
      const url = yield* invitationOf(booking)
      const seen = yield* ask(url)
      for (const language of languages) {
        const { invitation } = messages[language]
        const headers = { "accept-language": language }
        assert.include((yield* ask(url, { headers })).text, escape(invitation.whoSees))
        for (const [guest, fault] of [
          [{ name: "", allergies: "no <eggs>" }, invitation.noName],
          [{ name: "x".repeat(61), allergies: "no <eggs>" }, invitation.noName],
          [{ name: "Ida", allergies: "x".repeat(201) }, invitation.tooLong]
        ] as const) {
          const { status, text } = yield* say(url, seen, guest, headers)
          assert.strictEqual(status, 409)
          for (const part of [invitation.wrong, fault, guest.name, guest.allergies]) assert.include(text, escape(part))
        }
      }
      const foreign = yield* say(url, seen, { name: "Eve" }, { "sec-fetch-site": "cross-site" })
      assert.strictEqual(foreign.status, 400)
      assert.deepStrictEqual(yield* guestsOf(booking), [])
    })
  )

  it.effect("says it on one line, without characters that nobody sees, and fills no list of thousands", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking()
      const url = yield* invitationOf(booking)
      yield* say(url, yield* ask(url), { name: "I\u202Eda\n", allergies: "\u0007no\r\n\u202Enuts\u200B" })
      yield* say(url, yield* ask(url), { name: "Tom", allergies: "\u200B\u2060" })
      assert.deepStrictEqual(yield* guestsOf(booking), [
        ["Ida", "no nuts"],
        ["Tom", ""]
      ])
      assert.deepStrictEqual([12, 10_000].map(mostGuests), [24, 200])
    })
  )

  it.effect("finds a full list at twice the children whom the package takes, and none once the visit has begun", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking()
      const url = yield* invitationOf(booking)
      const seen = yield* ask(url)
      const most = 2 * packages.party.max_children
      const all = Array.from({ length: most + 3 }, (_, i) => say(url, seen, { name: `Child ${i}`, allergies: "" }))
      const sent = yield* Effect.all(all, { concurrency: 4 })
      assert.strictEqual(sent.filter(({ status }) => status === 303).length, most)
      assert.lengthOf(yield* guestsOf(booking), most)
      const full = sent.find(({ status }) => status === 409)
      assert.include(full?.text, escape(messages.en.invitation.full))
      yield* setClockBefore(booking, 0)
      assert.notInclude((yield* ask(url)).text, "<form")
      const late = yield* say(url, seen, { name: "Late", allergies: "" })
      assert.strictEqual(late.status, 409)
      assert.include(late.text, escape(messages.en.invitation.begun))
    })
  )

  it.effect("goes with the person who invited, and can say nothing after a cancellation", () =>
    Effect.gen(function* () {
      const { booking } = yield* paidBooking()
      const url = yield* invitationOf(booking)
      const seen = yield* ask(url)
      yield* say(url, seen, { name: "Ida", allergies: "nuts" })
      yield* erasePerson(booking.booking_id, booking.ends_at)
      assert.isNull((yield* rowOf(booking)).guests)
      const { booking: other } = yield* paidBooking()
      const gone = yield* invitationOf(other)
      yield* cancelBooking(other)
      assert.strictEqual((yield* say(gone, seen, { name: "Ida", allergies: "nuts" })).status, 404)
      assert.deepStrictEqual(yield* guestsOf(other), [])
    })
  )
})
