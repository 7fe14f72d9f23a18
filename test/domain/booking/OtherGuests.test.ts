/** A person who signs in again is another guest: what that guest finds, may do, and is told of the booking. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { letReach } from "../../../src/domain/booking/BookingLinks.ts"
import { maxFailedLookups } from "../../../src/domain/booking/OtherBookings.ts"
import type { Package } from "../../../src/domain/catalogue/Package.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { ask, inside, optionFor, payingPackage, playroom_id, type Run } from "../../support/Assistant.ts"
import { deleteBookings, now } from "../../support/PaymentWorld.ts"
import {
  callTool,
  type Fault,
  hostileContact,
  importCatalogue,
  newGuest,
  newKey,
  restoreCatalogue,
  toolWorld,
  venue
} from "../../support/ToolWorld.ts"
import { testId } from "../../support/venues.ts"

/** Places in the room, of which there are more than one party takes. */
const sharedPackage: Package = { ...payingPackage, package_id: testId.package(906), mode: "shared" }

const faultOf = (told: Effect.Success<ReturnType<typeof callTool>>): Fault =>
  "fault" in told ? told.fault : assert.fail(JSON.stringify(told.result))

let networks = 0
/** A guest from a network of its own, with the wish of one family. */
const guest = Effect.gen(function* () {
  networks++
  const { key_id, token } = yield* newGuest(`203.0.113.${networks}`)
  const contact = { name: "Ana Lima", email: "ana@example.com" }
  const run: Run = {
    who: { token, address: `198.51.100.${networks}` },
    known: { playroom_id, date: "2026-12-05", children: 4, contact },
    bound: false
  }
  return { run, key_id, who: run.who }
})

const fresh = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* setClock(now)
  yield* deleteBookings
  yield* restoreCatalogue
  yield* sql`delete from failed_lookup`
  yield* sql`delete from connect_grant`
})

const call = ({ known, who }: Run, option_id: string, more: Record<string, unknown> = {}) =>
  callTool("create_booking", { option_id, contact: known.contact, ...more }, who)

const book = Effect.fnUntraced(function* (run: Run, option_id: string, more: Record<string, unknown> = {}) {
  const made = yield* ask("create_booking", { option_id, contact: run.known.contact, ...more }, run.who)
  return {
    booking_id: inside(made, "booking", "booking_id"),
    reference: inside(made, "booking", "reference"),
    page_url: inside(made, "booking", "page_url"),
    contact_email: run.known.contact.email
  }
})

const bookings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select from booking`).length
})

layer(toolWorld)("a guest who signs in again", (it) => {
  it.effect("finds the booking by reference and e-mail address, reads and pays it, and never gets its page", () =>
    Effect.gen(function* () {
      yield* fresh
      const first = yield* guest
      const made = yield* book(first.run, yield* optionFor(first.run), { notes: "Nuts" })
      const { booking_id, contact_email, page_url, reference } = made
      const again = yield* guest
      // An id that was seen somewhere opens nothing.
      assert.strictEqual(faultOf(yield* callTool("get_booking", { booking_id }, again.who)).code, "booking_not_found")
      const pay = callTool("create_payment_session", { booking_id }, again.who)
      assert.strictEqual(faultOf(yield* pay).code, "booking_not_found")

      const by = { reference: reference.toLowerCase(), contact_email: contact_email.toUpperCase() }
      const seen = yield* ask("get_booking", by, again.who)
      assert.deepStrictEqual(
        [inside(seen, "booking", "booking_id"), inside(seen, "booking", "notes")],
        [booking_id, "Nuts"]
      )
      const paid = yield* pay
      const own = yield* ask("create_payment_session", { booking_id }, first.who)
      if (!("result" in paid)) return assert.fail(JSON.stringify(paid))
      assert.deepStrictEqual(paid.result.payment_session, own.payment_session)
      const later = yield* ask("get_booking", { booking_id }, again.who)
      for (const answer of [seen, paid.result, later]) {
        assert.notInclude(JSON.stringify(answer), "page_url")
        assert.notInclude(JSON.stringify(answer), page_url)
      }
      assert.strictEqual(inside(own, "page_url"), page_url)
    })
  )

  it.effect("does not find what an API key booked, nor a booking whose person was erased", () =>
    Effect.gen(function* () {
      yield* fresh
      const sql = yield* SqlClient.SqlClient
      const first = yield* guest
      const option_id = yield* optionFor(first.run)
      const keyed = yield* book({ ...first.run, who: { key: yield* newKey() } }, option_id)
      const again = yield* guest
      const look = ({ contact_email, reference }: typeof keyed) =>
        callTool("get_booking", { reference, contact_email }, again.who)
      assert.strictEqual(faultOf(yield* look(keyed)).code, "booking_not_found")
      yield* deleteBookings
      const own = yield* book(first.run, option_id)
      yield* sql`update booking set contact_email = 'erased@erased.invalid', erased_at = ${new Date(now)}`
      assert.strictEqual(
        faultOf(yield* look({ ...own, contact_email: "erased@erased.invalid" })).code,
        "booking_not_found"
      )
    })
  )

  it.effect("is told how to reach a booking, and not of an API key that it hasn't", () =>
    Effect.gen(function* () {
      yield* fresh
      const { who } = yield* guest
      const { fix, message } = faultOf(
        yield* callTool("get_booking", { reference: "0000-0000", contact_email: "a@example.com" }, who)
      )
      assert.notMatch(`${message} ${fix}`, /API key/)
      assert.match(fix, /call get_booking with reference and contact_email/)
      assert.match(fix, /link of the booking's own page/)
    })
  )

  it.effect("tries ten times an hour: as one guest in all, and as all guests of a network about one reference", () =>
    Effect.gen(function* () {
      yield* fresh
      const first = yield* guest
      const { contact_email, reference } = yield* book(first.run, yield* optionFor(first.run))
      const look = (who: Run["who"], reference: string, contact_email: string) =>
        Effect.map(callTool("get_booking", { reference, contact_email }, who), (told) =>
          "fault" in told ? told.fault.code : "found"
        )
      const one = yield* guest
      for (let i = 0; i < maxFailedLookups; i++)
        assert.strictEqual(yield* look(one.who, `0000-000${i}`, contact_email), "booking_not_found")
      assert.strictEqual(yield* look(one.who, reference, contact_email), "rate_limited")

      const address = `203.0.113.${networks + 1}`
      const twins = [yield* newGuest(address), yield* newGuest(address)].map(({ token }) => ({ token }))
      for (let i = 0; i < maxFailedLookups; i++)
        assert.strictEqual(yield* look(twins[i % 2] ?? {}, reference, `eve${i}@example.com`), "booking_not_found")
      for (const twin of twins) assert.strictEqual(yield* look(twin, reference, contact_email), "rate_limited")
      networks++
      // Nobody else has fewer tries: neither the guest who booked, nor one of another network.
      for (const { who } of [first, yield* guest])
        assert.strictEqual(yield* look(who, reference, contact_email), "found")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* look(one.who, reference, contact_email), "found")
    })
  )

  for (const [what, pkg] of [
    ["a room", payingPackage],
    ["places in a room", sharedPackage]
  ] as const) {
    it.effect(`never books the same wish twice: ${what}; and learns only that there is a booking`, () =>
      Effect.gen(function* () {
        yield* fresh
        yield* importCatalogue({ packages: [...venue.packages, sharedPackage] })
        const first = yield* guest
        const option_id = yield* optionFor(first.run, pkg)
        const made = yield* book(first.run, option_id)
        const again = yield* guest
        const contact = { name: " ana  LIMA", email: "ANA@example.com" }
        const fault = faultOf(yield* call(again.run, option_id, { contact, idempotency_key: "1" }))
        assert.strictEqual(fault.code, "already_booked")
        const { phone, support_email: email } = hostileContact
        assert.deepStrictEqual(fault.details, { contact: { email, phone } })
        for (const told of [made.booking_id, made.reference, made.page_url])
          assert.notInclude(JSON.stringify(fault), told)
        assert.match(fault.fix, /call get_booking with reference and contact_email/)
        assert.match(fault.fix, /another true/)
        assert.strictEqual(yield* bookings, 1)
        // Somebody else is told nothing of it, nor is a caller with an API key.
        const other = { contact: { name: "Eve", email: "ana@example.com" } }
        assert.notStrictEqual(code(yield* call(again.run, option_id, other)), "already_booked")
        const keyed = { ...again.run, who: { key: yield* newKey() } }
        assert.notStrictEqual(code(yield* call(keyed, option_id)), "already_booked")
        // One more of the same is what was asked for.
        const more = yield* call(again.run, option_id, { another: true, idempotency_key: "2" })
        assert.strictEqual(code(more), pkg === payingPackage ? "slot_unavailable" : "made")
      })
    )

    it.effect(`makes one booking where ten guests ask for one wish at once: ${what}`, () =>
      Effect.gen(function* () {
        yield* fresh
        yield* importCatalogue({ packages: [...venue.packages, sharedPackage] })
        const all = yield* Effect.all(Array.from({ length: 10 }, () => guest))
        const option_id = yield* optionFor(all[0]?.run ?? assert.fail("none"), pkg)
        const answers = yield* Effect.forEach(all, ({ run }) => Effect.map(call(run, option_id), code), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(answers.sort(), [...Array.from({ length: 9 }, () => "already_booked"), "made"])
        assert.strictEqual(yield* bookings, 1)
      })
    )
  }

  it.effect("whose wish's hold has lapsed books it anew", () =>
    Effect.gen(function* () {
      yield* fresh
      const first = yield* guest
      const option_id = yield* optionFor(first.run)
      yield* book(first.run, option_id)
      yield* TestClock.adjust("16 minutes")
      assert.strictEqual(code(yield* call((yield* guest).run, option_id)), "made")
    })
  )

  it.effect("and joined the booking by its page's link has the rights of the guest who made it", () =>
    Effect.gen(function* () {
      yield* fresh
      const sql = yield* SqlClient.SqlClient
      const reach = (key_id: string, booking_id: string, may_change: boolean) =>
        Effect.flatMap(Clock.currentTimeMillis, (at) =>
          Effect.provideService(letReach({ key_id, booking_id, may_change }, at), SqlClient.SqlClient, sql)
        )
      const first = yield* guest
      const option_id = yield* optionFor(first.run)
      const { booking_id, page_url } = yield* book(first.run, option_id)
      const joined = yield* guest
      yield* reach(joined.key_id, booking_id, true)
      // Finding it afterwards takes nothing away.
      yield* reach(joined.key_id, booking_id, false)
      for (const [tool, input] of [
        ["get_booking", { booking_id }],
        ["create_payment_session", { booking_id }]
      ] as const)
        assert.include(JSON.stringify(yield* ask(tool, input, joined.who)), page_url)
      const same = yield* ask("create_booking", { option_id, contact: joined.run.known.contact }, joined.who)
      assert.deepStrictEqual([inside(same, "booking", "booking_id"), same.already_existed], [booking_id, true])
    })
  )

  it.effect("is not told of a wish to which one has guessed ten times in an hour; no booking comes of it", () =>
    Effect.gen(function* () {
      yield* fresh
      const first = yield* guest
      const option_id = yield* optionFor(first.run)
      yield* book(first.run, option_id)
      const eve = yield* guest
      const guess = (contact: { name: string; email: string }) =>
        Effect.map(call(eve.run, option_id, { contact }), code)
      for (let i = 0; i < maxFailedLookups; i++)
        assert.strictEqual(yield* guess({ name: `Ana ${i}`, email: "ana@example.com" }), "slot_unavailable")
      assert.strictEqual(yield* guess(eve.run.known.contact), "slot_unavailable")
      assert.strictEqual(code(yield* call((yield* guest).run, option_id)), "already_booked")
      assert.strictEqual(yield* bookings, 1)
    })
  )

  it.effect(
    "has ten tries of a /64 and thirty of its /48, at a reference as at a wish, however many of its /64s ask",
    () =>
      Effect.gen(function* () {
        yield* fresh
        const first = yield* guest
        const option_id = yield* optionFor(first.run)
        const { contact_email, reference } = yield* book(first.run, option_id)
        const from = (address: string) =>
          Effect.map(newGuest(address), ({ token }) => ({ ...first.run, who: { token } }))
        const tries = {
          reference: ({ who }: Run, email: string) => callTool("get_booking", { reference, contact_email: email }, who),
          wish: (run: Run, email: string) => call(run, option_id, { contact: { name: "Ana Lima", email } })
        }
        for (const [what, wrong, right, none] of [
          ["reference", "booking_not_found", "made", "rate_limited"],
          ["wish", "slot_unavailable", "already_booked", "slot_unavailable"]
        ] as const) {
          const attempt = (run: Run, email: string) => Effect.map(tries[what](run, email), code)
          // One /64 has its ten, and leaves twenty to its neighbours.
          const one = yield* from("2001:db8:7:1::1")
          for (let i = 0; i < maxFailedLookups; i++)
            assert.strictEqual(yield* attempt(one, `eve${i}@example.com`), wrong, what)
          assert.strictEqual(yield* attempt(one, contact_email), none, what)
          const neighbour = yield* from("2001:db8:7:2::1")
          assert.strictEqual(yield* attempt(neighbour, contact_email), right, what)
          for (let i = 0; i < 2 * maxFailedLookups; i++)
            assert.strictEqual(
              yield* attempt(yield* from(`2001:db8:7:${i + 3}::1`), `eve${i}@example.com`),
              wrong,
              what
            )
          for (const address of ["2001:db8:7:2::2", "2001:db8:7:ffff::1"])
            assert.strictEqual(yield* attempt(yield* from(address), contact_email), none, what)
          // Another /48 has its own.
          assert.strictEqual(yield* attempt(yield* from("2001:db8:8:1::1"), contact_email), right, what)
        }
      })
  )

  it.effect("leaves nothing when the key is removed, and another guest's finding goes with the person", () =>
    Effect.gen(function* () {
      yield* fresh
      const sql = yield* SqlClient.SqlClient
      const first = yield* guest
      const { contact_email, reference } = yield* book(first.run, yield* optionFor(first.run))
      const again = yield* guest
      yield* ask("get_booking", { reference, contact_email }, again.who)
      assert.lengthOf(yield* sql`select from booking_guest`, 1)
      yield* sql`delete from api_key where key_id = ${again.key_id}`
      assert.lengthOf(yield* sql`select from booking_guest`, 0)
    })
  )
})

const code = (told: Effect.Success<ReturnType<typeof callTool>>): string => ("fault" in told ? told.fault.code : "made")
