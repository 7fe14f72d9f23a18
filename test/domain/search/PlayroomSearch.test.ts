import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import type { SearchQuery } from "../../../src/domain/search/SearchQuery.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { encodeCursor } from "../../../src/platform/ids/Ids.ts"
import { catalogueJson, idOf, playroomJson } from "../../support/catalogues.ts"
import { issuesOf, namesOf, operators, pagesOf, rooms, search, searchWorld } from "../../support/searchWorld.ts"

layer(searchWorld)("search", (it) => {
  it.effect("lists whoever may sell, and no one else", () =>
    Effect.gen(function* () {
      yield* CatalogueFile.use((file) => file.importFile(catalogueJson(rooms, operators)))
      yield* setClock("2026-11-19T00:00:00Z")
      const all = ["Bluebell Barn", "Trampoline Town", "Zoë's Spielhaus", "Harbour Hall", "Lapsed Den", "Fiji Den"]
      assert.deepStrictEqual(yield* namesOf({}), all)
      // Seven days of grace after the paid period.
      yield* setClock("2026-11-20T09:00:00Z")
      assert.deepStrictEqual(
        yield* namesOf({}),
        all.filter((name) => name !== "Lapsed Den")
      )
    })
  )

  it.effect("finds words in names, cities, amenities and texts, names first, through accents, case and stems", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      assert.deepStrictEqual(yield* namesOf({ query: "trampolines" }), ["Trampoline Town", "Harbour Hall"])
      assert.deepStrictEqual(yield* namesOf({ query: "zoe munchen" }), ["Zoë's Spielhaus"])
      assert.deepStrictEqual(yield* namesOf({ query: "zoe\u0308" }), ["Zoë's Spielhaus"])
      assert.deepStrictEqual(yield* namesOf({ query: "CAFE" }), ["Bluebell Barn", "Zoë's Spielhaus"])
      assert.deepStrictEqual(yield* namesOf({ query: "London pirate-ship!" }), ["Harbour Hall"])
      assert.deepStrictEqual(yield* namesOf({ query: "blueb" }), ["Bluebell Barn"])
      assert.deepStrictEqual(yield* namesOf({ query: "  the  " }), yield* namesOf({}))
    })
  )

  it.effect("forgives a typo: a letter missed, added, mistaken, or two swapped", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      for (const typo of ["trampolne", "tranpoline", "trampoliine", "trmapoline"])
        assert.deepStrictEqual(yield* namesOf({ query: typo }), ["Trampoline Town", "Harbour Hall"], typo)
      assert.deepStrictEqual(yield* namesOf({ query: "Lodnon town" }), ["Trampoline Town"])
      assert.deepStrictEqual(yield* namesOf({ query: "xylophone" }), [])
    })
  )

  it.effect("takes any of the words only where nothing has them all", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      assert.deepStrictEqual(yield* namesOf({ query: "pirate bluebell" }), ["Bluebell Barn", "Harbour Hall"])
      assert.deepStrictEqual(yield* pagesOf({ query: "pirate bluebell", limit: 1 }), [
        ["Bluebell Barn"],
        ["Harbour Hall"]
      ])
    })
  )

  it.effect("treats whatever is typed as words, never as syntax", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      for (const query of ["'; drop table playroom; --", "a & | ! (b", "x:*ABCD", "\\", "'", "東京 \u0000 %_", "<->"]) {
        yield* namesOf({ query })
        yield* namesOf({ city: query, amenities: [query] })
      }
    })
  )

  it.effect("combines filters: city, country, ages, amenities, mode, length, party and price", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      assert.deepStrictEqual(yield* namesOf({ city: "MUNCHEN" }), ["Zoë's Spielhaus"])
      assert.deepStrictEqual(yield* namesOf({ country: "DE" }), ["Zoë's Spielhaus"])
      assert.deepStrictEqual(yield* namesOf({ country: "UK" }), yield* namesOf({ country: "GB" }))
      assert.deepStrictEqual(yield* namesOf({ amenities: ["cafe"] }), ["Bluebell Barn", "Zoë's Spielhaus"])
      assert.deepStrictEqual(yield* namesOf({ amenities: ["Soft_Play", "CAFÉ"] }), ["Bluebell Barn"])
      assert.deepStrictEqual(yield* namesOf({ city: "London", child_ages: [4, 8] }), ["Harbour Hall"])
      assert.deepStrictEqual(yield* namesOf({ city: "Leeds", child_ages: [7] }), [])
      assert.deepStrictEqual(yield* namesOf({ mode: "exclusive" }), ["Trampoline Town", "Harbour Hall"])
      assert.deepStrictEqual(yield* namesOf({ city: "London", duration_minutes: 60 }), ["Harbour Hall"])
      assert.deepStrictEqual(yield* namesOf({ city: "London", children: 15 }), ["Trampoline Town", "Harbour Hall"])
      assert.deepStrictEqual(yield* namesOf({ city: "London", child_ages: [6, 6, 6] }), ["Harbour Hall"])
      // One package must have it all: Harbour Hall's shared one is too small, its party is not shared.
      assert.deepStrictEqual(yield* namesOf({ city: "London", children: 12, mode: "shared" }), [])
    })
  )

  it.effect("keeps to a largest total for the party, in that currency only", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const max = (amount: number, currency = "GBP") => ({ max_total: { amount, currency } })
      assert.deepStrictEqual(yield* namesOf({ ...max(400) }), ["Harbour Hall"])
      assert.deepStrictEqual(yield* namesOf({ ...max(750, "EUR") }), ["Zoë's Spielhaus"])
      assert.deepStrictEqual(yield* namesOf({ children: 5, ...max(2000) }), ["Harbour Hall"])
      assert.deepStrictEqual(yield* namesOf({ children: 5, ...max(1999) }), [])
      assert.deepStrictEqual(yield* namesOf({ children: 12, city: "London", ...max(22_000) }), [
        "Trampoline Town",
        "Harbour Hall"
      ])
      assert.deepStrictEqual(yield* namesOf({ children: 12, city: "London", ...max(21_999) }), [])
    })
  )

  it.effect("finds what is near, nearest first, with the distance, across the 180th meridian too", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const near = { latitude: 51.5, longitude: -0.1 }
      const { playrooms } = yield* search({ near })
      assert.deepStrictEqual(
        playrooms.map(({ name, distance_km }) => [name, distance_km]),
        [
          ["Trampoline Town", 1.38],
          ["Harbour Hall", 5.65]
        ]
      )
      assert.deepStrictEqual(yield* namesOf({ near: { ...near, radius_km: 5 } }), ["Trampoline Town"])
      assert.deepStrictEqual(yield* namesOf({ near: { ...near, radius_km: 400 }, sort: "distance" }), [
        "Trampoline Town",
        "Harbour Hall",
        "Bluebell Barn"
      ])
      assert.deepStrictEqual(yield* namesOf({ near: { ...near, radius_km: 400 }, sort: "price" }), [
        "Harbour Hall",
        "Bluebell Barn",
        "Trampoline Town"
      ])
      assert.deepStrictEqual(yield* namesOf({ near: { latitude: -18, longitude: -179.95, radius_km: 30 } }), [
        "Fiji Den"
      ])
      assert.deepStrictEqual(yield* namesOf({ near: { latitude: 90, longitude: 0, radius_km: 500 } }), [])
    })
  )

  it.effect("sorts by price within each currency", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      assert.deepStrictEqual(yield* namesOf({ sort: "price" }), [
        "Zoë's Spielhaus",
        "Fiji Den",
        "Harbour Hall",
        "Bluebell Barn",
        "Trampoline Town"
      ])
    })
  )

  it.effect("with a date shows only what can then be booked, with its first start in local time", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const on = (query: SearchQuery) =>
        Effect.map(search({ limit: 50, ...query }), ({ playrooms }) =>
          playrooms.map(({ name, next_start }) => [name, next_start])
        )
      const saturday = { date: "2026-12-05" }
      assert.deepStrictEqual(yield* on({ ...saturday, city: "London", mode: "exclusive" }), [
        ["Trampoline Town", "2026-12-05T10:00:00+00:00"],
        ["Harbour Hall", "2026-12-05T10:00:00+00:00"]
      ])
      assert.deepStrictEqual(yield* on({ date: "2026-12-06", city: "London", mode: "exclusive" }), [])
      assert.deepStrictEqual(
        yield* on({ ...saturday, city: "London", start_after: "10:30", mode: "exclusive", end_before: "15:00" }),
        [
          ["Trampoline Town", "2026-12-05T13:00:00+00:00"],
          ["Harbour Hall", "2026-12-05T13:00:00+00:00"]
        ]
      )
      assert.deepStrictEqual(yield* on({ ...saturday, city: "London", start_after: "13:30", end_before: "15:30" }), [
        ["Harbour Hall", "2026-12-05T14:00:00+00:00"]
      ])
      assert.deepStrictEqual(yield* on({ ...saturday, country: "DE" }), [
        ["Zoë's Spielhaus", "2026-12-05T09:00:00+01:00"]
      ])
      // Beyond the horizon of all of these.
      assert.deepStrictEqual(yield* on({ date: "2028-01-01" }), [])
      // It is half past seven in the evening in Fiji: that day is over there, and not in Leeds.
      yield* setClock("2026-11-20T07:30:00Z")
      assert.deepStrictEqual(yield* on({ date: "2026-11-20", city: "Suva" }), [])
      assert.deepStrictEqual(yield* on({ date: "2026-11-20", city: "Leeds" }), [
        ["Bluebell Barn", "2026-11-20T09:00:00+00:00"]
      ])
    })
  )

  it.effect("refuses filters that contradict each other, by path", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      assert.deepStrictEqual(yield* issuesOf({ sort: "distance" }), ["near"])
      assert.deepStrictEqual(yield* issuesOf({ start_after: "10:00", end_before: "12:00" }), [
        "start_after",
        "end_before"
      ])
      assert.deepStrictEqual(yield* issuesOf({ date: "2026-12-05", start_after: "12:00", end_before: "12:00" }), [
        "end_before"
      ])
      assert.deepStrictEqual(yield* issuesOf({ children: 1, child_ages: [3, 4] }), ["child_ages"])
    })
  )

  it.effect("refuses a cursor that is foreign, tampered with, or of other filters", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const { next_cursor = "" } = yield* search({ limit: 2 })
      assert.strictEqual((yield* search({ limit: 1, cursor: next_cursor })).playrooms.length, 1)
      for (const cursor of [
        "abc",
        "!",
        `${next_cursor}A`,
        next_cursor.slice(0, -2),
        Buffer.from("[1]").toString("base64url")
      ])
        assert.deepStrictEqual(yield* issuesOf({ cursor }), ["cursor"], cursor)
      for (let i = 0; i < next_cursor.length; i++) {
        const other = next_cursor[i] === "A" ? "B" : "A"
        const cursor = next_cursor.slice(0, i) + other + next_cursor.slice(i + 1)
        assert.deepStrictEqual(yield* issuesOf({ cursor }), ["cursor"], `at ${i}`)
      }
      assert.deepStrictEqual(yield* issuesOf({ cursor: next_cursor, sort: "price" }), ["cursor"])
      assert.deepStrictEqual(yield* issuesOf({ cursor: next_cursor, city: "London" }), ["cursor"])
    })
  )

  it.effect("refuses forged cursors whose digest is right, whatever they hold, in every ranking", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const near = { latitude: 51.5, longitude: -0.1, radius_km: 500 }
      const id = idOf("playroom", 1)
      const rankings: ReadonlyArray<readonly [SearchQuery, ReadonlyArray<string | number>]> = [
        [{ city: "London" }, [id]],
        [{ query: "trampoline" }, [id]],
        [{ sort: "price" }, ["free", id]],
        [{ sort: "price" }, ["price", "GBP", 400, id, "GBP", 500, id]],
        [{ sort: "price" }, ["price", "GBP", 400, id, "GBP", 500, id, "GBP", 450, id]],
        [{ sort: "price" }, ["window", "GBP", 400, id]],
        [{ near }, [12.5, id]],
        [{ near, sort: "price" }, ["window", "GBP", 400, id, "GBP", 350, id]]
      ]
      const wrong: ReadonlyArray<string | number> = [
        "",
        "\0",
        `${id}\0`,
        `${id} `,
        "x".repeat(200),
        "gbp",
        -1,
        0.5,
        2 ** 31,
        99_999_999_999,
        1e308,
        "1"
      ]
      for (const [query, key] of rankings) {
        const page = (position: ReadonlyArray<string | number>) =>
          issuesOf({ ...query, cursor: encodeCursor(query, position) })
        // Sound ones are taken.
        const { playrooms } = yield* search({ ...query, cursor: encodeCursor(query, [0, ...key]) })
        assert.isAtMost(playrooms.length, 10)
        for (const tier of [-1, 0.5, 99, 99_999_999_999, "0"])
          assert.deepStrictEqual(yield* page([tier, ...key]), ["cursor"], `tier ${tier}`)
        assert.deepStrictEqual(yield* page([]), ["cursor"])
        assert.deepStrictEqual(yield* page([0]), ["cursor"])
        assert.deepStrictEqual(yield* page([0, ...key, id]), ["cursor"])
        for (const i of key.keys()) {
          for (const value of wrong) {
            if (typeof key[i] === "number" && (value === 0.5 || value === 2 ** 31) && query.near !== undefined) continue
            assert.deepStrictEqual(
              yield* page([0, ...key.with(i, value)]),
              ["cursor"],
              `${JSON.stringify(query)} ${i} ${value}`
            )
          }
        }
      }
    })
  )

  it.effect("takes blank texts for absent ones, so that none of them hides what is there", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const all = yield* namesOf({})
      for (const text of ["", "  ", "\u00a0", "-", "\0"])
        assert.deepStrictEqual(
          yield* namesOf({ query: text, city: text, country: text, amenities: [text], cursor: "" }),
          all,
          JSON.stringify(text)
        )
    })
  )

  it.effect(
    "says why a date is refused: past wherever a playroom can be, or further ahead than any can be booked",
    () =>
      Effect.gen(function* () {
        // The 20th on the westernmost clocks, the 22nd on the easternmost.
        yield* setClock("2026-11-21T11:30:00Z")
        for (const date of ["1900-01-01", "2026-11-01", "2026-11-19", "2029-11-22", "2999-12-31"])
          assert.deepStrictEqual(yield* issuesOf({ date }), ["date"], date)
        for (const date of ["2026-11-20", "2026-11-21", "2029-11-21"]) yield* search({ date })
        const refused = yield* Effect.flip(search({ date: "2026-11-19" }))
        assert.include(JSON.stringify(refused), "This date is past: expected 2026-11-20 or later")
      })
  )

  it.effect("finds the playroom whose only fitting visit ends at midnight", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const late = playroomJson(70, {
        name: "Night Owl",
        city: "Hull",
        opening_hours: [{ weekday: "saturday", opens: "10:00", closes: "24:00" }]
      })
      yield* CatalogueFile.use((file) => file.importFile(catalogueJson([late])))
      const found = yield* search({ city: "Hull", date: "2026-12-05", start_after: "22:30", end_before: "24:00" })
      assert.deepStrictEqual(
        found.playrooms.map(({ next_start }) => next_start),
        ["2026-12-05T23:00:00+00:00"]
      )
    })
  )

  it.effect("finds words that are written in one or in two, and parts of what has no spaces", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const named = (n: number, name: string, city: string) => playroomJson(n, { name, city })
      yield* CatalogueFile.use((file) =>
        file.importFile(
          catalogueJson([
            named(80, "Fun-House Derby", "Derby"),
            named(81, "Funhouse York", "York"),
            named(82, "Fun House Hull", "Hull"),
            named(83, "東京プレイルーム", "渋谷区"),
            named(84, "สนามเด็กเล่นกรุงเทพ", "กรุงเทพ"),
            named(85, "서울놀이터", "서울")
          ])
        )
      )
      const houses = ["Fun-House Derby", "Funhouse York", "Fun House Hull"]
      for (const query of ["funhouse", "Fun-House", "fun house", "FUNHOUSE", "funhuose"])
        assert.sameMembers([...(yield* namesOf({ query }))], houses, query)
      assert.deepStrictEqual(yield* namesOf({ query: "funhouse york" }), ["Funhouse York"])
      for (const query of ["東京", "プレイ", "ルーム", "東京プレイルーム", "東京 ルーム", "渋谷", "京"])
        assert.deepStrictEqual(yield* namesOf({ query }), ["東京プレイルーム"], query)
      for (const query of ["大阪", "京東", "東京大阪"]) assert.deepStrictEqual(yield* namesOf({ query }), [], query)
      assert.deepStrictEqual(yield* namesOf({ query: "เด็กเล่น" }), ["สนามเด็กเล่นกรุงเทพ"])
      assert.deepStrictEqual(yield* namesOf({ query: "놀이" }), ["서울놀이터"])
      assert.deepStrictEqual(yield* namesOf({ query: "東京 playroom", sort: "price" }), ["東京プレイルーム"])
    })
  )
})
