#!/usr/bin/env bash
# Christmas comes once a year to some readers, and once a month to others.
#
# Guess: FREQ=YEARLY;BYMONTHDAY=25 from 25 December is Christmas; or, by the table of RFC 5545, 3.3.10 (YEARLY with
# BYMONTHDAY: "Expand"), the 25th of each month. In any case readers agree on a rule of two short parts.
# What happens: rrule, rrule-temporal and dateutil have the 25th of each month. ical.js, ts-ics and libical have it once
# a year.
# Seen: 2026-11-29, datebook 8.0.1, rrule 2.8.1, rrule-temporal 2.2.8, ical.js 2.2.1, ts-ics 2.4.6, Node 20.20.2;
# python3-dateutil 2.8.2-2, libical3 3.0.16-1+b1 (Debian 12).
# Why it matters here: datebook can write a yearly series in no other way, since it has days of the month and no months.
# Its holiday is read by the table here, and closes twelve days a year; the venue's own program shows one.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error datebook@8.0.1 rrule@2.8.1 rrule-temporal@2.2.8 ical.js@2.2.1 \
  ts-ics@2.4.6 >/dev/null
apt-get -qq download python3-dateutil=2.8.2-2 python3-six=1.16.0-4 libical3=3.0.16-1+b1 libicu72 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >try.mjs <<'JS'
import { ICalendar } from "datebook"
import ICAL from "ical.js"
import rrule from "rrule"
import { RRuleTemporal } from "rrule-temporal"
import { convertIcsRecurrenceRule, extendByRecurrenceRule } from "ts-ics"

const start = new Date("2027-12-25T10:00:00Z")
const recurrence = { frequency: "YEARLY", monthdays: ["25"] }
const closed = { title: "Closed", start, end: new Date("2027-12-25T18:00:00Z"), recurrence }
const [rule] = /FREQ.*/.exec(new ICalendar(closed).render())
const text = `DTSTART:20271225T100000Z\nRRULE:${rule}`
const three = (_, index) => index < 3
const days = ICAL.Recur.fromString(rule).iterator(ICAL.Time.fromDateTimeString("2027-12-25T10:00:00Z"))
const parsed = convertIcsRecurrenceRule(undefined, { value: rule })
const readers = {
  rrule: rrule.rrulestr(text).all(three),
  "rrule-temporal": new RRuleTemporal({ rruleString: text }).all(three).map((time) => new Date(time.epochMilliseconds)),
  "ical.js": [1, 2, 3].map(() => days.next().toJSDate()),
  "ts-ics": extendByRecurrenceRule(parsed, { start, end: new Date("2030-01-01T00:00:00Z") }).slice(0, 3)
}
console.log(`datebook writes ${rule}`)
for (const [name, dates] of Object.entries(readers))
  console.log(`${name}: ${dates.map((date) => date.toISOString().slice(0, 10)).join(" ")}`)
JS
cat >try.py <<'PY'
import calendar, ctypes, itertools, time
from dateutil.rrule import rrulestr

rule = "FREQ=YEARLY;BYMONTHDAY=25"
days = itertools.islice(rrulestr(f"DTSTART:20271225T100000Z\nRRULE:{rule}"), 3)
print("dateutil:", *(f"{day:%Y-%m-%d}" for day in days))
found = (ctypes.c_long * 3)()
start = ctypes.c_long(calendar.timegm((2027, 12, 25, 10, 0, 0)))
ctypes.CDLL("libical.so.3").icalrecur_expand_recurrence(rule.encode(), start, 3, found)
print("libical:", *(time.strftime("%Y-%m-%d", time.gmtime(at)) for at in found))
PY
libraries="$(echo "$folder"/usr/lib/*-linux-gnu)"
seen="$(TZ=UTC node try.mjs)
$(LD_LIBRARY_PATH="$libraries" PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 try.py)"
echo "$seen"
expected="datebook writes FREQ=YEARLY;BYMONTHDAY=25
rrule: 2027-12-25 2028-01-25 2028-02-25
rrule-temporal: 2027-12-25 2028-01-25 2028-02-25
ical.js: 2027-12-25 2028-12-25 2029-12-25
ts-ics: 2027-12-25 2028-12-25 2029-12-25
dateutil: 2027-12-25 2028-01-25 2028-02-25
libical: 2027-12-25 2028-12-25 2029-12-25"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
