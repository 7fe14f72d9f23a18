import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Catalogue } from "../../../src/domain/catalogue/Catalogue.ts"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { parseCatalogue } from "../../../src/domain/import/ParseCatalogue.ts"
import demo from "../../../src/domain/import/demo.json" with { type: "json" }
import { bookingServices, importOnly, setClock } from "../../support/BookingWorld.ts"
import {
  catalogueJson,
  idOf,
  importJson,
  importRooms,
  operatorJson,
  packageJson,
  playroomJson
} from "../../support/catalogues.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const world = bookingServices().pipe(Layer.provideMerge(TestDatabase.layer))

layer(world)("importing a catalogue file", (it) => {
  it.effect("adds, then finds all as it was, then changes what differs", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
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
        (yield* catalogue.venueOfPackage(idOf("package", 2))).venue.playroom.playroom_id,
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
      yield* setClock("2026-11-20T09:00:00Z")
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
      yield* setClock("2026-11-20T09:00:00Z")
      const file = yield* CatalogueFile
      assert.isTrue(yield* file.loadDemo)
      assert.isFalse(yield* file.loadDemo)
      const exported = yield* parseCatalogue(yield* file.exportFile)
      assert.deepStrictEqual(exported, yield* parseCatalogue(demo))
    })
  )
})
