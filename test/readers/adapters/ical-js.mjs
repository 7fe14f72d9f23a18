import { readFileSync } from "node:fs"
import ICAL from "ical.js"

const found = process.argv.slice(2).flatMap((file) => {
  const calendar = new ICAL.Component(ICAL.parse(readFileSync(file, "utf8")))
  const method = calendar.getFirstPropertyValue("method")
  return calendar.getAllSubcomponents("vevent").map((component) => {
    const { endDate, sequence, startDate, summary, uid } = new ICAL.Event(component)
    const [start, end] = [startDate, endDate].map((time) => time.toJSDate())
    const status = component.getFirstPropertyValue("status")
    return { uid, start, end, sequence, status, method, title: summary }
  })
})
console.log(JSON.stringify(found))
