/**
 * No unit is free for a whole visit, but at each moment one is: later bookings get other units, whichever way places
 * are taken. A party takes its room and its machine from half an hour before its start to an hour after it.
 */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { Audit } from "../../../../src/ops/audit/Audit.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { Occupancy } from "../../../../src/domain/availability/Occupancy.ts"
import { Claims } from "../../../../src/domain/booking/Claims.ts"
import { makeVenueClosures } from "../../../../src/domain/booking/VenueClosures.ts"
import { hourMs } from "../../../../src/platform/time/LocalTime.ts"
import { VisitOffers } from "../../../../src/domain/payment/changes/VisitChanges.ts"
import { changeVisit, placesAgain, cancelAsOperator } from "../../../support/Acts.ts"
import { contact, principal, setClock } from "../../../support/BookingWorld.ts"
import { idOf } from "../../../support/catalogues.ts"
import { deleteBookings, emptyPaymentWorld, now } from "../../../support/PaymentWorld.ts"
import { serverUrl } from "../../../support/TestDatabase.ts"
import { recordingTracer } from "../../../support/recordedSpans.ts"
import { bookAt, freeRoom, importSharing, optionsOf, sharingRoom, timesOf } from "../../../support/sharedRooms.ts"

const world = Layer.mergeAll(Audit.layer).pipe(Layer.provideMerge(emptyPaymentWorld()))
const machines = `@${idOf("operator", 7)}/bubble-machines`
const room = 5
const at = (options: Effect.Success<ReturnType<typeof optionsOf>>, time: string) =>
  options.find(({ start }) => start.slice(11, 16) === time)?.option_id ?? assert.fail(`nothing at ${time}`)

const sound = Effect.map(
  Audit.use(({ rows }) => rows),
  (found) => assert.deepStrictEqual(found, [])
)
/** Which units are taken of a resource, in order of start. */
const unitsOf = Effect.fnUntraced(function* (resource_id: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly at: string; readonly units: string; readonly by: string }>`
    select to_char(lower(o.during) at time zone 'UTC', 'HH24:MI') as at, o.units::text as units,
      case when o.closure_id is null then '' else ' closed' end as by
    from occupancy o where o.resource_id = ${resource_id} order by lower(o.during), o.units`
  return rows.map(({ at, by, units }) => `${at} ${units}${by}`)
})

const begin = Effect.fnUntraced(function* (rooms: Parameters<typeof importSharing>[1] = [freeRoom(1), freeRoom(2)]) {
  yield* deleteBookings
  yield* setClock(now)
  yield* importSharing({ "bubble-machines": 2 }, rooms)
})
/** Two machines. From 10:30 to 12:00 both are taken for a part of the time. */
const apart = Effect.gen(function* () {
  yield* bookAt("13:00", 1, 1)
  const noon = yield* bookAt("12:00", 2, 1)
  yield* bookAt("10:00", 1, 1)
  assert.deepStrictEqual(yield* unitsOf(machines), ["09:30 {[0,1)}", "11:30 {[1,2)}", "12:30 {[0,1)}"])
  return noon
})
const together = ["09:30 {[0,1)}", "10:30 {[1,2)}", "11:30 {[0,1)}", "12:30 {[1,2)}"]

layer(world, { timeout: "120 seconds" })("units of later bookings", (it) => {
  it.effect("change for a new booking, which is offered as many as are free at each moment", () =>
    Effect.gen(function* () {
      yield* begin()
      yield* apart
      assert.include(yield* timesOf(1, 1), "11:00")
      assert.notInclude(yield* timesOf(1, 2), "11:00")
      const option_id = at(yield* optionsOf(2, 1), "11:00")
      yield* Bookings.use((bookings) => bookings.preview(principal(), { option_id, contact: contact("looks") }))
      yield* bookAt("11:00", 2, 1)
      assert.deepStrictEqual(yield* unitsOf(machines), together)
      assert.notInclude(yield* timesOf(1, 1), "11:00")
      yield* sound
    })
  )

  it.effect("change for a booking that moves, even where its own units were", () =>
    Effect.gen(function* () {
      yield* begin()
      yield* apart
      // The chain of changes ends with the unit that this one gives back.
      const own = yield* bookAt("14:00", 2, 1)
      assert.include(yield* unitsOf(machines), "13:30 {[1,2)}")
      const booking = yield* Bookings.use((bookings) => bookings.get(own.booking_id))
      const option_id = yield* VisitOffers.use((offers) => offers.optionAt(booking, "2026-12-05", "11:00"))
      const how = { by: "operator", reason: "Asked by telephone", option_id } as const
      yield* changeVisit(own.booking_id, { ...how, preview: true })
      assert.include(yield* unitsOf(machines), "13:30 {[1,2)}")
      yield* changeVisit(own.booking_id, { ...how, preview: false })
      assert.deepStrictEqual(yield* unitsOf(machines), together)
      yield* sound
    })
  )

  it.effect("change for a payment that arrives late", () =>
    Effect.gen(function* () {
      yield* begin([freeRoom(1), freeRoom(2), sharingRoom(3)])
      const held = yield* bookAt("11:00", 3, 1)
      yield* setClock("2026-11-20T11:00:00Z")
      yield* Claims.use((claims) => claims.releaseLapsed([held.booking_id]))
      yield* apart
      const sql = yield* SqlClient.SqlClient
      const expired = yield* Bookings.use((bookings) => bookings.get(held.booking_id))
      assert.strictEqual(expired.status, "expired")
      assert.isTrue(yield* sql.withTransaction(placesAgain(expired)))
      assert.deepStrictEqual(yield* unitsOf(machines), together)
    })
  )

  it.effect("change in a room, too, and with them those that a closure has beside them", () =>
    Effect.gen(function* () {
      const small = freeRoom(room)
      const packages = small.packages.map((pkg) => ({ ...pkg, max_children: 2 }))
      yield* begin([{ ...small, packages, capacity: 2 }])
      const child = { children: 1 }
      for (const time of ["13:00", "12:00", "10:00"]) yield* bookAt(time, room, 0, child)
      const day = "2026-12-05"
      yield* Effect.flatMap(makeVenueClosures, (closures) =>
        closures.close(
          {
            operator_id: idOf("operator", 7),
            playroom_id: idOf("playroom", room),
            times: { from: day, to: day, starts: "12:00", ends: "14:00" },
            reason: "Works"
          },
          { who: "Ana" }
        )
      )
      const id = idOf("playroom", room)
      assert.deepStrictEqual(yield* unitsOf(id), [
        "09:30 {[0,1)}",
        "11:30 {[1,2)}",
        "12:00 {[0,1)} closed",
        "12:30 {[0,1)}",
        "13:00 {[1,2)} closed"
      ])
      assert.notInclude(yield* timesOf(room, 0, { children: 2 }), "11:00")
      yield* bookAt("11:00", room, 0, child)
      assert.deepStrictEqual(yield* unitsOf(id), [
        "09:30 {[0,1)}",
        "10:30 {[1,2)}",
        "11:30 {[0,1)}",
        "12:00 {[1,2)} closed",
        "12:30 {[1,2)}",
        "13:00 {[0,1)} closed"
      ])
      yield* sound
    })
  )

  it.effect("change while many want the last one and one of them is cancelled: it is sold once", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 5; round++) {
        yield* begin()
        const noon = yield* apart
        const ids = [at(yield* optionsOf(1, 1), "11:00"), at(yield* optionsOf(2, 1), "11:00")]
        const buy = (i: number) =>
          Bookings.use((bookings) =>
            bookings.create(principal(`key_${i % 3}`), {
              option_id: ids[i % 2] ?? "",
              contact: contact(`rush${round}_${i}`)
            })
          )
        const cancel = cancelAsOperator(noon.booking_id, { preview: false, refund: "full", reason: "Ill", ask: false })
        const [results] = yield* Effect.all(
          [
            Effect.all(
              Array.from({ length: 12 }, (_, i) => Effect.result(buy(i))),
              { concurrency: "unbounded" }
            ),
            cancel
          ],
          { concurrency: "unbounded" }
        )
        const outcomes = results.map((one) => (Result.isSuccess(one) ? "sold" : one.failure._tag))
        assert.strictEqual(outcomes.filter((one) => one === "sold").length, 1)
        assert.deepStrictEqual(new Set(outcomes), new Set(["sold", "SlotUnavailable"]))
        assert.lengthOf(yield* unitsOf(machines), 3)
        yield* sound
      }
    })
  )

  it.effect("change for no hold that has lapsed: its places are given back", () =>
    Effect.gen(function* () {
      yield* begin([freeRoom(1), freeRoom(2), sharingRoom(3)])
      const held = yield* bookAt("13:00", 3, 1)
      yield* bookAt("12:00", 2, 1)
      yield* bookAt("10:00", 1, 1)
      yield* setClock("2026-11-20T11:00:00Z")
      yield* bookAt("11:00", 2, 1)
      assert.deepStrictEqual(yield* unitsOf(machines), together.slice(0, 3))
      assert.strictEqual((yield* Bookings.use((bookings) => bookings.get(held.booking_id))).status, "expired")
      yield* sound
    })
  )

  it.effect("change with few questions to the database, however long visits follow each other", () =>
    Effect.gen(function* () {
      yield* begin()
      const { booking_id, operator_id } = yield* bookAt("10:00", 1, 1)
      const sql = yield* SqlClient.SqlClient
      // A visit until 0:30, and from 2:00 on for ten days a visit of two hours begins each hour, with the one machine
      // or the other.
      yield* sql`insert into occupancy (resource_id, operator_id, units, during, booking_id)
        select ${machines}, ${operator_id}, int4multirange(int4range(i % 2, i % 2 + 1)), tstzrange(
          timestamptz '2026-12-11T00:00Z' + (i - case when i = 1 then 4 else 0 end) * interval '1 hour',
          timestamptz '2026-12-11T00:00Z' + (i + case when i = 1 then -0.5 else 2 end) * interval '1 hour'), ${booking_id}
        from generate_series(1, 240) i`
      const before = yield* unitsOf(machines)
      const start = Date.parse("2026-12-11T00:00:00Z")
      const claim = { resource_id: machines, quantity: 1, whole: false, start, end: start + 3 * hourMs }
      const { statements, tracer } = recordingTracer()
      const makeRoom = Occupancy.use((occupancy) =>
        Effect.flatMap(occupancy.lock([machines]), (units) => occupancy.makeRoom([claim], units))
      )
      yield* Effect.withTracer(sql.withTransaction(makeRoom), tracer)
      assert.isBelow(statements().length, 20)
      const after = yield* unitsOf(machines)
      assert.strictEqual(after.filter((one, i) => one !== before[i]).length, 239)
    })
  )

  if (serverUrl === undefined) {
    it.skip("wait for one that is being cancelled (needs TEST_DATABASE_URL: the embedded database has one session)", () => {})
  } else {
    /** Does what needs other units for a party while a transaction that cancels it goes on for a while. */
    const whileCancelled = Effect.fnUntraced(function* <A, E, R>(booking_id: string, what: Effect.Effect<A, E, R>) {
      const sql = yield* SqlClient.SqlClient
      const [given, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const cancelling = yield* cancelAsOperator(booking_id, {
        preview: false,
        refund: "full",
        reason: "Ill",
        ask: false
      }).pipe(
        Effect.andThen(Deferred.succeed(given, undefined)),
        Effect.andThen(Deferred.await(end)),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* Deferred.await(given)
      const doing = yield* Effect.forkChild(what)
      yield* TestClock.withLive(Effect.sleep("500 millis"))
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(cancelling)
      return yield* Fiber.join(doing)
    })

    it.effect("wait for one that is being cancelled, so that no family is turned away", () =>
      Effect.gen(function* () {
        yield* begin()
        const noon = yield* apart
        const option_id = at(yield* optionsOf(2, 1), "11:00")
        const create = Bookings.use((bookings) =>
          bookings.create(principal(), { option_id, contact: contact("patient") })
        )
        yield* whileCancelled(noon.booking_id, create)
        assert.deepStrictEqual(yield* unitsOf(machines), ["09:30 {[0,1)}", "10:30 {[1,2)}", "12:30 {[0,1)}"])
      })
    )

    it.effect("wait for one that is being cancelled when another moves", () =>
      Effect.gen(function* () {
        yield* begin()
        const noon = yield* apart
        const own = yield* bookAt("15:00", 2, 1)
        const booking = yield* Bookings.use((bookings) => bookings.get(own.booking_id))
        const option_id = yield* VisitOffers.use((offers) => offers.optionAt(booking, "2026-12-05", "11:00"))
        const how = { by: "operator", reason: "Asked by telephone", option_id, preview: false } as const
        yield* whileCancelled(noon.booking_id, changeVisit(own.booking_id, how))
        assert.deepStrictEqual(yield* unitsOf(machines), ["09:30 {[0,1)}", "10:30 {[1,2)}", "12:30 {[0,1)}"])
      })
    )

    it.effect("wait for one that is being cancelled, so that no late payment goes back", () =>
      Effect.gen(function* () {
        yield* begin([freeRoom(1), freeRoom(2), sharingRoom(3)])
        const held = yield* bookAt("11:00", 3, 1)
        yield* setClock("2026-11-20T11:00:00Z")
        yield* Claims.use((claims) => claims.releaseLapsed([held.booking_id]))
        const noon = yield* apart
        const expired = yield* Bookings.use((bookings) => bookings.get(held.booking_id))
        const sql = yield* SqlClient.SqlClient
        const retake = sql.withTransaction(placesAgain(expired))
        assert.isTrue(yield* whileCancelled(noon.booking_id, retake))
      })
    )
  }
})
