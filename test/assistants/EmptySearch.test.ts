import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient, Statement } from "effect/sql"
import type { SearchQuery } from "../../src/domain/search/SearchQuery.ts"
import { emptySearchFields } from "../../src/domain/search/EmptySearch.ts"
import { setClock } from "../support/BookingWorld.ts"
import { recordingTracer } from "../support/recordedSpans.ts"
import { demoWorld, heavySearches, issuesOf, namesOf, search } from "../support/searchWorld.ts"

const Changes = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Any)))
const Told = Schema.is(Schema.Struct(emptySearchFields))

/** What an empty search tells; each playroom that it names is found once the search is changed as it says. */
const told = Effect.fnUntraced(function* (query: SearchQuery) {
  const page = yield* search(query)
  assert.deepStrictEqual([page.playrooms, page.next_cursor], [[], undefined], JSON.stringify(query))
  assert.isTrue(Told(page))
  for (const { from_price, instead, lacks, name, next_start, without } of page.nearest ?? []) {
    assert.isNotEmpty(lacks)
    if (without === undefined) continue
    const others = Object.fromEntries(Object.entries(query).filter(([name]) => !without.includes(name)))
    const changed = { ...others, ...(instead === undefined ? {} : Changes(instead)) }
    const found = yield* search({ ...changed, limit: 50 })
    const one = found.playrooms.find((playroom) => playroom.name === name)
    assert.isDefined(one, `${JSON.stringify(query)} → ${without} ${instead}`)
    assert.strictEqual(one?.next_start, next_start)
    assert.strictEqual(one?.price_for_party?.display, from_price)
  }
  return page
})
const filters = ({ none_because = [] }: { readonly none_because?: ReadonlyArray<{ readonly filter: string }> }) =>
  none_because.map(({ filter }) => filter)

layer(demoWorld)("where nothing is found in the demo", (it) => {
  it.effect("a length that is not sold is named, with those that are", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const page = yield* told({ city: "London", mode: "shared", duration_minutes: 120 })
      assert.deepInclude(page.none_because ?? [], { filter: "duration_minutes", excluded: 2 })
      assert.deepInclude(page.nearest?.[0], { without: ["duration_minutes"], instead: '{"duration_minutes":90}' })
      const odd = yield* told({ city: "München", duration_minutes: 77 })
      assert.deepStrictEqual(odd.known_values, [
        { filter: "duration_minutes", values: ["60", "75", "90", "120", "150", "180"] }
      ])
    })
  )

  it.effect("another currency is named, with a price in the one that is taken", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const max_total = { amount: 5000, currency: "CHF" }
      const page = yield* told({ city: "Berlin", children: 4, max_total })
      assert.include(filters(page), "max_total")
      assert.match(page.nearest?.[0]?.instead ?? "", /^\{"max_total":\{"amount":\d+,"currency":"EUR"\}\}$/)
      assert.deepStrictEqual(page.known_values, [
        { filter: "max_total", values: ["AUD", "EUR", "GBP", "JPY", "SEK", "USD"] }
      ])
      const gold = yield* told({ city: "Berlin", max_total: { amount: 5000, currency: "XAU" } })
      assert.match(gold.nearest?.[0]?.instead ?? "", /"currency":"EUR"/)
      const dear = yield* told({ city: "Berlin", mode: "exclusive", max_total: { amount: 100, currency: "EUR" } })
      assert.strictEqual(dear.nearest?.[0]?.without?.join(), "max_total")
      assert.isUndefined(dear.known_values)
    })
  )

  it.effect("swapped coordinates are noticed, and a wider circle is tried", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const swapped = yield* told({ near: { latitude: 11.58, longitude: 48.14 } })
      assert.deepStrictEqual(
        [swapped.nearest?.[0]?.instead, swapped.nearest?.[0]?.city],
        ['{"near":{"latitude":48.14,"longitude":11.58}}', "München"]
      )
      const far = yield* told({ near: { latitude: 52.2, longitude: -1.5 } })
      assert.strictEqual(far.nearest?.[0]?.instead, '{"near":{"latitude":52.2,"longitude":-1.5,"radius_km":500}}')
      // Iceland, and the South Pole.
      const wide = yield* told({ near: { latitude: 64.1, longitude: -21.9 } })
      assert.deepStrictEqual(wide.nearest?.[0]?.city, "Manchester")
      const pole = yield* told({ near: { latitude: -90, longitude: 150 } })
      assert.deepStrictEqual(pole.nearest?.[0]?.city, "Sydney")
      assert.deepStrictEqual(yield* issuesOf({ date: "2026-11-01" }), ["date"])
    })
  )

  it.effect("a city, country or amenity that nobody has is named, with what there is", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const city = yield* told({ city: "Stokholm", children: 2 })
      assert.deepStrictEqual(filters(city), ["city"])
      assert.deepInclude(city.nearest?.[0], { without: ["city"], instead: '{"city":"Stockholm"}' })
      assert.deepInclude(city.known_values?.[0], { filter: "city" })
      assert.strictEqual(city.known_values?.[0]?.values[0], "Stockholm")
      const country = yield* told({ country: "FR" })
      assert.deepStrictEqual(country.known_values, [
        { filter: "country", values: ["AU", "DE", "GB", "JP", "SE", "US"] }
      ])
      const amenity = yield* told({ city: "London", amenities: ["soft play", "moon base"] })
      assert.deepStrictEqual(amenity.none_because, [{ filter: "amenities", value: "moon base", excluded: 1 }])
      assert.deepInclude(amenity.nearest?.[0], { without: ["amenities"], name: "Sunny Side Clapham" })
      assert.strictEqual(amenity.known_values?.[0]?.filter, "amenities")
      assert.include(amenity.known_values?.[0]?.values ?? [], "baby changing")
    })
  )

  it.effect("ages outside those of every playroom are said, and a party that is too large", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const ages = yield* told({ city: "Bristol", child_ages: [3, 11] })
      assert.strictEqual(ages.party, "2 children, 2 ages given: 3 to 11")
      assert.include(filters(ages), "child_ages")
      // Nobody gets other children: a playroom for other ages is no answer, but who takes which ages is said.
      const old = yield* told({ city: "Bristol", child_ages: [15] })
      assert.deepStrictEqual(filters(old), ["child_ages"])
      const mostly = (old.none_because ?? []).find(({ filter }) => filter === "child_ages")
      assert.match(
        mostly?.text ?? "",
        /^No playroom that fits all else takes age 15\. The nearest take ages \d+ to \d+/
      )
      for (const child_ages of [[15], [3, 17], [16, 17, 17]]) {
        for (const others of [{}, { date: "2026-11-28" }, { mode: "shared" }, { city: "London" }] as const) {
          const page = yield* search({ ...others, child_ages })
          for (const { instead = "", without = [] } of page.nearest ?? []) {
            assert.notInclude(without, "child_ages")
            assert.notInclude(instead, "child_ages")
          }
        }
      }
      const large = yield* told({ city: "Bristol", children: 20 })
      assert.include(filters(large), "children")
      assert.isDefined(large.nearest?.find(({ instead }) => instead === '{"children":12}'))
      // Fewer ages than children are fine, and echoed.
      const some = yield* search({ city: "London", children: 4, child_ages: [3] })
      assert.isNotEmpty(some.playrooms)
      assert.strictEqual(some.party, "4 children, 1 age given: 3 to 3")
    })
  )

  it.effect("a day without a free start leads to one that has, also from beyond what can be booked", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const party = { city: "London", mode: "exclusive", children: 20, duration_minutes: 120 } as const
      // Parties are on Saturdays.
      const tuesday = yield* told({ ...party, date: "2026-11-24" })
      assert.deepInclude(
        tuesday.nearest?.find(({ without }) => without?.includes("date")),
        {
          instead: '{"date":"2026-11-28"}',
          next_start: "2026-11-28T10:00:00+00:00"
        }
      )
      const far = yield* told({ ...party, date: "2028-01-01" })
      assert.match(far.nearest?.find(({ without }) => without?.includes("date"))?.instead ?? "", /"2027-05-\d\d"/)
      const late = yield* told({ ...party, date: "2026-11-28", start_after: "19:00" })
      assert.deepInclude(late.nearest?.[0], { without: ["start_after"], name: "Sunny Side Clapham" })
    })
  )

  it.effect("what goes with a filter is left out with it, and nothing is said that would be refused", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      // Nobody is open so late, on any day.
      const late = yield* told({ city: "London", date: "2026-11-28", start_after: "23:30" })
      assert.deepInclude(
        (late.nearest ?? []).map(({ without }) => without),
        ["date", "start_after"]
      )
      const far = yield* told({ near: { latitude: -90, longitude: 150 }, amenities: ["wifi"], sort: "distance" })
      assert.isNotEmpty(far.nearest)
      // Twelve at most: for fewer children than there are ages, the ages would be refused.
      const many = yield* told({ city: "Bristol", children: 20, child_ages: Array.from({ length: 20 }, () => 4) })
      for (const { instead = "" } of many.nearest ?? []) assert.notInclude(instead, "children")
    })
  )

  it.effect("of words, those are kept that name a city", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const unicorn = yield* told({ query: "東京一角獣" })
      assert.deepInclude(unicorn.nearest?.[0], { without: ["query"], instead: '{"query":"東京"}', city: "Tokyo" })
      const sydney = yield* told({ query: "東京シドニー一角獣", country: "AU", children: 2 })
      assert.deepInclude(sydney.nearest?.[0], { instead: '{"query":"シドニー 東京"}', city: "Sydney" })
      const long = yield* told({ query: "一角獣".repeat(66) })
      assert.deepStrictEqual(
        long.nearest?.map(({ without, instead }) => [without, instead]),
        [[["query"], undefined]]
      )
    })
  )

  it.effect("an empty page comes also where its reasons can't be read", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const sql = yield* SqlClient.SqlClient
      const page = yield* Effect.provideService(
        search({ city: "Atlantis" }),
        Statement.CurrentTransformer,
        (statement) =>
          Effect.succeed(/similarity\(/.test(statement.compile()[0]) ? sql`select 1 / 0 as likeness` : statement)
      )
      assert.deepStrictEqual(page, { playrooms: [] })
    })
  )

  it.effect("where no filter alone is to blame, it tells the least that must be given up together", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const page = yield* told({ city: "Atlantis", amenities: ["moon base"], duration_minutes: 60 })
      assert.deepStrictEqual(page.none_because, [
        { filter: "amenities", excluded: 0, text: "Something fits if city is left out, too." },
        { filter: "city", excluded: 0, text: "Something fits if amenities is left out, too." }
      ])
      const [nearest] = page.nearest ?? []
      assert.deepStrictEqual(nearest?.without, ["amenities", "city"])
      assert.deepStrictEqual(nearest?.lacks, ["no moon base", `in ${nearest?.city}`])
    })
  )

  it.effect("where others may be given up together as well, it does not say that nothing else helps", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const { none_because } = yield* told({ city: "London", country: "DE", amenities: ["moon base"] })
      assert.deepStrictEqual(none_because, [
        { filter: "amenities", excluded: 0, text: "Something fits if city is left out, too." },
        { filter: "city", excluded: 0, text: "Something fits if amenities is left out, too." }
      ])
      assert.isNotEmpty((yield* search({ country: "DE" })).playrooms)
      assert.isNotEmpty((yield* search({ city: "London" })).playrooms)
    })
  )

  it.effect("what each playroom lacks is said, and the one that has the words is named with why it does not fit", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const trampolines = (yield* search({ query: "trampoline" })).playrooms.map(({ name }) => name)
      assert.isNotEmpty(trampolines)
      const child_ages = [1, 16]
      for (const others of [{}, { duration_minutes: 77 }, { mode: "shared", date: "2026-11-28" }] as const) {
        const { nearest = [], none_because = [] } = yield* told({ query: "trampoline", child_ages, ...others })
        const one = nearest.find(({ name }) => trampolines.includes(name))
        assert.isUndefined(one?.without)
        assert.match(one?.lacks.at(-1) ?? "", /^takes ages \d+ to \d+$/)
        assert.include(
          none_because.map(({ filter }) => filter),
          "child_ages"
        )
      }
      const { nearest = [] } = yield* told({ query: "trampoline", city: "Bristol", child_ages: [3], adults: 2 })
      assert.isDefined(nearest.find(({ name }) => trampolines.includes(name)))
      assert.include(
        nearest.flatMap(({ lacks }) => lacks),
        "no mention of trampoline"
      )
    })
  )

  it.effect("a budget is said in words, with the least that all else costs", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const page = yield* told({
        city: "London",
        children: 8,
        mode: "exclusive",
        max_total: { amount: 150, currency: "GBP" }
      })
      const [budget] = page.none_because ?? []
      assert.match(
        budget?.text ?? "",
        /^The budget is at most £1\.50 in all\. The cheapest that fits all else costs £\d+\.\d\d\.$/
      )
      assert.match(page.nearest?.[0]?.lacks.join() ?? "", /^costs from £\d+\.\d\d, not at most £1\.50$/)
    })
  )

  it.effect("is explained in few statements, whatever is asked for: no search runs that can find nothing", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const { everyFilter, unknownValues } = heavySearches("2026-11-28")
      const amenities = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? "cafe" : `none ${n}`))
      const max_total = { amount: 2000, currency: "GBP" }
      const days = { date: "2026-11-28", date_to: "2026-12-24" }
      const queries: ReadonlyArray<readonly [most: number, query: SearchQuery]> = [
        [30, everyFilter],
        [30, unknownValues],
        [30, { ...days, city: "London", query: "soft play dragon", amenities, max_total }],
        [30, { date: "2026-11-28", city: "London", country: "DE", children: 8, mode: "exclusive", max_total }],
        [30, { date: "2026-11-28", children: 8, adults: 4, duration_minutes: 120, start_after: "09:00", max_total }],
        // Each search for several words reads a tier after the other.
        [
          80,
          { ...everyFilter, amenities, query: "pirate ship zzzz trampoline", city: "London", country: "GB", max_total }
        ]
      ]
      for (const [most, query] of queries) {
        const { statements, tracer } = recordingTracer()
        yield* Effect.withTracer(search(query), tracer)
        assert.isAtMost(statements().length, most, JSON.stringify(query))
      }
    })
  )

  it.effect("so many are excluded as is said, or more", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const query = { city: "Londra", mode: "shared", children: 2, duration_minutes: 180 } as const
      const others = yield* namesOf({ city: "Londra", mode: "shared", children: 2 })
      const page = yield* told(query)
      assert.deepInclude(page.none_because ?? [], { filter: "duration_minutes", excluded: others.length })
      const most = yield* told({ duration_minutes: 77 })
      assert.deepStrictEqual(most.none_because, [{ filter: "duration_minutes", excluded: 5, or_more: true }])
    })
  )
})
