#!/usr/bin/env bash
# Every year in week 7: for a day, for a week, in May, or never.
#
# Guess: FREQ=YEARLY;BYWEEKNO=7 from Monday 15 February 2027 is the Monday of that week each year, since the weekday
# comes from the start (RFC 5545, 3.3.10); or, read otherwise, all of the week. In February, whatever it is.
# What happens: rrule-temporal has the Monday, rrule the seven days, libical a Friday in May, and ical.js nothing at
# all. With BYDAY=MO libical has the Monday, and ical.js begins a week late and goes on, Monday after Monday.
# Seen: 2026-11-29, rrule 2.8.1, rrule-temporal 2.2.8, ical.js 2.2.1, Node 20.20.2; libical3 3.0.16-1+b1 (Debian 12).
# Why it matters here: half-term holidays are told by their week in northern Europe, so venues close by it. A calendar
# that shows a venue's closed week in May is no proof that the venue's file is wrong, nor that ours is.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error rrule@2.8.1 rrule-temporal@2.2.8 ical.js@2.2.1 >/dev/null
apt-get -qq download libical3=3.0.16-1+b1 libicu72 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >try.mjs <<'JS'
import ICAL from "ical.js"
import rrule from "rrule"
import { RRuleTemporal } from "rrule-temporal"

for (const rule of ["FREQ=YEARLY;BYWEEKNO=7", "FREQ=YEARLY;BYWEEKNO=7;BYDAY=MO"]) {
  const text = `DTSTART:20270215T100000Z\nRRULE:${rule}`
  const wanted = (_, index) => index < 3
  const temporal = new RRuleTemporal({ rruleString: text }).all(wanted)
  const first = ICAL.Time.fromDateTimeString("2027-02-15T10:00:00Z")
  const days = ICAL.Recur.fromString(`${rule};COUNT=3`).iterator(first)
  const found = []
  for (let day = days.next(); day && found.length < 3; day = days.next()) found.push(day.toJSDate())
  const readers = {
    "rrule-temporal": temporal.map(({ epochMilliseconds }) => new Date(epochMilliseconds)),
    rrule: rrule.rrulestr(text).all(wanted),
    "ical.js": found
  }
  for (const [name, dates] of Object.entries(readers)) {
    const shown = dates.map((date) => date.toISOString().slice(0, 10)).join(" ")
    console.log(`${rule.slice(12)}: ${name} ${shown || "never"}`)
  }
}
JS
cat >try.py <<'PY'
import calendar, ctypes, time

library = ctypes.CDLL("libical.so.3")
for rule in ("FREQ=YEARLY;BYWEEKNO=7", "FREQ=YEARLY;BYWEEKNO=7;BYDAY=MO"):
    found = (ctypes.c_long * 3)()
    start = ctypes.c_long(calendar.timegm((2027, 2, 15, 10, 0, 0)))
    library.icalrecur_expand_recurrence(rule.encode(), start, 3, found)
    print(f"{rule[12:]}: libical", *(time.strftime("%Y-%m-%d", time.gmtime(at)) for at in found))
PY
seen="$(node try.mjs)
$(LD_LIBRARY_PATH="$(echo "$folder"/usr/lib/*-linux-gnu)" /usr/bin/python3 try.py)"
echo "$seen"
expected="BYWEEKNO=7: rrule-temporal 2027-02-15 2028-02-14 2029-02-12
BYWEEKNO=7: rrule 2027-02-15 2027-02-16 2027-02-17
BYWEEKNO=7: ical.js never
BYWEEKNO=7;BYDAY=MO: rrule-temporal 2027-02-15 2028-02-14 2029-02-12
BYWEEKNO=7;BYDAY=MO: rrule 2027-02-15 2028-02-14 2029-02-12
BYWEEKNO=7;BYDAY=MO: ical.js 2027-02-22 2027-03-01 2027-03-08
BYWEEKNO=7: libical 2027-05-14 2028-05-12 2029-05-11
BYWEEKNO=7;BYDAY=MO: libical 2027-02-15 2028-02-14 2029-02-12"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
