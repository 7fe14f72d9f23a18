#!/usr/bin/env bash
# A country that isn't one has no holidays.
#
# Guess: new Holidays("UK") is an alias of GB, or raises an error, since the constructor takes ISO 3166 codes.
# What happens: it makes an object that answers [] for every year, and "false" for Christmas Day.
# Seen: 2026-11-28, date-holidays 3.37.0, Node 20.20.2.
# Why it matters here: a venue closes on public holidays, and "UK" is what people there write. Whoever makes closed days
# from this package for such a code sells Christmas Day. A list made so has to be compared with a day that is known.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund date-holidays@3.37.0
cat >try.cjs <<'JS'
const Holidays = require("date-holidays")
for (const country of ["GB", "UK"]) {
  const holidays = new Holidays(country)
  const christmas = holidays.isHoliday(new Date("2027-12-25T12:00:00Z"))
  console.log(country, holidays.getHolidays(2027).length > 0 ? "some" : "none", christmas === false ? "no" : "yes")
}
JS
seen="$(node try.cjs)"
echo "$seen"
[ "$seen" = "GB some yes
UK none no" ] || { echo "This has changed." >&2; exit 1; }
