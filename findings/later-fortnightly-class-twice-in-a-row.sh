#!/usr/bin/env bash
# A class of every second Saturday meets two Saturdays in a row.
#
# Guess: "every 2 weeks on saturday" is a Saturday each 14 days, whatever the year.
# What happens: it is the weeks of odd number, counted from 1 in each year. 2026 has 53 weeks, so 2 January 2027 is in
# week 53, and 9 January in week 1. A year later, after 52 weeks, the gap is 14 days.
# Seen: 2026-11-30, @breejs/later 4.2.0, Node 20.20.2.
# Why it matters here: a year with 53 weeks comes each fifth or sixth year, so the rule has passed each trial and years
# of use. A fortnight is counted from the day of the first meeting.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @breejs/later@4.2.0 >/dev/null
cat >try.cjs <<'JS'
const later = require("@breejs/later")

later.date.UTC()
const rule = later.parse.text("every 2 weeks on saturday at 2:30 pm")
for (const year of [2026, 2027]) {
  const days = later.schedule(rule).next(5, new Date(Date.UTC(year, 11, 1)))
  const gaps = days.slice(1).map((day, n) => (day - days[n]) / 86_400_000)
  console.log(`${days.map((day) => day.toISOString().slice(0, 10)).join(" ")}: gaps of ${gaps.join(", ")} days`)
}
JS
seen="$(TZ=UTC node try.cjs)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
2026-12-05 2026-12-19 2027-01-02 2027-01-09 2027-01-23: gaps of 14, 14, 7, 14 days
2027-12-11 2027-12-25 2028-01-08 2028-01-22 2028-02-05: gaps of 14, 14, 14, 14 days
SEEN
