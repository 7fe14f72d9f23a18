import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import * as fc from "fast-check"
import {
  bookable,
  type Calendar,
  noneBecause,
  type NoneBecause
} from "../../../src/domain/availability/Availability.ts"
import {
  nearestOpenings,
  openingsByDate,
  type SearchBounds,
  searchDays,
  takenStarts
} from "../../../src/domain/availability/Openings.ts"
import { startsOn } from "../../../src/domain/availability/Starts.ts"
import { addDays, datesFrom, dayMs, dayRange, localDateOf } from "../../../src/platform/time/LocalTime.ts"
import { instantNear, payable, question, takenOf, venueOnDate } from "../../support/arbitraryVenues.ts"
import { at, closureId, party, softPlay } from "../../support/venues.ts"
import { closedFor, soldOut, startsPerDay, worstPackages, worstVenue } from "../../support/freshVenues.ts"
import { runs } from "../../support/runs.ts"

const nearestQuestion = venueOnDate.chain(({ venue, pkg, date }) => {
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

describe("the starts that others have", () => {
  it("are looked for no longer than until there are enough of them, or a hundred were not wanted", () => {
    const now = Date.parse("2026-12-01T09:00:00Z")
    const calendar = soldOut(now, now + 60 * dayMs)
    const dates = { from: "2026-12-05", to: "2027-01-04" }
    const asked: Array<number> = []
    const starts = (isWanted: (start: number) => boolean) => {
      asked.length = 0
      const wanted = ({ start }: { readonly start: number }) => asked.push(start) > 0 && isWanted(start)
      const request = { venue: worstVenue, party: { children: 8, adults: 0, add_ons: [] } }
      return finished(takenStarts(request, worstVenue.packages, dates, calendar, now, wanted, 3)).map(
        ({ start }) => start
      )
    }
    assert.lengthOf(
      starts(() => false),
      0
    )
    assert.lengthOf(asked, 100)
    const first = starts(() => true)
    assert.deepStrictEqual(first, [...new Set(first)].toSorted())
    assert.lengthOf(first, 3)
    assert.lengthOf(asked, 3)
    // What is not wanted is passed over.
    assert.deepStrictEqual(starts((start) => start > (first[0] ?? 0)).slice(0, 2), first.slice(1))
  })
})

describe("the nearest openings", () => {
  let some = 0
  it("are those that looking at every day finds, in the same order", () => {
    fc.assert(
      fc.property(nearestQuestion, ({ venue, party, start, rows, most, before, after }) => {
        const now = start - 10 * dayMs
        const day = localDateOf(venue.playroom.time_zone, start)
        const between = { from: addDays(day, -before), to: addDays(day, after) }
        const calendar = { closures: [], taken: new Map([[venue.playroom.playroom_id, rows]]) }
        const all = datesFrom(between.from, between.to)
          .flatMap((date) => openingsByDate({ venue, party }, venue.packages, calendar, now)(date).openings)
          .sort((a, b) => Math.abs(a.start - start) - Math.abs(b.start - start))
        const found = finished(nearestOpenings({ venue, party }, venue.packages, start, between, calendar, now, most))
        if (found.length > 1) some++
        assert.deepStrictEqual(
          found.map((opening) => [opening.start, opening.pkg.package_id]),
          all.slice(0, most).map((opening) => [opening.start, opening.pkg.package_id])
        )
      }),
      { numRuns: runs(100) }
    )
    assert.isAbove(some, runs(12))
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

const now = at("2026-11-20", "09:00")
const [from, inAMonth, inThreeYears] = ["2026-12-01", "2027-01-01", addDays("2026-11-20", 1095)]
const request = { venue: worstVenue, party: party(25) }

/**
 * Looks through the worst catalogue; how many turns the event loop took meanwhile, and how many times the calendar was
 * read.
 */
const look = Effect.fnUntraced(function* (to: string, calendar: Calendar, aim: Partial<SearchBounds>) {
  const turns = { count: 0, going: true }
  const turn = () => {
    turns.count++
    if (turns.going) setImmediate(turn)
  }
  setImmediate(turn)
  const reads = yield* Ref.make(0)
  const calendarOf = (first: string, last: string) => {
    const [start, end] = [dayRange("Europe/London", first).start, dayRange("Europe/London", last).end]
    const within = (row: { readonly start: number; readonly end: number }) => row.start < end && start < row.end
    return Effect.as(
      Ref.update(reads, (n) => n + 1),
      {
        closures: calendar.closures.filter(within),
        taken: new Map([...calendar.taken].map(([id, rows]) => [id, rows.filter(within)] as const))
      }
    )
  }
  const found = yield* searchDays(request, worstVenue.packages, { from, to }, calendarOf, now, {
    enough: ({ length }) => length > 0,
    reasons: false,
    ...aim
  })
  turns.going = false
  return { ...found, turns: turns.count, reads: yield* Ref.get(reads) }
})

describe("looking through the largest catalogue that an import accepts", () => {
  it.effect("passes over what is closed for three years without looking at its starts", () =>
    Effect.gen(function* () {
      const closed = closedFor(now - dayMs, now + 1200 * dayMs)
      const { examined, reads, openings, bounded } = yield* look(inThreeYears, closed, {})
      assert.deepStrictEqual([openings.length, bounded], [0, false])
      assert.isAtMost(examined, 20 * worstPackages)
      assert.isAtMost(reads, 8)
      const month = yield* look(inAMonth, closed, { reasons: true })
      assert.strictEqual(noneBecause(month.refusals), "closed")
      assert.isAtMost(month.examined, 32 * worstPackages)
    })
  )

  it.effect("finds the day on which years of works end", () =>
    Effect.gen(function* () {
      const opens = at("2029-05-04", "12:00")
      const { examined, openings } = yield* look(inThreeYears, closedFor(now, opens), {})
      assert.strictEqual(openings[0]?.start, opens)
      assert.isAtMost(examined, 20 * worstPackages + startsPerDay)
    })
  )

  it.effect("ends at its bounds where all is sold, and says so", () =>
    Effect.gen(function* () {
      const sold = soldOut(now, now + 1100 * dayMs)
      const limits = { starts: 10_000, rows: 5_000 }
      const { examined, rows, openings, bounded } = yield* look(inThreeYears, sold, { limits })
      assert.deepStrictEqual([openings.length, bounded], [0, true])
      assert.isAtLeast(examined, 10_000)
      assert.isBelow(examined, 10_000 + startsPerDay)
      assert.isAtMost(rows, 2_000, "one month of rows was enough")
      const byRows = yield* look(inThreeYears, sold, { limits: { starts: 1e9, rows: 2_000 } })
      assert.isTrue(byRows.bounded)
      assert.isAtMost(byRows.rows, 2_000 + 32 * 30)
    })
  )

  it.effect("lets others go ahead again and again", () =>
    Effect.gen(function* () {
      const { examined, turns, refusals } = yield* look(inAMonth, soldOut(now, now + 60 * dayMs), { reasons: true })
      assert.strictEqual(examined, 32 * startsPerDay)
      assert.strictEqual(noneBecause(refusals), "fully_booked")
      // After 2,000 starts, at the end of a day: a day of this catalogue has 3,456.
      assert.isAtLeast(turns, 31)
    })
  )

  it.effect("stops at the first day that has enough", () =>
    Effect.gen(function* () {
      const { examined, openings } = yield* look(inAMonth, { closures: [], taken: new Map() }, { reasons: true })
      assert.strictEqual(examined, startsPerDay)
      assert.isAtLeast(openings.length, 1)
    })
  )
})

describe("the openings of a day", () => {
  it("are its starts asked one by one, and its reasons come to theirs, closed days too", () => {
    let closedDays = 0
    fc.assert(
      fc.property(
        question,
        fc.constantFrom<["none", "day", "days"]>("none", "day", "days"),
        ({ venue, pkg, date, who, calendar: { closures, taken }, now }, closed) => {
          fc.pre(payable(venue, pkg, who))
          const range = dayRange(venue.playroom.time_zone, date)
          const more = { none: [], day: [range], days: [{ start: range.start - 3 * dayMs, end: range.end + dayMs }] }[
            closed
          ]
          const calendar: Calendar = {
            closures: [...closures, ...more.map((it) => ({ ...it, closure_id: closureId, reason: "Works" }))],
            taken
          }
          const found = openingsByDate({ venue, party: who }, [pkg], calendar, now)(date)
          const answers = startsOn(venue, pkg, date).map(
            (start) => [start, bookable(venue, pkg, who, start, calendar, now)] as const
          )
          assert.deepStrictEqual(
            found.openings.map(({ start, places_left }) => [start, places_left]),
            answers.flatMap(([start, answer]) => (answer.ok ? [[start, answer.places_left]] : []))
          )
          const because = answers.flatMap(([, answer]): ReadonlyArray<NoneBecause> =>
            answer.ok ? [] : [answer.because]
          )
          assert.strictEqual(noneBecause(found.refusals), noneBecause(because))
          if (closed !== "none" && answers.length > 1 && found.examined === 1) closedDays++
        }
      ),
      { numRuns: runs(100) }
    )
    assert.isAbove(closedDays, runs(2))
  })
})
