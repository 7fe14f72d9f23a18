#!/usr/bin/env bash
# A holiday that falls on a Sunday is lost: the Monday after it is a working day in Bulgaria, but not in Britain.
#
# Guess: a package that gives Britain its substitute days (Monday 27 and Tuesday 28 December 2027) gives them to every
# country that has them. In Bulgaria, if a holiday other than Easter's falls on a weekend, the next one or two working
# days are free, by article 154 (2) of the Labour Code, since 2017.
# What happens: date-holidays has 24 May and 6 September 2026, both Sundays, and neither Monday after them. It has 24
# and 25 December, and 26 December as a mere observance, though article 154 (1) names all three.
# Seen: 2026-12-01, date-holidays 3.37.0, Node 20.20.2.
# Why it matters here: a venue that is dearer on holidays, and asks a table for them, sells those Mondays at the price
# of a school day, and is closed where it planned to be. A venue's own list of dates has to come before any table.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error date-holidays@3.37.0 >/dev/null
cat >try.mjs <<'JS'
import Holidays from "date-holidays"

const asked = {
  GB: ["2027-12-25", "2027-12-26", "2027-12-27", "2027-12-28"],
  BG: ["2026-05-24", "2026-05-25", "2026-09-06", "2026-09-07", "2026-12-25", "2026-12-26"]
}
for (const [country, days] of Object.entries(asked))
  for (const day of days) {
    // The whole year is listed: no clock and no zone of this machine is in it.
    const found = new Holidays(country).getHolidays(Number(day.slice(0, 4))).filter(({ date }) => date.startsWith(day))
    const said = found.map(({ substitute, type }) => (substitute ? `${type}, instead of another` : type))
    console.log(country, day, new Date(day).toUTCString().slice(0, 3), said.join("; ") || "none")
  }
JS
seen="$(node try.mjs)"
echo "$seen"
expected="GB 2027-12-25 Sat public
GB 2027-12-26 Sun public
GB 2027-12-27 Mon public, instead of another
GB 2027-12-28 Tue public, instead of another
BG 2026-05-24 Sun public
BG 2026-05-25 Mon none
BG 2026-09-06 Sun public
BG 2026-09-07 Mon none
BG 2026-12-25 Fri public
BG 2026-12-26 Sat observance"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
