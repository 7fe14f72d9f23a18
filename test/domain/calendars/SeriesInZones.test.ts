/**
 * Series of other calendars beside changes of the clocks, compared with a clock on the wall; and our own calendar, read
 * again.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { type Busy, busyTimes } from "../../../src/domain/calendars/BusyTimes.ts"
import { readCalendar } from "../../../src/domain/calendars/CalendarText.ts"
import { calendarFile } from "../../../src/platform/time/CalendarFile.ts"
import { minuteMs } from "../../../src/platform/time/LocalTime.ts"
import { zoneChanges } from "../../support/arbitraryVenues.ts"
import { midnightOf, wallOf } from "../../support/oracle/Clock.ts"
import { runs } from "../../support/runs.ts"

const dayMinutes = 1440

/** The minute at which the wall first shows a time; of one that is skipped, by the clock before. */
const minuteOf = (zone: string, wall: number): number => {
  let before = Number.NaN
  for (let at = wall - 14 * 60; ; at++) {
    const shown = wallOf(zone, at)
    if (shown === wall) return at
    if (before < wall && wall < shown) return at - 1 + wall - before
    before = shown
  }
}

const merged = (
  times: ReadonlyArray<readonly [from: number, to: number]>
): ReadonlyArray<readonly [number, number]> => {
  const found: Array<[number, number]> = []
  for (const [from, to] of times.toSorted(([a], [b]) => a - b)) {
    const last = found.at(-1)
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to)
    else found.push([from, to])
  }
  return found
}

const local = (wall: number): string =>
  new Date(wall * minuteMs).toISOString().slice(0, 16).replaceAll(/[-:]/g, "") + "00"
const inUtc = (minute: number): string => `${local(minute)}Z`

const read = (lines: ReadonlyArray<string>, time_zone: string, around: number) =>
  Effect.flatMap(readCalendar(["BEGIN:VCALENDAR", ...lines, "END:VCALENDAR", ""].join("\r\n")), (text) =>
    busyTimes(text, () => false, {
      time_zone,
      from: (around - 20 * dayMinutes) * minuteMs,
      to: (around + 20 * dayMinutes) * minuteMs
    })
  )
const minutesOf = (busy: ReadonlyArray<Busy>): ReadonlyArray<readonly [number, number]> =>
  busy.map(({ end, start }) => [start / minuteMs, end / minuteMs])

const days = 7
const someDay = fc.integer({ min: 0, max: days - 1 })
const series = fc.record({
  change: fc.constantFrom(...zoneChanges.filter(([, date]) => date > "2026")),
  back: fc.integer({ min: 1, max: 5 }),
  clock: fc.constantFrom(0, 15, 30, 60, 75, 105, 120, 135, 150, 600, 1380, 1395, 1425),
  length: fc.constantFrom(30, 60, 120, 180, 600),
  floating: fc.boolean(),
  until: fc.constantFrom("utc", "date", "count"),
  excluded: fc.option(fc.record({ day: someDay, as: fc.constantFrom("local", "utc", "date") })),
  moved: fc.option(fc.record({ day: someDay, as: fc.constantFrom("local", "utc") }))
})

it.effect("a series is busy at its times by the clock on the wall, and not at those that were excluded or moved", () =>
  Effect.gen(function* () {
    for (const one of fc.sample(series, runs(150))) {
      const { back, change, clock, excluded, floating, length, moved, until } = one
      const [zone, date] = change
      const first = midnightOf(date) - back * dayMinutes + clock
      const walls = Array.from({ length: days }, (_, i) => first + i * dayMinutes)
      const at = (day: number) => walls[day] ?? Number.NaN
      const tzid = floating ? "" : `;TZID=${zone}`
      const named = (day: number, as: "local" | "utc" | "date") =>
        as === "utc"
          ? `:${inUtc(minuteOf(zone, at(day)))}`
          : as === "local"
            ? `${tzid}:${local(at(day))}`
            : `;VALUE=DATE:${local(at(day)).slice(0, 8)}`
      const last = at(days - 1)
      const end =
        until === "count"
          ? `COUNT=${days}`
          : `UNTIL=${until === "date" ? local(last).slice(0, 8) : floating ? local(last) : inUtc(minuteOf(zone, last))}`
      const gone = new Set([...(excluded ? [excluded.day] : []), ...(moved ? [moved.day] : [])])
      const expected = walls.flatMap((wall, day) =>
        gone.has(day) ? [] : [[minuteOf(zone, wall), minuteOf(zone, wall) + length] as const]
      )
      const to = moved === null ? 0 : minuteOf(zone, at(moved.day)) + 300
      const lines = [
        "BEGIN:VEVENT",
        "UID:a",
        `DTSTART${tzid}:${local(first)}`,
        `DURATION:PT${length}M`,
        `RRULE:FREQ=DAILY;${end}`,
        ...(excluded ? [`EXDATE${named(excluded.day, excluded.as)}`] : []),
        "END:VEVENT",
        ...(moved === null
          ? []
          : [
              "BEGIN:VEVENT",
              "UID:a",
              `RECURRENCE-ID${named(moved.day, moved.as)}`,
              `DTSTART:${inUtc(to)}`,
              "DURATION:PT45M",
              "END:VEVENT"
            ])
      ]
      const { busy, unread } = yield* read(lines, zone, midnightOf(date))
      assert.deepStrictEqual(
        minutesOf(busy),
        merged([...expected, ...(moved === null ? [] : [[to, to + 45] as const])]),
        `${zone}\n${lines.join("\n")}`
      )
      assert.deepStrictEqual(unread, [])
    }
  })
)

it.effect("our own calendar is read again with the same instants, in whatever zone and beside whatever change", () =>
  Effect.gen(function* () {
    for (const [time_zone, date] of zoneChanges) {
      const midnight = midnightOf(date)
      for (let minute = midnight - 18 * 60; minute < midnight + 30 * 60; minute += 75) {
        const event = { uid: "a", sequence: 0, changed_at: 0, status: "confirmed", summary: "Party" } as const
        const [start, end] = [minute * minuteMs, (minute + 90) * minuteMs]
        const text = calendarFile({ language: "en", events: [{ ...event, time_zone, start, end }] })
        const lines = text.split("\r\n").slice(1, -2)
        assert.deepStrictEqual(minutesOf((yield* read(lines, "UTC", midnight)).busy), [[minute, minute + 90]], text)
      }
    }
  })
)
