import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { BookingOptions } from "../../src/booking/BookingOptions.ts"
import { Bookings } from "../../src/booking/Bookings.ts"
import { Catalogue } from "../../src/catalogue/Catalogue.ts"
import { CatalogueFile, parseCatalogue } from "../../src/catalogue/CatalogueFile.ts"
import demo from "../../src/catalogue/demo.json" with { type: "json" }
import { at, bookingServices, contact, importOnly, principal } from "../support/BookingWorld.ts"
import {
  catalogueJson,
  idOf,
  operatorJson,
  packageJson,
  type PlayroomJson,
  playroomJson
} from "../support/catalogues.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const world = bookingServices().pipe(Layer.provideMerge(TestDatabase.layer))

const importJson = (json: unknown, options?: { readonly force?: boolean }) =>
  CatalogueFile.use((file) => file.importFile(json, options))
const importRooms = (...playrooms: ReadonlyArray<PlayroomJson>) => importJson(catalogueJson(playrooms))

/** Books a party of children at a clock time of 5 December 2026. */
const book = Effect.fnUntraced(function* (playroom: number, pkg: number, children: number, start_after: string) {
  const options = yield* BookingOptions
  const { options: found } = yield* options.list({
    playroom_id: (yield* Catalogue.use((catalogue) => catalogue.venue(idOf("playroom", playroom)))).playroom
      .playroom_id,
    date: "2026-12-05",
    children,
    start_after
  })
  const option = found.find(({ package_id }) => package_id === idOf("package", pkg)) ?? assert.fail("no option")
  return yield* Bookings.use((bookings) =>
    bookings.create(principal(`key_${playroom}`), {
      option_id: option.option_id,
      contact: contact(`p${playroom}-${pkg}-${children}`)
    })
  )
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

layer(world)("importing a catalogue file", (it) => {
  it.effect("adds, then finds all as it was, then changes what differs", () =>
    Effect.gen(function* () {
      yield* at("2026-11-20T09:00:00Z")
      const first = yield* importRooms(playroomJson(1))
      assert.deepStrictEqual(first.playrooms, { added: 1, changed: 0, unchanged: 0 })
      assert.deepStrictEqual(first.packages, { added: 1, changed: 0, unchanged: 0 })
      const again = yield* importRooms(playroomJson(1))
      assert.deepStrictEqual(again.playrooms, { added: 0, changed: 0, unchanged: 1 })
      assert.deepStrictEqual(again.operators, { added: 0, changed: 0, unchanged: 1 })
      const changed = yield* importRooms(playroomJson(1, { name: "The <b>Den</b>\u202e" }))
      assert.deepStrictEqual(changed.playrooms, { added: 0, changed: 1, unchanged: 0 })
      const venue = yield* Catalogue.use((catalogue) => catalogue.venue(idOf("playroom", 1)))
      assert.strictEqual(venue.playroom.name, "The Den")
    })
  )

  it.effect("takes packages and add-ons that it no longer has off sale, and names playrooms that it does not", () =>
    Effect.gen(function* () {
      const addOn = {
        add_on_id: idOf("addon", 2),
        name: "Cake",
        unit: "per_item",
        unit_amount: 3000,
        max_quantity: 2,
        stock: 2
      } as const
      yield* importRooms(
        playroomJson(2, { packages: [packageJson(2), packageJson(102)], add_ons: [addOn] }),
        playroomJson(3)
      )
      const report = yield* importRooms(playroomJson(2, { packages: [packageJson(102)] }))
      assert.deepStrictEqual(report.off_sale, [idOf("package", 2), idOf("addon", 2)])
      assert.include(report.playrooms_not_in_file, idOf("playroom", 3))
      assert.notInclude(report.playrooms_not_in_file, idOf("playroom", 2))
      const catalogue = yield* Catalogue
      const venue = yield* catalogue.venue(idOf("playroom", 2))
      assert.deepStrictEqual(
        venue.packages.map(({ package_id }) => String(package_id)),
        [idOf("package", 102)]
      )
      assert.deepStrictEqual(venue.add_ons, [])
      assert.strictEqual((yield* Effect.flip(catalogue.venueOfPackage(idOf("package", 2))))._tag, "PackageNotFound")
      yield* importRooms(playroomJson(2, { packages: [packageJson(2)], add_ons: [addOn] }))
      assert.strictEqual(
        (yield* catalogue.venueOfPackage(idOf("package", 2))).playroom.playroom_id,
        venue.playroom.playroom_id
      )
    })
  )

  it.effect("leaves a playroom that the file unlists in place, but answers it no more", () =>
    Effect.gen(function* () {
      yield* importRooms(playroomJson(4, { listed: false }))
      const catalogue = yield* Catalogue
      assert.strictEqual((yield* Effect.flip(catalogue.venue(idOf("playroom", 4))))._tag, "PlayroomNotFound")
      assert.strictEqual((yield* Effect.flip(catalogue.view(idOf("playroom", 4))))._tag, "PlayroomNotFound")
    })
  )

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
      yield* at("2026-11-20T09:00:00Z")
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
      yield* at("2026-11-20T09:00:00Z")
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
      const { playroom } = yield* Catalogue.use((catalogue) => catalogue.venue(idOf("playroom", 9)))
      assert.strictEqual(playroom.name, "Playroom 9")
      assert.strictEqual((yield* occupancyOf(9)).length, 1)
    })
  )

  it.effect("gives back the places of a hold whose time is up, where it would be in the way, and of no other", () =>
    Effect.gen(function* () {
      yield* at("2026-11-20T09:00:00Z")
      const room = playroomJson(12)
      yield* importRooms(room)
      const closed = { ...room, closures: [closure(12, "2026-12-05", "2026-12-05")] }
      const lapsed = yield* book(12, 12, 4, "10:00")
      yield* at("2026-11-20T09:05:00Z")
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
      yield* at("2026-11-20T09:14:59Z")
      const stay = [alive.reference, paying.reference, asked.reference]
      assert.sameMembers([...(yield* inTheWay)], [lapsed.reference, ...stay])
      yield* at("2026-11-20T09:15:00Z")
      assert.sameMembers([...(yield* inTheWay)], stay)

      yield* sql`update booking set payment_status = 'unpaid', awaiting_provider = false where status = 'held'`
      yield* at("2026-11-20T09:20:00Z")
      const { closures, overridden } = yield* importRooms(closed)
      assert.deepStrictEqual([closures.added, overridden], [1, []])
      for (const { booking_id } of [lapsed, alive, paying, asked]) {
        const bookings = yield* Bookings
        const booking = yield* bookings.get(booking_id)
        const [, last] = yield* bookings.history(booking)
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
      yield* at("2026-11-20T09:00:00Z")
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
      yield* at("2026-11-20T09:00:00Z")
      const room = playroomJson(11)
      yield* importRooms(room)
      yield* book(11, 11, 9, "10:00")
      const smaller = { ...room, capacity: 8, packages: [packageJson(11, { max_children: 8 })] }
      const refused = yield* Effect.flip(importRooms(smaller))
      assert(refused._tag === "BookingsInTheWay")
      assert.include(refused.message, "has only 8 now")
      yield* importRooms({ ...room, capacity: 10 })
      assert.strictEqual((yield* importJson(catalogueJson([smaller]), { force: true })).overridden.length, 1)
    })
  )

  it.effect("keeps what payments and commands decided about an operator", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const billed = operatorJson(20, { billing_customer_id: "cus_20", paid_through: "2026-12-01T00:00:00.000Z" })
      const room = playroomJson(20, { operator_id: idOf("operator", 20) })
      yield* importJson(catalogueJson([room], [billed]))
      yield* sql`update operator set paid_through = '2027-06-01T00:00:00Z', suspended_at = '2026-11-01T00:00:00Z' where operator_id = ${idOf("operator", 20)}`
      yield* importJson(catalogueJson([room], [billed]))
      const { operator } = yield* Catalogue.use((catalogue) => catalogue.venue(idOf("playroom", 20)))
      assert.strictEqual(operator.paid_through, Date.parse("2027-06-01T00:00:00Z"))
      assert.strictEqual(operator.suspended_at, Date.parse("2026-11-01T00:00:00Z"))
    })
  )

  it.effect("refuses ids that the database knows as someone else's", () =>
    Effect.gen(function* () {
      yield* importRooms(playroomJson(21))
      const refused = yield* Effect.flip(
        importJson(
          catalogueJson(
            [
              playroomJson(21, { operator_id: idOf("operator", 22), packages: [packageJson(121)] }),
              playroomJson(22, { packages: [packageJson(21)] }),
              playroomJson(23, { operator_id: idOf("operator", 99) })
            ],
            [operatorJson(22, { connected_account_id: "acct_1" })]
          )
        )
      )
      assert(refused._tag === "CatalogueInvalid")
      assert.sameMembers(
        refused.issues.map(({ path }) => path),
        [
          "playrooms[0].operator_id",
          "playrooms[1].packages[0]",
          "playrooms[2].operator_id",
          "operators[0].connected_account_id"
        ]
      )
    })
  )

  it.effect("changes nothing when a catalogue that it exported comes back", () =>
    Effect.gen(function* () {
      yield* at("2026-11-20T09:00:00Z")
      const file = yield* CatalogueFile
      const exported = yield* file.exportFile
      const report = yield* file.importFile(JSON.parse(JSON.stringify(exported)))
      for (const part of ["operators", "playrooms", "packages", "add_ons"] as const) {
        assert.include(report[part], { added: 0, changed: 0 })
        assert.isAbove(report[part].unchanged, 0)
      }
      assert.deepStrictEqual(report.closures, { added: 0, changed: 0, removed: 0 })
      assert.deepStrictEqual([report.off_sale, report.playrooms_not_in_file, report.overridden], [[], [], []])
      assert.deepStrictEqual(yield* file.exportFile, exported)
    })
  )

  it.effect("never puts the demo over someone's data", () =>
    Effect.gen(function* () {
      assert.isFalse(yield* CatalogueFile.use((file) => file.loadDemo))
      assert.strictEqual(
        (yield* Effect.flip(Catalogue.use((it) => it.venue(demo.playrooms[0]?.playroom_id ?? ""))))._tag,
        "PlayroomNotFound"
      )
    })
  )
})

layer(Layer.provideMerge(Layer.mergeAll(importOnly, Catalogue.layer), TestDatabase.layer))("the demo", (it) => {
  it.effect("loads into an empty database once, and comes back as it was", () =>
    Effect.gen(function* () {
      yield* at("2026-11-20T09:00:00Z")
      const file = yield* CatalogueFile
      assert.isTrue(yield* file.loadDemo)
      assert.isFalse(yield* file.loadDemo)
      const exported = yield* parseCatalogue(yield* file.exportFile)
      assert.deepStrictEqual(exported, yield* parseCatalogue(demo))
    })
  )
})
