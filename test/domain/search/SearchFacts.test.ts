import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { searchFactsOf, refreshSearchFacts } from "../../../src/domain/search/SearchFacts.ts"
import { quote, totalAt } from "../../../src/domain/catalogue/Pricing.ts"
import { startsOn } from "../../../src/domain/availability/Starts.ts"
import { Catalogue } from "../../../src/domain/catalogue/Catalogue.ts"
import type { PriceRule } from "../../../src/domain/catalogue/Package.ts"
import {
  addDays,
  clockTimeOf,
  datesFrom,
  type LocalDate,
  localDateOf,
  localMinutesOf,
  minuteMs,
  startOfDay,
  weekdayOf,
  weekdays
} from "../../../src/platform/time/LocalTime.ts"
import { anyPackage, priceRule, venueOnDate } from "../../support/arbitraryVenues.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { idOf, importRooms, packageJson, playroomJson } from "../../support/catalogues.ts"
import { search, searchWorld } from "../../support/searchWorld.ts"
import { packageWith, playroomWith, testId, venueWith } from "../../support/venues.ts"
import { runs } from "../../support/runs.ts"

/** Whether a range as the database writes it, like `[2026-01-01,)`, holds a value. */
const holds = (range: string, value: string): boolean => {
  if (range === "empty") return false
  const [from = "", to = ""] = range.slice(1, -1).split(",")
  return (from === "" || from <= value) && (to === "" || value < to)
}

describe("what search knows of a playroom", () => {
  it("holds every start of every package on every day, on clock changes and beside overrides too", () => {
    let starts = 0
    fc.assert(
      fc.property(venueOnDate, fc.integer({ min: 0, max: 28 }), ({ venue, pkg, date }, daysAhead) => {
        const zone = venue.playroom.time_zone
        const { visits } = searchFactsOf(venue, startOfDay(zone, addDays(date, -daysAhead)))
        for (const day of datesFrom(addDays(date, -1), addDays(date, 1))) {
          for (const start of startsOn(venue, pkg, day)) {
            starts++
            const end = start + pkg.duration_minutes * minuteMs
            const ends = localDateOf(zone, end) === day ? localMinutesOf(zone, end) : 1440
            const weekday = `[${weekdays.indexOf(weekdayOf(day))},`
            const held = visits.some(
              (visit) =>
                visit.weekdays.includes(weekday) &&
                holds(visit.dates, day) &&
                localMinutesOf(zone, start) <= visit.last_start &&
                (visit.first_end <= ends || end > startOfDay(zone, addDays(day, 1)))
            )
            assert.isTrue(held, `${zone} ${day} ${clockTimeOf(localMinutesOf(zone, start))} ${JSON.stringify(visits)}`)
          }
        }
      }),
      { numRuns: runs(50) }
    )
    assert.isAbove(starts, runs(300))
  })

  it("bounds the price of every party at every start from below, in all and by the child", () => {
    let compared = 0
    fc.assert(
      fc.property(venueOnDate, fc.array(priceRule, { minLength: 1, maxLength: 3 }), (sold, conditions) => {
        const { date, venue } = sold
        const rules = conditions.map((rule): PriceRule => ({ ...rule, change: { percent: -50 } }))
        // Children who cost nothing more leave the differences between sizes to rules that halve the price.
        const free = packageWith({ ...sold.pkg, pricing: { ...sold.pkg.pricing, base: 5000, extra_child: 0, rules } })
        const packages = [sold.pkg, { ...free, package_id: testId.package(1001) }]
        const { visits } = searchFactsOf(
          venueWith(venue.playroom, packages, venue.add_ons),
          startOfDay(venue.playroom.time_zone, addDays(date, -3))
        )
        for (const pkg of packages) {
          const bounds = visits.filter(({ package_id }) => package_id === pkg.package_id)
          const starts = startsOn(venue, pkg, date)
          const step = Math.ceil(starts.length / 2)
          for (const start of starts.filter((_, n) => n % step === 0)) {
            // Every size, as rules could hold for some of them only. Adults and add-ons never make a party cheaper
            // (`EveryPrice.test.ts`).
            for (let children = pkg.min_children; children <= pkg.max_children; children++) {
              compared++
              const total = totalAt(venue, pkg, { children, adults: 0, add_ons: [] }, start)
              for (const { least_total, least_per_child } of bounds) {
                if (least_total > total || least_per_child * children > total)
                  assert.fail(
                    `${children} children pay ${total}; search says ${least_total}, a child ${least_per_child}`
                  )
              }
            }
          }
        }
      }),
      { numRuns: runs(50) }
    )
    assert.isAbove(compared, runs(450))
  })

  it("names as the lowest price the least that any start from today to the horizon costs", () => {
    let compared = 0
    fc.assert(
      fc.property(venueOnDate, fc.array(anyPackage, { maxLength: 2 }), ({ venue, pkg, date }, others) => {
        // A zone without clock changes: there, rules and starts are all that matters.
        const playroom = { ...venue.playroom, time_zone: "Asia/Kolkata" }
        const packages = [pkg, ...others].map((one, n) => ({ ...one, package_id: testId.package(n) }))
        const sold = venueWith(playroom, packages, venue.add_ons)
        const { lead_time_minutes, max_advance_days } = playroom
        const days = datesFrom(addDays(date, Math.floor(lead_time_minutes / 1440)), addDays(date, max_advance_days))
        const lowest = packages.map((one) => {
          const party = { children: one.min_children, adults: 0, add_ons: [] }
          const totals = days.flatMap((day) =>
            startsOn(sold, one, day).map((start) => quote(sold, one, party, start, start).price.total)
          )
          return totals.length === 0 ? undefined : Math.min(...totals)
        })
        const { from_price, prices_told } = searchFactsOf(sold, startOfDay(playroom.time_zone, date))
        for (const [n, expected] of lowest.entries())
          if (expected !== undefined)
            assert.strictEqual(prices_told.packages[packages[n]?.package_id ?? ""]?.price_from, expected)
        const bookable = lowest.filter((price) => price !== undefined)
        if (bookable.length === 0) return
        compared++
        assert.strictEqual(from_price, Math.min(...bookable))
      }),
      { numRuns: runs(30) }
    )
    assert.isAbove(compared, runs(12))
  })

  it("keeps the rows of a playroom few, with an override on every day of a year, all alike or each its own", () => {
    const dates = datesFrom("2026-06-01", "2027-07-05")
    const rows = (closes: (n: number) => string) =>
      searchFactsOf(
        venueWith(
          playroomWith({
            overrides: dates.map((date, n) => ({ date, intervals: [{ opens: "10:00", closes: closes(n) }] }))
          }),
          [packageWith({})]
        ),
        Date.parse("2026-06-01T12:00:00Z")
      ).visits.length
    assert.isAtMost(
      rows(() => "16:00"),
      21
    )
    assert.isAtMost(
      rows((n) => (n % 2 === 0 ? "16:00" : "15:00")),
      dates.length + 21
    )
  })
})

const priced = (...rules: ReadonlyArray<PriceRule>) => ({
  base: 1000,
  included_children: 10,
  extra_child: 0,
  adult: 0,
  rules
})
const half = (rule: Partial<PriceRule>): PriceRule => ({ label: "Half", change: { percent: -50 }, ...rule })

layer(searchWorld)("the lowest price", (it) => {
  const room = (n: number, rules: ReadonlyArray<PriceRule>, changes = {}) =>
    playroomJson(n, { max_advance_days: 30, packages: [packageJson(n, { pricing: priced(...rules) })], ...changes })
  const shown = Effect.fnUntraced(function* (n: number) {
    const { from_price, packages } = yield* Catalogue.use((catalogue) => catalogue.view(idOf("playroom", n)))
    const { playrooms } = yield* search({ limit: 50 })
    const inSearch = playrooms.find(({ playroom_id }) => playroom_id === idOf("playroom", n))
    assert.deepStrictEqual(inSearch?.from_price, from_price)
    return [from_price?.amount, packages[0]?.price_from.amount]
  })

  it.effect("counts a rule only while a start that it holds at can be booked, without another import", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T12:00:00Z")
      const season = half({ date_from: "2027-01-04", date_to: "2027-01-10" })
      yield* importRooms(
        room(1, [half({ date_from: "2029-05-08" })]),
        room(2, [season]),
        // No two of these hold together, and visits begin at nine.
        room(3, [
          half({ weekdays: ["monday"] }),
          half({ weekdays: ["tuesday"] }),
          half({ until: "09:00", change: { percent: -90 } })
        ]),
        // Always, but on a day on which it is closed.
        room(4, [half({ weekdays: ["sunday"] })], {
          opening_hours: [{ weekday: "monday", opens: "09:00", closes: "17:00" }]
        }),
        // Only on a day that an override opens.
        room(5, [half({ weekdays: ["sunday"] })], {
          opening_hours: [{ weekday: "monday", opens: "09:00", closes: "17:00" }],
          overrides: [{ date: "2026-12-06", intervals: [{ opens: "09:00", closes: "17:00" }] }]
        })
      )
      const on = Effect.fnUntraced(function* (date: LocalDate) {
        yield* setClock(`${date}T00:00:00Z`)
        yield* refreshSearchFacts
        return yield* Effect.forEach([1, 2, 3, 4, 5], (n) =>
          Effect.map(shown(n), ([all, own]) => {
            assert.strictEqual(all, own)
            return all
          })
        )
      })
      assert.deepStrictEqual(yield* on("2026-11-20"), [1000, 1000, 500, 1000, 500])
      assert.deepStrictEqual(yield* on("2026-12-05"), [1000, 500, 500, 1000, 500])
      assert.deepStrictEqual(yield* on("2026-12-07"), [1000, 500, 500, 1000, 1000])
      assert.deepStrictEqual(yield* on("2027-01-10"), [1000, 500, 500, 1000, 1000])
      assert.deepStrictEqual(yield* on("2027-01-11"), [1000, 1000, 500, 1000, 1000])
      assert.strictEqual(yield* refreshSearchFacts, 0)
    })
  )

  it.effect("counts no season that is over by the playroom's own date", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T12:00:00Z")
      const season = half({ date_from: "2026-09-01", date_to: "2026-11-20" })
      yield* importRooms(
        room(1, [season], { time_zone: "Europe/London" }),
        room(2, [season], { time_zone: "Pacific/Auckland" })
      )
      assert.deepStrictEqual(yield* Effect.forEach([1, 2], shown), [
        [500, 500],
        [1000, 1000]
      ])
    })
  )

  it.effect("is left out rather than told wrongly between the day that changes it and the look that notices", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T12:00:00Z")
      yield* importRooms(room(2, [half({ date_to: "2026-11-21" })]))
      assert.deepStrictEqual(yield* shown(2), [500, 500])
      yield* setClock("2026-11-22T00:00:00Z")
      assert.deepStrictEqual(yield* shown(2), [undefined, 1000])
      yield* refreshSearchFacts
      assert.deepStrictEqual(yield* shown(2), [1000, 1000])
    })
  )

  it.effect("and the visits of playrooms of before are derived at the first look, and found meanwhile", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T12:00:00Z")
      yield* importRooms(room(7, [], { city: "Bath" }))
      const sql = yield* SqlClient.SqlClient
      // As the migration leaves what was there before.
      yield* sql`update playroom set derived_until = '-infinity', from_price_until = '-infinity' where playroom_id = ${idOf("playroom", 7)}`
      yield* sql`update search_visit set last_start = 1440, first_end = 0, weekdays = '{[0,7)}', dates = '(,)', least_total = 0, least_per_child = 0,
        visit = 'underived' where playroom_id = ${idOf("playroom", 7)}`
      const found = Effect.map(search({ city: "Bath", date: "2026-12-05" }), ({ playrooms }) =>
        playrooms.map(({ from_price }) => from_price?.amount)
      )
      assert.deepStrictEqual(yield* found, [undefined])
      assert.strictEqual(yield* refreshSearchFacts, 1)
      assert.deepStrictEqual(yield* found, [1000])
      const [row] =
        yield* sql`select last_start, first_end from search_visit where playroom_id = ${idOf("playroom", 7)}`
      assert.deepStrictEqual(row, { last_start: 960, first_end: 600 })
    })
  )
})
