/** What a search without a place says of the city that the host names: it is told, and nothing is searched by it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { CurrentPlace, type PersonPlace } from "../../../src/domain/search/SearchQuery.ts"
import { catalogueJson } from "../../support/catalogues.ts"
import { operators, rooms, search, searchWorld } from "../../support/searchWorld.ts"
import { setClock } from "../../support/BookingWorld.ts"

const world = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* setClock("2026-11-20T09:00:00Z")
    yield* CatalogueFile.use((file) => file.importFile(catalogueJson(rooms, operators)))
  })
).pipe(Layer.provideMerge(searchWorld))

const searchFrom = (place: PersonPlace, query: Parameters<typeof search>[0] = {}) =>
  Effect.provideService(search(query), CurrentPlace, place)
const hintFrom = (place: PersonPlace, query: Parameters<typeof search>[0] = {}) =>
  Effect.map(searchFrom(place, query), ({ place_hint }) => place_hint)

const munich = { city: "Muenchen", country: "de" }

layer(world)("a search for which the host names the person's city", (it) => {
  it.effect("says the city as the catalogue spells it, that it may be wrong, and how to search there", () =>
    Effect.gen(function* () {
      const hint = yield* hintFrom(munich)
      for (const part of ["München (DE)", "No place was asked for", "which may be wrong", "city or near"])
        assert.include(hint, part)
      assert.include(yield* hintFrom(munich, { query: "café" }), "München (DE)")
    })
  )

  it.effect("finds the same in the same order as without, page by page", () =>
    Effect.gen(function* () {
      for (const query of [{}, { limit: 2 }, { children: 5 }, { query: "trampoline" }]) {
        const { place_hint: _, ...told } = yield* searchFrom(munich, query)
        assert.deepStrictEqual(told, yield* search(query))
      }
      const first = yield* searchFrom(munich, { limit: 2 })
      // The next page may be asked for with another place, or none: cursors do not depend on it.
      const cursor = first.next_cursor ?? assert.fail("one page")
      const next = yield* search({ limit: 2, cursor })
      assert.deepStrictEqual(yield* searchFrom({ city: "Leeds", country: "GB" }, { limit: 2, cursor }), next)
    })
  )

  it.effect(
    "says nothing where a place was asked for, the city is unknown or another country's, or nothing was found",
    () =>
      Effect.gen(function* () {
        for (const query of [
          { city: "London" },
          { country: "GB" },
          { near: { latitude: 51.5, longitude: -0.1 } },
          { query: "trampoline in London" },
          { query: "no such thing anywhere" }
        ])
          assert.isUndefined(yield* hintFrom(munich, query), JSON.stringify(query))
        for (const place of [
          { city: "London", country: "CA" },
          { city: "Atlantis", country: "GB" },
          { city: "'; drop table city_name; --", country: "GB" },
          { city: "%", country: "GB" },
          { city: "\u0001\u{1F600}".repeat(20), country: "GB" },
          { city: ",", country: "GB" }
        ])
          assert.isUndefined(yield* hintFrom(place), JSON.stringify(place))
        assert.isUndefined((yield* search({})).place_hint)
      })
  )
})
