/** Families put themselves on a waiting list and leave it, in every language; the desk sees who waits. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { BookingOptions } from "../../../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { WaitingList } from "../../../../src/domain/booking/WaitingList.ts"
import { Staff } from "../../../../src/domain/people/staff/Staff.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { importVenue, principal, setClock } from "../../../support/BookingWorld.ts"
import { deskBase, join as joinDesk, request } from "../../../support/DeskClient.ts"
import { ask, PageAddress, pageWorld } from "../../../support/FamilyPages.ts"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import { bookingLink } from "../../../../src/domain/booking/BookingLinks.ts"
import { from } from "../../../support/LetterWorld.ts"
import { deleteBookings } from "../../../support/PaymentWorld.ts"
import { packageWith, testId, venueWith } from "../../../support/venues.ts"

const hall = venueWith({ playroom_id: testId.playroom(90), name: "Wait & See", waiting_list_minutes: 180 }, [
  packageWith({ package_id: testId.package(901), name: "Whole hall & tea", mode: "exclusive" })
])
const { operator_id } = hall.operator
const world = Layer.effectDiscard(Effect.suspend(() => importVenue(hall))).pipe(
  Layer.provideMerge(pageWorld({ baseUrl: deskBase, letters: { kind: "sandbox", from } }))
)

/** A start that is booked out: its option, and the booking. */
const bookedOut = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from waiting`
  yield* sql`delete from letter`
  yield* deleteBookings
  yield* setClock("2026-11-20T09:00:00Z")
  const { playroom_id } = hall.playroom
  const { options } = yield* BookingOptions.use((all) => all.list({ playroom_id, date: "2026-12-05", children: 4 }))
  const { option_id } = options[0] ?? assert.fail("no option")
  const contact = { name: "Ana", email: "first@example.com" }
  const made = yield* Bookings.use((bookings) => bookings.create(principal(), { option_id, contact }))
  return { option_id, booking: made.row, base: yield* PageAddress }
})

const post = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  ask(url, { method: "POST", body: new URLSearchParams(fields), headers })

const waitingNow = WaitingList.use((list) => list.ofOperator(operator_id, 0))

layer(world)("the page of a waiting list", (it) => {
  it.effect("says what is waited for and how, and takes a name and an address, in every language", () =>
    Effect.gen(function* () {
      const { base, option_id } = yield* bookedOut
      for (const language of languages) {
        const headers = { "accept-language": language }
        const { waiting } = messages[language]
        const { status, text } = yield* ask(`${base}/wait/${option_id}`, { headers })
        assert.strictEqual(status, 200)
        assert.include(text, `<html lang="${language}">`)
        for (const said of [waiting.lead, waiting.join, "Wait &amp; See", "Whole hall &amp; tea"])
          assert.include(text, said)
        const wrong = yield* post(`${base}/wait/${option_id}`, { name: "", email: "ben@", ages: "" }, headers)
        assert.strictEqual(wrong.status, 409)
        assert.include(wrong.text, messages[language].party.errors.name)
        assert.include(wrong.text, messages[language].party.errors.email)
        assert.include(wrong.text, 'value="ben@"')
        assert.lengthOf(yield* waitingNow, 0)
      }
    })
  )

  it.effect("leads to the entry's own page, which takes it off again; whoever enters the same is told no more", () =>
    Effect.gen(function* () {
      const { base, option_id } = yield* bookedOut
      const fields = { name: " Ben  Mora ", email: "ben@example.com" }
      const joined = yield* post(`${base}/wait/${option_id}`, fields, { "accept-language": "pl" })
      assert.strictEqual(joined.status, 303)
      const location = joined.headers.get("location") ?? ""
      assert.match(location, /^\/w\/[\w-]{48}$/)
      const [entry] = yield* waitingNow
      assert.deepInclude(entry, { contact_name: "Ben Mora", contact_email: "ben@example.com", language: "pl" })

      const stranger = yield* post(`${base}/wait/${option_id}`, fields)
      assert.strictEqual(stranger.status, 200)
      assert.include(stranger.text, messages.en.waiting.onTitle)
      assert.notInclude(stranger.text, "/w/")

      const page = yield* ask(base + location)
      assert.include(page.text, messages.en.waiting.on("ben@example.com"))
      assert.include(page.text, "Whole hall &amp; tea")
      const foreign = yield* post(base + location, {}, { "sec-fetch-site": "cross-site" })
      assert.strictEqual(foreign.status, 400)
      assert.lengthOf(yield* waitingNow, 1)
      assert.strictEqual((yield* post(base + location, {})).status, 303)
      assert.lengthOf(yield* waitingNow, 0)
      const gone = yield* ask(base + location)
      assert.strictEqual(gone.status, 404)
      assert.include(gone.text, messages.en.waiting.offTitle)
      const altered = location.slice(0, -1) + (location.endsWith("A") ? "B" : "A")
      assert.strictEqual((yield* post(base + altered, {})).status, 404)
    })
  )

  it.effect("is there for no option that is free, or is none", () =>
    Effect.gen(function* () {
      const { base, booking, option_id } = yield* bookedOut
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from occupancy where booking_id = ${booking.booking_id}`
      const free = yield* ask(`${base}/wait/${option_id}`)
      assert.include(free.text, messages.en.waiting.free)
      for (const id of [`${option_id}x`, "option_AAAA", "nothing"]) {
        const none = yield* ask(`${base}/wait/${id}`)
        assert.strictEqual(none.status, 404, id)
        assert.include(none.text, messages.en.waiting.noneTitle)
        assert.strictEqual((yield* post(`${base}/wait/${id}`, { name: "Ben", email: "ben@example.com" })).status, 404)
      }
      yield* post(`${base}/wait/${option_id}`, { name: "Ben", email: "ben@example.com" })
      assert.lengthOf(yield* waitingNow, 0)
    })
  )

  it.effect("says so kindly where no more can wait", () =>
    Effect.gen(function* () {
      const { base, option_id } = yield* bookedOut
      let full = 0
      for (let n = 0; n < 40; n++) {
        const { status, text } = yield* post(`${base}/wait/${option_id}`, { name: "Ben", email: `ben${n}@example.com` })
        if (status === 303) continue
        assert.include(text, messages.en.waiting.full)
        full++
      }
      assert.isAbove(full, 0)
    })
  )

  it.effect("is linked from the page of a booking whose hold ran out, if others have its places by then", () =>
    Effect.gen(function* () {
      const { base, booking, option_id } = yield* bookedOut
      yield* TestClock.adjust("16 minutes")
      const { pathname } = new URL(yield* LinkTokens.use((links) => links.address(bookingLink("booking", booking))))
      const free = yield* ask(base + pathname)
      assert.notInclude(free.text, "/wait/")
      const contact = { name: "Bo", email: "bo@example.com" }
      yield* Bookings.use((bookings) => bookings.create(principal("key_b"), { option_id, contact }))
      const taken = yield* ask(base + pathname)
      assert.include(taken.text, `href="/wait/${option_id}"`)
      assert.include(taken.text, messages.en.waiting.join)
    })
  )
})

layer(world)("the desk", (it) => {
  it.effect("lists who waits, and takes one off; another operator's entries are as if there were none", () =>
    Effect.gen(function* () {
      const { base, option_id } = yield* bookedOut
      yield* post(`${base}/wait/${option_id}`, { name: "Ben <b>", email: "ben@example.com" })
      const { url } = yield* Staff.use((staff) => staff.invite(operator_id, { name: "Cleo", role: "desk" }))
      const cookie = (yield* joinDesk(url)).session
      const page = yield* request("/desk/waiting", { cookie })
      assert.strictEqual(page.status, 200)
      for (const said of ["1 family is waiting.", "Ben &lt;b&gt;", "ben@example.com", "Wait &amp; See", "4 children"])
        assert.include(page.text, said)
      const [, form = ""] = /name="form" value="([^"]*)"/.exec(page.text) ?? []
      const [entry] = yield* waitingNow
      assert(entry !== undefined)
      const sql = yield* SqlClient.SqlClient
      // The same entry at another operator.
      yield* sql`insert into operator select n.* from operator o, jsonb_populate_record(o, jsonb_build_object(
          'operator_id', ${testId.operator(90)}::text, 'connected_account_id', 'acct_90', 'slug', 'other')) n
        where o.operator_id = ${operator_id}`
      yield* sql`update waiting set operator_id = ${testId.operator(90)}`
      const press = request("/desk/waiting", { cookie, form: { form, entry: entry.waiting_id } })
      yield* press
      assert.lengthOf(yield* sql`select from waiting`, 1)
      assert.include((yield* request("/desk/waiting", { cookie })).text, "Nobody is waiting.")
      yield* sql`update waiting set operator_id = ${operator_id}`
      assert.strictEqual((yield* press).status, 303)
      assert.lengthOf(yield* waitingNow, 0)
    })
  )
})
