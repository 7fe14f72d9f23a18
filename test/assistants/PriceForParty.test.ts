import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { BookingOptions } from "../../src/domain/availability/BookingOptions.ts"
import { Catalogue } from "../../src/domain/catalogue/Catalogue.ts"
import { CatalogueFile } from "../../src/domain/import/CatalogueFile.ts"
import type { SearchQuery } from "../../src/domain/search/SearchQuery.ts"
import { setClock } from "../support/BookingWorld.ts"
import { demoWorld, oneOf, search } from "../support/searchWorld.ts"

const clapham = "Sunny Side Clapham"
const playTimes = "1 child, shared, weekdays until 12:00; otherwise £7.50"

layer(demoWorld)("in the demo", (it) => {
  it.effect("a search of a party tells what that party pays, by the child where it is by the child", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const price = (query: SearchQuery, name = clapham) =>
        Effect.map(oneOf(query, name), ({ price_for_party }) => price_for_party)
      assert.deepStrictEqual(yield* price({ mode: "exclusive" }), {
        amount: 22_000,
        currency: "GBP",
        display: "£220.00",
        for: "4 to 10 children, any time",
        per_child: "£22.00",
        package_name: "Saturday party",
        mode: "exclusive"
      })
      assert.deepStrictEqual(yield* price({ mode: "exclusive", children: 6 }), {
        amount: 22_000,
        currency: "GBP",
        display: "£220.00",
        for: "6 children (billed as 10), any time",
        per_child: "£22.00",
        package_name: "Saturday party",
        mode: "exclusive"
      })
      assert.deepInclude(yield* price({ mode: "exclusive", children: 12 }), {
        amount: 26_400,
        for: "12 children, any time"
      })
      assert.deepInclude(yield* price({ children: 2 }), {
        amount: 750,
        for: "2 children, weekdays until 12:00; otherwise £15.00",
        per_child: "£3.75"
      })
      assert.deepInclude(yield* price({ child_ages: [3, 5, 5] }), {
        amount: 1125,
        for: "3 children, weekdays until 12:00; otherwise £22.50"
      })
      assert.deepInclude(yield* price({ children: 1, max_total: { amount: 1000, currency: "GBP" } }), {
        for: "1 child, weekdays until 12:00; otherwise £7.50"
      })
      // Part of that party's price is not by the child.
      assert.notProperty(yield* price({ mode: "exclusive", children: 8 }, "Hackney Commons Playroom"), "per_child")
      // The lowest price of any party is not beside it, but where the order goes by it.
      assert.notProperty(yield* oneOf({ children: 2 }, clapham), "from_price")
      assert.deepInclude(yield* oneOf({ children: 2, sort: "price" }, clapham), { from_price_for: playTimes })
      // Nothing was said of who comes.
      assert.isUndefined(yield* price({ city: "London" }))
    })
  )

  it.effect("a page that is sorted by price goes by what the party pays", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const parties: ReadonlyArray<SearchQuery> = [
        { mode: "exclusive", children: 8 },
        { mode: "exclusive", children: 12, date: "2026-11-28" },
        { country: "GB", children: 10 },
        {}
      ]
      for (const party of parties) {
        const { playrooms } = yield* search({ ...party, sort: "price", limit: 50 })
        const prices = playrooms.map(({ from_price, price_for_party }) => price_for_party ?? from_price)
        // Free ones come first, in whatever currency.
        const told = prices.map((price) =>
          price?.amount === 0 ? "" : `${price?.currency} ${String(price?.amount).padStart(9, "0")}`
        )
        assert.deepStrictEqual(told, told.toSorted(), JSON.stringify(party))
        assert.isAbove(told.length, 1)
      }
    })
  )

  it.effect("a search with a date tells the price at its next start", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const on = (query: SearchQuery) => oneOf({ children: 2, ...query }, clapham)
      const monday = yield* on({ date: "2026-11-23" })
      assert.deepInclude(monday, { next_start: "2026-11-23T09:00:00+00:00" })
      assert.deepInclude(monday.price_for_party, { amount: 750, per_child: "£3.75" })
      const afternoon = yield* on({ date: "2026-11-23", start_after: "13:00" })
      assert.deepInclude(afternoon.price_for_party, { amount: 1500, per_child: "£7.50" })
    })
  )

  it.effect("adults alone get no price of a party that nobody named, and are told that a child is needed", () =>
    Effect.gen(function* () {
      const alone = yield* search({ adults: 15, mode: "exclusive", limit: 50 })
      assert.isNotEmpty(alone.playrooms)
      assert.include(alone.party ?? "", "15 adults, no children: every visit needs at least one child")
      for (const { price_for_party } of alone.playrooms) assert.isUndefined(price_for_party)
      const { party, playrooms } = yield* search({ adults: 15, children: 8, mode: "exclusive", limit: 50 })
      assert.strictEqual(party, "8 children, 15 adults")
      for (const { price_for_party } of playrooms)
        assert.match(price_for_party?.for ?? "", /^8 children( \(billed as \d+\))?, 15 adults, /)
    })
  )

  it.effect("adults count in the price, in max_total, and where a package takes only so many", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const file = yield* CatalogueFile
      const { operators, playrooms, version } = yield* file.exportFile
      const first = playrooms.find(({ name }) => name === clapham)
      const [play, party] = first?.packages ?? []
      if (first === undefined || play === undefined || party === undefined) return assert.fail("no playroom")
      const dear = { ...play, pricing: { ...play.pricing, adult: 400, included_adults: 1, rules: [] } }
      yield* file.importFile({ version, operators, playrooms: [{ ...first, packages: [dear, party] }] })
      const found = (query: SearchQuery) =>
        Effect.map(search({ city: "London", ...query }), ({ playrooms: all }) =>
          all.filter(({ name }) => name === clapham).map(({ price_for_party }) => price_for_party)
        )
      const three = { children: 2, adults: 3, mode: "shared" } as const
      assert.deepInclude((yield* found(three))[0], { amount: 2300, for: "2 children, 3 adults, any time" })
      assert.notProperty((yield* found(three))[0], "per_child")
      assert.deepInclude((yield* found({ ...three, adults: 0 }))[0], {
        amount: 1500,
        for: "2 children, no adults counted, any time"
      })
      const most = (amount: number) => ({ ...three, max_total: { amount, currency: "GBP" } })
      assert.lengthOf(yield* found(most(2300)), 1)
      assert.lengthOf(yield* found(most(2299)), 0)
      assert.lengthOf(yield* found({ ...most(2299), date: "2026-11-23" }), 0)
      // The party takes forty adults.
      assert.lengthOf(yield* found({ mode: "exclusive", adults: 40 }), 1)
      assert.lengthOf(yield* found({ mode: "exclusive", adults: 41 }), 0)
      assert.lengthOf(yield* found({ mode: "exclusive", adults: 41, date: "2026-11-28" }), 0)
      yield* file.importFile({ version, operators, playrooms })
    })
  )

  it.effect("no lowest price stands alone: it says whom it is for, and what each further child costs", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const { playrooms } = yield* search({ limit: 50 })
      assert.isAbove(playrooms.length, 10)
      for (const { from_price, from_price_for, name } of playrooms)
        assert.strictEqual(from_price_for === undefined, from_price === undefined, name)
      const found = yield* oneOf({}, clapham)
      assert.deepInclude(found, { from_price_for: playTimes })
      assert.strictEqual(found.from_price?.display, "£3.75")
      const view = yield* Catalogue.use((catalogue) => catalogue.view(found.playroom_id))
      assert.strictEqual(view.from_price_for, playTimes)
      assert.deepStrictEqual(
        view.packages.map((pkg) => [pkg.price_from.display, pkg.price_from_for, pkg.each_further_child]),
        [
          ["£3.75", "1 child, weekdays until 12:00; otherwise £7.50", "£3.75 then; otherwise £7.50"],
          ["£220.00", "4 to 10 children, any time", "£22.00"]
        ]
      )
    })
  )

  it.effect("what a search tells is what the options then cost", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const options = yield* BookingOptions
      let compared = 0
      for (const date of ["2026-11-28", "2026-12-01"]) {
        for (const query of [
          { children: 8, adults: 2 },
          { mode: "exclusive" as const, children: 10 }
        ]) {
          const { playrooms } = yield* search({ ...query, date, limit: 50 })
          for (const { name, next_start, playroom_id, price_for_party } of playrooms) {
            const page = yield* options.list({ playroom_id, date, children: query.children, adults: 2, limit: 100 })
            const then = page.options.filter(
              (option) => option.start === next_start && (!("mode" in query) || option.mode === query.mode)
            )
            assert.strictEqual(price_for_party?.amount, Math.min(...then.map(({ price }) => price.total)), name)
            compared++
          }
        }
      }
      assert.isAbove(compared, 10)
    })
  )

  it.effect("a usual page and a usual playroom are short", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const usual = [
        { limit: 5 },
        { children: 8, adults: 2, limit: 5 },
        // With a date, each tells its first start twice: as data, and in words.
        { children: 8, date: "2026-11-28", limit: 4 }
      ]
      for (const query of usual) {
        const page = yield* search(query)
        assert.lengthOf(page.playrooms, query.limit)
        assert.isBelow(JSON.stringify(page).length, 4000, JSON.stringify(query))
      }
      const { playrooms } = yield* search({ limit: 50 })
      const catalogue = yield* Catalogue
      const views = yield* Effect.forEach(playrooms, ({ playroom_id }) => catalogue.view(playroom_id))
      const lengths = views.map((playroom) => JSON.stringify({ playroom }).length).toSorted((a, b) => a - b)
      assert.isBelow(lengths[Math.floor(lengths.length / 2)] ?? Infinity, 4000)
      assert.isBelow(lengths.at(-1) ?? Infinity, 4900)
    })
  )

  it.effect("a playroom tells its most children by that name", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const found = yield* oneOf({}, clapham)
      assert.strictEqual(found.max_children, 25)
      assert.notProperty(found, "capacity")
      const view = yield* Catalogue.use((catalogue) => catalogue.view(found.playroom_id))
      assert.strictEqual(view.max_children, 25)
      assert.notProperty(view, "capacity")
    })
  )
})
