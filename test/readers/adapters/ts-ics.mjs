import { readFileSync } from "node:fs"
import { convertIcsCalendar } from "ts-ics"

const found = process.argv.slice(2).flatMap((file) => {
  const { events = [], method } = convertIcsCalendar(undefined, readFileSync(file, "utf8"))
  return events.map(({ end, sequence, start, status, summary, uid }) => {
    return { uid, start: start.date, end: end.date, sequence, status, method, title: summary }
  })
})
console.log(JSON.stringify(found))
