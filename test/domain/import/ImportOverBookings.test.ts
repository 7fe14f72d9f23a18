import { assert, layer } from "@effect/vitest"
import { Cause, Data, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import type { AddOnChoice } from "../../../src/domain/catalogue/Pricing.ts"
import { BookingRecords } from "../../../src/domain/booking/BookingRecords.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { Claims } from "../../../src/domain/booking/Claims.ts"
import { Catalogue } from "../../../src/domain/catalogue/Catalogue.ts"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { AddOnId } from "../../../src/platform/ids/Ids.ts"
import { bookingServices, contact, principal, setClock } from "../../support/BookingWorld.ts"
import {
  catalogueJson,
  idOf,
  importJson,
  importRooms,
  manyPlayrooms,
  packageJson,
  playroomJson
} from "../../support/catalogues.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { placesAgain } from "../../support/Acts.ts"

const world = bookingServices().pipe(Layer.provideMerge(TestDatabase.layer))

class NoOption extends Data.TaggedError("NoOption") {}

/** Books a party of children at a clock time of 5 December 2026. */
const book = Effect.fnUntraced(function* (
  playroom: number,
  pkg: number,
  children: number,
  start_after: string,
  add_ons: ReadonlyArray<AddOnChoice> = []
) {
  const options = yield* BookingOptions
  const { options: found } = yield* options.list({
    playroom_id: (yield* Catalogue.use((catalogue) => catalogue.venue(idOf("playroom", playroom)))).playroom
      .playroom_id,
    date: "2026-12-05",
    children,
    start_after,
    // With add-ons at this very hour only.
    ...(add_ons.length === 0
      ? {}
      : { end_before: `${String(Number(start_after.slice(0, 2)) + 1).padStart(2, "0")}:00` }),
    add_ons
  })
  const option = found.find(({ package_id }) => package_id === idOf("package", pkg))
  if (option === undefined) return yield* new NoOption()
  const { row } = yield* Bookings.use((bookings) =>
    bookings.create(principal(`key_${playroom}`), {
      option_id: option.option_id,
      contact: contact(`p${playroom}-${pkg}-${children}`)
    })
  )
  return row
})

const occupancyOf = Effect.fnUntraced(function* (playroom: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`select units::text as units, lower(during) as start, upper(during) as "end", closure_id is not null as closed
    from occupancy where resource_id = ${idOf("playroom", playroom)} order by lower(during), units::text`
})

const utc = (text: string) => new Date(`${text}Z`)
const closure = (n: number, from: string, to: string, reason = "Repairs") => ({
  closure_id: idOf("closure", n),
  from,
  to,
  reason
})
const exclusive = (n: number, changes = {}) =>
  packageJson(n, { mode: "exclusive", duration_minutes: 120, max_children: 20, ...changes })

layer(world)("importing closures and smaller rooms", (it) => {
  it.effect("closes the whole room for whole local days or between instants, and opens it when the closure goes", () =>
    Effect.gen(function* () {
      const zoned = { time_zone: "America/New_York" }
      yield* importRooms(
        playroomJson(5, {
          ...zoned,
          closures: [
            closure(5, "2026-12-24", "2026-12-25"),
            closure(6, "2026-12-30T18:00:00-05:00", "2026-12-30T20:00:00-05:00")
          ]
        })
      )
      assert.deepStrictEqual(yield* occupancyOf(5), [
        { units: "{[0,20)}", start: utc("2026-12-24T05:00:00"), end: utc("2026-12-26T05:00:00"), closed: true },
        { units: "{[0,20)}", start: utc("2026-12-30T23:00:00"), end: utc("2026-12-31T01:00:00"), closed: true }
      ])
      const report = yield* importRooms(
        playroomJson(5, {
          ...zoned,
          closures: [closure(5, "2026-12-24", "2026-12-25", "Christmas"), closure(7, "2027-01-01", "2027-01-01")]
        })
      )
      assert.deepStrictEqual(report.closures, { added: 1, changed: 1, removed: 1 })
      const [christmas, newYear] = yield* Catalogue.use((catalogue) =>
        catalogue.closures(idOf("playroom", 5), 0, Date.parse("2030-01-01T00:00:00Z"))
      )
      assert.strictEqual(christmas?.reason, "Christmas")
      assert.strictEqual(newYear?.start, Date.parse("2027-01-01T05:00:00Z"))
      assert.strictEqual((yield* occupancyOf(5)).length, 2)
    })
  )

  it.effect("widens closures and private parties with the room, so that its new places are not sold into them", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const room = playroomJson(8, { packages: [exclusive(8)], closures: [closure(8, "2026-12-25", "2026-12-25")] })
      yield* importRooms(room)
      yield* book(8, 8, 10, "10:00")
      yield* importRooms({ ...room, capacity: 30 })
      assert.deepStrictEqual(
        (yield* occupancyOf(8)).map((row) => row["units"]),
        ["{[0,30)}", "{[0,30)}"]
      )
      yield* importRooms({ ...room, capacity: 20 })
      assert.deepStrictEqual(
        (yield* occupancyOf(8)).map((row) => row["units"]),
        ["{[0,20)}", "{[0,20)}"]
      )
    })
  )

  it.effect("refuses a closure over bookings, names them and changes nothing", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const room = playroomJson(9)
      yield* importRooms(room)
      const booking = yield* book(9, 9, 4, "10:00")
      const refused = yield* Effect.flip(
        importRooms({ ...room, name: "Renamed", closures: [closure(9, "2026-12-05", "2026-12-05")] })
      )
      assert(refused._tag === "BookingsInTheWay")
      assert.deepStrictEqual(
        refused.bookings.map(({ reference, starts_at }) => [reference, starts_at]),
        [[booking.reference, Date.parse("2026-12-05T10:00:00Z")]]
      )
      assert.include(refused.message, booking.reference)
      assert.strictEqual(refused.bookings[0]?.why, "closure 2026-12-05 of Renamed, Repairs")
      const { playroom } = yield* Catalogue.use((catalogue) => catalogue.venue(idOf("playroom", 9)))
      assert.strictEqual(playroom.name, "Playroom 9")
      assert.strictEqual((yield* occupancyOf(9)).length, 1)
    })
  )

  const many = manyPlayrooms(61, 500)
  /** The same with other prices, and a closure over what `book` books of the last room. */
  const changed = {
    ...many,
    playrooms: many.playrooms.map((room, i) => ({
      ...room,
      packages: room.packages.map((pkg) => ({ ...pkg, name: `${pkg.name}, dearer` })),
      closures: i === 60 ? [closure(560, "2026-12-05", "2026-12-05")] : []
    }))
  }
  /** How many of these rooms have all packages of the changed file, and how many have some of them. */
  const changedRooms = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ all: number; some: number }>`select (count(*) filter (where dearer = 2))::int as all,
      (count(*) filter (where dearer = 1))::int as some
      from (select count(*) filter (where terms ->> 'name' like '%, dearer') as dearer from package
        where playroom_id between ${idOf("playroom", 500)} and ${idOf("playroom", 560)} group by playroom_id) rooms`
    return row
  })

  it.effect("in steps finds bookings in the way before the first, and then changes nothing", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      yield* importJson(many)
      const { reference } = yield* book(560, 1120, 4, "10:00")
      const refused = yield* Effect.flip(importJson(changed, { inSteps: true }))
      assert(refused._tag === "BookingsInTheWay")
      assert.deepStrictEqual(
        refused.bookings.map((one) => one.reference),
        [reference]
      )
      assert.deepStrictEqual(yield* changedRooms, { all: 0, some: 0 })
      assert.strictEqual((yield* occupancyOf(560)).length, 1)
      const planned = yield* importJson(changed, { inSteps: true, dryRun: true })
      assert.strictEqual(planned.in_the_way.length, 1)
      assert.strictEqual(planned.packages.changed, 122)
      assert.deepStrictEqual(yield* changedRooms, { all: 0, some: 0 })
      const { overridden } = yield* importJson(changed, { inSteps: true, force: true })
      assert.strictEqual(overridden.length, 1)
      assert.deepStrictEqual(yield* changedRooms, { all: 61, some: 0 })
      yield* importJson(many)
    })
  )

  it.effect("in steps stops where a booking came meanwhile, names it, and leaves each room whole", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      yield* importJson(many)
      const context = yield* Effect.context<BookingOptions | Bookings | Catalogue | SqlClient.SqlClient>()
      let booked = false
      const later = {
        ...changed,
        playrooms: changed.playrooms.map((room, i) => ({
          ...room,
          closures: i === 60 ? [closure(560, "2026-12-05T13:00:00Z", "2026-12-05T15:00:00Z")] : []
        }))
      }
      const unfinished = yield* Effect.flip(
        importJson(later, {
          inSteps: true,
          progress: () =>
            Effect.gen(function* () {
              assert.deepStrictEqual((yield* changedRooms)?.some, 0)
              if (booked) return
              booked = true
              yield* book(560, 1120, 3, "13:00")
            }).pipe(Effect.provide(context), Effect.orDie)
        })
      )
      assert(unfinished._tag === "ImportUnfinished")
      assert.include(unfinished.message, "48 of 61 playrooms were written")
      assert.match(
        unfinished.outcomes.map((one) => (one.outcome === "failed" ? Cause.pretty(one.cause) : "")).join(""),
        /bookings are in the way/
      )
      assert.deepStrictEqual(yield* changedRooms, { all: 48, some: 0 })
      yield* importJson(later, { inSteps: true, force: true })
      assert.deepStrictEqual(yield* changedRooms, { all: 61, some: 0 })
    })
  )

  it.effect("gives back the places of a hold whose time is up, where it would be in the way, and of no other", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const room = playroomJson(12)
      yield* importRooms(room)
      const closed = { ...room, closures: [closure(12, "2026-12-05", "2026-12-05")] }
      const lapsed = yield* book(12, 12, 4, "10:00")
      yield* setClock("2026-11-20T09:05:00Z")
      const alive = yield* book(12, 12, 3, "10:00")
      const paying = yield* book(12, 12, 2, "10:00")
      const asked = yield* book(12, 12, 1, "10:00")
      const sql = yield* SqlClient.SqlClient
      yield* sql`update booking set payment_status = 'processing' where booking_id = ${paying.booking_id}`
      yield* sql`update booking set awaiting_provider = true where booking_id = ${asked.booking_id}`
      yield* sql`update booking set hold_expires_at = '2026-11-20T09:15:00Z' where booking_id <> ${alive.booking_id}`
      const inTheWay = Effect.map(Effect.flip(importRooms(closed)), (refused) =>
        refused._tag === "BookingsInTheWay" ? refused.bookings.map(({ reference }) => reference) : refused._tag
      )
      yield* setClock("2026-11-20T09:14:59Z")
      const stay = [alive.reference, paying.reference, asked.reference]
      assert.sameMembers([...(yield* inTheWay)], [lapsed.reference, ...stay])
      yield* setClock("2026-11-20T09:15:00Z")
      assert.sameMembers([...(yield* inTheWay)], stay)

      yield* sql`update booking set payment_status = 'unpaid', awaiting_provider = false where status = 'held'`
      yield* setClock("2026-11-20T09:20:00Z")
      const { closures, overridden } = yield* importRooms(closed)
      assert.deepStrictEqual([closures.added, overridden], [1, []])
      for (const { booking_id } of [lapsed, alive, paying, asked]) {
        const bookings = yield* Bookings
        const bookingRecords = yield* BookingRecords
        const booking = yield* bookings.get(booking_id)
        const [, last] = yield* bookingRecords.history(booking)
        assert.deepStrictEqual([booking.status, last?.event], ["expired", "hold_expired"])
      }
      assert.deepStrictEqual(
        (yield* occupancyOf(12)).map(({ units, closed }) => [units, closed]),
        [["{[0,20)}", true]]
      )
    })
  )

  it.effect("closes around bookings where it is forced: they keep their places and nothing else can be sold", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const room = playroomJson(10, { packages: [packageJson(10)] })
      yield* importRooms(room)
      yield* book(10, 10, 4, "10:00")
      const report = yield* importJson(
        catalogueJson([{ ...room, closures: [closure(10, "2026-12-05T09:00:00Z", "2026-12-05T12:00:00Z")] }]),
        { force: true }
      )
      assert.strictEqual(report.overridden.length, 1)
      const rows = yield* occupancyOf(10)
      assert.deepStrictEqual(rows, [
        { units: "{[0,20)}", start: utc("2026-12-05T09:00:00"), end: utc("2026-12-05T10:00:00"), closed: true },
        { units: "{[0,4)}", start: utc("2026-12-05T10:00:00"), end: utc("2026-12-05T11:00:00"), closed: false },
        { units: "{[4,20)}", start: utc("2026-12-05T10:00:00"), end: utc("2026-12-05T11:00:00"), closed: true },
        { units: "{[0,20)}", start: utc("2026-12-05T11:00:00"), end: utc("2026-12-05T12:00:00"), closed: true }
      ])
    })
  )

  it.effect("refuses to make a room or a stock smaller than what is booked", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const room = playroomJson(11)
      yield* importRooms(room)
      yield* book(11, 11, 9, "10:00")
      const smaller = { ...room, capacity: 8, packages: [packageJson(11, { max_children: 8 })] }
      const refused = yield* Effect.flip(importRooms(smaller))
      assert(refused._tag === "BookingsInTheWay")
      assert.include(refused.message, ": Playroom 11 has only 8 now")
      yield* importRooms({ ...room, capacity: 10 })
      assert.strictEqual((yield* importJson(catalogueJson([smaller]), { force: true })).overridden.length, 1)
    })
  )

  it.effect("counts what live bookings have of an add-on when it gets stock, and names those who have too much", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const machine = {
        add_on_id: AddOnId.make(idOf("addon", 13)),
        name: "Bubble machine",
        unit: "per_item" as const,
        unit_amount: 1200,
        max_quantity: 5
      }
      const room = playroomJson(13, { add_ons: [machine] })
      const withStock = (stock: number, changes = {}) => ({
        ...room,
        add_ons: [{ ...machine, stock, max_quantity: Math.min(5, stock), ...changes }]
      })
      const add_ons = (quantity: number) => [{ add_on_id: machine.add_on_id, quantity }]
      const counted = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ units: string }>`select units::text as units from occupancy
          where resource_id = ${machine.add_on_id} order by lower(during), lower(units)`
        return rows.map(({ units }) => units)
      })
      yield* importRooms(room)
      const early = yield* book(13, 13, 1, "09:00", add_ons(3))
      const late = yield* book(13, 13, 2, "09:00", add_ons(2))
      yield* book(13, 13, 3, "11:00", add_ons(2))

      const refused = yield* Effect.flip(importRooms(withStock(2)))
      assert(refused._tag === "BookingsInTheWay")
      assert.sameMembers(
        refused.bookings.map(({ reference }) => reference),
        [early.reference, late.reference]
      )
      assert.include(refused.message, "has only 2 now")
      assert.deepStrictEqual(yield* counted, [])

      // Five were had at once: five are enough. At eleven three more may be sold, at nine none.
      yield* importRooms(withStock(5))
      assert.deepStrictEqual(yield* counted, ["{[0,3)}", "{[3,5)}", "{[0,2)}"])
      const refusal = yield* Effect.flip(book(13, 13, 4, "09:00", add_ons(4)))
      assert.strictEqual(refusal._tag, "NoOption")
      yield* book(13, 13, 5, "11:00", add_ons(3))
      assert.strictEqual((yield* Effect.flip(book(13, 13, 6, "11:00", add_ons(1))))._tag, "NoOption")

      // Without stock nothing is counted; with stock again all that was sold meanwhile is, by the unit that it was sold
      // by.
      yield* importRooms(room)
      assert.deepStrictEqual(yield* counted, [])
      yield* book(13, 13, 7, "11:00", add_ons(4))
      const again = yield* Effect.flip(importRooms(withStock(5, { unit: "per_child", max_quantity: 1 })))
      assert(again._tag === "BookingsInTheWay")
      assert.lengthOf(again.bookings, 1)
      const forced = yield* importJson(catalogueJson([withStock(5)]), { force: true })
      assert.lengthOf(forced.overridden, 1)
      assert.deepStrictEqual(yield* counted, ["{[0,3)}", "{[3,5)}", "{[0,2)}", "{[2,5)}", "{[5,9)}"])
      assert.strictEqual((yield* Effect.flip(book(13, 13, 8, "11:00", add_ons(1))))._tag, "NoOption")

      // Off sale and back, the count is what it was; so it is when the same file comes again.
      yield* importRooms({ ...room, add_ons: [] })
      yield* importJson(catalogueJson([withStock(9)]), {})
      yield* importJson(catalogueJson([withStock(9)]), {})
      assert.deepStrictEqual(yield* counted, ["{[0,3)}", "{[3,5)}", "{[0,2)}", "{[2,5)}", "{[5,9)}"])
    })
  )

  it.effect(
    "gives a hold that is paid late its add-ons only while they last, also where stock was given meanwhile",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        const machine = {
          add_on_id: AddOnId.make(idOf("addon", 14)),
          name: "Bubble machine",
          unit: "per_booking" as const,
          unit_amount: 1200,
          max_quantity: 1
        }
        const room = playroomJson(14, { add_ons: [machine] })
        const add_ons = [{ add_on_id: machine.add_on_id, quantity: 1 }]
        yield* importRooms(room)
        const first = yield* book(14, 14, 1, "10:00", add_ons)
        yield* setClock("2026-11-20T10:00:00Z")
        yield* Claims.use((claims) => claims.releaseLapsed([first.booking_id]))
        yield* importRooms({ ...room, add_ons: [{ ...machine, stock: 1 }] })
        yield* book(14, 14, 2, "10:00", add_ons)
        const retaken = Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const bookings = yield* Bookings
          return yield* sql.withTransaction(placesAgain(yield* bookings.get(first.booking_id)))
        })
        assert.isFalse(yield* retaken)
        yield* importRooms(room)
        assert.isTrue(yield* retaken)
      })
  )

  it.effect("finds its closures as they are when a catalogue that it exported comes back, also around bookings", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const file = yield* CatalogueFile
      const exported = yield* file.exportFile
      assert.isAbove(exported.playrooms.flatMap(({ closures }) => closures).length, 0)
      const report = yield* file.importFile(JSON.parse(JSON.stringify(exported)))
      assert.deepStrictEqual(report.closures, { added: 0, changed: 0, removed: 0 })
      assert.deepStrictEqual(report.overridden, [])
      assert.deepStrictEqual(yield* file.exportFile, exported)
    })
  )

  it.effect("are told of by a dry run, forced or not, which leaves everything as it is", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      yield* importRooms(playroomJson(60))
      const { reference } = yield* book(60, 60, 2, "10:00")
      const closed = catalogueJson([playroomJson(60, { closures: [closure(60, "2026-12-05", "2026-12-05")] })])
      const before = yield* CatalogueFile.use((file) => file.exportFile)
      const planned = yield* importJson(closed, { dryRun: true })
      assert.deepStrictEqual(
        planned.in_the_way.map((it) => it.reference),
        [reference]
      )
      assert.strictEqual((yield* Effect.flip(importJson(closed)))._tag, "BookingsInTheWay")
      const forced = yield* importJson(closed, { dryRun: true, force: true })
      assert.deepStrictEqual([forced.in_the_way.length, forced.overridden[0]?.reference], [0, reference])
      assert.deepStrictEqual(yield* CatalogueFile.use((file) => file.exportFile), before)
      assert.deepStrictEqual((yield* importJson(closed, { force: true })).overridden, forced.overridden)
    })
  )
})
