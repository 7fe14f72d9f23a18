import { assert, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import * as fc from "fast-check"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import type { PlayroomSummary } from "../../../src/domain/catalogue/Playroom.ts"
import { PlayroomId } from "../../../src/platform/ids/Ids.ts"
import { addDays, weekdays } from "../../../src/platform/time/LocalTime.ts"
import type { SearchQuery } from "../../../src/domain/search/SearchQuery.ts"
import { contact, principal, setClock } from "../../support/BookingWorld.ts"
import { catalogueJson, importJson, operatorJson, packageJson, playroomJson } from "../../support/catalogues.ts"
import { runs } from "../../support/runs.ts"
import { search, searchWorld } from "../../support/searchWorld.ts"

const today = "2026-10-22"
/** Midnight in London: every start of the day is still to come. */
const midnight = `2026-10-21T23:00:00Z`

const amount = (most: number) => fc.integer({ min: 1, max: most }).map((hundreds) => hundreds * 100)
const rule = fc
  .record({
    when: fc.constantFrom(
      { weekdays: weekdays.slice(0, 5) },
      { weekdays: weekdays.slice(5) },
      { weekdays: ["wednesday" as const] },
      { until: "12:00" },
      { from: "14:00", weekdays: weekdays.slice(0, 5) },
      { date_from: addDays(today, 4), date_to: addDays(today, 8) }
    ),
    change: fc.constantFrom(
      { percent: -50 },
      { percent: 40 },
      { percent: -100 },
      { amount: -400 },
      { amount: 700 },
      { prices: { base: 400 } },
      { prices: { extra_child: 200, adult: 500 } }
    )
  })
  .map(({ change, when }) => ({ label: "Special", ...when, change }))
const pricing = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      base: fc.oneof(fc.constant(0), amount(90)),
      included_children: fc.constantFrom(0, 0, 2, 5),
      extra_child: amount(20),
      adult: fc.constantFrom(0, 0, 300),
      rules: fc.array(rule, { maxLength: 3 })
    })
  },
  {
    weight: 1,
    arbitrary: fc.constant({ base: 0, included_children: 0, extra_child: 0, adult: 0, rules: [] })
  }
)
const payment = fc.constantFrom(
  { kind: "full" as const },
  { kind: "deposit" as const, deposit: { percent: 50 }, balance_due_hours_before: 24, refundable: true }
)
const offer = fc.record({
  pricing,
  payment,
  mode: fc.constantFrom("shared" as const, "exclusive" as const),
  min_children: fc.integer({ min: 1, max: 4 }),
  max_children: fc.integer({ min: 6, max: 12 }),
  duration_minutes: fc.constantFrom(60, 120)
})
const offers = fc.record({
  currency: fc.constantFrom("GBP", "GBP", "EUR", "JPY"),
  packages: fc.array(offer, { minLength: 1, maxLength: 2 })
})

/** A catalogue of so many playrooms, by a seed. All clocks are those of London, whatever the currency. */
const roomsOf = (count: number, seed: number) =>
  fc.sample(offers, { numRuns: count, seed }).map(({ currency, packages }, i) =>
    playroomJson(i + 1, {
      name: `Room ${i + 1}`,
      currency,
      capacity: 12,
      grid_minutes: 120,
      lead_time_minutes: 0,
      max_advance_days: 10,
      packages: packages.map((its, k) => packageJson(2 * i + k + 1, its))
    })
  )

type Asked = SearchQuery & { readonly children: number }

/** Random parties, days and times. */
const queries: fc.Arbitrary<Asked> = fc
  .record({
    children: fc.integer({ min: 1, max: 11 }),
    adults: fc.option(fc.constantFrom(1, 2), { nil: undefined }),
    mode: fc.option(fc.constantFrom("shared" as const, "exclusive" as const), { nil: undefined, freq: 2 }),
    day: fc.option(fc.integer({ min: 0, max: 8 }), { nil: undefined, freq: 5 }),
    days: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined, freq: 1 }),
    start_after: fc.option(fc.constantFrom("11:00", "13:00"), { nil: undefined, freq: 2 }),
    limit: fc.constantFrom(3, 7, 10, 50)
  })
  .map(({ adults, children, day, days, limit, mode, start_after }) => ({
    children,
    limit,
    sort: "price" as const,
    ...(adults === undefined ? {} : { adults }),
    ...(mode === undefined ? {} : { mode }),
    ...(day === undefined
      ? {}
      : {
          date: addDays(today, day),
          ...(days === undefined ? {} : { date_to: addDays(today, day + days) }),
          ...(start_after === undefined ? {} : { start_after })
        })
  }))

/** The least total of a playroom for a search, by all its options; undefined without any. */
const leastOf = Effect.fnUntraced(function* (playroom_id: string, asked: Asked) {
  const { mode } = asked
  const query = Struct.omit(asked, ["limit", "mode", "sort"])
  const options = yield* BookingOptions
  const totals: Array<number> = []
  let cursor: string | undefined
  do {
    const page = yield* options.list({
      playroom_id: PlayroomId.make(playroom_id),
      date: today,
      ...(query.date === undefined ? { date_to: addDays(today, 10) } : {}),
      ...query,
      limit: 100,
      ...(cursor === undefined ? {} : { cursor })
    })
    totals.push(
      ...page.options.filter((option) => mode === undefined || option.mode === mode).map(({ price }) => price.total)
    )
    cursor = page.next_cursor
  } while (cursor !== undefined)
  return totals.length === 0 ? undefined : Math.min(...totals)
})

type Place = readonly [free: boolean, currency: string, total: number, playroom_id: string]
const byPlace = (a: Place, b: Place): number => {
  const [x, y] = [a, b].map(([free, currency, total, id]) =>
    free ? `0 ${id}` : `1 ${currency} ${String(total).padStart(9, "0")} ${id}`
  )
  return (x ?? "") < (y ?? "") ? -1 : 1
}
const placeOf = (playroom_id: string, currency: string, total: number): Place => [
  total === 0,
  currency,
  total,
  playroom_id
]

/** All playrooms of a search, page by page, and whether an answer said that only its pages are in order. */
const walk = Effect.fnUntraced(function* <R>(query: SearchQuery, between: Effect.Effect<unknown, unknown, R>) {
  const found: Array<PlayroomSummary> = []
  const orders: Array<string> = []
  let cursor: string | undefined
  do {
    const page = yield* search({ ...query, ...(cursor === undefined ? {} : { cursor }) })
    found.push(...page.playrooms)
    if (page.order !== undefined) orders.push(page.order)
    cursor = page.next_cursor
    yield* Effect.orDie(between)
  } while (cursor !== undefined)
  return { found, orders }
})

const told = (found: ReadonlyArray<PlayroomSummary>): ReadonlyArray<Place> =>
  found.map(({ playroom_id, price_for_party }) =>
    placeOf(playroom_id, price_for_party?.currency ?? "", price_for_party?.amount ?? -1)
  )

layer(searchWorld)("a search that is sorted by price", (it) => {
  it.effect(
    "has all playrooms over its pages in the order of what the party pays, free ones first, one currency after the other",
    () =>
      Effect.gen(function* () {
        const rooms = roomsOf(44, Number(process.env["PRICE_SEED"] ?? 3))
        yield* setClock(midnight)
        yield* importJson(catalogueJson(rooms, [operatorJson(1)]))
        let [some, several] = [0, 0]
        for (const query of fc.sample(queries, { numRuns: runs(10, 6), seed: 11 })) {
          const expected: Array<Place> = []
          for (const { currency, playroom_id } of rooms) {
            const total = yield* leastOf(playroom_id, query)
            if (total !== undefined) expected.push(placeOf(playroom_id, currency, total))
          }
          const { found, orders } = yield* walk(query, Effect.void)
          assert.deepStrictEqual(told(found), expected.toSorted(byPlace), JSON.stringify(query))
          const currencies = new Set(expected.map(([, currency]) => currency))
          some += expected.length
          if (currencies.size > 1) {
            several++
            assert.include(orders[0] ?? "", "amounts of different currencies are not compared")
          }
          for (const order of orders) assert.notInclude(order, "within each page only")
        }
        assert.isAbove(some, 100)
        assert.isAbove(several, 0)
      }),
    240_000
  )

  it.effect(
    "neither repeats nor skips a playroom while others book, whose prices stay",
    () =>
      Effect.gen(function* () {
        yield* setClock(midnight)
        // Each start of a playroom costs the same, so bookings leave its price as it is.
        const rooms = Array.from({ length: 40 }, (_, i) =>
          playroomJson(i + 501, {
            name: `Room ${i + 1}`,
            city: "Hull",
            max_advance_days: 30,
            packages: [
              packageJson(i + 501, {
                mode: "exclusive",
                duration_minutes: 60,
                pricing: {
                  base: 1000 + ((i * 7) % 13) * 100,
                  included_children: 10,
                  extra_child: 0,
                  adult: 0,
                  rules: []
                }
              })
            ]
          })
        )
        yield* importJson(catalogueJson(rooms, [operatorJson(1)]))
        const query = { city: "Hull", date: addDays(today, 5), children: 3, limit: 4, sort: "price" as const }
        const [options, bookings] = [yield* BookingOptions, yield* Bookings]
        let n = 0
        /** Books the first start of three playrooms, before and behind the page. */
        const book = Effect.gen(function* () {
          for (const _ of [1, 2, 3]) {
            n++
            const id = rooms[(n * 11) % rooms.length]?.playroom_id ?? ""
            const { options: open } = yield* options.list({
              date: query.date,
              children: 3,
              limit: 1,
              playroom_id: PlayroomId.make(id)
            })
            const [first] = open
            if (first !== undefined)
              yield* bookings.create(principal(`key_${n}`), { option_id: first.option_id, contact: contact(`p${n}`) })
          }
        })
        const before = (yield* walk(query, Effect.void)).found.map(({ name }) => name)
        assert.strictEqual(before.length, rooms.length)
        const during = (yield* walk(query, book)).found.map(({ name }) => name)
        assert.deepStrictEqual(during, before)
      }),
    120_000
  )
})
