#!/usr/bin/env bash
# London is in Canada, and Newcastle in Australia.
#
# Guess: of several cities with a name, the first is the largest: the entries have their populations.
# What happens: they are in the order of their countries' names, so Canada comes before the United Kingdom. London,
# Newcastle, Lincoln and Worcester are first found elsewhere. Britain's Birmingham is first, since the United States
# come after the United Kingdom.
# Seen: 2026-11-29, city-timezones 1.3.4, Node 20.20.2.
# Why it matters here: scripts that fill a catalogue's zones from its towns take the first. A venue in London is five
# hours off, which is seen at once; one in Worcester two, or one in summer. Our catalogue never derives a zone: each
# playroom names its own (`time_zone`).
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error city-timezones@1.3.4 >/dev/null
cat >try.cjs <<'JS'
const { lookupViaCity } = require("city-timezones")
for (const name of ["London", "Newcastle", "Lincoln", "Worcester", "Birmingham"]) {
  const found = lookupViaCity(name)
  const told = found.map(({ timezone, pop }) => `${timezone} (${Math.round(pop / 1000)} thousand)`)
  console.log(`${name}: ${told.join(", ")}`)
}
JS
seen="$(node try.cjs)"
echo "$seen"
expected='London: America/Toronto (341 thousand), Europe/London (7994 thousand), America/New_York (8 thousand)
Newcastle: Australia/Sydney (816 thousand), Europe/London (537 thousand)
Lincoln: America/Argentina/Buenos_Aires (20 thousand), America/Chicago (244 thousand)
Worcester: Africa/Johannesburg (109 thousand), America/New_York (232 thousand)
Birmingham: Europe/London (1635 thousand), America/Chicago (670 thousand)'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
