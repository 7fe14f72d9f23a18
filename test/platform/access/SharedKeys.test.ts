/** One API key that serves many families: what one of them does or asks tells nothing of another's booking. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { maxFailedLookups } from "../../../src/domain/booking/OtherBookings.ts"
import { removeExpired } from "../../../src/domain/people/privacy/Retention.ts"
import { principal, setClock } from "../../support/BookingWorld.ts"
import { ask, inside, optionFor, payFor, playroom_id, type Run } from "../../support/Assistant.ts"
import { deleteBookings, now } from "../../support/PaymentWorld.ts"
import {
  callTool,
  type Fault,
  issuesOf,
  newKey,
  otherVenue,
  restoreCatalogue,
  toolWorld
} from "../../support/ToolWorld.ts"

let families = 0
const faultOf = (told: Effect.Success<ReturnType<typeof callTool>>): Fault =>
  "fault" in told ? told.fault : assert.fail(JSON.stringify(told.result))

/** A family with a wish of its own, behind a host's key. */
const familyOf = (key: string, date = "2026-12-05") => {
  families++
  const contact = { name: `Family ${families}`, email: `family${families}@example.com` }
  const run: Run = {
    who: { key, address: `192.0.2.${families}` },
    known: { playroom_id, date, children: 8, contact },
    bound: false
  }
  return run
}

const book = Effect.fnUntraced(function* (run: Run, more: Record<string, unknown> = {}) {
  const option_id = yield* optionFor(run)
  const made = yield* ask("create_booking", { option_id, contact: run.known.contact, ...more }, run.who)
  return {
    option_id,
    booking_id: inside(made, "booking", "booking_id"),
    reference: inside(made, "booking", "reference"),
    page_url: inside(made, "booking", "page_url"),
    contact_email: run.known.contact.email
  }
})

const fresh = Effect.gen(function* () {
  yield* setClock(now)
  yield* deleteBookings
  yield* restoreCatalogue
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from failed_lookup`
  return yield* newKey()
})

layer(toolWorld)("a key that serves many families", (it) => {
  it.effect("opens a booking by id, and by reference only with its e-mail address, however both are typed", () =>
    Effect.gen(function* () {
      const key = yield* fresh
      const ana = familyOf(key)
      const { booking_id, contact_email, page_url, reference } = yield* book(ana, { notes: "My son has epilepsy" })
      const other = familyOf(key)
      const alone = faultOf(yield* callTool("get_booking", { reference }, other.who))
      assert.strictEqual(alone.code, "invalid_arguments")
      assert.deepStrictEqual(
        issuesOf(alone).map(({ path }) => path),
        ["contact_email"]
      )
      assert.match(issuesOf(alone)[0]?.message ?? "", /ask the person for the e-mail address that the booking is for/)
      assert.notInclude(JSON.stringify(alone), "epilepsy")
      for (const typed of [reference, reference.toLowerCase(), ` ${reference.replace("-", " ")} `])
        for (const email of [contact_email, contact_email.toUpperCase()]) {
          const seen = yield* ask("get_booking", { reference: typed, contact_email: email }, ana.who)
          assert.deepStrictEqual(
            [inside(seen, "booking", "booking_id"), inside(seen, "booking", "page_url")],
            [booking_id, page_url]
          )
        }
      assert.strictEqual(inside(yield* ask("get_booking", { booking_id }, ana.who), "booking", "notes").length, 19)
      const both = faultOf(yield* callTool("get_booking", { booking_id, contact_email }, ana.who))
      assert.include(both.message, "leave contact_email out")
    })
  )

  it.effect("is told of a wrong e-mail address what it is told of a reference that does not exist, word for word", () =>
    Effect.gen(function* () {
      const key = yield* fresh
      const { booking_id, contact_email, reference } = yield* book(familyOf(key))
      const stranger = yield* newKey()
      const told = yield* Effect.forEach(
        [
          [{ reference: "0000-0000", contact_email }, key],
          [{ reference, contact_email: "eve@example.com" }, key],
          [{ reference, contact_email }, stranger],
          [{ booking_id }, stranger],
          [{ booking_id: `${booking_id.slice(0, -4)}zzzz` }, key]
        ] as const,
        ([input, who]) => Effect.map(callTool("get_booking", input, { key: who }), faultOf)
      )
      for (const fault of told) assert.deepStrictEqual(fault, told[0])
      assert.strictEqual(told[0]?.code, "booking_not_found")
    })
  )

  it.effect("tries ten e-mail addresses of a reference in an hour, also at once; its other references stay open", () =>
    Effect.gen(function* () {
      const key = yield* fresh
      const { booking_id, contact_email, reference } = yield* book(familyOf(key))
      const second = yield* book(familyOf(key, "2026-12-06"))
      const own = yield* newKey()
      const right = (who: string, of = { reference, contact_email }) =>
        callTool("get_booking", { reference: of.reference, contact_email: of.contact_email }, { key: who })
      const guess = (n: number) =>
        Effect.map(callTool("get_booking", { reference, contact_email: `guess${n}@example.com` }, { key }), faultOf)
      // Looks that succeed are not counted.
      for (let i = 0; i <= maxFailedLookups; i++) assert.property(yield* right(key), "result")
      const codes = (yield* Effect.forEach(
        Array.from({ length: 3 * maxFailedLookups }, (_, i) => i),
        guess,
        { concurrency: "unbounded" }
      )).map(({ code }) => code)
      assert.lengthOf(
        codes.filter((code) => code === "booking_not_found"),
        maxFailedLookups
      )
      assert.deepStrictEqual([...new Set(codes)].sort(), ["booking_not_found", "rate_limited"])
      // The right address opens nothing now, or the limit would be none. What the family has besides does.
      const limited = faultOf(yield* right(key))
      assert.deepStrictEqual([limited.code, limited.details], ["rate_limited", { retry_after_seconds: 3600 }])
      assert.property(yield* callTool("get_booking", { booking_id }, { key }), "result")
      assert.property(yield* right(key, second), "result")
      // Another sender has its own tries.
      assert.strictEqual(faultOf(yield* right(own)).code, "booking_not_found")
      yield* TestClock.adjust("1 hour")
      assert.property(yield* right(key), "result")
      assert.isAtLeast((yield* removeExpired).failedLookups, 1)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select from failed_lookup`, 0)
    })
  )

  it.effect("with the admin scope needs no e-mail address, and one that is given must be right", () =>
    Effect.gen(function* () {
      const key = yield* fresh
      const { contact_email, reference } = yield* book(familyOf(key))
      const admin = yield* newKey({ scopes: ["admin"] })
      assert.property(yield* callTool("get_booking", { reference }, { key: admin }), "result")
      assert.property(yield* callTool("get_booking", { reference, contact_email }, { key: admin }), "result")
      const wrong = yield* callTool("get_booking", { reference, contact_email: "eve@example.com" }, { key: admin })
      assert.strictEqual(faultOf(wrong).code, "booking_not_found")
    })
  )

  it.effect("is told nothing that opens a booking by who knows its option, e-mail address or both", () =>
    Effect.gen(function* () {
      const key = yield* fresh
      const ana = familyOf(key)
      const first = yield* book(ana)
      const opens = [first.booking_id, first.reference, first.page_url]
      const eve = familyOf(key)
      const told: Array<unknown> = [
        yield* callTool("get_booking_options", { playroom_id, date: "2026-12-05", children: 8 }, eve.who),
        // Her places are taken: under the same e-mail address with another name, and under another one.
        yield* callTool(
          "create_booking",
          { option_id: first.option_id, contact: { name: "Eve", email: first.contact_email } },
          eve.who
        ),
        yield* callTool("create_booking", { option_id: first.option_id, contact: eve.known.contact }, eve.who),
        // Another option under her e-mail address, which is told that there is a booking.
        yield* callTool(
          "create_booking",
          {
            option_id: yield* optionFor({ ...eve, known: { ...eve.known, date: "2026-12-06" } }),
            contact: { name: "Eve", email: first.contact_email }
          },
          eve.who
        ),
        // As many as there may be for the address.
        yield* callTool(
          "create_booking",
          {
            option_id: yield* optionFor({ ...eve, known: { ...eve.known, date: "2026-12-07" } }),
            contact: { name: "Eve", email: first.contact_email }
          },
          eve.who
        )
      ]
      const text = JSON.stringify(told)
      for (const secret of opens) assert.notInclude(text, secret)
      assert.notInclude(text, ana.known.contact.name)
      assert.include(JSON.stringify(told[3]), "other_bookings")
      assert.include(JSON.stringify(told[4]), "too_many_holds")
    })
  )

  it.effect(
    "tells two families that invent one e-mail address no more of each other than that there is a booking",
    () =>
      Effect.gen(function* () {
        const key = yield* fresh
        const email = "test@example.com"
        const named = (name: string, date: string) => {
          const run = familyOf(key, date)
          return { ...run, known: { ...run.known, contact: { name, email } } }
        }
        const ana = named("Ana Lima", "2026-12-05")
        const first = yield* book(ana)
        const eve = named("Eve Moss", "2026-12-06")
        const option_id = yield* optionFor(eve)
        const told = yield* ask("create_booking", { option_id, contact: eve.known.contact }, eve.who)
        const paying = yield* ask(
          "create_payment_session",
          { booking_id: inside(told, "booking", "booking_id") },
          eve.who
        )
        for (const answer of [told, paying]) {
          assert.include(inside(answer, "next_step"), "also has a booking under another name")
          for (const secret of [first.reference, first.booking_id, "Ana"])
            assert.notInclude(JSON.stringify(answer), secret)
          assert.notInclude(inside(answer, "next_step"), "5 Dec")
        }
        assert.deepStrictEqual(told.other_bookings, [{ other_name: true }])
        yield* payFor(ana, first.booking_id)
        // The same person in another chat is told where and when, before what is not to be told.
        const again = named(" ana  LIMA", "2026-12-05")
        const elsewhere = { playroom_id: otherVenue.playroom.playroom_id, date: "2026-12-05", children: 8 }
        const wish = inside(yield* ask("get_booking_options", elsewhere, again.who), "options", 0, "option_id")
        const answer = yield* ask("create_booking", { option_id: wish, contact: again.known.contact }, again.who)
        const others = answer.other_bookings
        assert.isTrue(Array.isArray(others) && others.length === 2)
        assert.match(inside(answer, "other_bookings", 0, "when"), /^Sat 5 Dec 2026/)
        assert.deepStrictEqual(Array.isArray(others) ? others[1] : undefined, { other_name: true })
        assert.notInclude(JSON.stringify(others), "6 Dec")
      })
  )

  it.effect("tells of no other booking if there is none: when it is made, asked for again, and paid", () =>
    Effect.gen(function* () {
      const ana = familyOf(yield* fresh)
      const input = { option_id: yield* optionFor(ana), contact: ana.known.contact }
      const made = yield* ask("create_booking", input, ana.who)
      const again = yield* ask("create_booking", input, ana.who)
      const booking_id = inside(made, "booking", "booking_id")
      const paying = yield* ask("create_payment_session", { booking_id }, ana.who)
      for (const answer of [made, again, paying]) {
        assert.notProperty(answer, "other_bookings")
        assert.notInclude(inside(answer, "next_step"), "also has")
      }
    })
  )

  it.effect("counts holds of an e-mail address for itself: what another key holds is neither told nor in the way", () =>
    Effect.gen(function* () {
      const key = yield* fresh
      const other = yield* newKey()
      const ana = familyOf(key)
      const dates = ["2026-12-05", "2026-12-06"]
      for (const date of dates) yield* book({ ...ana, known: { ...ana.known, date } })
      const own = { ...ana, who: { key: other }, known: { ...ana.known, date: "2026-12-07" } }
      const option_id = yield* optionFor(own)
      const answer = yield* callTool("create_booking", { option_id, contact: ana.known.contact }, own.who)
      assert.property(answer, "result")
      assert.notInclude(JSON.stringify(answer), "other_bookings")
    })
  )

  it.effect("finds by reference on another node what was tried on the first: the tries are one count", () =>
    Effect.gen(function* () {
      yield* fresh
      const { lookUp } = yield* Bookings
      const again = yield* Effect.provide(
        Bookings.use(({ lookUp }) => Effect.succeed(lookUp)),
        Layer.fresh(Bookings.layer)
      )
      const by = { reference: "0000-0001", contact_email: "eve@example.com" }
      const tags: Array<string> = []
      for (let i = 0; i < maxFailedLookups + 2; i++)
        tags.push((yield* Effect.flip((i % 2 === 0 ? lookUp : again)(principal("key_nodes"), by)))._tag)
      assert.deepStrictEqual(tags.slice(maxFailedLookups - 1), ["BookingNotFound", "TooManyLookups", "TooManyLookups"])
    })
  )
})
