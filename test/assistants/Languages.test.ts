import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Catalogue } from "../../src/domain/catalogue/Catalogue.ts"
import { setClock } from "../support/BookingWorld.ts"
import { importRoomsBesideDemo, playroomJson } from "../support/catalogues.ts"
import { demoWorld, namesOf, oneOf } from "../support/searchWorld.ts"

const munich = ["Entdeckerhaus Haidhausen"]
const tokyo = ["Hoshizora Kichijoji", "Hoshizora Futako"]
const inCities = [
  [
    munich,
    ["München", "Munich", "munich", "MUENCHEN", "Munchen", "Múnich", "Monaco di Baviera", "ミュンヘン", "Mu\u0308nchen"]
  ],
  [tokyo, ["Tokyo", "東京", "東京都", "とうきょう", "Tokio", "tokio"]],
  [["Lekstugan Linné"], ["Göteborg", "Gothenburg", "Goeteborg", "Gotemburgo", "イェーテボリ"]],
  [
    ["Sunny Side Clapham", "Hackney Commons Playroom"],
    ["Londres", "Londra", "ロンドン"]
  ],
  [
    ["Entdeckerhaus Prenzlauer Berg", "Entdeckerhaus Kreuzberg"],
    ["Berlín", "Berlino", "ベルリン"]
  ],
  [["Lekstugan Södermalm"], ["Estocolmo", "Stoccolma", "ストックホルム"]],
  [["Harbour Play Newtown"], ["Sídney", "Sidney", "シドニー"]],
  [["Brooklyn Play Loft"], ["NYC", "Nueva York", "New York City", "New York, NY", "NYC, USA"]]
] as const

layer(demoWorld)("in the demo", (it) => {
  it.effect("cities are found by their names in five languages, and with umlauts as two letters", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      for (const [names, cities] of inCities) {
        for (const city of cities) {
          assert.sameMembers(yield* namesOf({ city }), [...names], `city ${city}`)
          if (!city.includes(",")) assert.sameMembers(yield* namesOf({ query: city }), [...names], `query ${city}`)
        }
      }
      for (const city of ["Atlantis", "Atlantis, London"]) assert.deepStrictEqual(yield* namesOf({ city }), [], city)
    })
  )

  it.effect("a city that playrooms write in several ways is one city, by whichever of its names", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T10:00:00Z")
      assert.deepStrictEqual(yield* namesOf({ city: "München" }), munich)
      yield* importRoomsBesideDemo(
        playroomJson(77, { name: "Schwabing Den", city: "Munich", country: "DE", currency: "EUR" })
      )
      // What a name stands for may be a minute old.
      yield* setClock("2026-11-20T10:01:00Z")
      const both = ["Schwabing Den", ...munich]
      for (const city of ["Munich", "München", "Muenchen", "ミュンヘン"])
        assert.sameMembers(yield* namesOf({ city }), both, city)
      yield* importRoomsBesideDemo(playroomJson(77, { listed: false }))
    })
  )

  it.effect("words around what is looked for exclude nothing, in five languages", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const all = yield* namesOf({})
      const nothingSaid = [
        "playroom",
        "an indoor playground for kids, please",
        "Spielplatz drinnen",
        "Indoor-Spielplatz für Kinder",
        "aire de jeux couverte pour les enfants",
        "parque infantil cerca de mí",
        "室内の遊び場",
        "子供が遊べるところ"
      ]
      for (const query of nothingSaid) assert.deepStrictEqual(yield* namesOf({ query }), all, query)
      const inMunich = [
        "a playroom in Munich",
        "Spielplatz drinnen in München",
        "Hallenspielplatz für Kinder in Muenchen",
        "aire de jeux couverte à Munich pour mes enfants",
        "un parque infantil cubierto en Múnich",
        "ミュンヘンの室内遊び場"
      ]
      for (const query of inMunich) assert.deepStrictEqual(yield* namesOf({ query }), munich, query)
      assert.sameMembers(yield* namesOf({ query: "東京の遊び場" }), tokyo)
    })
  )

  it.effect("some of the words are enough where no playroom has all: what is needed comes first, then its city", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      for (const query of ["東京 一角獣", "東京で一角獣", "一角獣 東京"])
        assert.sameMembers(yield* namesOf({ query }), tokyo, query)
      // One of them has a package for birthdays.
      for (const query of [
        "東京 誕生日",
        "東京で誕生日会",
        "誕生日会 東京",
        "Geburtstag Tokyo",
        "東京のプラネタリウム付き誕生日会"
      ])
        assert.deepStrictEqual(yield* namesOf({ query }), ["Hoshizora Kichijoji"], query)
      for (const query of ["東京のエレベーター付き一角獣", "Tokyo elevator unicorn", "東京 unicorn エレベーター"]) {
        const found = yield* namesOf({ query })
        const withLift = ["Sunny Side Clapham", "Brooklyn Play Loft"]
        assert.deepStrictEqual(found.slice(0, 4), ["Hoshizora Kichijoji", ...withLift, "Hoshizora Futako"], query)
      }
      // All of them are asked for first.
      assert.deepStrictEqual(yield* namesOf({ query: "東京 エレベーター" }), ["Hoshizora Kichijoji"])
    })
  )

  it.effect("an amenity is found by whichever name it goes, as a filter and among words", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const same = [
        [
          "step-free access",
          "wheelchair accessible",
          "Wheelchair access",
          "barrierefrei",
          "rollstuhlgerecht",
          "バリアフリー"
        ],
        ["accessible toilet", "disabled toilet", "accessible restroom", "barrierefreies WC", "多目的トイレ"],
        ["cafe", "Café", "coffee", "coffee shop", "Kaffee", "カフェ"],
        ["lift", "elevator", "Aufzug", "ascenseur", "エレベーター"],
        ["parking", "car park", "Parkplatz", "駐車場"],
        ["baby changing", "nappy changing", "changing table", "Wickeltisch"],
        ["ball pool", "ball pit", "Bällebad", "Baellebad"],
        ["nursing room", "breastfeeding room", "授乳室"],
        ["hearing loop", "induction loop"],
        ["quiet hours", "sensory friendly", "low sensory session"]
      ]
      for (const [first = "", ...others] of same) {
        const found = yield* namesOf({ amenities: [first] })
        assert.isNotEmpty(found, first)
        for (const name of others) assert.deepStrictEqual(yield* namesOf({ amenities: [name] }), found, name)
      }
      assert.deepStrictEqual(yield* namesOf({ amenities: ["wheelchair accessible", "car park"] }), [
        "Sunny Side Chorlton"
      ])
      assert.deepStrictEqual(yield* namesOf({ query: "wheelchair accessible playroom in Munich" }), munich)
      assert.deepStrictEqual(yield* namesOf({ query: "barrierefreier Spielplatz in München mit Wickeltisch" }), munich)
      assert.deepStrictEqual(yield* namesOf({ query: "東京 エレベーター" }), ["Hoshizora Kichijoji"])
    })
  )

  it.effect("what a playroom has or lacks for people with disabilities is told as structure", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const view = (name: string) =>
        Effect.flatMap(oneOf({}, name), ({ playroom_id }) => Catalogue.use((catalogue) => catalogue.view(playroom_id)))
      const bedminster = yield* view("Sunny Side Bedminster")
      assert.deepInclude(bedminster, {
        accessibility_features: ["ramp_on_request", "sensory_room"],
        accessibility_lacks: ["step_free_access", "accessible_toilet"]
      })
      const clapham = yield* view("Sunny Side Clapham")
      assert.deepInclude(clapham, { accessibility_features: ["step_free_access", "lift", "accessible_toilet"] })
      assert.notProperty(clapham, "accessibility_lacks")
      // Step-free, but the toilet is not: the search that asked says so.
      const sunset = yield* oneOf({ amenities: ["wheelchair accessible"] }, "Golden Gate Play Sunset")
      assert.deepInclude(sunset, {
        accessibility_features: ["step_free_access"],
        accessibility_lacks: ["accessible_toilet"]
      })
      assert.notInclude(yield* namesOf({ amenities: ["accessible toilet"] }), "Golden Gate Play Sunset")
      assert.notInclude(yield* namesOf({ amenities: ["wheelchair accessible"] }), "Sunny Side Bedminster")
    })
  )
})
