#!/usr/bin/env bash
# The afternoon replaces the morning.
#
# Guess: "Mo-Fr 09:00-12:00; Mo-Fr 13:00-17:00", two rules divided by a semicolon, is a day with a lunch break.
# What happens: the later rule replaces the earlier on every day that both name. The morning is closed, with no warning.
# A comma, "Mo-Fr 09:00-12:00,13:00-17:00", keeps both. The format says so; venues' own sites write it the other way.
# Seen: 2026-11-28, opening_hours 3.15.0 (hours as OpenStreetMap and maps made from it hold them), Node 20.20.2.
# Why it matters here: opening hours are copied from such sites into a catalogue. Our file names each stretch on a line
# of its own and adds them up, so hours that come from this format can't be taken over rule by rule.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund opening_hours@3.15.0
cat >try.cjs <<'JS'
const OpeningHours = require("opening_hours")
const clock = (date) => date.toTimeString().slice(0, 5)
for (const text of ["Mo-Fr 09:00-12:00; Mo-Fr 13:00-17:00", "Mo-Fr 09:00-12:00,13:00-17:00"]) {
  const hours = new OpeningHours(text, null)
  const open = hours.getOpenIntervals(new Date(2026, 11, 4), new Date(2026, 11, 5))
  const stretches = open.map(([from, to]) => `${clock(from)}-${clock(to)}`).join(" ")
  console.log(`${text}: ${stretches}, ${hours.getWarnings().length} warnings`)
}
JS
seen="$(TZ=Europe/London node try.cjs)"
echo "$seen"
[ "$seen" = "Mo-Fr 09:00-12:00; Mo-Fr 13:00-17:00: 13:00-17:00, 0 warnings
Mo-Fr 09:00-12:00,13:00-17:00: 09:00-12:00 13:00-17:00, 0 warnings" ] || { echo "This has changed." >&2; exit 1; }
