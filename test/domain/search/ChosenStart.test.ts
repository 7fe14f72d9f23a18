/** The start that a search tells, among all that can be booked on its days. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Calendar } from "../../../src/domain/availability/Availability.ts"
import { keepsTo, openingsByDate } from "../../../src/domain/availability/Openings.ts"
import { startsOn } from "../../../src/domain/availability/Starts.ts"
import { totalAt } from "../../../src/domain/catalogue/Pricing.ts"
import { addDays, datesFrom, startOfDay, weekdays } from "../../../src/platform/time/LocalTime.ts"
import {
  type ChosenStart,
  leastOnDays,
  packagesFor,
  partyFor,
  startChooser
} from "../../../src/domain/search/SearchFits.ts"
import type { DatedQuery } from "../../../src/domain/search/SearchQuery.ts"
import { anyPackage, priceRule, takenOf, venueOnDate } from "../../support/arbitraryVenues.ts"
import { runs } from "../../support/runs.ts"
import { packageWith, testId, venueWith } from "../../support/venues.ts"

const times = fc.constantFrom(
  {},
  { start_after: "10:00" },
  { end_before: "17:00" },
  { start_after: "09:30", end_before: "13:00" }
)

/** A venue of two packages, some of whose places are taken; a search of some days; and where the days are parted. */
const asked = venueOnDate.chain(({ date, pkg, venue: { add_ons, playroom } }) =>
  fc
    .record({
      other: anyPackage,
      rules: fc.array(priceRule, { maxLength: 3 }),
      taken: takenOf(playroom.playroom_id, playroom.capacity, playroom.time_zone, date),
      times,
      children: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
      adults: fc.constantFrom(undefined, 2),
      most: fc.constantFrom(undefined, 2000, 20_000),
      days: fc.integer({ min: 0, max: 9 }),
      parted: fc.integer({ min: 0, max: 10 }),
      sort: fc.constantFrom(undefined, "price" as const, "price" as const),
      today: fc.integer({ min: 0, max: 6 })
    })
    .map(({ adults, children, days, most, other, parted, rules, sort, taken, times: clock, today }) => {
      const packages = [pkg, packageWith({ ...other, pricing: { ...other.pricing, rules } })].map((one, n) => ({
        ...one,
        package_id: testId.package(n)
      }))
      const first = addDays(date, -Math.floor(days / 2))
      const query: DatedQuery = {
        date: first,
        date_to: addDays(first, days),
        ...clock,
        ...(children === undefined ? {} : { children }),
        ...(adults === undefined ? {} : { adults }),
        ...(most === undefined ? {} : { max_total: { amount: most, currency: playroom.currency } }),
        ...(sort === undefined ? {} : { sort })
      }
      return {
        venue: venueWith({ ...playroom, max_advance_days: 40 }, packages, add_ons),
        query,
        days: datesFrom(first, addDays(first, days)),
        parted,
        calendar: { closures: [], taken: new Map([[playroom.playroom_id, taken]]) } satisfies Calendar,
        today,
        now: startOfDay(playroom.time_zone, addDays(first, -today))
      }
    })
)
type Asked = typeof asked extends fc.Arbitrary<infer A> ? A : never

/** Every start that can be booked, by the catalogue's order of packages. */
const allStarts = ({ calendar, days, now, query, venue }: Asked): ReadonlyArray<ChosenStart> =>
  days.flatMap((day) =>
    packagesFor(query, venue).flatMap((pkg, place) => {
      const party = partyFor(query, pkg)
      const { start_after, end_before, max_total } = query
      return openingsByDate(
        { venue, party, start_after, end_before },
        [pkg],
        calendar,
        now
      )(day)
        .openings.map(({ start }) => ({ pkg, place, day, start, total: totalAt(venue, pkg, party, start) }))
        .filter(({ total }) => max_total === undefined || total <= max_total.amount)
    })
  )

describe("the start that a search tells", () => {
  it("is the first of all on its days, or by price the cheapest of all, however the days are parted", () => {
    let [found, later] = [0, 0]
    fc.assert(
      fc.property(asked, (one) => {
        const { calendar, days, now, parted, query, venue } = one
        const byPrice = query.sort === "price"
        const [best] = allStarts(one).toSorted((a, b) =>
          byPrice ? a.total - b.total || a.start - b.start : a.start - b.start || a.total - b.total
        )
        const choose = startChooser(query, venue, now)
        let chosen: ChosenStart | undefined
        for (const part of [days.slice(0, parted), days.slice(parted)])
          if (choose.mayBeOn(part, chosen)) chosen = choose.on(part, calendar, chosen)
        assert.deepStrictEqual(chosen, best)
        if (best !== undefined) found++
        if (best !== undefined && best.day > (days[0] ?? "")) later++
      }),
      { numRuns: runs(150) }
    )
    assert.isAbove(found, runs(10))
    assert.isAbove(later, 0)
  }, 120_000)

  it("costs no less than its day is said to cost at least, on clock changes and beside overrides too", () => {
    let [compared, exact] = [0, 0]
    fc.assert(
      fc.property(asked, (one) => {
        const { days, query, venue } = one
        const { start_after, end_before } = query
        for (const pkg of packagesFor(query, venue)) {
          const party = partyFor(query, pkg)
          const leastOn = leastOnDays(venue, pkg, party, query, addDays(query.date, -one.today))
          for (const day of days) {
            const totals = startsOn(venue, pkg, day)
              .filter((start) => keepsTo({ venue, party, start_after, end_before }, pkg, start))
              .map((start) => totalAt(venue, pkg, party, start))
            if (totals.length === 0) continue
            const [least, lowest] = [leastOn(day), Math.min(...totals)]
            compared++
            if (least === lowest) exact++
            assert.isAtMost(least, lowest, day)
          }
        }
      }),
      { numRuns: runs(60) }
    )
    assert.isAbove(compared, runs(20))
    assert.isAbove(exact, 0)
  }, 120_000)

  it("is not looked for on days that cost more or have no such start, nor later on days that cost as much", () => {
    const [saturday, monday, tuesday] = ["2026-12-05", "2026-12-07", "2026-12-08"]
    const pkg = packageWith({
      schedule: { weekdays },
      pricing: {
        base: 10_000,
        included_children: 10,
        extra_child: 0,
        adult: 0,
        rules: [{ label: "Weekend", weekdays: ["saturday", "sunday"], change: { percent: 20 } }]
      }
    })
    const venue = venueWith({}, [pkg])
    const now = Date.parse("2026-12-01T09:00:00Z")
    const query = { date: saturday, date_to: tuesday, children: 5 } as const
    const empty: Calendar = { closures: [], taken: new Map() }
    const byPrice = startChooser({ ...query, sort: "price" }, venue, now)
    const onSaturday = byPrice.on([saturday], empty, undefined)
    assert.strictEqual(onSaturday?.total, 12_000)
    assert.isTrue(byPrice.mayBeOn([monday], onSaturday))
    const onMonday = byPrice.on([saturday, monday], empty, undefined)
    assert.deepStrictEqual([onMonday?.day, onMonday?.total], [monday, 10_000])
    assert.isFalse(byPrice.mayBeOn([tuesday], onMonday))
    assert.isFalse(startChooser(query, venue, now).mayBeOn([monday, tuesday], onSaturday))
    assert.isFalse(startChooser({ ...query, start_after: "23:30" }, venue, now).mayBeOn([saturday, monday], undefined))
  })
})
