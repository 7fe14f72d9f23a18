import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { BookingOptions } from "../../src/booking/BookingOptions.ts"
import { Bookings } from "../../src/booking/Bookings.ts"
import { PlayroomSearch } from "../../src/booking/PlayroomSearch.ts"
import { candidatesOf } from "../../src/catalogue/Candidates.ts"
import { Catalogue } from "../../src/catalogue/Catalogue.ts"
import { CatalogueFile } from "../../src/catalogue/CatalogueFile.ts"
import type { SearchQuery } from "../../src/catalogue/SearchQuery.ts"
import { readWords } from "../../src/catalogue/SearchWords.ts"
import { at, bookingServices, contact, principal } from "../support/BookingWorld.ts"
import {
  catalogueJson,
  idOf,
  manyPlayrooms,
  operatorJson,
  packageJson,
  type PlayroomJson,
  playroomJson
} from "../support/catalogues.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const world = PlayroomSearch.layer.pipe(Layer.provideMerge(bookingServices()), Layer.provideMerge(TestDatabase.layer))

const search = (query: SearchQuery) => PlayroomSearch.use((service) => service.search(query))
const namesOf = (query: SearchQuery) =>
  Effect.map(search({ limit: 50, ...query }), ({ playrooms }) => playrooms.map(({ name }) => name))
const issuesOf = (query: SearchQuery) =>
  Effect.flip(search(query)).pipe(
    Effect.map((error) => (error._tag === "InvalidArguments" ? error.issues.map(({ path }) => path) : [error._tag]))
  )
/** All pages of a search, one by one; none may be empty but the only one. */
const pagesOf = Effect.fnUntraced(function* <R = never>(
  query: SearchQuery,
  between: Effect.Effect<unknown, unknown, R> | undefined = undefined
) {
  const pages: Array<ReadonlyArray<string>> = []
  let cursor: string | undefined
  do {
    const page = yield* search({ ...query, ...(cursor === undefined ? {} : { cursor }) })
    assert.isTrue(page.playrooms.length > 0 || page.next_cursor === undefined)
    pages.push(page.playrooms.map(({ name }) => name))
    cursor = page.next_cursor
    if (between !== undefined) yield* Effect.orDie(between)
  } while (cursor !== undefined)
  return pages
})

const party = (n: number, changes = {}) =>
  packageJson(n, {
    mode: "exclusive",
    duration_minutes: 120,
    min_children: 4,
    max_children: 15,
    schedule: { weekdays: ["saturday"], times: ["10:00", "13:00"] },
    pricing: { base: 20_000, included_children: 10, extra_child: 1000, adult: 0, rules: [] },
    ...changes
  })

const rooms: ReadonlyArray<PlayroomJson> = [
  playroomJson(1, {
    name: "Bluebell Barn",
    city: "Leeds",
    latitude: 53.8,
    longitude: -1.55,
    amenities: ["soft play", "Café"],
    age_max: 6
  }),
  playroomJson(2, {
    name: "Trampoline Town",
    city: "London",
    latitude: 51.5,
    longitude: -0.12,
    amenities: ["trampoline"],
    age_min: 5,
    packages: [party(2)]
  }),
  playroomJson(3, {
    name: "Zoë's Spielhaus",
    city: "München",
    country: "DE",
    latitude: 48.14,
    longitude: 11.58,
    time_zone: "Europe/Berlin",
    currency: "EUR",
    amenities: ["ball pool", "café"]
  }),
  playroomJson(4, {
    name: "Harbour Hall",
    city: "London",
    latitude: 51.51,
    longitude: -0.02,
    description: "A hall with a trampoline and a pirate ship.",
    packages: [
      packageJson(4, { pricing: { base: 0, included_children: 0, extra_child: 400, adult: 0, rules: [] } }),
      party(104)
    ]
  }),
  playroomJson(5, { name: "Suspended Den", operator_id: idOf("operator", 2) }),
  playroomJson(6, { name: "Unlisted Den", listed: false }),
  playroomJson(7, { name: "Lapsed Den", operator_id: idOf("operator", 3) }),
  playroomJson(8, { name: "Unpaid Den", operator_id: idOf("operator", 4) }),
  playroomJson(9, {
    name: "Fiji Den",
    city: "Suva",
    country: "FJ",
    latitude: -18.1,
    longitude: 179.95,
    time_zone: "Pacific/Fiji",
    currency: "FJD"
  })
]
const operators = [
  operatorJson(1),
  operatorJson(2, { suspended_at: "2026-01-01T00:00:00Z" }),
  operatorJson(3, { billing_customer_id: "cus_3", paid_through: "2026-11-13T00:00:00Z" }),
  { operator_id: idOf("operator", 4), name: "No account", application_fee_percent: 0 }
]

layer(world)("search", (it) => {
  it.effect("lists whoever may sell, and no one else", () =>
    Effect.gen(function* () {
      yield* CatalogueFile.use((file) => file.importFile(catalogueJson(rooms, operators)))
      yield* at("2026-11-19T00:00:00Z")
      const all = ["Bluebell Barn", "Trampoline Town", "Zoë's Spielhaus", "Harbour Hall", "Lapsed Den", "Fiji Den"]
      assert.deepStrictEqual(yield* namesOf({}), all)
      // Seven days of grace after the paid period.
      yield* at("2026-11-20T09:00:00Z")
      assert.deepStrictEqual(
        yield* namesOf({}),
        all.filter((name) => name !== "Lapsed Den")
      )
    })
  )

  it.effect("finds words in names, cities, amenities and texts, names first, through accents, case and stems", () =>
    Effect.gen(function* () {
      yield* at("2026-11-20T09:00:00Z")
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
      yield* at("2026-11-20T09:00:00Z")
      for (const typo of ["trampolne", "tranpoline", "trampoliine", "trmapoline"])
        assert.deepStrictEqual(yield* namesOf({ query: typo }), ["Trampoline Town", "Harbour Hall"], typo)
      assert.deepStrictEqual(yield* namesOf({ query: "Lodnon town" }), ["Trampoline Town"])
      assert.deepStrictEqual(yield* namesOf({ query: "xylophone" }), [])
    })
  )

  it.effect("takes any of the words only where nothing has them all", () =>
    Effect.gen(function* () {
      yield* at("2026-11-20T09:00:00Z")
      assert.deepStrictEqual(yield* namesOf({ query: "pirate bluebell" }), ["Bluebell Barn", "Harbour Hall"])
      assert.deepStrictEqual(yield* pagesOf({ query: "pirate bluebell", limit: 1 }), [
        ["Bluebell Barn"],
        ["Harbour Hall"]
      ])
    })
  )

  it.effect("treats whatever is typed as words, never as syntax", () =>
    Effect.gen(function* () {
      yield* at("2026-11-20T09:00:00Z")
      for (const query of ["'; drop table playroom; --", "a & | ! (b", "x:*ABCD", "\\", "'", "東京 \u0000 %_", "<->"]) {
        yield* namesOf({ query })
        yield* namesOf({ city: query, amenities: [query] })
      }
    })
  )

  it.effect("combines filters: city, country, ages, amenities, mode, length, party and price", () =>
    Effect.gen(function* () {
      yield* at("2026-11-20T09:00:00Z")
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
      yield* at("2026-11-20T09:00:00Z")
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
      yield* at("2026-11-20T09:00:00Z")
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
      yield* at("2026-11-20T09:00:00Z")
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
      yield* at("2026-11-20T09:00:00Z")
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
      // Beyond every horizon, and past.
      assert.deepStrictEqual(yield* on({ date: "2028-01-01" }), [])
      assert.deepStrictEqual(yield* on({ date: "2026-11-01" }), [])
      // It is half past seven in the evening in Fiji: that day is over there, and not in Leeds.
      yield* at("2026-11-20T07:30:00Z")
      assert.deepStrictEqual(yield* on({ date: "2026-11-20", city: "Suva" }), [])
      assert.deepStrictEqual(yield* on({ date: "2026-11-20", city: "Leeds" }), [
        ["Bluebell Barn", "2026-11-20T09:00:00+00:00"]
      ])
    })
  )

  it.effect("refuses filters that contradict each other, by path", () =>
    Effect.gen(function* () {
      yield* at("2026-11-20T09:00:00Z")
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
      yield* at("2026-11-20T09:00:00Z")
      const { next_cursor = "" } = yield* search({ limit: 2 })
      assert.strictEqual((yield* search({ limit: 1, cursor: next_cursor })).playrooms.length, 1)
      for (const cursor of [
        "",
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
})

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

layer(world)("search with bookings and closures", (it) => {
  it.effect(
    "hides what is booked out or closed, and pages neither repeat nor skip while bookings come",
    () =>
      Effect.gen(function* () {
        yield* at("2026-11-20T09:00:00Z")
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
        assert.strictEqual((yield* namesOf({ date: "2026-12-06" })).length, 30)
        // All the rest is taken: one empty page, and no cursor.
        for (const { name } of many) yield* bookAll(Number(name.split(" ")[1]), "2026-12-05")
        assert.deepStrictEqual(yield* pagesOf({ date: "2026-12-05", limit: 3 }), [[]])
      }),
    60_000
  )

  it.effect("keeps to the option's own total on the day, dear or cheap", () =>
    Effect.gen(function* () {
      yield* at("2026-11-20T09:00:00Z")
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

layer(world)("search among thousands", (it) => {
  const queries: ReadonlyArray<SearchQuery> = [
    {},
    { query: "dinosaur" },
    { query: "1817" },
    { query: "rainbw trampolin" },
    { city: "Leeds" },
    { country: "GB", sort: "price" },
    { amenities: ["soft play", "cafe"] },
    { near: { latitude: 51, longitude: -2 } },
    { near: { latitude: 51, longitude: -2, radius_km: 400 }, sort: "distance" },
    {
      date: "2026-12-05",
      city: "york",
      children: 6,
      amenities: ["slide"],
      mode: "exclusive",
      start_after: "10:00",
      max_total: { amount: 30_000, currency: "GBP" }
    },
    { date: "2026-12-05", sort: "price", max_total: { amount: 30_000, currency: "GBP" } }
  ]

  it.effect(
    "never reads the whole table for a page",
    () =>
      Effect.gen(function* () {
        yield* at("2026-11-20T09:00:00Z")
        yield* CatalogueFile.use((file) => file.importFile(manyPlayrooms(2000)))
        const sql = yield* SqlClient.SqlClient
        const now = Date.parse("2026-11-20T09:00:00Z")
        for (const query of queries) {
          const words = query.query === undefined ? undefined : yield* readWords(sql)(query.query)
          for (const statement of candidatesOf(sql, query, words, now).statements(11)) {
            const plan = (yield* sql`explain ${statement}`.unprepared).map((row) => row["QUERY PLAN"]).join("\n")
            assert.notMatch(plan, /Seq Scan on (playroom|package|search_word)/, `${JSON.stringify(query)}\n${plan}`)
          }
        }
      }),
    120_000
  )

  it.effect(
    "pages through every ranking without repeating or skipping",
    () =>
      Effect.gen(function* () {
        yield* at("2026-11-20T09:00:00Z")
        const all = [
          { query: "dinosaur" },
          { city: "Leeds", sort: "price" as const },
          { near: { latitude: 51, longitude: -2, radius_km: 60 } }
        ]
        for (const query of all) {
          const once = (yield* pagesOf({ ...query, limit: 50 })).flat()
          const often = (yield* pagesOf({ ...query, limit: 7 })).flat()
          assert.deepStrictEqual(often, once)
          assert.strictEqual(new Set(once).size, once.length)
          assert.isAbove(once.length, 100)
        }
        const distances: Array<number> = []
        let cursor: string | undefined
        do {
          const page = yield* search({
            near: { latitude: 51, longitude: -2, radius_km: 60 },
            limit: 9,
            ...(cursor === undefined ? {} : { cursor })
          })
          distances.push(...page.playrooms.map(({ distance_km }) => distance_km ?? -1))
          cursor = page.next_cursor
        } while (cursor !== undefined)
        assert.deepStrictEqual(
          distances,
          distances.toSorted((a, b) => a - b)
        )
      }),
    120_000
  )

  it.effect("keeps a page short, whatever its limit", () =>
    Effect.gen(function* () {
      yield* at("2026-11-20T09:00:00Z")
      const text = (length: number) => "Long words. ".repeat(100).slice(0, length - 1) + "!"
      const verbose = Array.from({ length: 50 }, (_, i) =>
        playroomJson(9000 + i, {
          name: text(80),
          summary: text(240),
          address: text(160),
          city: "Verbosity",
          amenities: Array.from({ length: 20 }, (__, n) => `${n} ${text(28)}`),
          photos: [{ url: `https://x.example/${"y".repeat(180)}`, alt: "Long" }]
        })
      )
      yield* CatalogueFile.use((file) => file.importFile(catalogueJson(verbose)))
      const page = yield* search({ city: "Verbosity", limit: 50 })
      const json = JSON.stringify(page)
      assert.isBelow(json.length + JSON.stringify(json).length, 49_000)
      const ids: Array<string> = []
      let cursor: string | undefined
      do {
        const { playrooms, next_cursor } = yield* search({
          city: "Verbosity",
          limit: 50,
          ...(cursor === undefined ? {} : { cursor })
        })
        ids.push(...playrooms.map(({ playroom_id }) => playroom_id))
        cursor = next_cursor
      } while (cursor !== undefined)
      assert.deepStrictEqual(
        ids,
        verbose.map(({ playroom_id }) => playroom_id)
      )
    })
  )
})
