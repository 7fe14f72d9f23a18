#!/usr/bin/env bash
# The last day of the month is the last but one.
#
# Guess: BYMONTHDAY=-1 is the last day: 31 January, 28 February, 31 March.
# What happens: extendByRecurrenceRule gives 27 February, 30 March, 29 April and 30 May: -1 is counted back from the
# last day, instead of being it. 31 January is lost, though the series begins on it.
# Seen: 2026-11-29, ts-ics 2.4.6, rrule-temporal 2.2.8, Node 20.20.2.
# Why it matters here: a venue that closes on the last day of each month for its accounts is shown open on it, and
# closed the day before. Months' first days are right, so a look at a few rules does not tell.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error ts-ics@2.4.6 rrule-temporal@2.2.8 >/dev/null
cat >try.mjs <<'JS'
import { RRuleTemporal } from "rrule-temporal"
import { convertIcsRecurrenceRule, extendByRecurrenceRule } from "ts-ics"

for (const [day, begin] of [["1", "20270101"], ["-1", "20270131"]]) {
  const rule = `FREQ=MONTHLY;BYMONTHDAY=${day};COUNT=4`
  const start = new Date(`${begin.slice(0, 4)}-${begin.slice(4, 6)}-${begin.slice(6)}T12:00:00Z`)
  const parsed = convertIcsRecurrenceRule(undefined, { value: rule })
  const days = extendByRecurrenceRule(parsed, { start, end: new Date("2028-01-01T00:00:00Z") })
  const others = new RRuleTemporal({ rruleString: `DTSTART:${begin}T120000Z\nRRULE:${rule}` }).all()
  console.log(`${day}: ts-ics ${days.map((date) => date.toISOString().slice(5, 10)).join(" ")}`)
  console.log(`${day}: rrule-temporal ${others.map((date) => date.toString().slice(5, 10)).join(" ")}`)
}
JS
seen="$(TZ=UTC node try.mjs)"
echo "$seen"
expected="1: ts-ics 01-01 02-01 03-01 04-01
1: rrule-temporal 01-01 02-01 03-01 04-01
-1: ts-ics 02-27 03-30 04-29 05-30
-1: rrule-temporal 01-31 02-28 03-31 04-30"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
