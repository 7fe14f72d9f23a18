#!/usr/bin/env bash
# A venue that opens every day from ten to six is closed all week.
#
# Guess: "10:00-18:00", hours without days, is every day, as OpenStreetMap's format says; "Jun-Aug 10:00-18:00", which
# is more than a simple reader reads, is refused or closed.
# What happens: hours without days are of no day, and without an error. With months before them it is no day, either;
# with months and days, "Jun-Aug Mo-Su 10:00-18:00", the months are dropped and it is open on New Year's Day.
# Seen: 2026-11-29, simple-opening-hours 0.1.1, Node 20.20.2.
# Why it matters here: maps and venue pages show hours by it. The shortest way to say "every day" shows a venue that
# never opens, and a summer venue sends families there in winter. Our catalogue names each weekday of a stretch, and a
# season has dates.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error simple-opening-hours@0.1.1 >/dev/null
cat >try.cjs <<'JS'
const { SimpleOpeningHours } = require("simple-opening-hours")
for (const text of ["Mo-Su 10:00-18:00", "10:00-18:00", "Jun-Aug 10:00-18:00", "Jun-Aug Mo-Su 10:00-18:00"]) {
  const hours = new SimpleOpeningHours(text)
  const told = [new Date(2027, 0, 1, 11), new Date(2027, 5, 5, 11)].map((time) => hours.isOpenOn(time))
  console.log(`${text}: January ${told[0]}, June ${told[1]}`)
}
JS
seen="$(node try.cjs)"
echo "$seen"
expected='Mo-Su 10:00-18:00: January true, June true
10:00-18:00: January false, June false
Jun-Aug 10:00-18:00: January false, June false
Jun-Aug Mo-Su 10:00-18:00: January true, June true'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
