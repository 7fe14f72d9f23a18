/**
 * Closures as other libraries write them, and as one of them reads them: we are open at no time at which it is closed.
 * `test/readers/weeks/main.mjs` does the same for two thousand weeks with five makers and three readers.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import ICAL from "ical.js"
import { generateIcsCalendar, type IcsEvent } from "ts-ics"
import { busyTimes } from "../../../src/domain/calendars/BusyTimes.ts"
import { readCalendar } from "../../../src/domain/calendars/CalendarText.ts"
import { dayMs, minuteMs } from "../../../src/platform/time/LocalTime.ts"
import { runs } from "../../support/runs.ts"

const closure = fc.record({
  day: fc.integer({ min: 0, max: 6 }),
  clock: fc.integer({ min: 0, max: 95 }),
  quarters: fc.integer({ min: 1, max: 12 }),
  days: fc.integer({ min: 1, max: 3 }),
  whole: fc.boolean(),
  rule: fc.option(fc.record({ frequency: fc.constantFrom("DAILY", "WEEKLY"), count: fc.integer({ min: 1, max: 6 }) }), {
    nil: undefined
  }),
  without: fc.integer({ min: 1, max: 6 })
})
type Closure = typeof closure extends fc.Arbitrary<infer T> ? T : never

const monday = Date.UTC(2027, 2, 22)
const spanOf = ({ clock, day, days, quarters, rule, whole }: Closure) => {
  const start = monday + day * dayMs + (whole ? 0 : clock * 15 * minuteMs)
  return { start, end: start + (whole ? (rule === undefined ? days : 1) * dayMs : quarters * 15 * minuteMs) }
}
const excludedOf = (one: Closure): number =>
  spanOf(one).start + one.without * dayMs * (one.rule?.frequency === "WEEKLY" ? 7 : 1)

const makers: Readonly<Record<string, (week: ReadonlyArray<Closure>) => string>> = {
  "ical.js": (week) => {
    const calendar = new ICAL.Component("vcalendar")
    for (const [index, one] of week.entries()) {
      const { end, start } = spanOf(one)
      const time = (at: number) => {
        const found = ICAL.Time.fromJSDate(new Date(at), true)
        found.isDate = one.whole
        return found
      }
      const event = new ICAL.Component("vevent")
      event.addPropertyWithValue("uid", `closure-${index}`)
      event.addPropertyWithValue("dtstart", time(start))
      event.addPropertyWithValue("dtend", time(end))
      if (one.rule !== undefined) {
        event.addPropertyWithValue("rrule", ICAL.Recur.fromString(`FREQ=${one.rule.frequency};COUNT=${one.rule.count}`))
        event.addPropertyWithValue("exdate", time(excludedOf(one)))
      }
      calendar.addSubcomponent(event)
    }
    return calendar.toString()
  },
  "ts-ics": (week) => {
    const at = (one: Closure, instant: number) => ({
      date: new Date(instant),
      type: one.whole ? ("DATE" as const) : ("DATE-TIME" as const)
    })
    const events = week.map((one, index): IcsEvent => {
      const { end, start } = spanOf(one)
      return {
        uid: `closure-${index}`,
        summary: "Closed",
        stamp: { date: new Date(monday) },
        start: at(one, start),
        end: at(one, end),
        ...(one.rule === undefined ? {} : { recurrenceRule: one.rule, exceptionDates: [at(one, excludedOf(one))] })
      }
    })
    return generateIcsCalendar({ version: "2.0", prodId: "-//closures//", events })
  }
}

/** When ical.js finds a calendar busy. */
const read = (text: string) =>
  new ICAL.Component(ICAL.parse(text)).getAllSubcomponents("vevent").flatMap((component) => {
    const event = new ICAL.Event(component)
    const occurrences = event.iterator()
    const found: Array<readonly [start: number, end: number]> = []
    for (let at = occurrences.next(); at; at = occurrences.next()) {
      const { endDate, startDate } = event.getOccurrenceDetails(at)
      const [start, end] = [startDate, endDate].map((time) =>
        Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute)
      )
      found.push([start ?? 0, end ?? 0])
    }
    return found
  })

for (const [maker, write] of Object.entries(makers))
  it.effect(`a week of closures by ${maker} is closed at just the times that ical.js reads`, () =>
    Effect.gen(function* () {
      for (const week of fc.sample(fc.array(closure, { minLength: 1, maxLength: 4 }), runs(60))) {
        const text = write(week)
        const calendar = yield* readCalendar(text)
        const window = { time_zone: "UTC", from: monday - 7 * dayMs, to: monday + 70 * dayMs }
        const { busy, unread } = yield* busyTimes(calendar, () => false, window)
        assert.deepStrictEqual(unread, [], text)
        const merged: Array<{ start: number; end: number }> = []
        for (const [start, end] of read(text).toSorted(([a], [b]) => a - b)) {
          const last = merged.at(-1)
          if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
          else merged.push({ start, end })
        }
        assert.deepStrictEqual([...busy], merged, text)
      }
    })
  )
