/** Two parents who book one visit, each in a chat of their own: what the second is told, and what a stranger is not. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { maxFailedLookups } from "../../../src/domain/booking/OtherBookings.ts"
import type { Package } from "../../../src/domain/catalogue/Package.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { ask, inside, optionFor, payFor, playroom_id, type Run } from "../../support/Assistant.ts"
import { packages } from "../../support/paymentVenues.ts"
import { deleteBookings, now } from "../../support/PaymentWorld.ts"
import { importCatalogue, newKey, otherVenue, toolWorld, venue } from "../../support/ToolWorld.ts"
import { testId } from "../../support/venues.ts"

/** Later on the days of the others. */
const afternoon: Package = {
  ...packages.party,
  package_id: testId.package(990),
  schedule: { times: ["13:00", "15:30"] }
}

const fresh = Effect.gen(function* () {
  yield* setClock(now)
  yield* deleteBookings
  yield* importCatalogue({ packages: [...venue.packages, afternoon] })
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from failed_lookup`
  return yield* newKey()
})

let chats = 0
/** A chat of its own behind a host's key. */
const chat = (key: string, name: string, email: string, date = "2026-12-05"): Run => {
  chats++
  const who = { key, address: `192.0.2.${chats}` }
  return { who, known: { playroom_id, date, children: 8, contact: { name, email } }, bound: false }
}

/** An option at another playroom on the same day. */
const optionElsewhere = Effect.fnUntraced(function* ({ known: { children, date }, who }: Run) {
  const input = { playroom_id: otherVenue.playroom.playroom_id, date, children }
  return inside(yield* ask("get_booking_options", input, who), "options", 0, "option_id")
})

const create = ({ known, who }: Run, option_id: string) =>
  ask("create_booking", { option_id, contact: known.contact }, who)

const bare = [{ other_name: true }]
const same = [{ other_name: true, same_playroom: true }]
const sameInWords =
  "This e-mail address also has a booking under another name at this playroom on this day: ask the person whether it is the same visit before this one is paid."

layer(toolWorld)("a second parent", (it) => {
  it.effect(
    "is told that a booking under another name is at this playroom that day, also when paying, and no more",
    () =>
      Effect.gen(function* () {
        const key = yield* fresh
        const email = "lima.family@example.com"
        const ana = chat(key, "Ana Lima", email)
        const first = yield* create(ana, yield* optionFor(ana))
        const booking_id = inside(first, "booking", "booking_id")
        const tells = Effect.fnUntraced(function* (run: Run, option_id: string, others: unknown) {
          const made = yield* create(run, option_id)
          const paying = yield* ask(
            "create_payment_session",
            { booking_id: inside(made, "booking", "booking_id") },
            run.who
          )
          assert.deepStrictEqual(made.other_bookings, others)
          for (const answer of [made, paying]) {
            const step = inside(answer, "next_step")
            assert.strictEqual(step.includes(sameInWords), others === same, step)
            const text = JSON.stringify(answer)
            for (const secret of [inside(first, "booking", "reference"), booking_id, "Ana Lima", "10:00"])
              assert.notInclude(text, secret)
          }
        })
        const ben = chat(key, "Ben Lima", ` ${email.toUpperCase()}`)
        const his = yield* optionFor(ben, afternoon)
        yield* tells(ben, his, same)
        yield* payFor(ana, booking_id)
        yield* tells(ben, his, same)
      })
  )

  it.effect("is told nothing of where it is, if it is at another playroom or on another day", () =>
    Effect.gen(function* () {
      const key = yield* fresh
      const email = "lima.family@example.com"
      const ana = chat(key, "Ana Lima", email)
      yield* create(ana, yield* optionFor(ana))
      const ben = chat(key, "Ben Lima", email)
      assert.deepStrictEqual((yield* create(ben, yield* optionElsewhere(ben))).other_bookings, bare)
      yield* TestClock.adjust("16 minutes")
      yield* create(ana, yield* optionFor(ana))
      const cleo = chat(key, "Cleo Lima", email, "2026-12-06")
      assert.deepStrictEqual((yield* create(cleo, yield* optionFor(cleo))).other_bookings, bare)
    })
  )

  it.effect(
    "no longer tells it to anybody behind the key after ten misses about an e-mail address within an hour",
    () =>
      Effect.gen(function* () {
        const key = yield* fresh
        const [email, another] = ["lima.family@example.com", "moss.family@example.com"]
        const ana = chat(key, "Ana Lima", email)
        const first = yield* create(ana, yield* optionFor(ana))
        yield* payFor(ana, inside(first, "booking", "booking_id"))
        const eve = chat(key, "Eve", email)
        const option_id = yield* optionElsewhere(eve)
        for (let i = 0; i < maxFailedLookups; i++)
          assert.deepStrictEqual((yield* create(chat(key, "Eve", email), option_id)).other_bookings, bare)
        const gil = chat(key, "Gil", email)
        const told = yield* create(gil, yield* optionFor(gil, afternoon))
        assert.deepStrictEqual(told.other_bookings, bare)
        assert.notInclude(inside(told, "next_step"), "at this playroom")
        // Other families of the key are told as before, and so is this one an hour later.
        const cleo = chat(key, "Cleo Moss", another, "2026-12-07")
        yield* create(cleo, yield* optionFor(cleo))
        const max = chat(key, "Max Moss", another, "2026-12-07")
        assert.deepStrictEqual((yield* create(max, yield* optionFor(max, afternoon))).other_bookings, same)
        yield* TestClock.adjust("61 minutes")
        const ben = chat(key, "Ben Lima", email)
        assert.deepStrictEqual((yield* create(ben, yield* optionFor(ben, afternoon))).other_bookings, same)
      })
  )
})
