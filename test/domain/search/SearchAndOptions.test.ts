import { assert, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import * as fc from "fast-check"
import type { PricedOption } from "../../../src/domain/availability/BookingOption.ts"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import type { PlayroomSummary } from "../../../src/domain/catalogue/Playroom.ts"
import type { SearchQuery } from "../../../src/domain/search/SearchQuery.ts"
import { PlayroomId } from "../../../src/platform/ids/Ids.ts"
import { addDays, clockTimeOf, weekdays } from "../../../src/platform/time/LocalTime.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { catalogueJson, importJson, operatorJson, packageJson, playroomJson } from "../../support/catalogues.ts"
import { runs } from "../../support/runs.ts"
import { search, searchWorld } from "../../support/searchWorld.ts"

const today = "2026-10-22"
const zones = [
  "Europe/London",
  "America/New_York",
  "Pacific/Auckland",
  "America/Santiago",
  "Asia/Tokyo",
  "Africa/Casablanca"
]
const half = (hours: number) => clockTimeOf(hours * 60)

/** Playrooms that differ in all that decides on what they sell; the n-th is always the same. */
const room = (n: number) => {
  const opens = [9, 18, 0, 20, 10, 14][n % 6] ?? 9
  const closes = [17, 2, 24, 4, 21, 22.5][n % 6] ?? 17
  const open = weekdays.filter((_, day) => (n + day) % 4 !== 0)
  const length = [60, 90, 120, 240][n % 4] ?? 60
  return playroomJson(n, {
    name: `Room ${n}`,
    time_zone: zones[n % zones.length] ?? "UTC",
    opening_hours: open.map((weekday) => ({ weekday, opens: half(opens), closes: half(closes) })),
    overrides: [
      {
        date: addDays(today, 2 + (n % 9)),
        intervals: n % 3 === 0 ? [] : [{ opens: half(8), closes: half(12 + (n % 5)) }]
      }
    ],
    grid_minutes: [30, 45, 60][n % 3] ?? 60,
    lead_time_minutes: [0, 600, 3000][n % 3] ?? 0,
    max_advance_days: 3 + (n % 12),
    age_max: 6 + (n % 6),
    packages: [
      packageJson(2 * n, {
        duration_minutes: length,
        mode: n % 2 === 0 ? "shared" : "exclusive",
        min_children: 1 + (n % 4),
        max_children: 6 + (n % 14),
        pricing: {
          base: 100 * n,
          included_children: n % 5,
          extra_child: 300 + 20 * n,
          adult: 0,
          rules: [
            { label: "Half", weekdays: [weekdays[n % 7] ?? "monday"], change: { percent: -50 } },
            { label: "Season", date_from: addDays(today, n % 20), change: { amount: -300 } },
            { label: "Later", date_from: addDays(today, n % 7), change: { prices: { base: 80 * n, extra_child: 400 } } }
          ]
        }
      }),
      packageJson(2 * n + 1, { duration_minutes: 60, max_children: 8 })
    ]
  })
}
const rooms = Array.from({ length: 48 }, (_, i) => room(i + 1))

const clock = fc.integer({ min: 0, max: 47 }).map((n) => half(n / 2))
/** Up to two filters besides date and party: with more of them, hardly anything is found. */
const queries: fc.Arbitrary<SearchQuery & { readonly date: string; readonly children: number }> = fc
  .tuple(
    fc.record({
      date: fc.integer({ min: 0, max: 12 }).map((days) => addDays(today, days)),
      children: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 20 })),
      limit: fc.constantFrom(1, 5, 50),
      sort: fc.constantFrom("price" as const, "best_match" as const)
    }),
    fc.record({
      start_after: clock,
      end_before: fc.oneof(clock, fc.constant("24:00")),
      duration_minutes: fc.constantFrom(60, 90, 120, 240),
      mode: fc.constantFrom("shared" as const, "exclusive" as const),
      max_total: fc.integer({ min: 0, max: 20_000 }).map((amount) => ({ amount, currency: "GBP" }))
    }),
    fc.subarray(["start_after", "end_before", "duration_minutes", "mode", "max_total"] as const, { maxLength: 2 }),
    fc.record({
      days: fc.integer({ min: 6, max: 31 }),
      weekdays: fc.subarray([...weekdays], { minLength: 1, maxLength: 3 })
    }),
    fc.subarray(["date_to", "weekdays"] as const)
  )
  .map(([base, filters, chosen, { days, weekdays }, range]) => ({
    ...base,
    ...Struct.pick(filters, chosen),
    ...Struct.pick({ date_to: addDays(base.date, days), weekdays }, range)
  }))
  .filter(
    ({ start_after, end_before }: SearchQuery) =>
      start_after === undefined || end_before === undefined || start_after < end_before
  )

layer(searchWorld)("search with a date", (it) => {
  it.effect(
    "finds the playrooms that have an option which fits on one of its days, and no other, and tells which option and its price",
    () =>
      Effect.gen(function* () {
        yield* setClock(`${today}T15:10:00Z`)
        yield* importJson(catalogueJson(rooms, [operatorJson(1)]))
        const options = yield* BookingOptions
        /** All options of a playroom, whatever its pages hold. */
        const optionsOf = Effect.fnUntraced(function* (query: Parameters<typeof options.list>[0]) {
          const all: Array<PricedOption> = []
          for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
            const page = yield* options.list({ ...query, ...(cursor === undefined ? {} : { cursor }) })
            all.push(...page.options)
            cursor = page.next_cursor
          }
          return all
        })
        let found = 0
        for (const query of fc.sample(queries, { numRuns: runs(12), seed: 8 })) {
          const { children, duration_minutes, mode, max_total, sort } = query
          const asked = JSON.stringify(query)
          const expected = new Map<string, PricedOption>()
          for (const { playroom_id, name, packages } of rooms) {
            const all = yield* optionsOf({
              playroom_id: PlayroomId.make(playroom_id),
              children,
              limit: 100,
              ...Struct.pick(query, [
                "date",
                ...(["date_to", "weekdays", "start_after", "end_before"] as const).filter(
                  (field) => query[field] !== undefined
                )
              ])
            })
            const [chosen] = all
              .filter(
                (option) =>
                  (mode === undefined || option.mode === mode) &&
                  (duration_minutes === undefined ||
                    packages.find(({ package_id }) => package_id === option.package_id)?.duration_minutes ===
                      duration_minutes) &&
                  (max_total === undefined || option.price.total <= max_total.amount)
              )
              .toSorted((a, b) => {
                const [earlier, cheaper] = [Date.parse(a.start) - Date.parse(b.start), a.price.total - b.price.total]
                return sort === "price" ? cheaper || earlier : earlier || cheaper
              })
            if (chosen !== undefined) expected.set(name, chosen)
          }
          let cursor: string | undefined
          const told: Array<PlayroomSummary> = []
          do {
            const page = yield* search({ ...query, ...(cursor === undefined ? {} : { cursor }) })
            told.push(...page.playrooms)
            cursor = page.next_cursor
          } while (cursor !== undefined)
          assert.sameMembers(
            told.map(({ name }) => name),
            [...expected.keys()],
            asked
          )
          for (const { name, next_start, price_for_party } of told) {
            assert.strictEqual(next_start, expected.get(name)?.start, `${name} ${asked}`)
            assert.strictEqual(price_for_party?.amount, expected.get(name)?.price.total, `${name} ${asked}`)
          }
          found += told.length
        }
        assert.isAbove(found, runs(12) * 5)
      }),
    240_000
  )
})
