/** Places that a booking gives back while another calendar is busy: nobody else is sold them, not even for minutes. */
import { assert, layer } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import type { BookingRow } from "../../../src/domain/booking/Booking.ts"
import { BookingRecords } from "../../../src/domain/booking/BookingRecords.ts"
import { Claims } from "../../../src/domain/booking/Claims.ts"
import { changeVisit, placesAgain, type VisitChange } from "../../support/Acts.ts"
import { cancelBooking } from "../../support/PaymentWorld.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { bookOption, confirmedOn, hall, movable, moveBooking, moveWorld, optionOn } from "../../support/moveWorld.ts"

const { playroom_id } = hall.playroom
const day = "2026-12-05"

/** Another calendar of the hall is busy on that day from 9 to 18 o'clock. What bookings have, they keep. */
const isBusy = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into calendar_feed (operator_id, playroom_id, name, url, ask_at)
    select operator_id, playroom_id, 'Phone', 'https://calendar.example.test/1.ics', now() from playroom where playroom_id = ${playroom_id}
    on conflict do nothing`
  yield* sql`insert into calendar_busy (feed_id, operator_id, playroom_id, during)
    select feed_id, operator_id, playroom_id, tstzrange('2026-12-05T09:00Z', '2026-12-05T18:00Z') from calendar_feed`
  yield* sql`select keep_calendar_places(${playroom_id}, '2026-11-20T00:00Z')`
})

/** From which to which hour bookings and the calendar have places of the hall on that day, in order. */
const places = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly hours: string }>`
    select to_char(lower(during) at time zone 'UTC', 'HH24:MI') || '-' || to_char(upper(during) at time zone 'UTC', 'HH24:MI')
      || case when other_calendar then ' calendar' else ' booking' end as hours
    from occupancy where resource_id = ${playroom_id} and during && tstzrange('2026-12-05T00:00Z', '2026-12-06T00:00Z')
    order by lower(during), units::text`
  return rows.map(({ hours }) => hours)
})
const allBusy = ["09:00-18:00 calendar"]
const aroundTen = ["09:00-09:45 calendar", "09:45-12:15 booking", "12:15-18:00 calendar"]

const begin = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from calendar_feed`
  yield* sql`delete from occupancy where resource_id = ${playroom_id}`
})

const isFree = Effect.map(
  BookingOptions.use((options) => options.list({ playroom_id, date: day, children: 2 })),
  ({ options }) => options.length > 0
)

const change = (booking: BookingRow, more: VisitChange) => changeVisit(booking.booking_id, more)

layer(moveWorld)("what a booking gives back while another calendar is busy", (it) => {
  it.effect("is the calendar's as soon as the booking is cancelled", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn(day)
      yield* isBusy
      assert.deepStrictEqual(yield* places, aroundTen)
      yield* cancelBooking(booking)
      assert.deepStrictEqual(yield* places, allBusy)
      assert.isFalse(yield* isFree)
    })
  )

  it.effect("is the calendar's as soon as the booking has moved, and stays the booking's if it has not", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn(day)
      yield* isBusy
      // Another party at its own start gives its places back and takes them again.
      yield* change(booking, { party: { children: 6 }, preview: false, by: "operator" })
      assert.deepStrictEqual(yield* places, aroundTen)
      yield* moveBooking(booking, yield* optionOn("2026-12-12"))
      assert.deepStrictEqual(yield* places, allBusy)
      yield* cancelBooking(booking)
      assert.deepStrictEqual(yield* places, allBusy)
    })
  )

  it.effect("is neither shown nor sold to whoever comes after the end of a hold, before anybody has released it", () =>
    Effect.gen(function* () {
      yield* begin
      yield* setClock("2026-11-20T09:00:00Z")
      const option_id = yield* optionOn(day)
      const { booking_id } = yield* bookOption(option_id)
      yield* isBusy
      yield* TestClock.adjust("16 minutes")
      assert.isFalse(yield* isFree)
      const late = yield* Effect.result(bookOption(option_id))
      if (Result.isSuccess(late)) return assert.fail("booked")
      assert(late.failure._tag === "SlotUnavailable")
      assert.notInclude(JSON.stringify(late.failure.nearest), day)
      yield* Claims.use((claims) => claims.releaseLapsed([booking_id]))
      assert.deepStrictEqual(yield* places, allBusy)
    })
  )

  it.effect("is not sold to a payment that comes late either, in the transaction that releases the hold there", () =>
    Effect.gen(function* () {
      yield* begin
      yield* setClock("2026-11-20T09:00:00Z")
      const option_id = yield* optionOn(day, "15:00", { pkg: movable.play })
      const first = yield* bookOption(option_id)
      yield* TestClock.adjust("16 minutes")
      yield* Claims.use((claims) => claims.releaseLapsed([first.booking_id]))
      yield* bookOption(option_id)
      yield* isBusy
      assert.isAbove((yield* places).length, 1)
      yield* TestClock.adjust("16 minutes")
      const sql = yield* SqlClient.SqlClient
      const taken = yield* sql.withTransaction(
        Effect.gen(function* () {
          const row = yield* BookingRecords.use((records) => records.lock(first.booking_id))
          return yield* placesAgain(Option.getOrThrow(row))
        })
      )
      assert.isFalse(taken)
      assert.deepStrictEqual(yield* places, allBusy)
    })
  )

  it.effect("is everybody's again where no calendar is busy", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn(day)
      yield* cancelBooking(booking)
      assert.deepStrictEqual(yield* places, [])
      assert.isTrue(yield* isFree)
    })
  )
})
