/**
 * What belongs to a new booking is written with it, or the booking is not made: a repeat finds the booking and writes
 * nothing.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { BookingOptions } from "../../../../src/domain/availability/BookingOptions.ts"
import { BookingRecords } from "../../../../src/domain/booking/BookingRecords.ts"
import { addDays, dayMs, localDateOf } from "../../../../src/platform/time/LocalTime.ts"
import { venueBookings } from "../../../../src/domain/payment/changes/VenueBookings.ts"
import { AccountComparison } from "../../../../src/domain/payment/recovery/AccountComparison.ts"
import { contact } from "../../../support/BookingWorld.ts"
import { lettersOf, letterWorld } from "../../../support/LetterWorld.ts"
import { account, packages, venue } from "../../../support/paymentVenues.ts"
import { historyOf, now, paidBooking, startAnew } from "../../../support/PaymentWorld.ts"

const day = (n: number) => addDays(localDateOf("UTC", Date.parse(now)), n)

/** Runs with a database that refuses rows of a table: as if this process ended between two statements. */
const refusing = <A, E, R>(table: string, when: string, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.unsafe(
      "create or replace function refuse_row() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$"
    )
    yield* sql.unsafe(
      `create trigger refused before insert on ${table} for each row when (${when}) execute function refuse_row()`
    )
    return yield* Effect.ensuring(work, Effect.orDie(sql.unsafe(`drop trigger refused on ${table}`)))
  })

layer(letterWorld())("a booking is made", (it) => {
  it.effect("at the desk with the letter that has its link, or not at all; a repeat writes no other letter", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { playroom_id } = venue.playroom
      const { package_id } = packages.party
      const { options } = yield* BookingOptions.use((all) =>
        all.list({ playroom_id, package_id, date: day(20), date_to: day(27), children: 8 })
      )
      const option_id = options[0]?.option_id ?? assert.fail("no option")
      const make = Effect.flatMap(venueBookings, (desk) =>
        desk.make({
          operator_id: venue.operator.operator_id,
          who: { as: "operator", name: "Ann" },
          request: { option_id, contact: contact("caller"), idempotency_key: "by telephone" }
        })
      )
      const none = yield* Effect.exit(refusing("letter", "true", make))
      assert.strictEqual(none._tag, "Failure")
      assert.deepStrictEqual(yield* sql`select booking_id from booking`, [])
      const made = yield* make
      assert.isFalse(made.already_existed)
      assert.isTrue((yield* make).already_existed)
      assert.deepStrictEqual(yield* lettersOf(made.booking), ["booked pending"])
    })
  )

  it.effect("anew from its payment with the note that it was lost, or not at all", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from letter`
      yield* startAnew
      const { booking } = yield* paidBooking(packages.party)
      const { booking_id } = booking
      for (const table of ["letter", "occupancy", "booking_history", "refund", "payment_session", "booking"])
        yield* sql`delete from ${sql(table)} where booking_id = ${booking_id}`
      yield* sql`delete from idempotency where result_id = ${booking_id}`
      const compare = AccountComparison.use((comparison) =>
        comparison.compare(account, { since: Date.parse(now) - dayMs, apply: true })
      )
      yield* Effect.exit(refusing("booking_history", "new.event = 'restored'", compare))
      assert.isTrue(Option.isNone(yield* BookingRecords.use((records) => records.byId(booking_id))))
      yield* compare
      assert.strictEqual((yield* historyOf(booking)).filter((line) => line === "restored").length, 1)
    })
  )
})
