#!/usr/bin/env bash
# A playroom in Leeds is closed at Epiphany and open on its bank holiday, like one in Stuttgart.
#
# Guess: "PH off", without a place, raises an error, since nobody can know whose holidays are meant; or it closes
# nothing. It does raise one for an empty place.
# What happens: for null, which stands for "none", it has the holidays of Baden-Württemberg: 6 January, Corpus Christi,
# 3 October. "SH off" has its school holidays. The documentation says "a default location", and not which.
# Seen: 2026-11-29, opening_hours 3.15.0, Node 20.20.2.
# Why it matters here: hours in this form are copied from maps without their place. What is made of them closes on days
# that are sold, and sells the last Monday of May, and no warning is given.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund opening_hours@3.15.0
cat >try.cjs <<'JS'
const OpeningHours = require("opening_hours")
const leeds = { lat: "53.8", lon: "-1.5", address: { country_code: "gb", state: "England", country: "United Kingdom" } }
const days = [[2027, 0, 6], [2027, 4, 27], [2027, 4, 31], [2027, 9, 3]]
const stateOf = (place) => (day) => {
  const date = new Date(...day, 12)
  const name = date.toLocaleDateString("en-GB", { day: "numeric", month: "short" })
  return `${name} ${new OpeningHours("Mo-Su 10:00-18:00; PH off", place).getStateString(date)}`
}
console.log(`null: ${days.map(stateOf(null)).join(", ")}`)
console.log(`Leeds: ${days.map(stateOf(leeds)).join(", ")}`)
try {
  stateOf({})(days[0])
} catch {
  console.log("{}: raises an error")
}
JS
seen="$(TZ=Europe/London node try.cjs)"
echo "$seen"
[ "$seen" = "null: 6 Jan close, 27 May close, 31 May open, 3 Oct close
Leeds: 6 Jan open, 27 May open, 31 May close, 3 Oct open
{}: raises an error" ] || { echo "This has changed." >&2; exit 1; }
