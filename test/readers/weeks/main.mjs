/**
 * Random weeks of closures, written by five makers' libraries and read by us and by three readers:
 * `node_modules/.bin/node test/readers/weeks/main.mjs [2000]`. Fails where we are open while any of them is closed,
 * unless `reasons` says why. Needs the npm registry and Debian 12; no test runs this.
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
const mondays = Array.from({ length: count }, () => Date.UTC(2027, 0, 4) + random(52) * 7 * dayMs)
const specs = mondays.map((monday, week) =>
  Array.from({ length: 1 + random(4) }, (_, n) => closure(monday, `closure-${week}-${n}@example.org`))
)

const makers = await install({ npm: ["ical-generator@11.1.2", "ics@3.12.0"] })
const pythonic = await install({
  debian: ["python3-icalendar=4.0.3-5", "python3-vobject=0.9.6.1-2", "python3-tz", "libdata-ical-perl=0.24+dfsg-2"]
})
const npmReaders = await install({ npm: ["ical-expander@3.2.0", "node-ical@0.27.2"] })
const env = (folder) => ({ ...environmentIn(folder), TZ: zone })
for (const folder of [makers, pythonic, npmReaders]) cpSync(import.meta.dirname, folder, { recursive: true })

const made = {}
for (const folder of [makers, pythonic]) writeFileSync(join(folder, "specs.json"), JSON.stringify(specs))
for (const [folder, program, script, name] of [
  [makers, "node", "make.mjs", "npm"],
  [pythonic, "/usr/bin/python3", "make.py", "python"],
  [pythonic, "/usr/bin/perl", "make.pl", "perl"]
]) {
  await runWell([program, script], { cwd: folder, env: env(folder) })
  Object.assign(made, JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")))
}

// Each week by one maker, in turns.
const names = Object.keys(made)
const weeks = mondays.map((monday, index) => {
  const maker = names[index % names.length]
  return { maker, ics: made[maker][index], from: monday - 7 * dayMs, to: monday + 70 * dayMs }
})
const read = {}
for (const folder of [npmReaders, pythonic]) writeFileSync(join(folder, "weeks.json"), JSON.stringify(weeks))
for (const [folder, program, script, name] of [
  [npmReaders, "node", "read.mjs", "npm-read"],
  [pythonic, "/usr/bin/python3", "read.py", "python-read"]
]) {
  await runWell([program, script], { cwd: folder, env: env(folder) })
  Object.assign(read, JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")))
}

const ours = ({ from, ics, to }) =>
  Effect.runPromise(
    Effect.flatMap(readCalendar(ics), (text) => busyTimes(text, () => false, { time_zone: zone, from, to }))
  )
/** The times of the first list that the second leaves open. */
const open = (theirs, busy, { from, to }) => {
  const left = []
  for (const [start, end] of theirs) {
    let at = Math.max(start, from)
    const until = Math.min(end, to)
    for (const one of busy) if (one.start <= at && at < one.end) at = one.end
    if (at < until) left.push(`${new Date(at).toISOString()}/${new Date(until).toISOString()}`)
  }
  return left
}

/** Why we are right to be open while a reader is closed. */
const reasons = {
  // Their file has no rules of their zone; the library takes pytz's zone at the first day's offset.
  "python3-vobject": (lines) =>
    /RRULE/.test(lines) ? "a series keeps the offset of its first day, past a change of the clocks" : undefined
}

const figures = {}
for (const [index, week] of weeks.entries()) {
  const { busy, unread } = await ours(week)
  const own = busy.map(({ end, start }) => [start, end])
  for (const [reader, lists] of Object.entries(read)) {
    const theirs = lists[index]
    const key = `${week.maker}, ${reader}`
    const figure = (figures[key] ??= { weeks: 0, alike: 0, weAreOpen: 0, weAreClosed: 0, refused: 0, unread: 0 })
    figure.weeks++
    if (unread.length > 0) figure.unread++
    if (typeof theirs === "string") {
      figure.refused++
      continue
    }
    const more = open(
      theirs.toSorted(([a], [b]) => a - b),
      busy,
      week
    )
    const fewer = open(
      own,
      theirs.toSorted(([a], [b]) => a - b).map(([start, end]) => ({ start, end })),
      week
    )
    if (more.length > 0) {
      figure.weAreOpen++
      if (reasons[reader]?.(week.ics) === undefined) process.exitCode = 1
      if (figure.weAreOpen <= 2) console.log(key, more.slice(0, 3), week.ics)
    }
    if (fewer.length > 0) {
      figure.weAreClosed++
      if (figure.weAreClosed <= 1) console.log("closed:", key, fewer.slice(0, 3), week.ics)
    }
    if (more.length + fewer.length === 0) figure.alike++
  }
}
console.table(figures)
