import ical from "ical"

const found = process.argv.slice(2).flatMap((file) =>
  Object.values(ical.parseFile(file))
    .filter(({ type }) => type === "VEVENT")
    .map(({ end, method, sequence, start, status, summary, uid }) => {
      return { uid, start, end, sequence, status, method, title: summary }
    })
)
console.log(JSON.stringify(found))
