/**
 * A mistyped name or e-mail address of a booking is corrected (field C5, third review V2): by the family and by the
 * venue, for letters, links, look-ups and repeated calls.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Principal } from "../../../../src/platform/access/ApiKeys.ts"
import { BookingOptions } from "../../../../src/domain/availability/BookingOptions.ts"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { BookingLinks, letReach } from "../../../../src/domain/booking/BookingLinks.ts"
import { BookingRecords, erasePerson, erasedContact } from "../../../../src/domain/booking/BookingRecords.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import type { PartyChange } from "../../../../src/domain/booking/ChangePlan.ts"
import { Audit } from "../../../../src/ops/audit/Audit.ts"
import { changeVisit, type VisitChange } from "../../../support/Acts.ts"
import { importVenue, principal } from "../../../support/BookingWorld.ts"
import { lettersOf, letterWorld, Mailbox, sendLetters, sendOneLetter } from "../../../support/LetterWorld.ts"
import { cancelBooking, createBooking, paidBooking, setClockBefore, startAnew } from "../../../support/PaymentWorld.ts"
import { packageWith, testId, venueWith } from "../../../support/venues.ts"

const begin = Effect.andThen(startAnew, sendLetters)
const confirmed = Effect.gen(function* () {
  yield* begin
  const { booking } = yield* paidBooking()
  yield* sendOneLetter
  return booking
})

const correct = ({ booking_id }: Pick<BookingRow, "booking_id">, party: PartyChange, more: Partial<VisitChange> = {}) =>
  changeVisit(booking_id, { preview: false, by: "family", ...more, party })
const to = { contact_name: "Ana Lima", contact_email: "ana.lima@example.com" }

const rowOf = ({ booking_id }: Pick<BookingRow, "booking_id">) =>
  Effect.flatMap(
    BookingRecords.use((records) => records.byId(booking_id)),
    Effect.fromOption
  )
const opens = (token: string) =>
  Effect.map(
    BookingLinks.use((links) => links.opened("booking", token)),
    Option.isSome
  )
const tokenOf = (booking: BookingRow) => BookingLinks.use((links) => links.token(booking))

/** A call of `create_booking` for an option, and what it answers: the booking's id and whether it was there. */
const calling = (who: Principal, option_id: string, contact: { readonly name: string; readonly email: string }) =>
  Effect.map(
    Bookings.use(({ create }) => create(who, { option_id, contact })),
    ({ already_existed, row }) => [row.booking_id, already_existed] as const
  )

/** Free open play, of which one option has places for many. */
const play = packageWith({
  package_id: testId.package(941),
  name: "Free play",
  mode: "shared",
  duration_minutes: 60,
  max_children: 10,
  pricing: { base: 0, included_children: 0, extra_child: 0, adult: 0, rules: [] },
  schedule: { times: ["10:00"] }
})
const hall = venueWith({ playroom_id: testId.playroom(94), name: "Free Hall", capacity: 40 }, [play])

let days = 0
/** An option of a day of its own. */
const newOption = Effect.gen(function* () {
  yield* importVenue(hall)
  const { playroom_id } = hall.playroom
  const date = new Date(Date.UTC(2027, 2, ++days)).toISOString().slice(0, 10)
  const { options } = yield* BookingOptions.use((all) =>
    all.list({ playroom_id, package_id: play.package_id, date, children: 2 })
  )
  return options[0]?.option_id ?? assert.fail("no option")
})

layer(Layer.provideMerge(Audit.layer, letterWorld()))("a contact that is corrected", (it) => {
  it.effect("C5: letters go to the new address, and the former one is told once, without who has it now", () =>
    Effect.gen(function* () {
      const booking = yield* confirmed
      const former = booking.contact_email
      yield* correct(booking, to)
      const letters = yield* sendLetters
      assert.deepStrictEqual(letters.map((letter) => letter.to).sort(), [to.contact_email, former].sort())
      const [ours, theirs] = [letters.find((one) => one.to !== former), letters.find((one) => one.to === former)]
      assert.include(ours?.text ?? "", yield* tokenOf(yield* rowOf(booking)))
      assert.isDefined(ours?.entry)
      const told = `${theirs?.subject} ${theirs?.text} ${theirs?.html} ${JSON.stringify(theirs?.entry ?? "")}`
      assert.include(told, booking.reference)
      for (const secret of [to.contact_name, to.contact_email, "/b/", "2027", "children"])
        assert.notInclude(told, secret)
      yield* correct(booking, { notes: "No nuts" })
      assert.strictEqual((yield* sendOneLetter).to, to.contact_email)
      assert.deepStrictEqual(yield* lettersOf(booking), [
        "confirmed sent",
        "changed sent",
        "readdressed sent",
        "changed sent"
      ])
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select from letter where recipient is not null`, 0)
    })
  )

  it.effect("C5: a letter that waits goes to the new address, and so does one that no server took at the former", () =>
    Effect.gen(function* () {
      yield* begin
      const { booking } = yield* paidBooking()
      const mailbox = yield* Mailbox
      mailbox.fails = "refused"
      yield* sendLetters
      assert.deepStrictEqual(yield* lettersOf(booking), ["confirmed dead"])
      yield* correct(booking, to, { by: "operator" })
      yield* sendLetters
      // Nobody has to tell a misspelt address anything.
      assert.deepStrictEqual(yield* lettersOf(booking), ["confirmed dead", "changed dead", "readdressed dropped"])
      mailbox.fails = undefined
      yield* correct(booking, { contact_email: "ana@example.net" }, { by: "operator" })
      const letters = yield* sendLetters
      assert.includeMembers(
        letters.map(({ subject, to }) => `${to} ${subject.split(":")[0]}`),
        ["ana@example.net Your booking is confirmed"]
      )
      assert.notInclude(
        letters.map(({ to }) => to),
        booking.contact_email
      )
    })
  )

  it.effect("C5: a hold that nobody paid tells no address anything, and keeps its link", () =>
    Effect.gen(function* () {
      yield* begin
      const held = yield* createBooking()
      const token = yield* tokenOf(held)
      yield* correct(held, to)
      assert.isTrue(yield* opens(token))
      assert.lengthOf(yield* sendLetters, 0)
      assert.deepInclude(yield* rowOf(held), { ...to, status: "held" })
    })
  )

  it.effect("C5: the former address finds nothing more, by reference or by a link, and the new one does", () =>
    Effect.gen(function* () {
      const booking = yield* confirmed
      const token = yield* tokenOf(booking)
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into api_key (key_id, label, hash, scopes, created_at)
        values ('key_found', 'found', sha256('found'), '{bookings:read}', now())`
      yield* letReach({ key_id: "key_found", booking_id: booking.booking_id, may_change: false }, booking.starts_at)
      const find = (contact_email: string, who = principal(booking.key_id)) =>
        Effect.exit(Bookings.use((bookings) => bookings.lookUp(who, { reference: booking.reference, contact_email })))
      assert.strictEqual((yield* find(booking.contact_email))._tag, "Success")
      // The same mailbox, otherwise spelt, is no other one.
      yield* correct(booking, { contact_email: booking.contact_email.toUpperCase() })
      assert.isTrue(yield* opens(token))
      yield* correct(booking, to)
      assert.strictEqual((yield* find(booking.contact_email))._tag, "Failure")
      assert.strictEqual((yield* find(to.contact_email))._tag, "Success")
      assert.isFalse(yield* opens(token))
      assert.isTrue(yield* opens(yield* tokenOf(yield* rowOf(booking))))
      assert.lengthOf(yield* sql`select from booking_guest where booking_id = ${booking.booking_id}`, 0)
    })
  )

  it.effect("C5: the history says who changed what from what to what, and is erased with the person", () =>
    Effect.gen(function* () {
      const booking = yield* confirmed
      yield* correct(booking, to, { by: "operator", done_by: "Ida", reason: "On the phone" })
      const lines = yield* BookingRecords.use((records) => records.venueHistory(booking))
      const line = lines.find(({ event }) => event === "changed")
      const { contact_email, contact_name } = booking
      assert.strictEqual(line?.done_by, "Ida")
      assert.strictEqual(
        line?.detail,
        (contact_name === to.contact_name ? "" : `name ${contact_name} → ${to.contact_name}, `) +
          `e-mail address ${contact_email} → ${to.contact_email}; by the operator; On the phone`
      )
      assert.deepInclude(line?.facts?.from, { contact_email })
      assert.deepInclude(line?.facts?.to, { contact_email: to.contact_email })
      assert.isTrue(yield* erasePerson(booking.booking_id, booking.ends_at))
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select from former_contact where booking_id = ${booking.booking_id}`, 0)
      assert.lengthOf(
        yield* sql`select from letter where booking_id = ${booking.booking_id} and recipient is not null`,
        0
      )
      const after = yield* BookingRecords.use((records) => records.venueHistory(booking))
      assert.notInclude(JSON.stringify(after), contact_email)
    })
  )

  it.effect("C5: is corrected after the visit and after a cancellation, too, but not once it is erased", () =>
    Effect.gen(function* () {
      const booking = yield* confirmed
      yield* setClockBefore(booking, -1)
      yield* correct(booking, to)
      assert.deepInclude(yield* rowOf(booking), to)
      assert.strictEqual((yield* Effect.flip(correct(booking, { ...to, notes: "Late" })))._tag, "ChangeRefused")
      const other = yield* confirmed
      yield* cancelBooking(other)
      yield* correct(other, to, { by: "operator" })
      assert.deepInclude(yield* rowOf(other), { ...to, status: "cancelled" })
      yield* erasePerson(other.booking_id, other.ends_at)
      assert.strictEqual((yield* Effect.flip(correct(other, to)))._tag, "BookingCancelled")
      assert.strictEqual((yield* rowOf(other)).contact_email, erasedContact.email)
    })
  )

  it.effect("C5: a repeated call gets its booking by the former contact and by the new one, and books no second", () =>
    Effect.gen(function* () {
      yield* begin
      const who = principal("key_repeat")
      const option = yield* newOption
      const asked = { name: "Aan Lima", email: "ana@gmial.example" }
      const [booking_id] = yield* calling(who, option, asked)
      yield* correct({ booking_id }, to)
      const now = { name: to.contact_name, email: to.contact_email }
      assert.deepStrictEqual(yield* calling(who, option, asked), [booking_id, true])
      assert.deepStrictEqual(yield* calling(who, option, { ...asked, email: "ANA@gmial.example" }), [booking_id, true])
      assert.deepStrictEqual(yield* calling(who, option, now), [booking_id, true])
      // A name alone, and back again.
      yield* correct({ booking_id }, { contact_name: "Ana L." })
      for (const contact of [asked, now, { ...now, name: "Ana L." }])
        assert.deepStrictEqual(yield* calling(who, option, contact), [booking_id, true])
      yield* correct({ booking_id }, { contact_name: asked.name, contact_email: asked.email })
      for (const contact of [asked, now])
        assert.deepStrictEqual(yield* calling(who, option, contact), [booking_id, true])
      // It is this wish's, and no other's.
      const [another] = yield* calling(who, yield* newOption, asked)
      assert.notStrictEqual(another, booking_id)
      const [stranger, existed] = yield* calling(principal("key_stranger"), yield* newOption, asked)
      assert.notStrictEqual(stranger, booking_id)
      assert.isFalse(existed)
      // Once it is over, the same can be booked anew.
      yield* cancelBooking({ booking_id })
      assert.strictEqual((yield* calling(who, option, asked))[1], false)
    })
  )

  it.effect("C5: a guest who signed in anew is told that the wish is booked, by the former contact, too", () =>
    Effect.gen(function* () {
      yield* begin
      const guest = (n: number): Principal => ({
        ...principal(`key_again_${n}`),
        guest: { address: `198.51.100.${n}`, host: "host.example" }
      })
      const option = yield* newOption
      const asked = { name: "Ana Lima", email: "ana@gmial.example" }
      const [booking_id] = yield* calling(guest(1), option, asked)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update booking set by_guest = true where booking_id = ${booking_id}`
      yield* correct({ booking_id }, to)
      for (const contact of [asked, { name: to.contact_name, email: to.contact_email }])
        assert.strictEqual((yield* Effect.flip(calling(guest(2), option, contact)))._tag, "AlreadyBooked")
    })
  )

  it.effect("C5: to the contact of a twin it is corrected all the same: both stay, and no wish is booked twice", () =>
    Effect.gen(function* () {
      yield* begin
      const who = principal("key_twin")
      const option = yield* newOption
      const right = { name: to.contact_name, email: to.contact_email }
      const [wrong] = yield* calling(who, option, { name: "Ana Lima", email: "ana@gmial.example" })
      const [twin] = yield* calling(who, option, right)
      assert.notStrictEqual(wrong, twin)
      yield* correct({ booking_id: wrong }, to)
      assert.deepInclude(yield* rowOf({ booking_id: wrong }), to)
      assert.include([wrong, twin], (yield* calling(who, option, right))[0])
      assert.strictEqual((yield* calling(who, option, right))[1], true)
      assert.deepStrictEqual(yield* Audit.use((audit) => audit.rows), [])
    })
  )
})
