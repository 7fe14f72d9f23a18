#!/usr/bin/env bash
# A room that is closed every morning is open after a thousand mornings.
#
# Guess: between(from, to) gives what falls between, however long ago the series began.
# What happens: the days are counted from the first one of the series, and after 1,000 of them it is over, without an
# error. A series of every day that began in June 2020 has nothing in June 2027; one that began in 2025 has all its
# days.
# Seen: 2026-11-29, ical-expander 3.2.0, Node 20.20.2.
# Why it matters here: what shows a venue's feed that way drops its oldest closed times first, 2 years and 9 months on.
# It was right when it was set up. A reader has to begin at the days that are asked for, and to say so when it gives up.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error ical-expander@3.2.0 >/dev/null
cat >try.mjs <<'JS'
import IcalExpander from "ical-expander"

for (const year of [2020, 2025]) {
  const event = ["BEGIN:VEVENT", "UID:a1", "DTSTAMP:20200101T000000Z", "SUMMARY:Nursery", "RRULE:FREQ=DAILY"]
  const times = [`DTSTART:${year}0601T090000Z`, `DTEND:${year}0601T120000Z`]
  const calendar = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//EXAMPLE//EN", ...event, ...times, "END:VEVENT"]
  const ics = [...calendar, "END:VCALENDAR", ""].join("\r\n")
  const week = [new Date("2027-06-07T00:00:00Z"), new Date("2027-06-14T00:00:00Z")]
  console.log(`every day since June ${year}: ${new IcalExpander({ ics }).between(...week).occurrences.length} of 7`)
}
JS
seen="$(node try.mjs)"
echo "$seen"
expected="every day since June 2020: 0 of 7
every day since June 2025: 7 of 7"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
