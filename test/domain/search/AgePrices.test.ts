/** Searches of playrooms where some children cost less by age. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Catalogue } from "../../../src/domain/catalogue/Catalogue.ts"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { parseCatalogue } from "../../../src/domain/import/ParseCatalogue.ts"
import type { SearchQuery } from "../../../src/domain/search/SearchQuery.ts"
import { PlayroomId } from "../../../src/platform/ids/Ids.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { idOf, importRooms, packageJson, playroomJson } from "../../support/catalogues.ts"
import { namesOf, pagesOf, search, searchWorld } from "../../support/searchWorld.ts"

const usual = { base: 0, included_children: 0, extra_child: 750, adult: 0, rules: [] }
const child_rules = [
  { label: "Babies", age_to: 1, change: { price: 0 } },
  { label: "Toddlers", age_from: 2, age_to: 3, change: { percent: -60 } }
]
const rooms = [
  playroomJson(1, {
    name: "By Age",
    packages: [packageJson(1, { pricing: { ...usual, child_rules } })]
  }),
  playroomJson(2, { name: "Plain", packages: [packageJson(2, { pricing: { ...usual, extra_child: 500 } })] }),
  playroomJson(3, { name: "Free", packages: [packageJson(3, { pricing: { ...usual, extra_child: 0 } })] }),
  playroomJson(4, { name: "Cheap", packages: [packageJson(4, { pricing: { ...usual, extra_child: 300 } })] })
]

layer(searchWorld)("a search of playrooms that cost less by age", (it) => {
  const begin = Effect.andThen(setClock("2026-11-20T09:00:00Z"), importRooms(...rooms))
  const priceOf = (query: SearchQuery) =>
    Effect.map(search({ limit: 50, ...query }), ({ playrooms }) => {
      const price = playrooms.find(({ name }) => name === "By Age")?.price_for_party
      return price === undefined ? undefined : [price.amount, price.for]
    })

  it.effect("tells what the party pays at its ages, and the highest price without them", () =>
    Effect.gen(function* () {
      yield* begin
      assert.deepStrictEqual(yield* priceOf({ children: 2 }), [1500, "2 children of any age, any time"])
      assert.deepStrictEqual(yield* priceOf({ child_ages: [1, 3] }), [300, "2 children aged 3, 1, any time"])
      assert.deepStrictEqual(yield* priceOf({ children: 3, child_ages: [1, 3] }), [
        2250,
        "3 children of any age, any time"
      ])
      assert.deepStrictEqual(yield* priceOf({ child_ages: [0, 5], date: "2026-12-12" }), [750, "2 children aged 5, 0"])
      const { playrooms } = yield* search({ limit: 50 })
      const room = playrooms.find(({ name }) => name === "By Age")
      assert.strictEqual(room?.from_price?.amount, 750)
      assert.strictEqual(
        room?.from_price_for,
        "1 child, shared, any time; less by age: aged 0 to 1 £0.00, aged 2 to 3 -60 %"
      )
    })
  )

  it.effect("is in the order of what the party pays, over all pages, and the budget goes by that", () =>
    Effect.gen(function* () {
      yield* begin
      const ordered = (query: SearchQuery) =>
        Effect.map(pagesOf({ sort: "price", limit: 1, ...query }), (pages) => pages.flat())
      assert.deepStrictEqual(yield* ordered({ children: 2 }), ["Free", "Cheap", "Plain", "By Age"])
      assert.deepStrictEqual(yield* ordered({ child_ages: [1, 3] }), ["Free", "By Age", "Cheap", "Plain"])
      assert.deepStrictEqual(yield* ordered({ child_ages: [0, 1] }), ["Free", "By Age", "Cheap", "Plain"])
      assert.deepStrictEqual(yield* ordered({ child_ages: [0, 1], date: "2026-12-12" }), [
        "Free",
        "By Age",
        "Cheap",
        "Plain"
      ])
      for (const date of [{}, { date: "2026-12-12" }]) {
        const within = (amount: number, more: SearchQuery) =>
          Effect.map(namesOf({ ...more, ...date, max_total: { amount, currency: "GBP" } }), (names) => names.toSorted())
        assert.deepStrictEqual(yield* within(300, { child_ages: [1, 3] }), ["By Age", "Free"])
        assert.deepStrictEqual(yield* within(299, { child_ages: [1, 3] }), ["Free"])
        assert.deepStrictEqual(yield* within(1499, { children: 2 }), ["Cheap", "Free", "Plain"])
      }
    })
  )

  it.effect("finds rules for children as they were imported, and an export says the same", () =>
    Effect.gen(function* () {
      yield* begin
      const { packages } = yield* Catalogue.use((catalogue) => catalogue.venue(PlayroomId.make(idOf("playroom", 1))))
      assert.deepStrictEqual(packages[0]?.pricing.child_rules, child_rules)
      const { playrooms } = yield* parseCatalogue(yield* CatalogueFile.use((file) => file.exportFile))
      assert.deepStrictEqual(playrooms[0]?.packages[0]?.pricing.child_rules, child_rules)
    })
  )
})
