/** Calendars of 5 MB, as large as one may be, by what is long in them. */
import { largestCalendar } from "../../src/domain/calendars/CalendarFeeds.ts"

const joined = (size: number, separator: string, one: (i: number) => string): string => {
  const found: Array<string> = []
  for (let [i, length] = [0, 0]; length < size; i++) {
    const text = one(i)
    found.push(text)
    length += text.length + separator.length
  }
  return found.join(separator)
}

const [all, line, some] = [largestCalendar - 120_000, 99_000, 800_000]
const lines = (size: number, one: (i: number) => string): string => joined(size, "\r\n", one)
const values = (size: number, one: (i: number) => string): string => joined(size, ",", one)

const date = (i: number): string =>
  new Date(Date.UTC(2026, 0, 1 + (i % 4000))).toISOString().slice(0, 10).replaceAll("-", "")
const event = (...its: ReadonlyArray<string>): string =>
  ["BEGIN:VEVENT", "UID:a", "DTSTART;TZID=Europe/London:20261205T100000", "DURATION:PT1H", ...its, "END:VEVENT"].join(
    "\r\n"
  )
const daily = "RRULE:FREQ=DAILY"
const numbers = (n: number, sign = ""): string => Array.from({ length: n }, (_, i) => `${sign}${i + 1}`).join(",")

const parts: Readonly<Record<string, string>> = {
  "one long title": event(`SUMMARY:${"ABCD-EFGH ".repeat(all / 10)}`),
  "one long title, nearly references": event(`SUMMARY:${"ABCDABCD".repeat(all / 8)}`),
  "one long line of spaces": event(`STATUS:x${" ".repeat(all)}x`),
  "one line of many dates left out": event(daily, `EXDATE:${values(all, (i) => `${date(i)}T100000Z`)}`),
  "one line of commas": event(daily, `EXDATE:${",".repeat(all)}`),
  "one line of many folds": event(
    "DESCRIPTION:x",
    lines(all, () => " x")
  ),
  "many folded lines of dates": event(lines(all, (i) => `EXDATE:\r\n ${date(i)}\r\n T100000Z`)),
  "many long lines of dates": event(
    daily,
    lines(all, () => `EXDATE:${values(line, (i) => `${date(i)}T100000Z`)}`)
  ),
  "many long lines of commas": event(
    daily,
    lines(all, () => `EXDATE:${",".repeat(line)}`)
  ),
  "many long titles": event(lines(all, () => `SUMMARY:${"ABCD-EFG ".repeat(line / 9)}`)),
  "one event of many dates left out": event(
    daily,
    lines(some, (i) => `EXDATE;TZID=Europe/London:${date(i)}T100000`)
  ),
  "one event of more dates than it may have": event(
    daily,
    lines(all, (i) => `EXDATE:${date(i)}T100000Z`)
  ),
  "one event of many parts": event(lines(all, () => "BEGIN:VALARM")),
  "lines with many parameters": event(lines(all, () => `EXDATE${";A=B".repeat(240)}:20261205T100000`)),
  "empty lines": "\n".repeat(all),
  "many events": lines(1_300_000, (i) => event(`DTSTART:${date(i)}T100000Z`).replace(/\r\nDURATION.*/, "")),
  "more events than it may have": lines(all, () => "BEGIN:VEVENT\r\nDTSTART:20261205\r\nEND:VEVENT"),
  "many changes of a series": [
    event(daily),
    lines(2_400_000, (i) => event(`RECURRENCE-ID;RANGE=THISANDFUTURE:${date(i)}T100000`))
  ].join("\r\n"),
  "many rules": lines(all, () => event("RRULE:FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=1,2,3,-1,-2,-3")),
  "long rules": lines(all, () =>
    event(
      `RRULE:FREQ=YEARLY;BYWEEKNO=${numbers(53)};BYYEARDAY=${numbers(300)};BYDAY=MO,TU;BYSETPOS=${numbers(99, "-")}`
    )
  ),
  "many zones that nobody knows": event(lines(some, (i) => `RDATE;TZID=Narnia ${i}:20261205T100000`)),
  "many rules of zones": lines(3_000_000, (i) =>
    [
      `BEGIN:VTIMEZONE\r\nTZID:Z${i}\r\nBEGIN:STANDARD\r\nDTSTART:16010101T030000`,
      `TZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nRDATE:${values(16_000, (it) => `${date(it)}T030000`)}`,
      `END:STANDARD\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\nDTSTART;TZID=Z${i}:20261205T100000\r\nEND:VEVENT`
    ].join("\r\n")
  ),
  "a list of many times": `BEGIN:VFREEBUSY\r\n${lines(all, (i) => `FREEBUSY:${values(line, (it) => `${date(i + it)}T100000Z/PT1H`)}`)}\r\nEND:VFREEBUSY`,
  "many short times": lines(1_300_000, (i) => {
    const at = new Date(Date.UTC(2026, 11, 1) + i * 1_500_000).toISOString().replaceAll(/[-:]|\.000/g, "")
    return `BEGIN:VEVENT\r\nDTSTART:${at}\r\nDURATION:PT1M\r\nEND:VEVENT`
  })
}

/** What is long in each, and its text. */
export const largeCalendars: ReadonlyArray<readonly [what: string, text: string]> = Object.entries(parts).map(
  ([what, part]) => [what, `BEGIN:VCALENDAR\r\n${part}\r\nEND:VCALENDAR\r\n`]
)
