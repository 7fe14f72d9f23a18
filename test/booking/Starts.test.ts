import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { isStart, startsOn, window } from "../../src/booking/Starts.ts"
import type { Package } from "../../src/catalogue/Package.ts"
import type { Venue } from "../../src/catalogue/Playroom.ts"
import {
  clockTimeOf,
  dayRange,
  format,
  localDateOf,
  localMinutesOf,
  minuteMs,
  minutesOf,
  weekdayOf,
  weekdays
} from "../../src/kernel/LocalTime.ts"
import { instantNear, venueOnDate } from "../support/arbitraryVenues.ts"
import { openPlay, packageWith, partyHall, saturdayParty, softPlay, venueWith } from "../support/venues.ts"

const everyDay = (opens: string, closes: string) => weekdays.map((weekday) => ({ weekday, opens, closes }))
const times = (venue: Venue, pkg: Package, date: string) =>
  startsOn(venue, pkg, date).map((start) => clockTimeOf(localMinutesOf(venue.playroom.time_zone, start)))
const shown = (venue: Venue, pkg: Package, date: string) =>
  startsOn(venue, pkg, date).map((start) => format(venue.playroom.time_zone, start))

/** By watching the clock through the whole day, five minutes at a time: nothing is computed from local to instant. */
const watched = (venue: Venue, pkg: Package, date: string): ReadonlyArray<number> => {
  const { time_zone, overrides, opening_hours, grid_minutes } = venue.playroom
  const { schedule } = pkg
  if (schedule.weekdays !== undefined && !schedule.weekdays.includes(weekdayOf(date))) return []
  const day = dayRange(time_zone, date)
  const instants: Array<readonly [at: number, clock: number]> = []
  for (let at = day.start; at < day.end; at += 5 * minuteMs) instants.push([at, localMinutesOf(time_zone, at)])
  /** When the clock first shows a time, or has passed it. */
  const reached = (minutes: number) => instants.find(([, clock]) => clock >= minutes)?.[0] ?? day.end
  const hours = overrides.some((override) => override.date === date)
    ? overrides.filter((override) => override.date === date).flatMap(({ intervals }) => intervals)
    : opening_hours.filter(({ weekday }) => weekday === weekdayOf(date))
  const seen = new Set<number>()
  return instants.flatMap(([at, clock]) => {
    if (seen.has(clock)) return []
    seen.add(clock)
    const fits = hours.some(({ opens, closes }) => {
      const first = Math.max(minutesOf(opens), minutesOf(schedule.from ?? "00:00"))
      const last = Math.min(minutesOf(closes), minutesOf(schedule.until ?? "24:00"))
      const onTime =
        schedule.times === undefined
          ? (clock - first) % grid_minutes === 0
          : schedule.times.includes(clockTimeOf(clock))
      return onTime && first <= clock && clock < last && at + pkg.duration_minutes * minuteMs <= reached(last)
    })
    return fits ? [at] : []
  })
}

describe("Starts", () => {
  it("are those that watching the clock all day finds, in every zone, over every clock change (1,500 runs)", () => {
    fc.assert(
      fc.property(venueOnDate, ({ venue, pkg, date }) => {
        assert.deepStrictEqual(startsOn(venue, pkg, date), watched(venue, pkg, date))
      }),
      { numRuns: 1500 }
    )
  })

  it("are known one by one as well: `isStart` is membership of its day (2,000 runs)", () => {
    fc.assert(
      fc.property(
        venueOnDate.chain(({ venue, pkg, date }) =>
          fc.tuple(fc.constant({ venue, pkg, date }), instantNear(venue.playroom.time_zone, date))
        ),
        ([{ venue, pkg, date }, instant]) => {
          const starts = startsOn(venue, pkg, date)
          assert.isTrue(starts.every((start) => isStart(venue, pkg, start)))
          const itsDay = startsOn(venue, pkg, localDateOf(venue.playroom.time_zone, instant))
          assert.strictEqual(isStart(venue, pkg, instant), itsDay.includes(instant))
          for (const start of starts) assert.isFalse(isStart(venue, pkg, start + 1))
        }
      ),
      { numRuns: 2000 }
    )
  })

  it("of the Saturday party are its three times, on Saturdays", () => {
    assert.deepStrictEqual(times(partyHall, saturdayParty, "2026-12-05"), ["10:00", "12:30", "15:00"])
    assert.deepStrictEqual(times(partyHall, saturdayParty, "2026-12-06"), [])
  })

  it("of open play are every half hour, the last an hour before closing", () => {
    const starts = times(softPlay, openPlay, "2026-12-07")
    assert.deepStrictEqual([starts.length, starts[0], starts[1], starts.at(-1)], [17, "09:00", "09:30", "17:00"])
  })

  it("follow the grid from the opening time, or from the schedule's own first time", () => {
    const venue = venueWith({ opening_hours: everyDay("09:15", "13:00"), grid_minutes: 60 })
    assert.deepStrictEqual(times(venue, openPlay, "2026-12-05"), ["09:15", "10:15", "11:15"])
    const later = packageWith({ schedule: { from: "10:00", until: "12:30" } })
    assert.deepStrictEqual(times(venue, later, "2026-12-05"), ["10:00", "11:00"])
  })

  it("never span a break between two opening intervals, and an override replaces the day", () => {
    const venue = venueWith({
      opening_hours: [...everyDay("09:00", "12:00"), ...everyDay("12:00", "14:00")],
      overrides: [
        { date: "2026-12-25", intervals: [] },
        { date: "2026-12-26", intervals: [{ opens: "15:00", closes: "17:00" }] }
      ]
    })
    const long = packageWith({ duration_minutes: 120 })
    assert.deepStrictEqual(times(venue, long, "2026-12-24"), ["09:00", "09:30", "10:00", "12:00"])
    assert.deepStrictEqual(times(venue, long, "2026-12-25"), [])
    assert.deepStrictEqual(times(venue, long, "2026-12-26"), ["15:00"])
  })

  it("leave out the hour that does not exist, and take the first of the hour that exists twice", () => {
    const night = packageWith({ duration_minutes: 30 })
    const london = venueWith({ opening_hours: everyDay("00:30", "03:00") })
    assert.deepStrictEqual(shown(london, night, "2026-03-29"), [
      "2026-03-29T00:30:00+00:00",
      "2026-03-29T02:00:00+01:00",
      "2026-03-29T02:30:00+01:00"
    ])
    assert.deepStrictEqual(shown(london, night, "2026-10-25"), [
      "2026-10-25T00:30:00+01:00",
      "2026-10-25T01:00:00+01:00",
      "2026-10-25T01:30:00+01:00",
      "2026-10-25T02:00:00+00:00",
      "2026-10-25T02:30:00+00:00"
    ])
  })

  it("count elapsed minutes: a two-hour visit fits less of a short night and more of a long one", () => {
    const long = packageWith({ duration_minutes: 120 })
    const london = venueWith({ opening_hours: everyDay("00:00", "04:00"), grid_minutes: 60 })
    assert.deepStrictEqual(times(london, long, "2026-03-29"), ["00:00", "02:00"])
    assert.deepStrictEqual(times(london, long, "2026-06-14"), ["00:00", "01:00", "02:00"])
    assert.deepStrictEqual(times(london, long, "2026-10-25"), ["00:00", "01:00", "02:00"])
    const howe = venueWith({
      time_zone: "Australia/Lord_Howe",
      opening_hours: everyDay("01:30", "03:00"),
      grid_minutes: 15
    })
    // 02:00 to 02:30 is left out, so the interval has one elapsed hour.
    assert.deepStrictEqual(times(howe, openPlay, "2026-10-04"), ["01:30"])
  })

  it("run to the day's own end where a zone changes its clocks at midnight", () => {
    const late = packageWith({ duration_minutes: 60 })
    const open = { opening_hours: everyDay("22:00", "24:00"), grid_minutes: 60 }
    const santiago = venueWith({ ...open, time_zone: "America/Santiago" })
    // The hour from 23:00 happens twice: both belong to the day, the first is the start.
    assert.deepStrictEqual(shown(santiago, late, "2026-04-04"), [
      "2026-04-04T22:00:00-03:00",
      "2026-04-04T23:00:00-03:00"
    ])
    assert.deepStrictEqual(shown(santiago, packageWith({ duration_minutes: 120 }), "2026-04-04"), [
      "2026-04-04T22:00:00-03:00",
      "2026-04-04T23:00:00-03:00"
    ])
    const early = venueWith({
      time_zone: "America/Santiago",
      opening_hours: everyDay("00:00", "03:00"),
      grid_minutes: 60
    })
    // Midnight itself is skipped.
    assert.deepStrictEqual(shown(early, late, "2026-09-06"), ["2026-09-06T01:00:00-03:00", "2026-09-06T02:00:00-03:00"])
  })

  it("lead time is elapsed minutes over a clock change, the horizon counts the playroom's dates", () => {
    const auckland = venueWith({ time_zone: "Pacific/Auckland", lead_time_minutes: 1440, max_advance_days: 2 })
    // Saturday evening in Auckland; the clocks go forward that night.
    const now = Date.parse("2026-09-26T08:00:00Z")
    const { earliest, lastDate } = window(auckland, now)
    assert.strictEqual(format("Pacific/Auckland", now), "2026-09-26T20:00:00+12:00")
    assert.strictEqual(format("Pacific/Auckland", earliest), "2026-09-27T21:00:00+13:00")
    assert.strictEqual(lastDate, "2026-09-28")
    // In UTC it is still Friday when it is Saturday there.
    assert.strictEqual(window(auckland, Date.parse("2026-09-25T13:00:00Z")).lastDate, "2026-09-28")
  })
})
