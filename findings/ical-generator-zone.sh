#!/usr/bin/env bash
# A calendar that names a zone has times without one, by the clock of the machine that wrote it.
#
# Guess: ical({ timezone: "Europe/Berlin" }) writes 14:00 Berlin time as 13:00Z, or as 14:00 with TZID=Europe/Berlin.
# What happens: it writes the local time of the *process*, without Z and without TZID: on a server in UTC 13:00, on a
# laptop in New York 08:00, both floating. DTSTAMP, which has to be UTC (RFC 5545, 3.8.7.2), floats as well.
# Seen: 2026-11-28, ical-generator 10.2.0, Node 20.20.2.
# Why it matters here: what such a feed says is busy is an hour or more off if it is read by the zone that it names, and
# nothing in the file tells so. A look at a feed (`playroom calendar try`) has to be compared with the calendar itself.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error ical-generator@10.2.0 >/dev/null
cat >try.mjs <<'JS'
import ical from "ical-generator"

const calendar = ical({ timezone: "Europe/Berlin" })
calendar.createEvent({ start: new Date("2026-12-05T13:00:00Z"), summary: "2 pm in Berlin" })
const lines = calendar.toString().split(/\r?\n/)
console.log(lines.filter((line) => /^(X-WR-TIMEZONE|DTSTART)/.test(line)).join(" "))
JS
seen="$(for zone in UTC America/New_York Europe/Berlin; do echo "$zone: $(TZ=$zone node try.mjs)"; done)"
echo "$seen"
expected="UTC: X-WR-TIMEZONE:Europe/Berlin DTSTART:20261205T130000
America/New_York: X-WR-TIMEZONE:Europe/Berlin DTSTART:20261205T080000
Europe/Berlin: X-WR-TIMEZONE:Europe/Berlin DTSTART:20261205T140000"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
