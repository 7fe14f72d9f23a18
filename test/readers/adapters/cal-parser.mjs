import { readFileSync } from "node:fs"
import { parseString } from "cal-parser"

const found = process.argv.slice(2).flatMap((file) => {
  const { calendarData, events } = parseString(readFileSync(file, "utf8"))
  return events.map(({ dtend, dtstart, sequence, status, summary, uid }) => ({
    uid: uid?.value,
    start: dtstart.value,
    end: dtend.value,
    sequence: sequence?.value,
    status: status?.value,
    method: calendarData.method?.value ?? calendarData.method,
    title: summary?.value
  }))
})
console.log(JSON.stringify(found))
