import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { convertIcsCalendar } from "ts-ics"
import ICAL from "ical.js"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { dateIn } from "../../../src/words/Localized.ts"
import { LetterOutbox } from "../../../src/domain/booking/LetterOutbox.ts"
import { sendNext } from "../../../src/surfaces/letters/LetterDelivery.ts"
import { letterFailpoints, Failpoint, type FailpointName } from "../../../src/platform/concurrency/Failpoint.ts"
import { changeVisit } from "../../support/Acts.ts"
import { from, lettersOf, letterWorld, Mailbox, sendLetters, sendOneLetter } from "../../support/LetterWorld.ts"
import { actAndDeliver, cancelBooking, createBooking, paidBooking, startAnew } from "../../support/PaymentWorld.ts"
import { packages, venue } from "../../support/paymentVenues.ts"
import { inGroups, Vouchers } from "../../../src/domain/payment/sessions/Vouchers.ts"
import { VoucherSales } from "../../../src/domain/payment/settlement/VoucherSales.ts"
import { messages } from "../../../src/words/Languages.ts"
import { distinctLanguages } from "../../support/FamilyPages.ts"
import { importVenue } from "../../support/BookingWorld.ts"
import { blue, bookedInRed, moveTo, red } from "../../support/roomWorld.ts"
import { erasePerson } from "../../../src/domain/booking/BookingRecords.ts"

const begin = Effect.andThen(startAnew, sendLetters)

/** Somebody bought a voucher in a language, and paid it. */
const soldVoucher = Effect.fnUntraced(function* (language: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update operator set vouchers = '{"currency": "GBP", "min_amount": 1000, "max_amount": 9000}'
    where operator_id = ${venue.operator.operator_id}`
  const sales = yield* VoucherSales
  const voucher_id = yield* sales.newId
  const buyer = { name: "Ana Lima", email: "ana@example.com" }
  const { operator_id } = venue.operator
  yield* sales.buy({ voucher_id, operator_id, amount: 5000, buyer, language, description: "Voucher" }, "192.0.2.1")
  const sale = yield* Effect.flatMap(sales.find(voucher_id), Effect.fromOption)
  yield* actAndDeliver(sale, "pay")
  return voucher_id
})

layer(letterWorld())("the letter with a voucher", (it) => {
  it.effect("goes to the buyer in the language of the purchase, once, with the page of the voucher", () =>
    Effect.gen(function* () {
      yield* begin
      for (const language of distinctLanguages) {
        yield* begin
        const voucher_id = yield* soldVoucher(language)
        const letter = yield* sendOneLetter
        const code = yield* Vouchers.use((vouchers) => vouchers.code(voucher_id))
        assert.deepStrictEqual([letter.to, letter.language], ["ana@example.com", language])
        assert.include(letter.subject, messages[language].buying.subject)
        for (const text of [letter.text, letter.html]) assert.include(text, `/v/${inGroups(code)}`)
        assert.lengthOf(yield* sendLetters, 0)
      }
    })
  )

  it.effect("is tried again while the mail server is away, and is named to a person if it is refused for good", () =>
    Effect.gen(function* () {
      yield* begin
      const mailbox = yield* Mailbox
      const sales = yield* VoucherSales
      yield* soldVoucher("en")
      mailbox.fails = "unavailable"
      assert.lengthOf(yield* sendLetters, 0)
      assert.deepStrictEqual(yield* sales.troubles, [])
      mailbox.fails = undefined
      assert.lengthOf(yield* sendLetters, 0)
      yield* TestClock.adjust("11 minutes")
      assert.lengthOf(yield* sendLetters, 1)
      const voucher_id = yield* soldVoucher("en")
      mailbox.fails = "refused"
      assert.lengthOf(yield* sendLetters, 0)
      mailbox.fails = undefined
      yield* TestClock.adjust("1 day")
      assert.lengthOf(yield* sendLetters, 0)
      assert.deepStrictEqual(
        (yield* sales.troubles).map(({ voucher_id: id }) => id),
        [voucher_id]
      )
      assert.isTrue(yield* sales.markSeen(voucher_id))
      assert.deepStrictEqual(yield* sales.troubles, [])
    })
  )

  it.effect("is sent by another node if the first one dies before it is handed over", () =>
    Effect.gen(function* () {
      yield* begin
      yield* soldVoucher("en")
      yield* Effect.exit(
        Effect.provideService(sendNext, Failpoint, (name: FailpointName) =>
          name === "letter taken, not sent" ? Effect.die(new Error("killed")) : Effect.void
        )
      )
      assert.lengthOf(yield* sendLetters, 0)
      yield* TestClock.adjust("4 minutes")
      assert.lengthOf(yield* sendLetters, 1)
    })
  )
})

layer(letterWorld())("letters", (it) => {
  it.effect("tell of a confirmed booking, with its page and its calendar entry, and of a hold alone nothing", () =>
    Effect.gen(function* () {
      yield* begin
      yield* createBooking()
      assert.lengthOf(yield* sendLetters, 0)
      const { booking } = yield* paidBooking()
      const letter = yield* sendOneLetter
      assert.strictEqual(letter.to, booking.contact_email)
      assert.include(letter.subject, "Your booking is confirmed: ")
      for (const text of [letter.text, letter.html]) {
        assert.include(text, booking.reference)
        assert.match(text, /http:\/\/localhost:3000\/b\/[\w-]{48}/)
        assert.include(text, "£120.00")
      }
      assert.notMatch(letter.html, /<img|<script|<link rel="?stylesheet|src=/)
      assert.notMatch(letter.text, /<[a-z]/)
      const { name = "", text = "" } = letter.entry ?? {}
      assert.strictEqual(name, `${booking.reference}.ics`)
      const [event] = convertIcsCalendar(undefined, text).events ?? []
      assert.strictEqual(event?.uid, booking.booking_id)
      assert.strictEqual(event?.start.date.getTime(), booking.starts_at)
      const entry = new ICAL.Event(
        new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent("vevent") ?? assert.fail("no event")
      )
      assert.strictEqual(entry.uid, booking.booking_id)
      assert.strictEqual(entry.startDate.toJSDate().getTime(), booking.starts_at)
      assert.deepStrictEqual(yield* lettersOf(booking), ["confirmed sent"])
    })
  )

  it.effect("tell of a booking that is confirmed at once, as nothing is due", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* createBooking(packages.trustedParty)
      assert.strictEqual((yield* sendOneLetter).to, booking.contact_email)
    })
  )

  it.effect("are not sent if they are true no more when their turn comes", () =>
    Effect.gen(function* () {
      yield* begin
      const { booking } = yield* paidBooking()
      yield* cancelBooking(booking)
      const letter = yield* sendOneLetter
      assert.include(letter.subject, "Your booking is cancelled: ")
      assert.include(letter.text, "£120.00 comes back to you")
      assert.strictEqual(convertIcsCalendar(undefined, letter.entry?.text ?? "").events?.[0]?.status, "CANCELLED")
      assert.deepStrictEqual(yield* lettersOf(booking), ["confirmed dropped", "ended sent"])
    })
  )

  it.effect(
    "say of a change what was and what is, from the first that the family has not heard of, with the new entry",
    () =>
      Effect.gen(function* () {
        yield* begin
        const { booking } = yield* paidBooking()
        yield* sendOneLetter
        const options = yield* BookingOptions
        const { package_id, playroom_id } = booking
        for (const date of ["2027-11-01", "2027-11-03"]) {
          const { options: found } = yield* options.list({ playroom_id, package_id, date, children: 8 })
          const option_id = found[0]?.option_id ?? assert.fail("no option")
          yield* changeVisit(booking.booking_id, { option_id, preview: false, by: "operator", reason: "Test" })
        }
        const letter = yield* sendOneLetter
        const day = dateIn("en", "Europe/London", booking.starts_at)
        assert.include(letter.subject, "Your booking has changed: ")
        assert.include(letter.text, `Before: ${day}`)
        assert.include(letter.text, "Now: Wednesday, 3 November 2027")
        assert.notInclude(letter.text, "1 November 2027")
        const [event] = convertIcsCalendar(undefined, letter.entry?.text ?? "").events ?? []
        assert.strictEqual(event?.uid, booking.booking_id)
        assert.strictEqual(event?.start.date.toISOString().slice(0, 10), "2027-11-03")
        assert.deepStrictEqual(yield* lettersOf(booking), ["confirmed sent", "changed dropped", "changed sent"])
      })
  )

  it.effect("C4: enter the visit in calendars by their entry, and take it away once it is cancelled (RFC 5546)", () =>
    Effect.gen(function* () {
      yield* begin
      const { booking } = yield* paidBooking()
      const confirmed = yield* sendOneLetter
      yield* cancelBooking(booking)
      const ended = yield* sendOneLetter
      const [entered, taken] = [confirmed, ended].map(({ entry }) => {
        const calendar = new ICAL.Component(ICAL.parse(entry?.text ?? ""))
        const event = calendar.getFirstSubcomponent("vevent") ?? assert.fail("no event")
        const method = calendar.getFirstPropertyValue("method")
        assert.strictEqual(method, entry?.method)
        const organizer = event.getFirstProperty("organizer")
        assert.deepStrictEqual(event.getAllProperties("attendee"), [])
        return {
          method,
          organizer: [organizer?.getFirstValue(), typeof organizer?.getFirstParameter("cn")],
          uid: event.getFirstPropertyValue("uid"),
          sequence: Number(event.getFirstPropertyValue("sequence")),
          status: event.getFirstPropertyValue("status"),
          reminds: event.getFirstSubcomponent("valarm") !== null
        }
      })
      const same = { uid: booking.booking_id, organizer: [`mailto:${from.address}`, "string"] }
      assert.deepInclude(entered, { ...same, method: "PUBLISH", status: "CONFIRMED", reminds: true })
      assert.deepInclude(taken, { ...same, method: "CANCEL", status: "CANCELLED", reminds: false })
      assert.isAbove(taken?.sequence ?? 0, entered?.sequence ?? 0)
      assert.include(ended.text, "removes the one that you have. If your calendar still shows it afterwards")
    })
  )

  it.effect(
    "name the room before and the one now, and the entry leads to the one now, if the booking moves to another",
    () =>
      Effect.gen(function* () {
        yield* begin
        yield* importVenue(red, blue)
        const booking = yield* bookedInRed("2026-12-10")
        yield* sendLetters
        const { booking: moved } = yield* moveTo(booking, blue)
        const letter = yield* sendOneLetter
        assert.include(letter.text, "Where\nBefore: Red Room, 1 High Street\nNow: Blue Room, 2 High Street")
        assert.notInclude(letter.text, "When\nBefore:")
        assert.include(letter.subject, "Blue Room")
        const [event] = convertIcsCalendar(undefined, letter.entry?.text ?? "").events ?? []
        assert.deepStrictEqual([event?.uid, event?.location], [booking.booking_id, "Blue Room, 2 High Street"])
        // To another time in the same room: the room is not told.
        yield* moveTo(moved, blue, {}, { date: "2026-12-10", time: "15:00" })
        assert.notInclude((yield* sendOneLetter).text, "Before: Blue Room")
      })
  )

  it.effect("are not written if what decides them is rolled back", () =>
    Effect.gen(function* () {
      yield* begin
      const sql = yield* SqlClient.SqlClient
      const booking = yield* createBooking()
      const outbox = yield* LetterOutbox
      yield* Effect.exit(
        sql.withTransaction(Effect.andThen(outbox.write({ booking, kind: "confirmed" }), Effect.fail("no")))
      )
      assert.deepStrictEqual(yield* lettersOf(booking), [])
    })
  )

  it.effect(
    "that the mail server does not take are tried again, later each time, and after two days wait for a person",
    () =>
      Effect.gen(function* () {
        yield* begin
        const mailbox = yield* Mailbox
        const { booking } = yield* paidBooking()
        mailbox.fails = "unavailable"
        assert.strictEqual(yield* sendNext, "failed")
        assert.isUndefined(yield* sendNext)
        let tries = 1
        for (let hours = 0; hours < 50; hours += 0.25) {
          yield* TestClock.adjust("15 minutes")
          if ((yield* sendNext) !== undefined) tries++
        }
        assert.isAbove(tries, 40)
        assert.isBelow(tries, 60)
        assert.deepStrictEqual(yield* lettersOf(booking), ["confirmed dead"])
        const [dead] = yield* LetterOutbox.use((outbox) => outbox.dead)
        assert.deepInclude(dead, { reference: booking.reference, outcome: "ECONNREFUSED" })
        mailbox.fails = undefined
        assert.isTrue(yield* LetterOutbox.use((outbox) => outbox.revive(dead?.letter_id ?? "")))
        yield* sendOneLetter
      })
  )

  it.effect("that are refused for good wait for a person at once, and hold up no others", () =>
    Effect.gen(function* () {
      yield* begin
      const mailbox = yield* Mailbox
      const { booking } = yield* paidBooking()
      mailbox.fails = "refused"
      yield* sendLetters
      mailbox.fails = undefined
      assert.deepStrictEqual(yield* lettersOf(booking), ["confirmed dead"])
      const other = yield* createBooking(packages.trustedParty)
      assert.strictEqual((yield* sendOneLetter).to, other.contact_email)
      const [dead] = yield* LetterOutbox.use((outbox) => outbox.dead)
      assert.isTrue(yield* LetterOutbox.use((outbox) => outbox.settle(dead?.letter_id ?? "")))
      assert.lengthOf(yield* LetterOutbox.use((outbox) => outbox.dead), 0)
    })
  )

  it.effect(
    "C1: that are refused alike for three addresses in a row wait for whoever sends, those before too, and go out later",
    () =>
      Effect.gen(function* () {
        yield* begin
        const mailbox = yield* Mailbox
        mailbox.fails = "relay refused"
        const families: Array<string> = []
        const statuses: Array<ReadonlyArray<string>> = []
        const sql = yield* SqlClient.SqlClient
        for (let n = 0; n < 4; n++) {
          families.push((yield* createBooking(packages.trustedParty)).contact_email)
          yield* sendLetters
          const rows = yield* sql<{ status: string }>`select l.status from letter l join booking b using (booking_id)
            where b.contact_email = any(${families}::text[]) order by l.seq`
          statuses.push(rows.map(({ status }) => status))
        }
        assert.deepStrictEqual(statuses, [
          ["dead"],
          ["dead", "dead"],
          ["pending", "pending", "pending"],
          ["pending", "pending", "pending", "pending"]
        ])
        // Once the sender may send again, all go out, though it takes a week; meanwhile none waits for a person alone.
        for (let days = 0; days < 7; days++) {
          yield* TestClock.adjust("1 day")
          for (let letters = 0; letters < families.length; letters++) yield* sendNext
        }
        const [dead, delayed] = [
          yield* LetterOutbox.use((outbox) => outbox.dead),
          yield* Effect.flatMap(Clock.currentTimeMillis, (now) => LetterOutbox.use((outbox) => outbox.delayed(now)))
        ]
        assert.deepStrictEqual([dead.length, delayed?.letters, delayed?.outcome], [0, 4, "550"])
        mailbox.fails = undefined
        yield* TestClock.adjust("2 hours")
        assert.sameMembers(
          (yield* sendLetters).map(({ to }) => to),
          families
        )
        // Two addresses that are wrong, with a letter sent between: each is that family's.
        for (let n = 0; n < 3; n++) {
          mailbox.fails = "relay refused"
          yield* createBooking(packages.trustedParty)
          yield* sendLetters
          mailbox.fails = undefined
          yield* createBooking(packages.trustedParty)
          yield* sendLetters
        }
        assert.lengthOf(yield* LetterOutbox.use((outbox) => outbox.dead), 3)
      })
  )

  it.effect("to one address are at most five a day, besides confirmations", () =>
    Effect.gen(function* () {
      yield* begin
      const sql = yield* SqlClient.SqlClient
      const { booking } = yield* paidBooking()
      yield* sql`insert into letter (booking_id, operator_id, kind, decided_at, next_attempt_at)
        select booking_id, operator_id, 'link', now(), ${new Date(0)} from booking, generate_series(1, 3) where booking_id = ${booking.booking_id}`
      // Of several for a link the last is sent.
      assert.lengthOf(yield* sendLetters, 2)
      const changed = LetterOutbox.use((outbox) => outbox.write({ booking, kind: "changed" }))
      // Links count by themselves.
      for (let letters = 0; letters < 5; letters++) {
        yield* changed
        yield* sendOneLetter
      }
      // What was decided about the booking waits for the next day; confirmations never wait.
      yield* LetterOutbox.use((outbox) => outbox.write({ booking, kind: "confirmed" }))
      yield* sendOneLetter
      yield* cancelBooking(booking)
      assert.lengthOf(yield* sendLetters, 0)
      yield* TestClock.adjust("25 hours")
      assert.include((yield* sendOneLetter).subject, "cancelled")
    })
  )

  it.effect("are not sent to a person who was erased", () =>
    Effect.gen(function* () {
      yield* begin
      const { booking } = yield* paidBooking()
      yield* erasePerson(booking.booking_id, booking.starts_at)
      assert.lengthOf(yield* sendLetters, 0)
      assert.deepStrictEqual(yield* lettersOf(booking), ["confirmed dropped"])
    })
  )

  it.effect(
    "survive a death at each step: sent once, or a second time under the same id if nobody could know of the first",
    () =>
      Effect.gen(function* () {
        const copies: Record<string, number> = {}
        for (const point of letterFailpoints) {
          yield* begin
          yield* paidBooking()
          const die = (name: FailpointName) => (name === point ? Effect.die(`died: ${name}`) : Effect.void)
          const mailbox = yield* Mailbox
          yield* Effect.exit(Effect.provideService(sendNext, Failpoint, die))
          const before = mailbox.letters.splice(0)
          yield* TestClock.adjust("5 minutes")
          const after = yield* sendLetters
          const ids = [...before, ...after].map(({ letter_id }) => letter_id)
          copies[point] = ids.length
          assert.lengthOf([...new Set(ids)], 1)
          yield* TestClock.adjust("1 hour")
          assert.lengthOf(yield* sendLetters, 0)
        }
        assert.deepStrictEqual(copies, { "letter taken, not sent": 1, "letter sent, not marked": 2 })
      })
  )
})
