import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { vi } from "vitest"
import {
  addDays,
  clockTimeOf,
  datesFrom,
  dayMs,
  dayRange,
  daysBetween,
  format,
  hourMs,
  instantAt,
  instantOf,
  inWords,
  LocalDate,
  localDateOf,
  localMinutesOf,
  minuteMs,
  minutesOf,
  offsetAt,
  startOfDay,
  StoredTimeZone,
  until,
  weekdayOf,
  whenInWords
} from "../../../src/platform/time/LocalTime.ts"
import { instantNear, zoneAndDate, zoneChanges } from "../../support/arbitraryVenues.ts"
import { runs } from "../../support/runs.ts"

const utc = (text: string): number => Date.parse(text)
const accepts = <A>(schema: Schema.Decoder<A>, value: unknown): boolean => Schema.is(schema)(value)

/** The wall clock as the runtime itself shows it: an oracle that shares nothing with the code under test. */
const shown = (zone: string, instant: number): string => {
  const parts = new Intl.DateTimeFormat("en-US-u-ca-iso8601", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit"
  }).formatToParts(instant)
  const part = (type: string) => parts.find((part) => part.type === type)?.value ?? ""
  return `${part("year")}-${part("month")}-${part("day")} ${part("hour")}:${part("minute")}`
}

const someZone = fc.constantFrom(...zoneChanges.map(([zone]) => zone))
const someDate = fc.integer({ min: 0, max: 30_000 }).map((days) => addDays("1990-01-01", days))

describe("LocalTime", () => {
  it("every instant is shown by the same clock as the runtime's own", () => {
    fc.assert(
      fc.property(
        zoneAndDate.chain(({ zone, date }) => fc.tuple(fc.constant(zone), instantNear(zone, date))),
        ([zone, instant]) => {
          assert.strictEqual(
            `${localDateOf(zone, instant)} ${clockTimeOf(localMinutesOf(zone, instant))}`,
            shown(zone, instant)
          )
        }
      ),
      { numRuns: runs(500) }
    )
  })

  it("a local time is the first instant at which the clock shows it, or none if it never does", () => {
    fc.assert(
      fc.property(zoneAndDate, fc.integer({ min: 0, max: 1439 }), ({ zone, date }, minutes) => {
        const wall = Date.parse(`${date}T00:00:00Z`) + minutes * minuteMs
        const wanted = `${date} ${clockTimeOf(minutes)}`
        let expected: number | undefined
        // Offsets lie between -12 and +14 hours and are whole quarters of an hour.
        for (let at = wall - 14 * hourMs; at <= wall + 12 * hourMs; at += 15 * minuteMs) {
          if (shown(zone, at) === wanted) {
            expected = at
            break
          }
        }
        assert.strictEqual(instantOf(zone, date, minutes), expected)
      }),
      { numRuns: runs(60) }
    )
  })

  it("a local time that exists comes back from its instant, in years far apart", () => {
    fc.assert(
      fc.property(someZone, someDate, fc.integer({ min: 0, max: 1439 }), (zone, date, minutes) => {
        const instant = instantOf(zone, date, minutes)
        if (instant === undefined) return
        assert.strictEqual(localDateOf(zone, instant), date)
        assert.strictEqual(localMinutesOf(zone, instant), minutes)
      }),
      { numRuns: runs(500) }
    )
  })

  it("RFC 3339 with offset names the same instant", () => {
    fc.assert(
      fc.property(
        zoneAndDate.chain(({ zone, date }) => fc.tuple(fc.constant(zone), instantNear(zone, date))),
        ([zone, instant]) => {
          const text = format(zone, instant)
          assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/)
          assert.strictEqual(Date.parse(text), instant)
        }
      ),
      { numRuns: runs(500) }
    )
  })

  it("is told to people as the runtime itself would, in English", () => {
    assert.strictEqual(inWords("Europe/London", utc("2026-12-05T14:00:00Z")), "Saturday 5 December 2026, 14:00")
    const when = (zone: string, start: string, end?: string) =>
      whenInWords(zone, utc(start), end === undefined ? undefined : utc(end))
    assert.strictEqual(
      when("Europe/Berlin", "2026-12-12T13:00:00Z", "2026-12-12T15:30:00Z"),
      "Sat 12 Dec 2026, 14:00–16:30"
    )
    assert.strictEqual(when("Europe/Berlin", "2026-12-12T13:00:00Z"), "Sat 12 Dec 2026, 14:00")
    // Over midnight, and in the hour that the clock shows twice.
    assert.strictEqual(
      when("Asia/Tokyo", "2026-12-31T13:00:00Z", "2026-12-31T16:00:00Z"),
      "Thu 31 Dec 2026, 22:00 – Fri 1 Jan 2027, 01:00"
    )
    assert.strictEqual(
      when("Europe/London", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"),
      "Sun 25 Oct 2026, 01:30 (+01:00)–01:30 (+00:00)"
    )
    fc.assert(
      fc.property(
        zoneAndDate.chain(({ zone, date }) => fc.tuple(fc.constant(zone), instantNear(zone, date))),
        ([zone, instant]) => {
          const day = new Intl.DateTimeFormat("en-GB", {
            timeZone: zone,
            weekday: "long",
            day: "numeric",
            month: "long",
            year: "numeric"
          }).format(instant)
          assert.strictEqual(inWords(zone, instant), `${day.replace(",", "")}, ${shown(zone, instant).slice(-5)}`)
        }
      ),
      { numRuns: runs(125) }
    )
  })

  it("days follow each other without gap or overlap, and every instant of a day shows its date", () => {
    fc.assert(
      fc.property(
        zoneAndDate,
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        ({ zone, date }, part) => {
          const day = dayRange(zone, date)
          assert.strictEqual(day.end, dayRange(zone, addDays(date, 1)).start)
          if (day.end === day.start) return
          const instant = day.start + Math.floor(((day.end - day.start) * part) / minuteMs) * minuteMs
          assert.strictEqual(localDateOf(zone, instant), date)
          assert.notStrictEqual(localDateOf(zone, day.start - 1), date)
        }
      ),
      { numRuns: runs(125) }
    )
  })

  it.each([
    ["Europe/London", "2026-03-29", 23],
    ["Europe/London", "2026-10-25", 25],
    ["America/New_York", "2026-03-08", 23],
    ["America/New_York", "2026-11-01", 25],
    ["Australia/Lord_Howe", "2026-10-04", 23.5],
    ["Australia/Lord_Howe", "2026-04-05", 24.5],
    ["America/Santiago", "2026-09-06", 23],
    ["America/Santiago", "2026-04-04", 25],
    ["Asia/Beirut", "2026-03-29", 23],
    ["America/Havana", "2026-11-01", 25],
    ["Asia/Kolkata", "2026-03-29", 24],
    ["Pacific/Apia", "2011-12-30", 0]
  ] as const)("in %s the day %s has %d hours", (zone, date, hours) => {
    const { start, end } = dayRange(zone, date)
    assert.strictEqual((end - start) / hourMs, hours)
  })

  it("in London the hour from 01:00 does not exist in spring, and is the first of two in autumn", () => {
    assert.strictEqual(instantOf("Europe/London", "2026-03-29", minutesOf("01:30")), undefined)
    assert.strictEqual(instantOf("Europe/London", "2026-03-29", minutesOf("02:00")), utc("2026-03-29T01:00:00Z"))
    assert.strictEqual(instantOf("Europe/London", "2026-10-25", minutesOf("01:30")), utc("2026-10-25T00:30:00Z"))
  })

  it("a skipped time stands for the moment of the change, wherever in the gap it lies", () => {
    for (const time of ["01:00", "01:01", "01:59"]) {
      assert.strictEqual(instantAt("Europe/London", "2026-03-29", minutesOf(time)), utc("2026-03-29T01:00:00Z"), time)
    }
    assert.strictEqual(instantAt("Australia/Lord_Howe", "2026-10-04", minutesOf("02:20")), utc("2026-10-03T15:30:00Z"))
  })

  it("a day whose midnight is skipped starts at the change, even where the gap begins before midnight", () => {
    assert.strictEqual(startOfDay("America/Santiago", "2026-09-06"), utc("2026-09-06T04:00:00Z"))
    // Toronto went from 23:30 to 00:30 on 1919-03-30, so the 31st began half an hour into its first hour.
    const start = startOfDay("America/Toronto", "1919-03-31")
    assert.strictEqual(localDateOf("America/Toronto", start), "1919-03-31")
    assert.strictEqual(localDateOf("America/Toronto", start - 1), "1919-03-30")
    assert.strictEqual(shown("America/Toronto", start), "1919-03-31 00:30")
  })

  it("offsets around a change are those of the runtime, to the millisecond", () => {
    const change = utc("2026-10-25T01:00:00Z")
    assert.strictEqual(offsetAt("Europe/London", change - 1), hourMs)
    assert.strictEqual(offsetAt("Europe/London", change), 0)
  })

  it("dates count, and weekdays follow them, over leap days and turns of the year", () => {
    assert.strictEqual(addDays("2028-02-28", 1), "2028-02-29")
    assert.strictEqual(addDays("2026-12-31", 1), "2027-01-01")
    assert.strictEqual(weekdayOf("2026-12-05"), "saturday")
    fc.assert(
      fc.property(someDate, fc.integer({ min: -5000, max: 5000 }), (date, days) => {
        assert.strictEqual(daysBetween(date, addDays(date, days)), days)
        assert.strictEqual(weekdayOf(date) === weekdayOf(addDays(date, days)), days % 7 === 0)
      })
    )
    assert.deepStrictEqual(datesFrom("2026-02-27", "2026-03-01"), ["2026-02-27", "2026-02-28", "2026-03-01"])
    assert.deepStrictEqual(datesFrom("2026-03-01", "2026-02-27"), [])
  })

  it("takes only dates that the calendar has and that can be counted on from", () => {
    for (const date of ["2026-12-05", "2028-02-29", "1900-01-01", "2999-12-31"]) assert.isTrue(accepts(LocalDate, date))
    const wrong = [
      "2026-02-29",
      "2026-13-01",
      "2026-00-10",
      "2026-1-05",
      "0000-01-01",
      "3000-01-01",
      "9999-12-31",
      "",
      5
    ]
    for (const date of wrong) assert.isFalse(accepts(LocalDate, date), String(date))
    assert.strictEqual(addDays("2999-12-31", 1100).length, 10)
  })

  it("says how long there is until a deadline, and never too much", () => {
    const said = [
      0,
      59_999,
      60_000,
      15 * minuteMs,
      16 * minuteMs - 1,
      119 * minuteMs,
      120 * minuteMs,
      2 * dayMs - 1,
      2 * dayMs
    ]
    assert.deepStrictEqual(
      said.map((ms) => until(1000 + ms, 1000)),
      [
        "in less than a minute",
        "in less than a minute",
        "in 1 minute",
        "in 15 minutes",
        "in 15 minutes",
        "in 119 minutes",
        "in 2 hours",
        "in 47 hours",
        "in 2 days"
      ]
    )
  })

  it("takes IANA zones, not offsets", () => {
    for (const zone of ["Europe/London", "Asia/Kolkata", "America/Argentina/Buenos_Aires", "UTC"]) {
      assert.isTrue(accepts(StoredTimeZone, zone), zone)
    }
    for (const zone of ["+01:00", "-05:00", "Europe/Nowhere", ""]) assert.isFalse(accepts(StoredTimeZone, zone), zone)
  })

  it("asks the runtime only twice about a day on which the clocks stay, and each time on one on which they change", () => {
    const asked = vi.spyOn(Intl.DateTimeFormat.prototype, "formatToParts")
    const timesFor = (date: LocalDate) => {
      asked.mockClear()
      for (let hour = 0; hour < 24; hour++) offsetAt("Europe/Lisbon", utc(`${date}T00:00:00Z`) + hour * hourMs)
      return asked.mock.calls.length
    }
    assert.deepStrictEqual([timesFor("2026-01-05"), timesFor("2026-01-05"), timesFor("2026-03-29")], [2, 0, 26])
    asked.mockRestore()
  })
})
