import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Statement } from "effect/sql"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { Catalogue } from "../../../src/domain/catalogue/Catalogue.ts"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { contact, principal, setClock } from "../../support/BookingWorld.ts"
import { catalogueJson, idOf, packageJson, playroomJson } from "../../support/catalogues.ts"
import { pagesOf, party, search, searchWorld } from "../../support/searchWorld.ts"

const bookAll = Effect.fnUntraced(function* (playroom: number, date: string) {
  const venue = yield* Catalogue.use((catalogue) => catalogue.venue(idOf("playroom", playroom)))
  const options = yield* BookingOptions
  const bookings = yield* Bookings
  for (;;) {
    const {
      options: [option]
    } = yield* options.list({ playroom_id: venue.playroom.playroom_id, date, children: 10 })
    if (option === undefined) return
    yield* bookings.create(principal(`key_${playroom}`), {
      option_id: option.option_id,
      contact: { ...contact(`p${playroom}-${option.start.slice(11, 13)}`) }
    })
  }
})

layer(searchWorld)("search with bookings and closures", (it) => {
  it.effect(
    "hides what is booked out or closed, and pages neither repeat nor skip while bookings come",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        const wholeDay = (n: number) =>
          party(n, { duration_minutes: 480, min_children: 1, schedule: { times: ["09:00"] } })
        const many = Array.from({ length: 30 }, (_, i) =>
          playroomJson(i + 1, {
            packages: [wholeDay(i + 1)],
            closures:
              i === 4
                ? [{ closure_id: idOf("closure", 1), from: "2026-12-05", to: "2026-12-05", reason: "Repairs" }]
                : []
          })
        )
        yield* CatalogueFile.use((file) => file.importFile(catalogueJson(many)))
        yield* bookAll(2, "2026-12-05")
        const free = many.map(({ name }) => name).filter((name) => name !== "Playroom 2" && name !== "Playroom 5")
        assert.deepStrictEqual(
          (yield* pagesOf({ date: "2026-12-05", limit: 7 })).map(({ length }) => length),
          [7, 7, 7, 7]
        )
        assert.deepStrictEqual((yield* pagesOf({ date: "2026-12-05", limit: 7 })).flat(), free)
        // The next playroom on the list, and one that was shown, are booked between the pages.
        let n = 6
        const meanwhile = Effect.suspend(() => bookAll((n += 4), "2026-12-05"))
        const shown = (yield* pagesOf({ date: "2026-12-05", limit: 5 }, meanwhile)).flat()
        assert.strictEqual(new Set(shown).size, shown.length)
        const left = (yield* pagesOf({ date: "2026-12-05", limit: 50 })).flat()
        for (const name of left) assert.include(shown, name)
        assert.isBelow(left.length, shown.length)
        // Other days are as free as ever.
        assert.strictEqual((yield* pagesOf({ date: "2026-12-06" })).flat().length, 30)
        // All the rest is taken: empty pages, and an end.
        for (const { name } of many) yield* bookAll(Number(name.split(" ")[1]), "2026-12-05")
        assert.deepStrictEqual((yield* pagesOf({ date: "2026-12-05", limit: 3 })).flat(), [])
      }),
    120_000
  )

  it.effect(
    "looks at so many sold-out playrooms a call and no more, and says where to go on",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        const ids = Array.from({ length: 300 }, (_, i) => 1000 + i)
        yield* CatalogueFile.use((file) =>
          file.importFile(
            catalogueJson(
              ids.map((n) =>
                playroomJson(n, {
                  city: "Hull",
                  // All but the last are closed that day, as good as sold out.
                  closures:
                    n === 1299
                      ? []
                      : [{ closure_id: idOf("closure", n), from: "2026-12-05", to: "2026-12-05", reason: "Full" }]
                })
              )
            )
          )
        )
        let [calls, examined] = [0, 0]
        const found: Array<string> = []
        let cursor: string | undefined
        do {
          let rows = 0
          const page = yield* Effect.provideService(
            search({ city: "Hull", date: "2026-12-05", ...(cursor === undefined ? {} : { cursor }) }),
            Statement.CurrentTransformer,
            (statement) =>
              Effect.sync(() => {
                const [text, params] = statement.compile()
                const ids = params.find((param) => Array.isArray(param))
                if (text.includes("from occupancy")) rows += ids?.length ?? 1
                return statement
              })
          )
          assert.isAtMost(rows, 20)
          examined += rows
          found.push(...page.playrooms.map(({ name }) => name))
          cursor = page.next_cursor
          calls++
        } while (cursor !== undefined && calls < 40)
        assert.deepStrictEqual(found, ["Playroom 1299"])
        assert.strictEqual(examined, 300)
        assert.isBelow(calls, 20)
      }),
    120_000
  )

  it.effect("keeps to the option's own total on the day, dear or cheap", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const rules = [
        { label: "Mornings", until: "12:00", weekdays: ["monday" as const], change: { percent: -50 } },
        { label: "Christmas", date_from: "2026-12-20", date_to: "2026-12-31", change: { percent: 100 } }
      ]
      const pricing = { base: 0, included_children: 0, extra_child: 1000, adult: 0, rules }
      yield* CatalogueFile.use((file) =>
        file.importFile(
          catalogueJson([playroomJson(50, { name: "Priced", city: "Bath", packages: [packageJson(50, { pricing })] })])
        )
      )
      const starts = (date: string, amount: number, start_after = "09:00") =>
        Effect.map(
          search({ city: "Bath", children: 2, date, start_after, max_total: { amount, currency: "GBP" } }),
          ({ playrooms }) => playrooms.map(({ next_start }) => next_start)
        )
      assert.deepStrictEqual(yield* starts("2026-12-07", 1000), ["2026-12-07T09:00:00+00:00"])
      assert.deepStrictEqual(yield* starts("2026-12-07", 1999, "12:00"), [])
      assert.deepStrictEqual(yield* starts("2026-12-08", 1999), [])
      assert.deepStrictEqual(yield* starts("2026-12-08", 2000), ["2026-12-08T09:00:00+00:00"])
      assert.deepStrictEqual(yield* starts("2026-12-22", 3999), [])
      assert.deepStrictEqual(yield* starts("2026-12-22", 4000), ["2026-12-22T09:00:00+00:00"])
    })
  )
})
