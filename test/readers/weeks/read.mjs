// What ical-expander and node-ical find busy in each file: reads weeks.json, writes lists of times beside it.
import { readFileSync, writeFileSync } from "node:fs"
import IcalExpander from "ical-expander"
import nodeIcal from "node-ical"

const expanded = ({ ics, from, to }) => {
  const { events, occurrences } = new IcalExpander({ ics }).between(new Date(from), new Date(to))
  return [...events, ...occurrences].map(({ endDate, startDate }) => [+startDate.toJSDate(), +endDate.toJSDate()])
}
const byNode = ({ ics, from, to }) =>
  Object.values(nodeIcal.sync.parseICS(ics))
    .filter(({ type }) => type === "VEVENT")
    .flatMap((event) =>
      nodeIcal.expandRecurringEvent(event, { from: new Date(from), to: new Date(to), expandOngoing: true })
    )
    .map(({ end, start }) => [+start, +end])
const tried = (read) => (week) => {
  try {
    return read(week)
  } catch (error) {
    return String(error)
  }
}
const weeks = JSON.parse(readFileSync("weeks.json", "utf8"))
writeFileSync(
  "npm-read.json",
  JSON.stringify({ "ical-expander": weeks.map(tried(expanded)), "node-ical": weeks.map(tried(byNode)) })
)
