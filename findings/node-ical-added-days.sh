#!/usr/bin/env bash
# Days that are added to an event one by one do not occur.
#
# Guess: expandRecurringEvent gives the event's own day and its two RDATEs: three.
# What happens: it gives the first alone. RDATE is in the parsed event, and nobody reads it. Of a series by RRULE, added
# days are left out alike, while its EXDATEs are taken out.
# Seen: 2026-11-28, node-ical 0.27.2, Node 20.20.2.
# Why it matters here: a room's other calendar that lists its closed Saturdays by RDATE looks open where node-ical shows
# it, so a reader that closes them looks wrong beside it.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error node-ical@0.27.2 >/dev/null
cat >try.mjs <<'JS'
import ical from "node-ical"

const days = (...lines) => {
  const text = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//EXAMPLE//EN", "BEGIN:VEVENT", "UID:a1", "DTSTAMP:20261101T000000Z"]
  const file = [...text, "DTSTART:20270605T130000Z", "DTEND:20270605T150000Z", ...lines, "END:VEVENT", "END:VCALENDAR", ""]
  const event = Object.values(ical.sync.parseICS(file.join("\r\n"))).find(({ type }) => type === "VEVENT")
  const window = { from: new Date("2027-01-01"), to: new Date("2027-12-31") }
  return ical.expandRecurringEvent(event, window).map(({ start }) => start.toISOString().slice(5, 10)).join(" ")
}
console.log(`RDATE: ${days("RDATE:20270612T130000Z,20270703T130000Z")}`)
console.log(`RRULE, RDATE, EXDATE: ${days("RRULE:FREQ=WEEKLY;COUNT=3", "RDATE:20270703T130000Z", "EXDATE:20270612T130000Z")}`)
JS
seen="$(TZ=UTC node try.mjs)"
echo "$seen"
expected="RDATE: 06-05
RRULE, RDATE, EXDATE: 06-05 06-19"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
