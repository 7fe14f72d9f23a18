/**
 * A hold whose time is up, and whose places nobody has released yet: what is offered there is what can be booked there.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import type { BookingRow } from "../../../src/domain/booking/Booking.ts"
import { Claims } from "../../../src/domain/booking/Claims.ts"
import { makeVenueClosures } from "../../../src/domain/booking/VenueClosures.ts"
import type { Playroom } from "../../../src/domain/catalogue/Playroom.ts"
import { changeVisit } from "../../support/Acts.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { bookOption, hall, movable, moveBooking, moveWorld, optionOn, otherHall } from "../../support/moveWorld.ts"
import { payBooking } from "../../support/PaymentWorld.ts"
import { bookAt, importSharing, sharingRoom, timesOf } from "../../support/sharedRooms.ts"

const day = "2026-12-05"
const made = "2026-11-20T09:00:00Z"
const lapsed = "2026-11-20T09:16:00Z"
type Span = readonly [from: string, to: string]

/** Each span is when another calendar of the hall is busy on that day. */
const isBusy = Effect.fnUntraced(function* (
  spans: ReadonlyArray<Span>,
  { playroom_id }: Pick<Playroom, "playroom_id">
) {
  const sql = yield* SqlClient.SqlClient
  for (const [i, [from, to]] of spans.entries()) {
    const url = `https://calendar.example.test/${i}.ics`
    yield* sql`insert into calendar_feed (operator_id, playroom_id, name, url, ask_at)
      select operator_id, playroom_id, ${`Phone ${i}`}, ${url}, now() from playroom where playroom_id = ${playroom_id}`
    yield* sql`insert into calendar_busy (feed_id, operator_id, playroom_id, during)
      select feed_id, operator_id, playroom_id, tstzrange(${`${day}T${from}Z`}::timestamptz, ${`${day}T${to}Z`}::timestamptz)
      from calendar_feed where playroom_id = ${playroom_id} and url = ${url}`
  }
  yield* sql`select keep_calendar_places(${playroom_id}, ${made}::timestamptz)`
})

const begin = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from calendar_feed`
  yield* sql`delete from occupancy`
  yield* sql`delete from closure`
  yield* setClock(made)
})

/** What a hall offers on that day to parties of several sizes. */
const offered = ({ playroom }: typeof hall) =>
  Effect.map(
    Effect.forEach([1, 4, 12], (children) =>
      BookingOptions.use((options) =>
        options.list({ playroom_id: playroom.playroom_id, date: day, children, limit: 100 })
      )
    ),
    (lists) =>
      lists.flatMap(({ options }, i) => options.map((it) => `${i} ${it.package_id} ${it.start} ${it.places_left}`))
  )

/** What a hall offers before and after lapsed holds are released, which must be the same. */
const offeredAnyway = Effect.fnUntraced(function* (venue: typeof hall, holds: ReadonlyArray<BookingRow>) {
  const before = yield* offered(venue)
  yield* Claims.use((claims) => claims.releaseLapsed(holds.map(({ booking_id }) => booking_id)))
  assert.deepStrictEqual(before, yield* offered(venue))
  return before
})

const calendars: ReadonlyArray<readonly [what: string, spans: ReadonlyArray<Span>]> = [
  ["all day", [["09:00", "18:00"]]],
  ["over the beginning of its time", [["09:00", "10:10"]]],
  ["over the end of its time", [["11:30", "18:00"]]],
  ["in the middle of its time", [["10:50", "11:10"]]],
  ["only after its time", [["12:15", "18:00"]]],
  [
    "by two calendars, one inside the other",
    [
      ["09:00", "18:00"],
      ["10:00", "11:00"]
    ]
  ],
  [
    "by two calendars, one after the other",
    [
      ["09:45", "10:30"],
      ["11:45", "12:15"]
    ]
  ]
]

layer(moveWorld, { timeout: "120 seconds" })("where a hold has lapsed that nobody has released", (it) => {
  it.effect.each(calendars)("is what another calendar is busy with sold to nobody: %s", ([, spans]) =>
    Effect.gen(function* () {
      yield* begin
      const hold = yield* bookOption(yield* optionOn(day))
      yield* isBusy(spans, hall.playroom)
      const shown = yield* Effect.andThen(setClock(lapsed), offeredAnyway(hall, [hold]))
      const free = spans[0]?.[0] === "12:15"
      assert.strictEqual(
        shown.some((one) => one.includes(`${movable.party.package_id} ${day}T10:00`)),
        free
      )
    })
  )

  it.effect("are places of open play a calendar's as far as the holds had them, and not sold to others", () =>
    Effect.gen(function* () {
      yield* begin
      const option_id = yield* optionOn(day, "15:00", { pkg: movable.play, children: 4 })
      const holds = [yield* bookOption(option_id), yield* bookOption(option_id)]
      const stays = yield* bookOption(yield* optionOn(day, "10:00", { pkg: movable.play, children: 4 }))
      yield* payBooking(stays)
      yield* isBusy([["09:00", "18:00"]], hall.playroom)
      yield* setClock(lapsed)
      assert.deepStrictEqual(yield* offeredAnyway(hall, holds), [])
    })
  )

  it.effect("is a time that the venue closed nobody's", () =>
    Effect.gen(function* () {
      yield* begin
      const hold = yield* bookOption(yield* optionOn(day))
      const wish = {
        playroom_id: hall.playroom.playroom_id,
        times: { from: day, to: day, starts: "11:00", ends: "11:30" },
        reason: "Repairs"
      }
      yield* Effect.flatMap(makeVenueClosures, (closures) => closures.close(wish, { who: "Ana" }))
      yield* setClock(lapsed)
      const shown = yield* offeredAnyway(hall, [hold])
      assert.isFalse(shown.some((one) => one.includes(`${movable.party.package_id} ${day}T10:00`)))
      assert.isTrue(shown.some((one) => one.includes(`${movable.play.package_id} ${day}T10:00`)))
      // Reopened while another calendar is busy, it is that calendar's.
      yield* begin
      const again = yield* bookOption(yield* optionOn(day))
      const { made: ids } = yield* Effect.flatMap(makeVenueClosures, (closures) => closures.close(wish, { who: "Ana" }))
      yield* isBusy([["09:00", "18:00"]], hall.playroom)
      yield* setClock(lapsed)
      yield* Effect.flatMap(makeVenueClosures, (closures) => closures.lift({ closure_id: ids[0] ?? "" }, "Ana"))
      assert.deepStrictEqual(yield* offeredAnyway(hall, [again]), [])
    })
  )

  it.effect("is another room that is busy there not offered to a booking that moves", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* bookOption(yield* optionOn("2026-12-12"))
      yield* payBooking(booking)
      const [pkg] = otherHall.packages
      const option_id = yield* optionOn(day, "10:00", { ...(pkg ? { pkg } : {}), ...otherHall.playroom })
      const hold = yield* bookOption(option_id)
      yield* isBusy([["10:30", "10:40"]], otherHall.playroom)
      yield* setClock(lapsed)
      const previewed = yield* Effect.result(moveBooking(booking, option_id, { preview: true }))
      const moved = yield* Effect.result(moveBooking(booking, option_id))
      assert.deepStrictEqual(
        [previewed, moved].map((one) => (Result.isFailure(one) ? one.failure._tag : "moved")),
        ["SlotUnavailable", "SlotUnavailable"]
      )
      assert.isFalse((yield* offeredAnyway(otherHall, [hold])).some((one) => one.includes(`${day}T10:00`)))
      // Elsewhere its places are free to move to: the change releases them.
      yield* begin
      const other = yield* bookOption(yield* optionOn(day, "10:00", { ...(pkg ? { pkg } : {}), ...otherHall.playroom }))
      yield* setClock(lapsed)
      yield* changeVisit(booking.booking_id, { option_id, preview: false, by: "operator", reason: "They asked" })
      yield* offeredAnyway(otherHall, [other])
    })
  )

  it.effect("is the last unit of shared stock not free if another booking has one beyond the stock", () =>
    Effect.gen(function* () {
      yield* begin
      const room = (n: number) => {
        const its = sharingRoom(n)
        return { ...its, add_ons: its.add_ons?.map((one) => ({ ...one, max_quantity: 1 })) ?? [] }
      }
      yield* importSharing({ "bubble-machines": 2 }, [room(1), room(2), room(3)])
      const hold = yield* bookAt("11:00", 1, 1)
      const stays = yield* bookAt("11:00", 2, 1)
      yield* payBooking(stays)
      // The stock shrinks to what is left for one of them.
      yield* importSharing({ "bubble-machines": 1 }, [], { force: true })
      yield* setClock(lapsed)
      const before = yield* timesOf(3, 1)
      assert.notInclude(before, "11:00")
      assert.include(yield* timesOf(3, 0), "11:00")
      yield* Claims.use((claims) => claims.releaseLapsed([hold.booking_id]))
      assert.deepStrictEqual(yield* timesOf(3, 1), before)
    })
  )
})
