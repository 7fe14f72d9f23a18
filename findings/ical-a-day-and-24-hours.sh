#!/usr/bin/env bash
# One library has days of 24 hours, the other 24 hours of a day, and none has both.
#
# Guess: on the night when clocks go forward, P1D from noon ends at noon and PT24H ends at one (RFC 5545, 3.3.6: days
# are of the calendar, hours are exact). A library that is wrong is wrong about days.
# What happens: ical.js ends both at noon, so its 24 hours are 23. node-ical and ts-ics end both at one, so their day
# has 24 hours where the calendar's has 23.
# Seen: 2026-11-29, ical.js 2.2.1, node-ical 0.27.2, ts-ics 2.4.6, Node 20.20.2.
# Why it matters here: a room that is let from noon to noon is free an hour too early or too late on two nights of the
# year, by which program looks. The two kinds have to be kept apart until the end is counted.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error ical.js@2.2.1 node-ical@0.27.2 ts-ics@2.4.6 >/dev/null
cat >try.mjs <<'JS'
import ICAL from "ical.js"
import ical from "node-ical"
import { convertIcsCalendar, getEventEnd } from "ts-ics"

const rule = (kind, month, start, from, to) => [
  ...[`BEGIN:${kind}`, `DTSTART:${start}`, `RRULE:FREQ=YEARLY;BYMONTH=${month};BYDAY=-1SU`, `TZOFFSETFROM:${from}`],
  ...[`TZOFFSETTO:${to}`, `END:${kind}`]
]
const zone = [
  ...["BEGIN:VTIMEZONE", "TZID:Europe/London", ...rule("DAYLIGHT", 3, "19810329T010000", "+0000", "+0100")],
  ...[...rule("STANDARD", 10, "19961027T020000", "+0100", "+0000"), "END:VTIMEZONE"]
]
const clock = (date) => new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/London", timeStyle: "short" }).format(date)
for (const duration of ["P1D", "PT24H"]) {
  const event = ["BEGIN:VEVENT", "UID:a1", "DTSTAMP:20260101T000000Z", "DTSTART;TZID=Europe/London:20270327T120000"]
  const lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//EXAMPLE//EN", ...zone, ...event, `DURATION:${duration}`]
  const text = [...lines, "SUMMARY:Let", "END:VEVENT", "END:VCALENDAR", ""].join("\r\n")
  const calendar = new ICAL.Component(ICAL.parse(text))
  ICAL.TimezoneService.register(calendar.getFirstSubcomponent("vtimezone"))
  const ends = {
    "ical.js": new ICAL.Event(calendar.getFirstSubcomponent("vevent")).endDate.toJSDate(),
    "node-ical": Object.values(ical.sync.parseICS(text)).find(({ type }) => type === "VEVENT").end,
    "ts-ics": getEventEnd(convertIcsCalendar(undefined, text).events[0])
  }
  console.log(`${duration}: ${Object.entries(ends).map(([name, end]) => `${name} ${clock(end)}`).join(", ")}`)
}
JS
seen="$(node try.mjs)"
echo "$seen"
expected="P1D: ical.js 12:00, node-ical 13:00, ts-ics 13:00
PT24H: ical.js 12:00, node-ical 13:00, ts-ics 13:00"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
