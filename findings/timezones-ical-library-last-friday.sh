#!/usr/bin/env bash
# A VTIMEZONE holds for this year and is a week off in others.
#
# Guess: the rules that a library gives for a zone are the zone's rules, for every year that has no newer law.
# What happens: Israel's summer begins on the Friday before the last Sunday of March. The library writes it as the last
# Friday of March, which differs whenever March ends on a Friday or a Saturday: in 2028 summer begins a week late there.
# Chile's ends on the first Sunday from 2 April, which is written as the first Sunday of April: in 2029 a week early.
# Seen: 2026-11-28, timezones-ical-library 2.3.2 (rules of 2026-07-15), ical.js 2.2.1; Node 24.21 (tz 2026c) has the law.
# Why it matters here: an entry "DTSTART;TZID=Asia/Jerusalem" with these rules is an hour off in a week that nobody
# tries. We compare the rules with the runtime at each instant, and write UTC where they differ.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund timezones-ical-library@2.3.2 ical.js@2.2.1
cat >look.mjs <<'JS'
import ICAL from "ical.js"
import { tzlib_get_ical_block } from "timezones-ical-library"
const law = (zone, instant) =>
  new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" }).format(instant).split("GMT")[1]
for (const [zone, year, month, day] of [
  ["Asia/Jerusalem", 2027, 3, 27],
  ["Asia/Jerusalem", 2028, 3, 27],
  ["America/Santiago", 2028, 4, 4],
  ["America/Santiago", 2029, 4, 4]
]) {
  const rules = new ICAL.Timezone(ICAL.Component.fromString(tzlib_get_ical_block(zone, false)[0]))
  const noon = new ICAL.Time({ year, month, day, hour: 12, minute: 0, second: 0 }, rules)
  const date = `${year}-0${month}-${day < 10 ? `0${day}` : day}`
  console.log(zone, date, "rules", rules.utcOffset(noon) / 3600, "law", law(zone, new Date(`${date}T15:00Z`)))
}
JS
seen="$(node look.mjs)"
echo "$seen"
[ "$seen" = "Asia/Jerusalem 2027-03-27 rules 3 law +03:00
Asia/Jerusalem 2028-03-27 rules 2 law +03:00
America/Santiago 2028-04-04 rules -4 law -04:00
America/Santiago 2029-04-04 rules -4 law -03:00" ] || { echo "This has changed." >&2; exit 1; }
