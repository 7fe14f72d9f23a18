import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { isStart, startsOn, window } from "../../../src/domain/availability/Starts.ts"
import type { Package } from "../../../src/domain/catalogue/Package.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import {
  clockTimeOf,
  format,
  localDateOf,
  localMinutesOf,
  minuteMs,
  weekdays
} from "../../../src/platform/time/LocalTime.ts"
import { instantNear, venueOnDate } from "../../support/arbitraryVenues.ts"
import { startsByWatching } from "../../support/oracle/Availability.ts"
import { openPlay, packageWith, partyHall, saturdayParty, softPlay, venueWith } from "../../support/venues.ts"
import { runs } from "../../support/runs.ts"

const everyDay = (opens: string, closes: string) => weekdays.map((weekday) => ({ weekday, opens, closes }))
const times = (venue: Venue, pkg: Package, date: string) =>
  startsOn(venue, pkg, date).map((start) => clockTimeOf(localMinutesOf(venue.playroom.time_zone, start)))
const shown = (venue: Venue, pkg: Package, date: string) =>
  startsOn(venue, pkg, date).map((start) => format(venue.playroom.time_zone, start))

describe("Starts", () => {
  it("are those that watching the clock all day finds, in every zone, over every clock change", () => {
    fc.assert(
      fc.property(venueOnDate, ({ venue, pkg, date }) => {
        assert.deepStrictEqual(
          startsOn(venue, pkg, date).map((start) => start / minuteMs),
          startsByWatching(venue, pkg, date)
        )
      }),
      { numRuns: runs(100) }
    )
  })

  it("are known one by one as well: `isStart` is membership of its day", () => {
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
      { numRuns: runs(300) }
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
      opening_hours: [...everyDay("09:00", "12:00"), ...everyDay("12:05", "14:05")],
      overrides: [
        { date: "2026-12-25", intervals: [] },
        { date: "2026-12-26", intervals: [{ opens: "15:00", closes: "17:00" }] }
      ]
    })
    const long = packageWith({ duration_minutes: 120 })
    assert.deepStrictEqual(times(venue, long, "2026-12-24"), ["09:00", "09:30", "10:00", "12:05"])
    assert.deepStrictEqual(times(venue, long, "2026-12-25"), [])
    assert.deepStrictEqual(times(venue, long, "2026-12-26"), ["15:00"])
  })

  it("keep to the hours of a range on its first day and its last, and to a single date within it", () => {
    const venue = venueWith({
      opening_hours: everyDay("09:00", "12:00"),
      overrides: [
        { date: "2027-08-30", intervals: [] },
        { from: "2027-07-24", to: "2027-09-05", intervals: [{ opens: "15:00", closes: "17:00" }] }
      ]
    })
    const long = packageWith({ duration_minutes: 120 })
    assert.deepStrictEqual(
      ["2027-07-23", "2027-07-24", "2027-08-29", "2027-08-30", "2027-09-05", "2027-09-06"].map((date) =>
        times(venue, long, date)
      ),
      [["09:00", "09:30", "10:00"], ["15:00"], ["15:00"], [], ["15:00"], ["09:00", "09:30", "10:00"]]
    )
  })

  it("go on past midnight where hours close at or before they open, each start on its own date", () => {
    const party = packageWith({ duration_minutes: 120 })
    const evenings = venueWith({
      opening_hours: (["friday", "saturday"] as const).map((weekday) => ({ weekday, opens: "20:00", closes: "02:00" })),
      grid_minutes: 60
    })
    assert.deepStrictEqual(times(evenings, party, "2026-12-03"), [])
    assert.deepStrictEqual(times(evenings, party, "2026-12-04"), ["20:00", "21:00", "22:00", "23:00"])
    assert.deepStrictEqual(times(evenings, party, "2026-12-05"), ["00:00", "20:00", "21:00", "22:00", "23:00"])
    assert.deepStrictEqual(times(evenings, party, "2026-12-06"), ["00:00"])
    const saturdays = packageWith({ duration_minutes: 120, schedule: { weekdays: ["saturday"] } })
    assert.deepStrictEqual(times(evenings, saturdays, "2026-12-06"), [], "its weekday is that of its own date")
    const night = packageWith({ duration_minutes: 60, schedule: { times: ["01:00", "20:00"], weekdays: ["sunday"] } })
    assert.deepStrictEqual(times(evenings, night, "2026-12-06"), ["01:00"])
    const whole = venueWith({ opening_hours: everyDay("06:00", "06:00"), grid_minutes: 360 })
    assert.deepStrictEqual(times(whole, party, "2026-12-05"), ["00:00", "06:00", "12:00", "18:00"])
  })

  it("lie in what adjoins as in one interval, over midnight too, and keep each interval's own grid", () => {
    const long = packageWith({ duration_minutes: 180 })
    const always = venueWith({ opening_hours: everyDay("00:00", "24:00"), grid_minutes: 60 })
    assert.strictEqual(times(always, long, "2026-12-05").length, 24)
    assert.include(shown(always, long, "2026-12-05"), "2026-12-05T22:00:00+00:00")
    const night = venueWith({
      opening_hours: [
        { weekday: "saturday", opens: "18:00", closes: "24:00" },
        { weekday: "sunday", opens: "00:00", closes: "02:00" }
      ],
      grid_minutes: 60
    })
    assert.deepStrictEqual(times(night, long, "2026-12-05").slice(-2), ["22:00", "23:00"])
    const day = venueWith({
      opening_hours: [...everyDay("10:00", "12:10"), ...everyDay("12:10", "14:00")],
      grid_minutes: 60
    })
    assert.deepStrictEqual(times(day, packageWith({ duration_minutes: 60 }), "2026-12-05"), [
      "10:00",
      "11:00",
      "12:00",
      "12:10"
    ])
  })

  it("keep the tail of the night before on a day with hours of its own, and lose it to none but a closure", () => {
    const hours = { opening_hours: everyDay("20:00", "02:00"), grid_minutes: 60 }
    const hour = packageWith({ duration_minutes: 60 })
    const shut = venueWith({ ...hours, overrides: [{ date: "2026-12-05", intervals: [] }] })
    assert.deepStrictEqual(times(shut, hour, "2026-12-05"), ["00:00", "01:00"])
    assert.deepStrictEqual(times(shut, hour, "2026-12-06"), ["20:00", "21:00", "22:00", "23:00"])
    const late = venueWith({
      ...hours,
      overrides: [{ date: "2026-12-05", intervals: [{ opens: "22:00", closes: "01:00" }] }]
    })
    assert.deepStrictEqual(times(late, hour, "2026-12-05"), ["00:00", "01:00", "22:00", "23:00"])
    assert.deepStrictEqual(times(late, hour, "2026-12-06"), ["00:00", "20:00", "21:00", "22:00", "23:00"])
  })

  it("of a schedule whose until is at or before its from go on past midnight; from alone ends with the day", () => {
    const evenings = venueWith({ opening_hours: everyDay("18:00", "03:00"), grid_minutes: 60 })
    const hour = (schedule: Package["schedule"]) => packageWith({ duration_minutes: 60, schedule })
    assert.deepStrictEqual(times(evenings, hour({ from: "22:30", until: "01:30" }), "2026-12-05"), [
      "00:30",
      "22:30",
      "23:30"
    ])
    assert.deepStrictEqual(times(evenings, hour({ from: "22:00" }), "2026-12-05"), ["22:00", "23:00"])
    assert.deepStrictEqual(times(evenings, hour({ until: "02:00" }), "2026-12-05"), ["00:00", "01:00"])
    const long = packageWith({ duration_minutes: 180, schedule: { from: "22:00" } })
    assert.deepStrictEqual(times(evenings, long, "2026-12-05"), ["22:00", "23:00"], "and the visit as the venue closes")
  })

  it("count elapsed minutes over midnight on nights when the clocks change", () => {
    const evening = { opening_hours: everyDay("22:00", "03:00"), grid_minutes: 60 }
    const three = packageWith({ duration_minutes: 180 })
    const london = venueWith(evening)
    assert.deepStrictEqual(times(london, three, "2026-03-28"), ["00:00", "22:00", "23:00"])
    assert.deepStrictEqual(times(london, three, "2026-03-29"), ["22:00", "23:00"], "midnight has two hours left")
    assert.deepStrictEqual(shown(london, three, "2026-10-25"), [
      "2026-10-25T00:00:00+01:00",
      "2026-10-25T01:00:00+01:00",
      "2026-10-25T22:00:00+00:00",
      "2026-10-25T23:00:00+00:00"
    ])
    // Midnight happens twice in Havana and never in Cairo's spring; in Santiago 23:00 happens twice.
    const havana = venueWith({ ...evening, time_zone: "America/Havana" })
    assert.deepStrictEqual(shown(havana, packageWith({ duration_minutes: 240 }), "2026-11-01").slice(0, 1), [
      "2026-11-01T00:00:00-04:00"
    ])
    const cairo = venueWith({ ...evening, time_zone: "Africa/Cairo" })
    assert.deepStrictEqual(shown(cairo, packageWith({ duration_minutes: 60 }), "2026-04-24").slice(0, 2), [
      "2026-04-24T01:00:00+03:00",
      "2026-04-24T02:00:00+03:00"
    ])
    const santiago = venueWith({ ...evening, time_zone: "America/Santiago" })
    assert.deepStrictEqual(shown(santiago, packageWith({ duration_minutes: 300 }), "2026-04-04"), [
      "2026-04-04T22:00:00-03:00",
      "2026-04-04T23:00:00-03:00"
    ])
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
