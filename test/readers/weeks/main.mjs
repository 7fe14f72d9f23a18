/**
 * Random weeks of closures, written by five makers' libraries and read by us and by four readers:
 * `node_modules/.bin/node test/readers/weeks/main.mjs [2000]`. Fails where we don't understand what a maker wrote, and
 * where we are open while any reader is closed or refuses a file, unless the rules below say why. Two thousand weeks take
 * two minutes. Needs the npm registry and Debian 12; no test runs this.
 */
import { Effect } from "effect"
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runWell } from "../../../.ci/support.mjs"
import { busyTimes } from "../../../src/domain/calendars/BusyTimes.ts"
import { readCalendar } from "../../../src/domain/calendars/CalendarText.ts"
import { dayMs, minuteMs } from "../../../src/platform/time/LocalTime.ts"
import { environmentIn, install } from "../install.mjs"

const zone = "Europe/London"
const count = Number(process.argv[2] ?? 2000)

/** Numbers from a seed (mulberry32), so that each run has the same weeks. */
let state = 20_261_129
const random = (below) => {
  state = (state + 0x6d2b79f5) | 0
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
}
const parts = (wall) => {
  const date = new Date(wall)
  return [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCHours(), date.getUTCMinutes()]
}

/** One closure in the week of a Monday; times on the wall that the clock shows once. */
const closure = (monday, uid) => {
  const allDay = random(3) === 0
  const start = monday + random(7) * dayMs + (allDay ? 0 : (8 * 60 + random(40) * 15) * minuteMs)
  const rule = random(2) === 0 ? undefined : { freq: random(2) === 0 ? "DAILY" : "WEEKLY", count: 2 + random(6) }
  const step = rule?.freq === "WEEKLY" ? 7 * dayMs : dayMs
  const without = rule && random(2) === 0 ? parts(start + (1 + random(rule.count - 1)) * step) : undefined
  const minutes = allDay ? (1 + (rule ? 0 : random(3))) * 1440 : 30 + random(12) * 15
  return { uid, allDay, start: parts(start), minutes, rule, without }
}

// Each week by one maker, in turns.
const makers = ["ical-generator", "ics", "python3-icalendar", "python3-vobject", "Data::ICal"]
const weeks = Array.from({ length: count }, (_, index) => {
  const monday = Date.UTC(2027, 0, 4) + random(52) * 7 * dayMs
  const closures = Array.from({ length: 1 + random(4) }, (_, n) => closure(monday, `closure-${index}-${n}@example.org`))
  return { maker: makers[index % makers.length], closures, from: monday - 7 * dayMs, to: monday + 70 * dayMs }
})

const npmMakers = await install({ npm: ["ical-generator@11.1.2", "ics@3.12.0"] })
const npmReaders = await install({ npm: ["ical-expander@3.2.0", "node-ical@0.27.2"] })
const debian = await install({
  debian: [
    "python3-icalendar=4.0.3-5",
    "python3-vobject=0.9.6.1-2",
    "python3-recurring-ical-events=2.0.1-1",
    "python3-tz=2022.7.1-4",
    "libdata-ical-perl=0.24+dfsg-2"
  ]
})
for (const folder of [npmMakers, npmReaders, debian]) cpSync(import.meta.dirname, folder, { recursive: true })

/** What these programs write, each of what is in `input`, by the names of libraries. */
const written = async (input, data, programs) => {
  const found = {}
  for (const [folder, program, script, output] of programs) {
    writeFileSync(join(folder, input), JSON.stringify(data))
    await runWell([program, script], { cwd: folder, env: { ...environmentIn(folder), TZ: zone } })
    Object.assign(found, JSON.parse(readFileSync(join(folder, output), "utf8")))
  }
  return found
}

const specs = Object.groupBy(weeks, ({ maker }) => maker)
const made = await written(
  "specs.json",
  Object.fromEntries(makers.map((maker) => [maker, (specs[maker] ?? []).map(({ closures }) => closures)])),
  [
    [npmMakers, "node", "make.mjs", "npm.json"],
    [debian, "/usr/bin/python3", "make.py", "python.json"],
    [debian, "/usr/bin/perl", "make.pl", "perl.json"]
  ]
)
const files = weeks.map(({ from, maker, to }, index) => ({
  maker,
  ics: made[maker][Math.floor(index / makers.length)],
  from,
  to
}))
const read = await written("weeks.json", files, [
  [npmReaders, "node", "read.mjs", "npm-read.json"],
  [debian, "/usr/bin/python3", "read.py", "python-read.json"]
])

const ours = ({ from, ics, to }) =>
  Effect.runPromise(
    Effect.flatMap(readCalendar(ics), (text) => busyTimes(text, () => false, { time_zone: zone, from, to }))
  )
/** The times of the first list that the second leaves open. */
const open = (theirs, busy, { from, to }) => {
  const left = []
  const sorted = busy.toSorted(([a], [b]) => a - b)
  for (const [start, end] of theirs) {
    let at = Math.max(start, from)
    const until = Math.min(end, to)
    for (const [start, end] of sorted) if (start <= at && at < end) at = end
    if (at < until) left.push(`${new Date(at).toISOString()}/${new Date(until).toISOString()}`)
  }
  return left
}

/**
 * python3-vobject counts a series on with the offset that pytz has for its first day, past a change of the clocks, and
 * compares what is excluded by that. By the clock that its times show, with the offset of their day, we are closed.
 */
const isOffsetOfFirstDay = (reader, theirs, own, week) =>
  reader === "python3-vobject" &&
  open(
    theirs.flatMap(([, , ...byClock]) => (byClock.length > 0 ? [byClock] : [])),
    own,
    week
  ).length === 0
/** A whole day that is excluded as `EXDATE:20270105`, without `VALUE=DATE`: these read a time there, or nothing. */
const bareDate = /^EXDATE:\d{8}\r?$/m

const figures = {}
const unexplained = (key, what, ics) => {
  process.exitCode = 1
  console.log(key, what, ics)
}
for (const [index, week] of files.entries()) {
  const { busy, unread } = await ours(week)
  const own = busy.map(({ end, start }) => [start, end])
  if (unread.length > 0) unexplained(week.maker, unread, week.ics)
  for (const [reader, lists] of Object.entries(read)) {
    const theirs = lists[index]
    const key = `${week.maker}, ${reader}`
    const figure = (figures[key] ??= { weeks: 0, alike: 0, weAreOpen: 0, weAreClosed: 0, refused: 0 })
    figure.weeks++
    if (typeof theirs === "string") {
      figure.refused++
      if (!bareDate.test(week.ics)) unexplained(key, theirs, week.ics)
      continue
    }
    const more = open(theirs, own, week)
    const fewer = open(own, theirs, week)
    if (more.length > 0) {
      figure.weAreOpen++
      if (!isOffsetOfFirstDay(reader, theirs, own, week)) unexplained(key, more, week.ics)
    }
    // A whole day that ends on its own date (ical-generator, by UTC) is a day here; two readers pass it over.
    if (fewer.length > 0) figure.weAreClosed++
    if (more.length + fewer.length === 0) figure.alike++
  }
}
console.table(figures)
