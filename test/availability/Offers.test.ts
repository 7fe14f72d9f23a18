import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { nearestOpenings, openingsOn } from "../../src/availability/Offers.ts"
import { addDays, datesFrom, dayMs, localDateOf } from "../../src/kernel/LocalTime.ts"
import { instantNear, takenOf, venueOnDate } from "../support/arbitraryVenues.ts"
import { softPlay } from "../support/venues.ts"

const question = venueOnDate.chain(({ venue, pkg, date }) => {
  const { capacity, playroom_id, time_zone } = venue.playroom
  return fc.record({
    venue: fc.constant(venue),
    party: fc.record({
      children: fc.integer({ min: pkg.min_children, max: pkg.max_children }),
      adults: fc.constant(0),
      add_ons: fc.constant([])
    }),
    start: instantNear(time_zone, date),
    rows: takenOf(playroom_id, capacity, time_zone, date),
    most: fc.integer({ min: 1, max: 6 }),
    before: fc.integer({ min: 0, max: 6 }),
    after: fc.integer({ min: 0, max: 6 })
  })
})

/** Work in steps, done to its end. */
const finished = <A>(work: Generator<number, A>): A => {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

describe("the nearest openings", () => {
  let some = 0
  it("are those that looking at every day finds, in the same order (400 runs)", () => {
    fc.assert(
      fc.property(question, ({ venue, party, start, rows, most, before, after }) => {
        const now = start - 10 * dayMs
        const day = localDateOf(venue.playroom.time_zone, start)
        const between = { from: addDays(day, -before), to: addDays(day, after) }
        const calendar = { closures: [], taken: new Map([[venue.playroom.playroom_id, rows]]) }
        const all = datesFrom(between.from, between.to)
          .flatMap((date) => openingsOn({ venue, party }, venue.packages, date, calendar, now).openings)
          .sort((a, b) => Math.abs(a.start - start) - Math.abs(b.start - start))
        const found = finished(nearestOpenings({ venue, party }, venue.packages, start, between, calendar, now, most))
        if (found.length > 1) some++
        assert.deepStrictEqual(
          found.map((opening) => [opening.start, opening.pkg.package_id]),
          all.slice(0, most).map((opening) => [opening.start, opening.pkg.package_id])
        )
      }),
      { numRuns: 400 }
    )
    assert.isAbove(some, 50)
  })

  it("end, whatever start and dates they are asked for", () => {
    const party = { children: 4, adults: 0, add_ons: [] }
    const calendar = { closures: [], taken: new Map() }
    const day = "2026-12-05"
    const questions = [
      [Date.UTC(9999, 11, 30), day, "9999-12-31"],
      [Date.UTC(10_136, 0, 1), day, "9999-12-31"],
      [Date.UTC(2026, 11, 5), "9999-12-31", day],
      [Date.UTC(2026, 11, 5), "1000-01-01", "9999-12-31"]
    ] as const
    for (const [start, from, to] of questions) {
      const found = finished(
        nearestOpenings({ venue: softPlay, party }, softPlay.packages, start, { from, to }, calendar, 0, 5)
      )
      assert.isAtMost(found.length, 5)
    }
  })
})
