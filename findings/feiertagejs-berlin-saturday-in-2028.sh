#!/usr/bin/env bash
# The one Saturday that Berlin's law made a holiday is none.
#
# Guess: a package that is for Germany's states alone, and knows that all of them had 31 October 2017 off once, knows
# the three days that Berlin made holidays once each: 8 May 2020, 8 May 2025, and Saturday 17 June 2028.
# What happens: it knows 31 October 2017 and none of Berlin's three. A package for the whole world, date-holidays, has
# all of them.
# Seen: 2026-12-01, feiertagejs 1.5.1, date-holidays 3.37.0, Node 20.20.2.
# Why it matters here: Saturday is the day of parties, and a venue is dearer, or closed, on holidays. A law can make one
# that a package does not have, and the package for one country is not the better source for it: the dates that a venue
# can edit are.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error feiertagejs@1.5.1 date-holidays@3.37.0 >/dev/null
cat >try.mjs <<'JS'
import Holidays from "date-holidays"
import feiertage from "feiertagejs"

const berlin = new Holidays("DE", "BE")
for (const [year, month, day] of [[2017, 10, 31], [2020, 5, 8], [2025, 5, 8], [2028, 6, 17], [2028, 10, 3]]) {
  const text = `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`
  const german = feiertage.isHoliday(new Date(year, month - 1, day), "BE")
  const world = berlin.getHolidays(year).some(({ date, type }) => date.startsWith(text) && type === "public")
  console.log(text, `feiertagejs: ${german}`, `date-holidays: ${world}`)
}
JS
seen="$(node try.mjs)"
echo "$seen"
expected="2017-10-31 feiertagejs: true date-holidays: true
2020-05-08 feiertagejs: false date-holidays: true
2025-05-08 feiertagejs: false date-holidays: true
2028-06-17 feiertagejs: false date-holidays: true
2028-10-03 feiertagejs: true date-holidays: true"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
