#!/usr/bin/env bash
# New Year's Day of 2028 is no holiday, and the list of 2027 lacks a holiday of 2027.
#
# Guess: where a holiday falls on a Saturday or Sunday, both the day itself and the weekday off in its place are
# holidays; and a year's list has each holiday that falls into that year.
# What happens: the day itself is none, unless shifting is turned off, and then the weekday isn't: 4 July 2027 is a
# Sunday and no holiday, nor is Saturday, 1 January 2028. Its Friday off, 31 December 2027, is a holiday by isAHoliday,
# and stands in the list of 2028 alone. That list has no holiday on 1 January.
# Seen: 2026-11-29, @18f/us-federal-holidays 4.0.0, Node 20.20.2.
# Why it matters here: a venue's closed days are made from such lists, and its weekends are what families book. One that
# closes by it is open on the Fourth of July. Closed days in our catalogue are dates that the owner sees, so a day that
# is known has to be looked for in them.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @18f/us-federal-holidays@4.0.0
cat >try.cjs <<'JS'
const { allForYear, isAHoliday } = require("@18f/us-federal-holidays")
const unshifted = { shiftSaturdayHolidays: false, shiftSundayHolidays: false }
const listed = (year) => allForYear(year).map(({ dateString }) => dateString)
for (const day of ["2027-07-04", "2027-07-05", "2027-12-31", "2028-01-01"]) {
  const [shifted, itself] = [{}, unshifted].map((options) => isAHoliday(new Date(`${day}T12:00:00Z`), options))
  const years = [2027, 2028].filter((year) => listed(year).includes(day))
  console.log(`${day}: ${shifted}, unshifted ${itself}, listed in ${years.join(", ") || "none"}`)
}
JS
seen="$(TZ=UTC node try.cjs)"
echo "$seen"
expected='2027-07-04: false, unshifted true, listed in none
2027-07-05: true, unshifted false, listed in 2027
2027-12-31: true, unshifted false, listed in 2028
2028-01-01: false, unshifted true, listed in none'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
