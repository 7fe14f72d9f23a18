// Closures as ical-generator and ics write them: reads each maker's weeks in specs.json, writes their files beside it.
import { readFileSync, writeFileSync } from "node:fs"
import ical from "ical-generator"
import { createEvents } from "ics"

const specs = JSON.parse(readFileSync("specs.json", "utf8"))
const dateOf = ([year, month, day, hour = 0, minute = 0], more = 0) =>
  new Date(year, month - 1, day, hour, minute + more)
const ends = ({ minutes, start }) => dateOf(start, minutes)
const listOf = (date) => [date.getFullYear(), date.getMonth() + 1, date.getDate(), date.getHours(), date.getMinutes()]

const byGenerator = (week) => {
  const calendar = ical({ name: "Closures" })
  for (const event of week)
    calendar.createEvent({
      id: event.uid,
      summary: "Closed",
      start: dateOf(event.start),
      end: ends(event),
      allDay: event.allDay,
      ...(event.allDay ? {} : { timezone: "Europe/London" }),
      ...(event.rule && {
        repeating: {
          freq: event.rule.freq,
          count: event.rule.count,
          ...(event.without && { exclude: [dateOf(event.without)] })
        }
      })
    })
  return calendar.toString()
}

const byIcs = (week) => {
  const { error, value } = createEvents(
    week.map((event) => ({
      uid: event.uid,
      title: "Closed",
      start: event.allDay ? event.start.slice(0, 3) : event.start,
      end: event.allDay ? listOf(ends(event)).slice(0, 3) : listOf(ends(event)),
      ...(event.rule && { recurrenceRule: `FREQ=${event.rule.freq};COUNT=${event.rule.count}` }),
      ...(event.rule && event.without && { exclusionDates: [event.allDay ? event.without.slice(0, 3) : event.without] })
    }))
  )
  if (error) throw error
  return value
}

writeFileSync(
  "npm.json",
  JSON.stringify({ "ical-generator": specs["ical-generator"].map(byGenerator), ics: specs.ics.map(byIcs) })
)
