#!/usr/bin/env bash
# A town in Spain is on Morocco's clock.
#
# Guess: the coordinates of Ceuta give Africa/Ceuta, which is Spain's time.
# What happens: they give Africa/Casablanca: the map is coarse, so a town of 18 square kilometres belongs to what is round
# it. Büsingen, which is smaller, is found.
# Seen: 2026-11-28, tz-lookup 6.1.25, Node 20.20.2.
# Why it matters here: a catalogue whose time zones were filled in from coordinates opens that venue an hour late in
# summer, and on the right hour all winter, so nobody sees it before Easter.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error tz-lookup@6.1.25 >/dev/null
cat >try.mjs <<'JS'
import zoneAt from "tz-lookup"

const hourIn = (timeZone, month) =>
  new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "short" }).format(Date.UTC(2027, month, 5, 12))
for (const [place, latitude, longitude] of [["Ceuta", 35.89, -5.31], ["Büsingen", 47.7, 8.69]]) {
  const zone = zoneAt(latitude, longitude)
  console.log(`${place}: ${zone}, noon UTC is ${hourIn(zone, 0)} in January and ${hourIn(zone, 6)} in July`)
}
console.log(`Africa/Ceuta: ${hourIn("Africa/Ceuta", 0)} and ${hourIn("Africa/Ceuta", 6)}`)
JS
seen="$(node try.mjs)"
echo "$seen"
expected="Ceuta: Africa/Casablanca, noon UTC is 13:00 in January and 13:00 in July
Büsingen: Europe/Busingen, noon UTC is 13:00 in January and 14:00 in July
Africa/Ceuta: 13:00 and 14:00"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
