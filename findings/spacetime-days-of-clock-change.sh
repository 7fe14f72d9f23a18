#!/usr/bin/env bash
# Clocks change on the same day of the month every year.
#
# Guess: a library of time zones knows that British clocks change on the last Sunday of March and October, American ones
# on a Sunday of March and November: 28 March and 14 March in 2027. Only old or new laws can be missing.
# What happens: each zone has two days of the month, those of the year of the release, and they hold in all other years.
# In 2027 London's summer begins on Monday 29 March, and New York's on Monday 8 March, six days early.
# Seen: 2026-11-29, spacetime 7.15.0, Node 20.20.2.
# Why it matters here: a party in New York on Saturday 13 March 2027 at 14:00 is given as 18:00Z instead of 19:00Z. In
# the year of the release all is right, so tests are green and bookings for the next year are not. A picker of zones for
# React is built on it.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error spacetime@7.15.0 >/dev/null
cat >try.mjs <<'JS'
import spacetime from "spacetime"

for (const [zone, day] of [
  ["Europe/London", "2026-03-29"],
  ["Europe/London", "2027-03-28"],
  ["Europe/London", "2027-10-30"],
  ["America/New_York", "2026-03-07"],
  ["America/New_York", "2027-03-13"]
]) {
  const instant = new Date(spacetime(`${day}T14:00:00`, zone).epoch)
  const law = new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeStyle: "short" }).format(instant)
  console.log(`${zone}, ${day} 14:00: ${instant.toISOString().slice(11, 16)}Z, which is ${law} there`)
}
JS
seen="$(node try.mjs)"
echo "$seen"
expected="Europe/London, 2026-03-29 14:00: 13:00Z, which is 14:00 there
Europe/London, 2027-03-28 14:00: 14:00Z, which is 15:00 there
Europe/London, 2027-10-30 14:00: 14:00Z, which is 15:00 there
America/New_York, 2026-03-07 14:00: 19:00Z, which is 14:00 there
America/New_York, 2027-03-13 14:00: 18:00Z, which is 13:00 there"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
