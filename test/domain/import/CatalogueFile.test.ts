import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Result, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { Catalogue } from "../../../src/domain/catalogue/Catalogue.ts"
import type { Question } from "../../../src/domain/catalogue/Questions.ts"
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
import { changedFields, sameJson } from "../../../src/domain/import/CatalogueChanges.ts"
import type { Imported } from "../../../src/domain/import/Imported.ts"
import { openingHoursFrom, openingHoursText } from "../../../src/domain/import/CatalogueSchema.ts"

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

  it.effect("D4: keeps rates of tax of playroom, package and add-on, tells their changes, and exports them", () =>
    Effect.gen(function* () {
      const changes = [{ from: "2027-01-01", rate_percent: 21 }]
      const food = { name: "Food", unit: "per_child", unit_amount: 600, max_quantity: 1 } as const
      const addOn = { add_on_id: idOf("addon", 33), ...food }
      const room = (rate_percent: number) =>
        playroomJson(33, {
          tax: { rate_percent: 20, included: true, changes },
          packages: [{ ...packageJson(33), tax: { rate_percent: 15, changes } }],
          add_ons: [{ ...addOn, tax: { rate_percent, changes } }]
        })
      yield* importRooms(room(10))
      const sold = Catalogue.use((catalogue) => catalogue.venue(idOf("playroom", 33)))
      const { add_ons, packages, playroom } = yield* sold
      assert.deepStrictEqual(
        [playroom.tax, packages[0]?.tax, add_ons[0]?.tax],
        [
          { rate_percent: 20, included: true, changes },
          { rate_percent: 15, changes },
          { rate_percent: 10, changes }
        ]
      )
      assert.deepStrictEqual((yield* importRooms(room(10))).add_ons, { added: 0, changed: 0, unchanged: 1 })
      const { changes: told } = yield* importRooms(room(9))
      assert.deepStrictEqual(
        told.flatMap(({ fields }) => fields),
        [{ field: "tax.rate_percent", was: "10", becomes: "9" }]
      )
      const exported = yield* CatalogueFile.use((file) => file.exportFile)
      const again = yield* CatalogueFile.use((file) => file.importFile(JSON.parse(JSON.stringify(exported))))
      assert.deepStrictEqual(again.changes, [])
      yield* importRooms(playroomJson(33, { packages: [packageJson(33)], add_ons: [addOn] }))
      const plain = yield* sold
      assert.deepStrictEqual([plain.packages[0]?.tax, plain.add_ons[0]?.tax], [undefined, undefined])
    })
  )

  it.effect("keeps a package's questions, tells their changes, exports them, and names those that can't be asked", () =>
    Effect.gen(function* () {
      const cake = { slug: "cake", text: "Which cake?", options: ["chocolate", "carrot"], required: true }
      const room = (questions: ReadonlyArray<Question>) =>
        playroomJson(34, { packages: [{ ...packageJson(34), questions }] })
      yield* importRooms(room([cake]))
      const { packages } = yield* Catalogue.use((catalogue) => catalogue.venue(idOf("playroom", 34)))
      assert.deepStrictEqual(packages[0]?.questions, [cake])
      assert.deepStrictEqual((yield* importRooms(room([cake]))).packages, { added: 0, changed: 0, unchanged: 1 })
      const { changes } = yield* importRooms(room([{ ...cake, text: "Which cake is it?" }]))
      assert.deepStrictEqual(
        changes.flatMap(({ fields }) => fields.map(({ field }) => field)),
        ["questions[0].text"]
      )
      const exported = yield* CatalogueFile.use((file) => file.exportFile)
      const again = yield* CatalogueFile.use((file) => file.importFile(JSON.parse(JSON.stringify(exported))))
      assert.deepStrictEqual(again.changes, [])
      for (const [wrong, says] of [
        [[cake, cake], "Question cake is already at"],
        [[{ ...cake, options: ["carrot", "carrot"] }], "Option carrot is already at"],
        [[{ ...cake, options: ["carrot"] }], "at least two options"],
        [[{ ...cake, slug: "Which cake" }], "Expected lower-case letters"],
        [[{ ...cake, text: "x".repeat(161) }], "160"],
        [Array.from({ length: 11 }, (_, i) => ({ slug: `q${i}`, text: "Why?" })), "at most 10 questions"],
        [
          Array.from({ length: 4 }, (_, i) => ({ slug: `q${i}`, text: "Why?", before: true })),
          "at most 3 questions that are asked before"
        ]
      ] as const)
        assert.include((yield* Effect.flip(importRooms(room(wrong)))).message, says)
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

const cake = (changes: object = {}) => ({
  add_on_id: idOf("addon", 1),
  name: "Cake",
  unit: "per_item" as const,
  unit_amount: 3000,
  max_quantity: 2,
  ...changes
})
const closure = (n: number, from: string, to: string, reason = "Repairs") => ({
  closure_id: idOf("closure", n),
  from,
  to,
  reason
})
/** A dry run does not name the ids of what is new. */
const withoutIds = (done: Imported): Imported => ({
  ...done,
  changes: done.changes.map((line) => (line.change === "added" ? Struct.omit(line, ["id"]) : line)),
  slugs: done.slugs.filter(({ added }) => !added)
})
const free = { base: 0, included_children: 0, extra_child: 750, adult: 0, rules: [] }

layer(world)("a dry run of an import", (it) => {
  it.effect("says field by field what an import then does, and writes nothing", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const file = yield* CatalogueFile
      yield* importRooms(
        playroomJson(1, {
          packages: [packageJson(1), packageJson(101, { name: "Old play" })],
          add_ons: [cake()],
          closures: [closure(1, "2026-12-25", "2026-12-25"), closure(2, "2026-12-28", "2026-12-28")]
        }),
        playroomJson(2)
      )
      const next = catalogueJson(
        [
          playroomJson(1, {
            name: "The Den",
            opening_hours: [{ weekday: "saturday", opens: "10:00", closes: "18:00" }],
            packages: [
              packageJson(1, {
                pricing: { ...free, extra_child: 800 },
                cancellation: [
                  { hours_before: 48, refund_percent: 100 },
                  { hours_before: 24, refund_percent: 50 }
                ]
              }),
              packageJson(102, { name: "New play" })
            ],
            add_ons: [cake({ unit_amount: 3550, stock: 4 })],
            closures: [closure(1, "2026-12-25", "2026-12-26")]
          }),
          playroomJson(2),
          playroomJson(3)
        ],
        [operatorJson(1, { name: "Play Ltd" })]
      )
      const before = yield* file.exportFile
      const planned = yield* importJson(next, { dryRun: true })
      assert.deepStrictEqual(yield* file.exportFile, before)
      assert.deepStrictEqual(
        planned.changes.map(({ change, fields, kind, name }) => [
          `${change} ${kind} ${name}`,
          ...fields.map(({ becomes, field, was }) => `${field}: ${was} → ${becomes}`)
        ]),
        [
          ["changed operator Play Ltd", "name: Operator 1 → Play Ltd"],
          [
            "changed playroom The Den",
            "name: Playroom 1 → The Den",
            "opening_hours: mon-sun 09:00-17:00 → sat 10:00-18:00"
          ],
          [
            "changed package Open play",
            "pricing.extra_child: £7.50 → £8.00",
            "cancellation[0].hours_before: 24 → 48",
            "cancellation[1].hours_before: undefined → 24",
            "cancellation[1].refund_percent: undefined → 50"
          ],
          ["added package New play"],
          ["off_sale package Old play"],
          ["changed add_on Cake", "unit_amount: £30.00 → £35.50", "stock: undefined → 4"],
          ["changed closure 2026-12-25 to 2026-12-26, Repairs", "to: 2026-12-25 → 2026-12-26"],
          ["removed closure 2026-12-28 to 2026-12-28, Repairs"],
          ["added playroom Playroom 3"],
          ["added package Open play"]
        ]
      )
      const done = yield* importJson(next)
      assert.deepStrictEqual(withoutIds(done), planned)
      const lines = (kind: string, change: string) =>
        done.changes.filter((line) => line.kind === kind && line.change === change).length
      assert.deepStrictEqual(
        [done.operators, done.playrooms, done.packages, done.add_ons].map((counts) => [counts.added, counts.changed]),
        ["operator", "playroom", "package", "add_on"].map((kind) => [lines(kind, "added"), lines(kind, "changed")])
      )
      assert.deepStrictEqual(
        Object.values(done.closures),
        ["added", "changed", "removed"].map((change) => lines("closure", change))
      )
      assert.deepStrictEqual((yield* importJson(next, { dryRun: true })).changes, [])
    })
  )

  it.effect("finds all as it was where an import came before it, down to a playroom alone that differs", () =>
    Effect.gen(function* () {
      const rooms = [20, 21, 22].map((n) => playroomJson(n))
      yield* importRooms(...rooms)
      const sql = yield* SqlClient.SqlClient
      const versions = sql`select playroom_id, catalogue_version(playroom_id) as version from playroom order by 1`
      const before = yield* versions
      const { playrooms } = yield* importRooms(
        ...rooms.map((room, i) => (i === 1 ? { ...room, house_rules: "Shoes off." } : room))
      )
      assert.deepStrictEqual(playrooms, { added: 0, changed: 1, unchanged: 2 })
      const after = yield* versions
      assert.deepStrictEqual(
        before.filter((row, i) => !sameJson(row, after[i])).map((row) => row["playroom_id"]),
        [idOf("playroom", 21)]
      )
    })
  )
})

describe("the fields of a change", () => {
  it("are leaves of JSON: amounts as money of their own currency, lists of texts whole, other lists by place", () => {
    const was = { price: { base: 100 }, tags: ["a", "b"], rules: [{ change: { amount: -50 } }], kept: 1 }
    const becomes = { price: { base: 200 }, tags: ["a"], rules: [], kept: 1, more: true }
    assert.deepStrictEqual(changedFields(was, becomes, ["GBP", "JPY"]), [
      { field: "price.base", was: "£1.00", becomes: "JP¥200" },
      { field: "tags", was: "a, b", becomes: "a" },
      { field: "rules[0].change.amount", was: "-£0.50" },
      { field: "more", becomes: "true" }
    ])
  })

  it("are none where only the order of members or a null differs", () => {
    assert.isTrue(sameJson({ a: 1, b: null }, { a: 1 }))
    assert.isTrue(sameJson({ a: 1, b: [2] }, { b: [2], a: 1 }))
    assert.isFalse(sameJson([1, 2], [2, 1]))
    assert.isFalse(sameJson([], {}))
    assert.isFalse(sameJson({ a: undefined }, { a: false }))
  })
})

describe("opening hours as a text", () => {
  it("are read as they are written", () => {
    const text = "mon-wed fri 09:00-12:00, 14:00-18:00; sat 10:00-24:00; sun 18:00-02:00"
    const hours = Result.getOrThrow(openingHoursFrom(text))
    assert.strictEqual(hours.length, 10)
    assert.strictEqual(openingHoursText(hours), text)
    assert.deepStrictEqual(Result.getOrThrow(openingHoursFrom("Monday 09:00-10:00")), [
      { weekday: "monday", opens: "09:00", closes: "10:00" }
    ])
    assert.strictEqual(
      openingHoursText(Result.getOrThrow(openingHoursFrom("sat-mon, thursday 10:00 - 12:00"))),
      "mon thu sat-sun 10:00-12:00"
    )
    assert.deepStrictEqual(Result.getOrThrow(openingHoursFrom("")), [])
  })

  it("that are not understood are refused with the part that is wrong", () => {
    for (const [text, part] of [
      ["mon-fri 9:00-18:00", "9:00-18:00"],
      ["mon-fri 09:00-18:00; holidays 10:00-12:00", "holidays 10:00-12:00"],
      ["09:00-18:00", "09:00-18:00"],
      ["mo-fr 09:00-18:00", "mo-fr"],
      ["mon-fri 09:00-18:00-20:00", "09:00-18:00-20:00"],
      ["mon 09:00", "09:00"],
      ["mon-tue-wed 09:00-10:00", "mon-tue-wed"]
    ] as const) {
      const failure = Result.getFailure(openingHoursFrom(text))
      assert(failure._tag === "Some", text)
      assert.include(failure.value, part)
    }
  })
})
