import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Catalogue } from "../../src/catalogue/Catalogue.ts"
import { CatalogueFile } from "../../src/catalogue/file/CatalogueFile.ts"
import { leastPrice } from "../../src/catalogue/FromPrice.ts"
import type { PriceRule } from "../../src/catalogue/Package.ts"
import { importOnly, setClock } from "../support/BookingWorld.ts"
import { catalogueJson, idOf, packageJson, playroomJson } from "../support/catalogues.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { packageWith } from "../support/venues.ts"

const full = 1000
const priced = (...rules: ReadonlyArray<PriceRule>) => ({
  base: full,
  included_children: 10,
  extra_child: 0,
  adult: 0,
  rules
})
const season: PriceRule = { label: "Autumn", date_from: "2026-09-01", date_to: "2026-11-20", change: { percent: -40 } }

describe("the least price", () => {
  const tax = { rate_percent: 0, included: true }
  const least = (today: string, ...rules: ReadonlyArray<PriceRule>) =>
    leastPrice(packageWith({ pricing: priced(...rules) }), tax, 1, today)

  it("counts a season's discount before the season, to the end of its last day, and not a day longer", () => {
    const found = ["2026-08-31", "2026-11-19", "2026-11-20", "2026-11-21"].map((today) => least(today, season))
    assert.deepStrictEqual(found, [600, 600, 600, full])
  })

  it("counts a discount that has no end, and no surcharge of a season", () => {
    const { date_to: _, ...endless } = season
    assert.strictEqual(least("2030-01-01", endless), 600)
    assert.strictEqual(least("2026-11-19", { ...season, change: { percent: 40 } }), full)
  })
})

layer(Layer.provideMerge(Layer.mergeAll(importOnly, Catalogue.layer), TestDatabase.layer))(
  "the price that search finds a playroom by",
  (it) => {
    it.effect("leaves out a season that is over by the playroom's own date", () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T12:00:00Z")
        const room = (n: number, time_zone: string) =>
          playroomJson(n, { time_zone, packages: [packageJson(n, { pricing: priced(season) })] })
        const rooms = [room(1, "Europe/London"), room(2, "Pacific/Auckland")]
        yield* CatalogueFile.use((file) => file.importFile(catalogueJson(rooms)))
        const prices = yield* Effect.forEach([1, 2], (n) =>
          Effect.map(
            Catalogue.use((catalogue) => catalogue.view(idOf("playroom", n))),
            ({ from_price }) => from_price?.amount
          )
        )
        assert.deepStrictEqual(prices, [600, full])
      })
    )
  }
)
