import { readFileSync } from "node:fs"
import IcalExpander from "ical-expander"

const found = process.argv.slice(2).flatMap((file) => {
  const expander = new IcalExpander({ ics: readFileSync(file, "utf8") })
  const method = expander.component.getFirstPropertyValue("method")
  const { events } = expander.between(new Date("2027-01-01"), new Date("2028-01-01"))
  return events.map(({ component, endDate, sequence, startDate, summary, uid }) => {
    const [start, end] = [startDate, endDate].map((time) => time.toJSDate())
    const status = component.getFirstPropertyValue("status")
    return { uid, start, end, sequence, status, method, title: summary }
  })
})
console.log(JSON.stringify(found))
