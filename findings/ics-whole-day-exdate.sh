#!/usr/bin/env bash
# One excluded day of a whole-day series makes all of the series unreadable.
#
# Guess: npm's ics writes the day of exclusionDates so that every reader leaves it out; at worst, a strict reader keeps
# that one day.
# What happens: ics writes EXDATE:20261206 without VALUE=DATE beside DTSTART;VALUE=DATE. Without VALUE it is a DATE-TIME
# (RFC 5545, 3.8.5.1), so ical.js raises an error at the series: its other days are lost as well.
# Seen: 2026-11-28, ics 3.12.0 read by ical.js 2.2.1, Node 20.20.2.
# Why it matters here: a venue that takes one day out of its holidays in such a calendar would be open on all of them. A
# reader of other people's calendars has to go by the eight digits, whatever VALUE says.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error ics@3.12.0 ical.js@2.2.1 >/dev/null
cat >try.mjs <<'JS'
import { createEvents } from "ics"
import ICAL from "ical.js"

const holidays = {
  title: "Closed",
  start: [2026, 12, 5],
  duration: { days: 1 },
  recurrenceRule: "FREQ=DAILY;COUNT=3",
  exclusionDates: [[2026, 12, 6]]
}
const { error, value } = createEvents([holidays])
if (error) throw error
console.log(value.match(/^EXDATE.*$/m)[0])
const daysOf = (text) => {
  const days = new ICAL.Event(new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent("vevent")).iterator()
  const all = []
  for (let day = days.next(); day; day = days.next()) all.push(day.toString())
  return all.join(", ")
}
try {
  console.log(`as written: ${daysOf(value)}`)
} catch ({ message }) {
  console.log(`as written: ${message}`)
}
console.log(`with VALUE=DATE: ${daysOf(value.replace("EXDATE:", "EXDATE;VALUE=DATE:"))}`)
JS
seen="$(node try.mjs | tr -d '\r')"
echo "$seen"
expected="EXDATE:20261206
as written: invalid date-time value: \"2026-12-06T::\"
with VALUE=DATE: 2026-12-05, 2026-12-07"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
