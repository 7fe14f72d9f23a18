/**
 * `availability`: a month of starts by the pure rules alone, with few sales and with many; and the largest catalogue,
 * fruitlessly.
 */
import { Effect } from "effect"
import { bookable, type Calendar } from "../../src/domain/availability/Availability.ts"
import { startsOn } from "../../src/domain/availability/Starts.ts"
import type { Taken } from "../../src/domain/availability/Units.ts"
import { nextDateLimits } from "../../src/domain/availability/BookingOptions.ts"
import { type SearchBounds, searchDays } from "../../src/domain/availability/Openings.ts"
import { addDays, dayMs, dayRange, hourMs, minuteMs } from "../../src/platform/time/LocalTime.ts"
import { at, packageWith, party, venueWith } from "../support/venues.ts"
import { closedFor, soldOut, worstVenue } from "../support/freshVenues.ts"
import type { Bench } from "./Bench.ts"
import { ratios, table, takeTurns, timed } from "./support/Figures.ts"

const first = "2026-12-01"
const now = at("2026-11-20", "09:00")
const packages = [1, 2, 3, 4].map((n) => packageWith({ duration_minutes: 30 * n, max_children: 25, setup_minutes: 15 }))
const venue = venueWith({ capacity: 100, max_advance_days: 60 }, packages)
const { playroom_id } = venue.playroom

const sales = (count: number): ReadonlyArray<Taken> =>
  Array.from({ length: count }, (_, i) => {
    const start = at(first, "09:00") + (i % 31) * dayMs + (i % 17) * 30 * minuteMs
    return { resource_id: playroom_id, units: [[i % 90, (i % 90) + 3]], start, end: start + hourMs }
  })

/**
 * How many starts of the month four children can book; the list of sales is a new one each time, as a query gives it.
 */
const month = (rows: ReadonlyArray<Taken>): number => {
  const calendar: Calendar = { closures: [], taken: new Map([[playroom_id, [...rows]]]) }
  let count = 0
  for (const pkg of packages) {
    for (let day = 0; day < 31; day++) {
      for (const start of startsOn(venue, pkg, addDays(first, day))) {
        if (bookable(venue, pkg, party(4), start, calendar, now).ok) count++
      }
    }
  }
  return count
}

const times = 20

const [from, inAMonth, inThreeYears] = [first, addDays(first, 31), addDays("2026-11-20", 1095)]
const years = now + 1200 * dayMs
const worst: ReadonlyArray<readonly [name: string, calendar: Calendar]> = [
  ["closed for three years", closedFor(now - dayMs, years)],
  ["sold out for three years, place by place", soldOut(now, years)],
  ["nothing sold", { closures: [], taken: new Map() }]
]

/** As a call for a month of options does: every day of it, then the next date. Answers how many starts that took. */
const fruitless = Effect.fnUntraced(function* (calendar: Calendar) {
  const request = { venue: worstVenue, party: party(25) }
  const look = (range: { from: string; to: string }, aim: Partial<SearchBounds>) =>
    searchDays(
      request,
      worstVenue.packages,
      range,
      (start, end) => Effect.succeed(between(calendar, start, end)),
      now,
      {
        enough: ({ length }) => length > 20,
        reasons: true,
        ...aim
      }
    )
  const month = yield* look({ from, to: inAMonth }, {})
  if (month.openings.length > 0) return month.examined
  const next = yield* look({ from: addDays(inAMonth, 1), to: inThreeYears }, { reasons: false, limits: nextDateLimits })
  return month.examined + next.examined
})

const between = ({ closures, taken }: Calendar, from: string, to: string): Calendar => {
  const [start, end] = [dayRange("Europe/London", from).start, dayRange("Europe/London", to).end]
  const within = (row: { readonly start: number; readonly end: number }) => row.start < end && start < row.end
  return {
    closures: closures.filter(within),
    taken: new Map([...taken].map(([id, rows]) => [id, rows.filter(within)] as const))
  }
}

export const bench: Bench = {
  about: "a month of starts of four packages on a half-hour grid, without the database",
  run: Effect.fnUntraced(function* ({ rounds }) {
    const counts = [0, 150, 1500]
    const taken = yield* takeTurns(
      rounds,
      counts.map((count) => {
        const rows = sales(count)
        const ask = Effect.sync(() => {
          let bookableStarts = 0
          for (let i = 0; i < times; i++) bookableStarts = month(rows)
          return bookableStarts
        })
        return [String(count), () => Effect.map(timed(ask), ([ms, starts]) => ({ ms: ms / times, starts }))]
      })
    )
    const ms = (count: number) => taken(String(count)).map((one) => one.ms)
    yield* table(
      "availability: a month by the pure rules alone",
      ["sales", "bookable starts", "ms", "ratio to an empty month"],
      counts.map((count) => [count, taken(String(count))[0]?.starts ?? Number.NaN, ms(count), ratios(ms(count), ms(0))])
    )
    const looks = yield* takeTurns(
      rounds,
      worst.map(([name, calendar]) => [
        name,
        () => Effect.map(timed(fruitless(calendar)), ([ms, examined]) => ({ ms, examined }))
      ])
    )
    yield* table(
      "availability: a month of options of the largest catalogue that an import accepts",
      ["calendar", "starts examined", "ms"],
      worst.map(([name]) => [name, looks(name)[0]?.examined ?? Number.NaN, looks(name).map((one) => one.ms)])
    )
  })
}
