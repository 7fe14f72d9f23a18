import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { BookingLinks } from "../../../src/domain/booking/BookingLinks.ts"
import type { BookingRow } from "../../../src/domain/booking/Booking.ts"
import { writeReminders } from "../../../src/domain/booking/LetterOutbox.ts"
import { dayMs, minuteMs } from "../../../src/platform/time/LocalTime.ts"
import { lettersOf, letterWorld, sendLetters, sendOneLetter } from "../../support/LetterWorld.ts"
import { cancelBooking, createBooking, paidBooking, payBooking, startAnew } from "../../support/PaymentWorld.ts"
import { packages } from "../../support/paymentVenues.ts"

/** Nobody was looked at, and no letter waits. */
const begin = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* startAnew
  yield* sql`delete from reminder_cursor`
  yield* sql`delete from reminder_stop`
  yield* writeReminders
  yield* sendLetters
})

/** A booking with a balance, whose confirmation was sent. */
const withBalance = Effect.gen(function* () {
  const { booking } = yield* paidBooking(packages.depositParty)
  yield* sendOneLetter
  return { booking, due_at: Date.parse(booking.terms.price.balance_due_at ?? assert.fail("no balance")) }
})

/** What is sent when reminders were looked for at `moment`. */
const sentAt = (moment: number) =>
  TestClock.setTime(moment).pipe(Effect.andThen(writeReminders), Effect.andThen(sendLetters))

const kindsOf = (booking: BookingRow) => Effect.map(lettersOf(booking), (kinds) => kinds.slice(1))

layer(letterWorld())("reminders", (it) => {
  it.effect("come a week and a day before the rest is due, and the day before the visit: each once", () =>
    Effect.gen(function* () {
      yield* begin
      const { booking, due_at } = yield* withBalance
      assert.lengthOf(yield* sentAt(due_at - 7 * dayMs - minuteMs), 0)
      const [first, ...others] = yield* sentAt(due_at - 7 * dayMs + minuteMs)
      assert.lengthOf(others, 0)
      assert.strictEqual(first?.to, booking.contact_email)
      assert.include(first?.text ?? "", "£150.00")
      assert.match(first?.stop_url ?? "", /^http:\/\/localhost:3000\/r\/[\w-]{48}$/)
      assert.lengthOf(yield* sentAt(due_at - 3 * dayMs), 0)
      assert.lengthOf(yield* sentAt(due_at - dayMs + minuteMs), 1)
      yield* payBooking(booking, "balance")
      const [visit] = yield* sentAt(booking.starts_at - dayMs + minuteMs)
      assert.include(visit?.html ?? "", booking.reference)
      assert.lengthOf(yield* sentAt(booking.starts_at - dayMs + 2 * minuteMs), 0)
      assert.deepStrictEqual(yield* kindsOf(booking), ["balance_due sent", "balance_due sent", "visit sent"])
    })
  )

  it.effect("ask for nothing that is paid at the venue, and say so the day before the visit", () =>
    Effect.gen(function* () {
      yield* begin
      const { booking } = yield* paidBooking(packages.venueParty)
      const confirmed = yield* sendOneLetter
      assert.include(confirmed.text, "£150.00 is still to be paid: at the venue, when you come.")
      assert.include(confirmed.text, "What is left to pay is paid at the venue.")
      for (const days of [7, 1]) assert.lengthOf(yield* sentAt(booking.starts_at - days * dayMs - minuteMs), 0)
      const [visit, ...others] = yield* sentAt(booking.starts_at - dayMs + minuteMs)
      assert.lengthOf(others, 0)
      assert.match(visit?.text ?? "", /£150\.00\s+at the venue/)
      assert.deepStrictEqual(yield* kindsOf(booking), ["visit sent"])
    })
  )

  it.effect("are written once, however many nodes look at the same time and however often", () =>
    Effect.gen(function* () {
      yield* begin
      const { booking, due_at } = yield* withBalance
      yield* TestClock.setTime(due_at - 7 * dayMs + minuteMs)
      yield* Effect.all(
        Array.from({ length: 5 }, () => writeReminders),
        { concurrency: "unbounded" }
      )
      yield* sendLetters
      // A cursor that was lost finds the same bookings again.
      const sql = yield* SqlClient.SqlClient
      yield* sql`update reminder_cursor set moment = moment - interval '3 hours', booking_id = ''`
      assert.lengthOf(yield* sentAt(due_at - 7 * dayMs + 2 * minuteMs), 0)
      assert.deepStrictEqual(yield* kindsOf(booking), ["balance_due sent"])
    })
  )

  it.effect("of more bookings than one statement looks at are all written", () =>
    Effect.gen(function* () {
      yield* begin
      const { booking, due_at } = yield* withBalance
      const sql = yield* SqlClient.SqlClient
      // Copies of one booking, which only reminders look at.
      const copies = 450
      yield* sql`insert into booking select (jsonb_populate_record(b, jsonb_build_object(
          'booking_id', 'booking_' || lpad(n::text, 26, '0'), 'reference', 'R000-' || lpad(n::text, 4, '0'), 'retry_key', null))).*
        from booking b, generate_series(1, ${copies}::int) n where b.booking_id = ${booking.booking_id}`
      yield* TestClock.setTime(due_at - 7 * dayMs + minuteMs)
      yield* writeReminders
      const [written] = yield* sql<{
        count: number
      }>`select count(*)::int as count from letter where kind = 'balance_due'`
      assert.strictEqual(written?.count, copies + 1)
    })
  )

  it.effect("are left out where a letter of the same day says it, and dropped if they are true no more", () =>
    Effect.gen(function* () {
      yield* begin
      const { booking, due_at } = yield* withBalance
      yield* TestClock.setTime(due_at - 7 * dayMs + minuteMs)
      yield* writeReminders
      yield* payBooking(booking, "balance")
      assert.lengthOf(yield* sendLetters, 0)
      assert.deepStrictEqual(yield* kindsOf(booking), ["balance_due dropped"])
      yield* cancelBooking(booking)
      assert.lengthOf(yield* sendLetters, 1)
      assert.lengthOf(yield* sentAt(booking.starts_at - dayMs + minuteMs), 0)
      // Booked within the last day before the visit: the confirmation says all.
      yield* begin
      const late = yield* createBooking(packages.trustedParty)
      yield* TestClock.setTime(late.starts_at - dayMs - minuteMs)
      yield* writeReminders
      const sql = yield* SqlClient.SqlClient
      yield* sql`update letter set decided_at = ${new Date(late.starts_at - dayMs)} where booking_id = ${late.booking_id}`
      yield* sendLetters
      yield* sentAt(late.starts_at - dayMs + minuteMs)
      assert.notInclude((yield* lettersOf(late)).join(), "visit")
    })
  )

  it.effect("stop for an address from any of its letters, until they are wanted again", () =>
    Effect.gen(function* () {
      yield* begin
      const { booking, due_at } = yield* withBalance
      const [letter] = yield* sentAt(due_at - 7 * dayMs + minuteMs)
      const token = (letter?.stop_url ?? "").split("/r/")[1] ?? ""
      const links = yield* BookingLinks
      assert.deepInclude(yield* links.reminding(token), { value: false })
      assert.deepInclude(yield* links.reminding(token, true), { value: true })
      assert.deepInclude(yield* links.reminding(token, true), { value: true })
      assert.lengthOf(yield* sentAt(due_at - dayMs + minuteMs), 0)
      assert.deepStrictEqual(yield* kindsOf(booking), ["balance_due sent", "balance_due dropped"])
      assert.deepInclude(yield* links.reminding(token, false), { value: false })
      assert.deepInclude(yield* links.reminding("x"), { _tag: "None" })
    })
  )
})
