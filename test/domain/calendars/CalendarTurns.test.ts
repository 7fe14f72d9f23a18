/** How long others wait while a calendar of a stranger is read: in work, not in time. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { largestCalendar } from "../../../src/domain/calendars/CalendarFeeds.ts"
import { largeCalendars } from "../../support/largeCalendars.ts"
import { busyTimes } from "../../../src/domain/calendars/BusyTimes.ts"
import { readCalendar } from "../../../src/domain/calendars/CalendarText.ts"
import { CurrentLoopSlice, LoopSlice } from "../../../src/platform/concurrency/LoopSlice.ts"

const event = (...lines: ReadonlyArray<string>): string =>
  ["BEGIN:VEVENT", "UID:a", ...lines, "END:VEVENT"].join("\r\n")
const many = (n: number, one: (i: number) => string): string => Array.from({ length: n }, (_, i) => one(i)).join("\r\n")
const date = (i: number): string =>
  new Date(Date.UTC(2026, 0, 1 + (i % 1000))).toISOString().slice(0, 10).replaceAll("-", "")
const dates = (n: number, of: (day: string) => string): string =>
  Array.from({ length: n }, (_, i) => of(date(i))).join(",")

const series = ["DTSTART;TZID=Europe/London:20261205T100000", "DURATION:PT1H"]
const daily = [...series, "RRULE:FREQ=DAILY"]

/** What takes long, by what is long in it. */
const long: ReadonlyArray<readonly [what: string, part: string]> = [
  [
    "an event of many lines",
    event(
      ...daily,
      many(19_000, (i) => `EXDATE;TZID=Europe/London:${date(i)}T100000`)
    )
  ],
  [
    "an event of many lines that can't be read",
    event(
      ...series,
      many(19_000, () => "EXDATE;=;X")
    )
  ],
  [
    "lines of many dates left out",
    event(
      ...daily,
      many(6, () => `EXDATE:${dates(5000, (day) => `${day}T100000Z`)}`)
    )
  ],
  [
    "lines of many further dates",
    event(
      ...series,
      many(6, () => `RDATE:${dates(5000, (day) => `${day}T100000`)}`)
    )
  ],
  [
    "a list of many times",
    `BEGIN:VFREEBUSY\r\n${many(4, () => `FREEBUSY:${dates(4000, (day) => `${day}T100000Z/PT1H`)}`)}\r\nEND:VFREEBUSY`
  ],
  ["a line of many folds", event(...series, `DESCRIPTION:x${many(50_000, () => " x").replace(/^/, "\r\n")}`)],
  ["many events", many(5000, (i) => event(`DTSTART:${date(i)}T100000Z`, "DURATION:PT1H"))],
  [
    "many changes of a series",
    event(...daily) + "\r\n" + many(4000, (i) => event(`RECURRENCE-ID:${date(i)}T100000`, ...series))
  ],
  [
    "many rules",
    many(300, () => event(...series, "RRULE:FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=1,2,3,-1,-2,-3"))
  ],
  [
    "many zones that nobody knows",
    many(2000, (i) => event(`DTSTART;TZID=Narnia ${i}:20261205T100000`, "DURATION:PT1H"))
  ],
  [
    "many rules of a zone",
    [
      "BEGIN:VTIMEZONE\r\nTZID:Narnia",
      many(
        200,
        () =>
          "BEGIN:STANDARD\r\nDTSTART:16010101T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nRRULE:FREQ=YEARLY\r\nEND:STANDARD"
      ),
      "END:VTIMEZONE",
      event("DTSTART;TZID=Narnia:20261205T100000", "DURATION:PT1H")
    ].join("\r\n")
  ]
]

/** Counts what reading does: marks that are looked for, patterns that are tried, and dates that are computed. */
const countingWork = Effect.acquireRelease(
  Effect.sync(() => {
    const work = { done: 0 }
    const counted = <K extends string>(its: Readonly<Record<K, (...args: Array<never>) => unknown>>, name: K) => {
      const real = its[name]
      Reflect.set(its, name, function (this: unknown, ...args: ReadonlyArray<unknown>): unknown {
        // A pattern is looked for in all of a text, its next match where the last one ended.
        const [text] = args
        const isNext = this instanceof RegExp && this.lastIndex > 0
        work.done += 1 + (typeof text === "string" && !isNext ? text.length / 1000 : 0)
        return Reflect.apply(real, this, args)
      })
      return () => Reflect.set(its, name, real)
    }
    const undo = [counted(RegExp.prototype, "exec"), counted(String.prototype, "indexOf"), counted(Date, "UTC")]
    return { work, undo }
  }),
  ({ undo }) => Effect.sync(() => undo.forEach((it) => it()))
)

/** The work of each turn of the loop while a calendar is read, where a turn has time for `perTurn`. */
const workOf = Effect.fnUntraced(function* (text: string, perTurn: number) {
  const { work } = yield* countingWork
  const turns: Array<number> = []
  let before = 0
  const loop = {
    now: () => work.done,
    nextTurn: (task: () => void) =>
      void setImmediate(() => {
        turns.push(work.done - before)
        before = work.done
        task()
      })
  }
  yield* readCalendar(text).pipe(
    Effect.flatMap((calendar) =>
      busyTimes(calendar, () => false, {
        time_zone: "Europe/London",
        from: Date.parse("2026-11-26T00:00:00Z"),
        to: Date.parse("2027-11-26T00:00:00Z")
      })
    ),
    Effect.ignore,
    Effect.provideService(CurrentLoopSlice, new LoopSlice(loop, perTurn))
  )
  turns.push(work.done - before)
  return turns
}, Effect.scoped)

const most = 5000

it.live.each(long)("%s keeps nobody waiting: others have their turn after little work", ([, part]) =>
  Effect.gen(function* () {
    const text = `BEGIN:VCALENDAR\r\n${part}\r\nEND:VCALENDAR\r\n`
    const turns = yield* workOf(text, 1000)
    assert.isAtMost(Math.max(...turns), most)
    // Without turns, all of it is done at once.
    assert.isAbove(Math.max(...(yield* workOf(text, Infinity))), 2 * most)
  })
)

it.live.each(largeCalendars)("S2: 5 MB of %s keep nobody waiting", ([, text]) =>
  Effect.gen(function* () {
    assert.isAtMost(text.length, largestCalendar)
    const turns = yield* workOf(text, 1000)
    assert.isAtMost(Math.max(...turns), 3 * most)
  })
)
