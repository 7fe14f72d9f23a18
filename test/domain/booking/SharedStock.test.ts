import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Audit } from "../../../src/ops/audit/Audit.ts"
import { LockResources } from "../../../src/domain/availability/Occupancy.ts"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { Claims } from "../../../src/domain/booking/Claims.ts"
import { AddOnId, PlayroomId } from "../../../src/platform/ids/Ids.ts"
import { renderFailure } from "../../../src/surfaces/mcp/tools/ToolErrors.ts"
import { contact, principal, setClock } from "../../support/BookingWorld.ts"
import { catalogueJson, idOf, importJson, operatorJson, packageJson } from "../../support/catalogues.ts"
import { bookAt, importSharing, machinesOf, optionsOf, sharingRoom, timesOf } from "../../support/sharedRooms.ts"
import { emptyPaymentWorld } from "../../support/PaymentWorld.ts"
import { serverUrl } from "../../support/TestDatabase.ts"
import { placesAgain } from "../../support/Acts.ts"

const world = Layer.provideMerge(Audit.layer, emptyPaymentWorld())

const clean = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from occupancy where booking_id is not null`
  yield* sql`delete from booking_history`
  yield* sql`delete from booking`
})
const begin = Effect.gen(function* () {
  yield* clean
  yield* setClock("2026-11-20T09:00:00Z")
})
const sound = Effect.map(
  Audit.use(({ rows }) => rows),
  (found) => assert.deepStrictEqual(found, [])
)

layer(world, { timeout: "120 seconds" })("stock that rooms share", (it) => {
  it.effect("is sold by one room or the other, with its time to set up, and only by rooms of the operator", () =>
    Effect.gen(function* () {
      yield* begin
      yield* importSharing({ "bubble-machines": 2 }, [sharingRoom(1), sharingRoom(2)])
      const strange = { ...sharingRoom(30), operator_id: idOf("operator", 8) }
      yield* importJson(catalogueJson([strange], [operatorJson(8, { stock: [{ slug: "bubble-machines", units: 2 }] })]))
      const all = ["09:00", "10:00", "11:00", "12:00", "13:00", "14:00", "15:00", "16:00"]
      assert.deepStrictEqual(yield* timesOf(2, 2), all)
      // One is taken from 10:30 to 12:00: a visit at 10:00 would not be over by then, and one at 12:00 begins to set up
      // at 11:30.
      yield* bookAt("11:00", 1, 1)
      const around = ["09:00", "13:00", "14:00", "15:00", "16:00"]
      assert.deepStrictEqual(yield* timesOf(2, 2), around)
      assert.deepStrictEqual(yield* timesOf(2, 1), all)
      assert.deepStrictEqual(yield* timesOf(30, 2), all)
      yield* bookAt("11:00", 2, 1)
      assert.deepStrictEqual(yield* timesOf(1, 1), around)
      assert.deepStrictEqual(yield* timesOf(1, 0), all)
      yield* sound
    })
  )

  it.effect(
    "is free again for the other room once a hold lapses, and a late payment has it only if it is still free",
    () =>
      Effect.gen(function* () {
        yield* begin
        yield* importSharing(
          { "bubble-machines": 1 },
          [sharingRoom(1), sharingRoom(2)].map((room) => ({
            ...room,
            add_ons: room.add_ons?.map((one) => ({ ...one, max_quantity: 1 })) ?? []
          }))
        )
        const first = yield* bookAt("11:00", 1, 1)
        assert.notInclude(yield* timesOf(2, 1), "11:00")
        yield* setClock("2026-11-20T10:00:00Z")
        // Nobody has released it yet: the booking of the other room does.
        const second = yield* bookAt("11:00", 2, 1)
        const bookings = yield* Bookings
        const claims = yield* Claims
        const sql = yield* SqlClient.SqlClient
        const late = Effect.gen(function* () {
          const row = yield* bookings.get(first.booking_id)
          assert.strictEqual(row.status, "expired")
          return yield* sql.withTransaction(placesAgain(row))
        })
        assert.isFalse(yield* late)
        yield* setClock("2026-11-20T11:00:00Z")
        yield* claims.releaseLapsed([second.booking_id])
        assert.isTrue(yield* late)
        assert.notInclude(yield* timesOf(2, 1), "11:00")
      })
  )

  it.effect(
    "is not a party's whose money comes late, if an import has made the whole room too small for it since",
    () =>
      Effect.gen(function* () {
        yield* begin
        const party = packageJson(1, { mode: "exclusive", duration_minutes: 120, max_children: 6 })
        const sized = (capacity: number, max_children: number) =>
          importSharing({ "bubble-machines": 2 }, [
            sharingRoom(1, { capacity, packages: [{ ...party, max_children }] })
          ])
        yield* sized(10, 10)
        const { booking_id } = yield* bookAt("11:00", 1, 0, { children: 8 })
        yield* setClock("2026-11-20T10:00:00Z")
        const claims = yield* Claims
        yield* claims.releaseLapsed([booking_id])
        const sql = yield* SqlClient.SqlClient
        const late = Effect.gen(function* () {
          const row = yield* Bookings.use((bookings) => bookings.get(booking_id))
          return yield* sql.withTransaction(placesAgain(row))
        })
        yield* sized(7, 6)
        assert.isFalse(yield* late)
        yield* sized(8, 6)
        assert.isTrue(yield* late)
      })
  )

  it.effect("V10: taken in the other room is told as such, and the visit is offered without it", () =>
    Effect.gen(function* () {
      yield* begin
      const rooms = [sharingRoom(1), sharingRoom(2)].map((room) => ({
        ...room,
        add_ons: room.add_ons?.map((one) => ({ ...one, max_quantity: 1 })) ?? []
      }))
      yield* importSharing({ "bubble-machines": 1 }, rooms)
      const machine = [{ add_on_id: machinesOf(2), quantity: 1 }]
      const wanted = (yield* optionsOf(2, 1)).find(({ start }) => start.includes("T11:00"))
      const at11 = {
        playroom_id: PlayroomId.make(idOf("playroom", 2)),
        date: "2026-12-05",
        children: 2,
        start_after: "11:00",
        end_before: "12:00"
      }
      const none = BookingOptions.use((service) => service.list({ ...at11, add_ons: machine }))
      yield* bookAt("11:00", 1, 1)
      assert.deepInclude(yield* none, { none_because: "add_ons_taken", free_without: [machinesOf(2)] })
      const option_id = wanted?.option_id ?? ""
      const book = Bookings.use((bookings) => bookings.create(principal(), { option_id, contact: contact("mia") }))
      const refused = yield* Effect.flip(book)
      assert(refused._tag === "SlotUnavailable")
      assert.deepStrictEqual([refused.reason, refused.nearest?.free_without], ["add_ons_taken", [machinesOf(2)]])
      assert.deepStrictEqual([refused.nearest?.add_ons, refused.alternatives[0]?.start], [undefined, wanted?.start])
      const { details, fix, message } = renderFailure(refused)
      assert.include(message, "taken elsewhere")
      assert.include(fix, "without them")
      assert.deepInclude(details, { reason: "add_ons_taken", free_without: [machinesOf(2)] })
      // Where the room is taken, too, that is the reason.
      yield* bookAt("11:00", 2, 0, { children: 19 })
      assert.strictEqual((yield* none).none_because, "fully_booked")
    })
  )

  it.effect("is one stock for several add-ons of a room, of which a party can't have more than there are", () =>
    Effect.gen(function* () {
      yield* begin
      const large = { add_on_id: AddOnId.make(idOf("addon", 11)), name: "Large bubbles", unit: "per_item" as const }
      const two = { ...large, unit_amount: 2000, max_quantity: 2, uses: "bubble-machines" }
      const chair = {
        add_on_id: AddOnId.make(idOf("addon", 12)),
        name: "Highchair",
        unit: "per_child" as const,
        unit_amount: 100,
        max_quantity: 1,
        uses: "highchairs"
      }
      const room = sharingRoom(1)
      yield* importSharing({ "bubble-machines": 2, highchairs: 5 }, [
        { ...room, add_ons: [...(room.add_ons ?? []), two, chair] },
        sharingRoom(2)
      ])
      const both = (quantity: number) => [
        { add_on_id: machinesOf(1), quantity },
        { add_on_id: large.add_on_id, quantity: 1 }
      ]
      const refused = yield* Effect.flip(optionsOf(1, 0, { add_ons: both(2) }))
      assert(refused._tag === "InvalidArguments")
      assert.include(refused.message, "only 2 for Bubble machine and Large bubbles together")
      yield* bookAt("11:00", 1, 0, { add_ons: both(1) })
      assert.notInclude(yield* timesOf(2, 1), "11:00")
      const chairs = [{ add_on_id: chair.add_on_id, quantity: 1 }]
      yield* bookAt("11:00", 1, 0, { add_ons: chairs, children: 3 })
      const left = yield* optionsOf(1, 0, { add_ons: chairs, children: 2 })
      assert.strictEqual(left.find(({ start }) => start.slice(11, 16) === "11:00")?.places_left, 2)
      assert.notInclude(yield* timesOf(1, 0, { add_ons: chairs, children: 3 }), "11:00")
      assert.lengthOf(yield* optionsOf(1, 0, { add_ons: chairs, children: 6 }), 0)
      yield* sound
    })
  )

  /**
   * Rooms with a lunch box of their own each, so that a booking locks a stock of its own, the shared one and its room.
   */
  const rooms = [1, 2, 3, 4].map((n) => {
    const room = sharingRoom(n)
    const box = {
      add_on_id: AddOnId.make(idOf("addon", 20 + n)),
      name: "Lunch box",
      unit: "per_item" as const,
      unit_amount: 500,
      max_quantity: 1,
      stock: 100
    }
    return { ...room, capacity: 100, add_ons: [...(room.add_ons ?? []), box] }
  })
  const rush = Effect.fnUntraced(function* (buyers: number) {
    const ids = yield* Effect.forEach([1, 2, 3, 4], (n) =>
      Effect.map(
        optionsOf(n, 0, {
          add_ons: [
            { add_on_id: machinesOf(n), quantity: 1 },
            { add_on_id: AddOnId.make(idOf("addon", 20 + n)), quantity: 1 }
          ]
        }),
        (options) => options.find(({ start }) => start.slice(11, 16) === "11:00")?.option_id ?? ""
      )
    )
    const results = yield* Effect.all(
      Array.from({ length: buyers }, (_, i) =>
        Effect.result(
          Bookings.use((bookings) =>
            bookings.create(principal(`key_${i % 5}`), { option_id: ids[i % 4] ?? "", contact: contact(`rush${i}`) })
          )
        )
      ),
      { concurrency: "unbounded" }
    )
    return results.flatMap((result) => (result._tag === "Failure" ? [result.failure._tag] : ["sold" as const]))
  })
  const deadlocks = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`select pg_stat_clear_snapshot()`
    const [row] = yield* sql<{
      n: number
    }>`select deadlocks::int as n from pg_stat_database where datname = current_database()`
    return row?.n ?? 0
  })

  it.effect("is never sold twice by rooms that book it at once, and none of them waits for another in a circle", () =>
    Effect.gen(function* () {
      yield* begin
      yield* importSharing({ "bubble-machines": 7 }, rooms)
      const before = yield* deadlocks
      const outcomes = yield* rush(60)
      assert.strictEqual(outcomes.filter((one) => one === "sold").length, 7)
      assert.deepStrictEqual(new Set(outcomes), new Set(["sold", "SlotUnavailable"]))
      assert.strictEqual(yield* deadlocks, before)
      yield* sound
    })
  )

  it.effect(
    "may be changed by an import while rooms book it: nobody waits in a circle, and nothing is sold twice",
    () =>
      Effect.gen(function* () {
        yield* begin
        yield* importSharing({ "bubble-machines": 40 }, rooms)
        const before = yield* deadlocks
        const renamed = (round: number) => rooms.map((room) => ({ ...room, summary: `Round ${round}.` }))
        const imports = Effect.forEach([41, 42, 43, 44], (units) =>
          importSharing({ "bubble-machines": units }, renamed(units))
        )
        const [outcomes] = yield* Effect.all([rush(60), imports], { concurrency: "unbounded" })
        const sold = outcomes.filter((one) => one === "sold").length
        assert.isAtLeast(sold, 1)
        assert.isAtMost(sold, 44)
        assert.notInclude(outcomes, "SqlError")
        assert.strictEqual(yield* deadlocks, before)
        yield* sound
      })
  )

  if (serverUrl === undefined) {
    it.skip("is sold twice without the guards (needs TEST_DATABASE_URL: the embedded database has one session, so nothing races)", () => {})
  } else {
    it.effect("is sold twice without both lock and constraint: the races are real", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`alter table occupancy drop constraint occupancy_no_double_sale`
        let most = 0
        for (let round = 0; round < 10 && most <= 7; round++) {
          yield* begin
          yield* importSharing({ "bubble-machines": 7 }, rooms)
          const outcomes = yield* Effect.provideService(rush(60), LockResources, false)
          most = Math.max(most, outcomes.filter((one) => one === "sold").length)
        }
        assert.isAbove(most, 7)
      })
    )
  }
})
