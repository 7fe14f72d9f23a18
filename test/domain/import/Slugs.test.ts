import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import type { Imported } from "../../../src/domain/import/Imported.ts"
import { importOnly, setClock } from "../../support/BookingWorld.ts"
import { catalogueJson, idOf, importJson, operatorJson, packageJson, playroomJson } from "../../support/catalogues.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

type Json = ReturnType<typeof catalogueJson>
type Playroom = Json["playrooms"][number]
type Package = Playroom["packages"][number]
type AddOn = NonNullable<Playroom["add_ons"]>[number]

const operator = (slug: string, changes: Partial<Json["operators"][number]> = {}): Json["operators"][number] => ({
  slug,
  name: "Slugs",
  ...changes
})
const pkg = (slug: string, changes: Partial<Package> = {}): Package => {
  const { package_id: _, ...rest } = packageJson(1)
  return { ...rest, slug, ...changes }
}
const cake: AddOn = { slug: "cake", name: "Cake", unit: "per_booking", unit_amount: 1000, max_quantity: 1, stock: 2 }
const room = (slug: string, owner: string, changes: Partial<Playroom> = {}): Playroom => {
  const { operator_id: _, playroom_id: __, ...rest } = playroomJson(1)
  return { ...rest, slug, operator: owner, packages: [pkg("party")], add_ons: [cake], ...changes }
}
const file = (owner: string, ...playrooms: ReadonlyArray<Playroom>): Json => catalogueJson(playrooms, [operator(owner)])
const idsOf = ({ slugs }: Imported) =>
  Object.fromEntries(slugs.map(({ kind, slug, within, id }) => [`${kind} ${within ?? ""}/${slug}`, id]))
const faultsOf = (json: unknown) =>
  Effect.map(Effect.flip(importJson(json)), (fault) =>
    fault._tag === "CatalogueInvalid" ? fault.issues.map(({ path, message }) => `${path}: ${message}`) : [fault._tag]
  )
const unchanged = ({ add_ons, closures, operators, packages, playrooms }: Imported) =>
  [operators, playrooms, packages, add_ons].every(({ added, changed }) => added + changed === 0) &&
  closures.added + closures.changed + closures.removed === 0

layer(Layer.provideMerge(importOnly, TestDatabase.layer))("a catalogue file with slugs", (it) => {
  it.effect("gets ids at its first import, and the same ones at the next, which changes nothing", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const closures = [
        { slug: "holidays", from: "2026-12-24", to: "2026-12-26", reason: "Holidays" },
        { from: "2027-01-01", to: "2027-01-01", reason: "New year" }
      ]
      const json = file("first", room("small", "first", { closures }), room("large", "first"))
      const first = yield* importJson(json)
      assert.deepStrictEqual(
        first.slugs.map(({ added }) => added),
        first.slugs.map(() => true)
      )
      const again = yield* importJson(json)
      assert.isTrue(unchanged(again), JSON.stringify(again))
      assert.deepStrictEqual(idsOf(again), idsOf(first))
      assert.isFalse(again.slugs.some(({ added }) => added))
      assert.sameMembers(Object.keys(idsOf(first)), [
        "operator /first",
        "playroom /small",
        "playroom /large",
        "package small/party",
        "package large/party",
        "add_on small/cake",
        "add_on large/cake",
        "closure small/holidays"
      ])
      assert.strictEqual(new Set(Object.values(idsOf(first))).size, 8)
    })
  )

  it.effect("exports ids and slugs, and the export changes nothing", () =>
    Effect.gen(function* () {
      const closures = [{ slug: "repairs", from: "2027-02-01", to: "2027-02-02", reason: "Repairs" }]
      const ids = idsOf(yield* importJson(file("second", room("den", "second", { closures }))))
      const exported = yield* CatalogueFile.use((it) => it.exportFile)
      const den = exported.playrooms.find(({ playroom_id }) => playroom_id === ids["playroom /den"])
      assert(den !== undefined)
      assert.strictEqual(den.slug, "den")
      assert.strictEqual(den.operator_id, ids["operator /second"])
      assert.deepInclude(den.packages[0], { package_id: ids["package den/party"] ?? "", slug: "party" })
      assert.deepInclude(den.add_ons?.[0], { add_on_id: ids["add_on den/cake"] ?? "", slug: "cake" })
      assert.deepInclude(den.closures?.[0], { closure_id: ids["closure den/repairs"] ?? "", slug: "repairs" })
      const again = yield* importJson(exported)
      assert.isTrue(unchanged(again), JSON.stringify(again))
      // What a slug is called is no part of what is sold.
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select 1 from package where terms ? 'slug'`, [])
    })
  )

  it.effect("gives a package that comes back its old id", () =>
    Effect.gen(function* () {
      const both = room("hall", "third", { packages: [pkg("party"), pkg("play")] })
      const ids = idsOf(yield* importJson(file("third", both)))
      const without = yield* importJson(file("third", room("hall", "third")))
      assert.deepStrictEqual(without.off_sale, [ids["package hall/play"] ?? ""])
      const back = yield* importJson(file("third", both))
      assert.strictEqual(idsOf(back)["package hall/play"], ids["package hall/play"])
      assert.deepStrictEqual(back.packages, { added: 0, changed: 1, unchanged: 1 })
    })
  )

  it.effect("changes a slug where the id stands beside the new one, also of two things with each other", () =>
    Effect.gen(function* () {
      const packages = [pkg("long"), pkg("short")]
      const ids = idsOf(yield* importJson(file("fourth", room("loft", "fourth", { packages }))))
      const [long = "", short = ""] = [ids["package loft/long"], ids["package loft/short"]]
      const swapped = [pkg("short", { package_id: long }), pkg("long", { package_id: short })]
      const done = yield* importJson(file("fourth", room("loft", "fourth", { packages: swapped })))
      assert.deepStrictEqual(done.packages, { added: 0, changed: 0, unchanged: 2 })
      assert.strictEqual(idsOf(done)["package loft/short"], long)
      // The old slug of a thing that has a new one is free again.
      const freed = [pkg("birthday", { package_id: long }), pkg("short"), pkg("long")]
      const added = yield* importJson(file("fourth", room("loft", "fourth", { packages: freed })))
      assert.deepStrictEqual(added.packages, { added: 1, changed: 1, unchanged: 1 })
      assert.strictEqual(idsOf(added)["package loft/long"], short)
      assert.notStrictEqual(idsOf(added)["package loft/short"], long)
    })
  )

  it.effect("takes a thing's slug from the file that first gives it one, and keeps it for files that do not", () =>
    Effect.gen(function* () {
      yield* importJson(catalogueJson([playroomJson(50)]))
      const named = playroomJson(50, { slug: "fifty", packages: [packageJson(50, { slug: "play" })] })
      const done = yield* importJson(catalogueJson([named]))
      assert.isTrue(unchanged(done))
      assert.deepStrictEqual(
        done.slugs.map(({ id }) => id),
        [idOf("playroom", 50), idOf("package", 50)]
      )
      yield* importJson(catalogueJson([playroomJson(50)]))
      const bySlug = { ...playroomJson(50), slug: "fifty", packages: [pkg("play")] }
      const { playroom_id: _, ...rest } = bySlug
      assert.isTrue(unchanged(yield* importJson(catalogueJson([rest]))))
    })
  )

  it.effect("knows a closure without a name by its days", () =>
    Effect.gen(function* () {
      const closed = (...closures: NonNullable<Playroom["closures"]>) =>
        importJson(file("fifth", room("barn", "fifth", { closures })))
      const days = { from: "2027-03-01", to: "2027-03-03", reason: "Paint" }
      assert.deepStrictEqual((yield* closed(days)).closures, { added: 1, changed: 0, removed: 0 })
      assert.deepStrictEqual((yield* closed({ ...days, reason: "New paint" })).closures, {
        added: 0,
        changed: 1,
        removed: 0
      })
      const named = yield* closed({ ...days, slug: "paint", reason: "New paint" })
      assert.deepStrictEqual(named.closures, { added: 0, changed: 0, removed: 0 })
      const moved = { ...days, slug: "paint", from: "2027-03-02", to: "2027-03-05", reason: "New paint" }
      assert.deepStrictEqual((yield* closed(moved)).closures, { added: 0, changed: 1, removed: 0 })
      assert.deepStrictEqual((yield* closed()).closures, { added: 0, changed: 0, removed: 1 })
      // The slug of a closure that is gone names another one.
      assert.deepStrictEqual((yield* closed({ ...days, slug: "paint" })).closures, { added: 1, changed: 0, removed: 0 })
    })
  )

  it.effect("keeps the slug of a closure that an import named and did not come to", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const closures = [{ slug: "paint", from: "2027-03-01", to: "2027-03-03", reason: "Paint" }]
      const json = file("ninth", room("shed", "ninth", { closures }))
      const id = idsOf(yield* importJson(json))["closure shed/paint"] ?? ""
      yield* sql`delete from occupancy where closure_id = ${id}`
      yield* sql`delete from closure where closure_id = ${id}`
      assert.deepStrictEqual((yield* importJson(json)).closures, { added: 1, changed: 0, removed: 0 })
      assert.deepStrictEqual(yield* sql`select slug from slug where id = ${id}`, [{ slug: "paint" }])
      assert.isTrue(unchanged(yield* importJson(json)))
    })
  )

  it.effect("finds an operator of the database by its slug", () =>
    Effect.gen(function* () {
      yield* importJson(file("sixth", room("one", "sixth")))
      const done = yield* importJson(catalogueJson([room("two", "sixth")], []))
      assert.deepStrictEqual(done.playrooms, { added: 1, changed: 0, unchanged: 0 })
      assert.deepStrictEqual(yield* faultsOf(catalogueJson([room("two", "nobody")], [])), [
        "playrooms[0].operator: No operator with the slug nobody in the file or the database"
      ])
    })
  )

  it.effect("says which names are missing, twice there, or not of the same thing", () =>
    Effect.gen(function* () {
      const { slug: _, ...nameless } = pkg("none")
      const { operator: __, ...ownerless } = room("five", "seventh")
      const missing = yield* faultsOf(file("seventh", room("one", "seventh", { packages: [nameless] }), ownerless))
      assert.deepStrictEqual(missing, [
        'playrooms[0].packages[0]: Expected a "slug", a short name of your choice like soft-play',
        'playrooms[1]: Expected an "operator", by the slug that it has'
      ])
      const twice = room("one", "seventh", { packages: [pkg("party"), pkg("party")], add_ons: [cake, cake] })
      assert.deepStrictEqual(yield* faultsOf(file("seventh", twice, room("one", "seventh"))), [
        "playrooms[1].slug: Playroom one is already at playrooms[0].slug",
        "playrooms[0].packages[1].slug: Package party is already at playrooms[0].packages[0].slug",
        "playrooms[0].add_ons[1].slug: Add-on cake is already at playrooms[0].add_ons[0].slug"
      ])
      const ids = idsOf(yield* importJson(file("seventh", room("one", "seventh", { packages: [pkg("a"), pkg("b")] }))))
      const [a = "", b = ""] = [ids["package one/a"], ids["package one/b"]]
      const wrong = room("one", "seventh", { packages: [pkg("a", { package_id: b })] })
      assert.deepStrictEqual(yield* faultsOf(file("seventh", wrong)), [
        `playrooms[0].packages[0].slug: The slug a is ${a}, not ${b}: leave one of the two out, or choose another slug`
      ])
      const { slug: ___, ...byId } = pkg("a", { package_id: a })
      const same = room("one", "seventh", { packages: [byId, pkg("a")] })
      assert.deepStrictEqual(yield* faultsOf(file("seventh", same)), [
        `playrooms[0].packages[1]: Package ${a} is already at playrooms[0].packages[0]`
      ])
      const other = room("one", "seventh", { operator_id: idOf("operator", 1) })
      assert.deepStrictEqual(yield* faultsOf(file("seventh", other)), [
        `playrooms[0].operator: The slug seventh is ${ids["operator /seventh"]}, not ${idOf("operator", 1)}: leave one of the two out`
      ])
      // By id and by slug it is one operator, and the two playrooms one playroom.
      const { operator: ____, ...one } = room("two", "seventh")
      const again = { ...one, operator_id: ids["operator /seventh"] ?? "" }
      assert.include(
        (yield* faultsOf(file("seventh", room("two", "seventh"), again))).join(),
        "is already at playrooms[0]"
      )
      const foreign = room("one", "seventh", { packages: [pkg("a", { package_id: idOf("package", 50) })] })
      assert.include((yield* faultsOf(file("seventh", foreign))).join(), "is package_")
      const theirs = room("one", "seventh", { packages: [pkg("c", { package_id: idOf("package", 50) })] })
      assert.deepStrictEqual(yield* faultsOf(file("seventh", theirs)), [
        `playrooms[0].packages[0]: ${idOf("package", 50)} belongs to another playroom`
      ])
      for (const slug of ["Party", "the party", "-party", "party-", "a--b", "fête", "", "a".repeat(61)])
        assert.match(
          (yield* faultsOf(catalogueJson([], [operatorJson(9, { slug })]))).join(),
          /operators\[0\]\.slug: Expected/
        )
    })
  )
})
