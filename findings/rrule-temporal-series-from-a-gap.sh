#!/usr/bin/env bash
# A series whose first night is the one when clocks go forward is an hour late on every later night.
#
# Guess: daily at 01:30 in London from 28 March 2027, when 01:30 does not exist: 02:30 that night (RFC 5545, 3.3.5), and
# 01:30 on those that follow.
# What happens: 02:30 on all of them. The first time is resolved before the rule is applied, so its hour becomes the
# rule's. A series that begins a day earlier has 01:30, and leaves that night out.
# Seen: 2026-11-28, rrule-temporal 2.2.8, Node 20.20.2.
# Why it matters here: one start in the gap moves what is closed for the whole year. A rule has to be applied to the clock
# on the wall, and each of its times resolved by itself.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error rrule-temporal@2.2.8 >/dev/null
cat >try.mjs <<'JS'
import { RRuleTemporal } from "rrule-temporal"

for (const day of ["20270328", "20270327"]) {
  const rule = new RRuleTemporal({ rruleString: `DTSTART;TZID=Europe/London:${day}T013000\nRRULE:FREQ=DAILY;COUNT=3` })
  console.log(`from ${day}: ${rule.all().map((time) => String(time).slice(5, 16)).join(", ")}`)
}
JS
seen="$(node try.mjs)"
echo "$seen"
expected="from 20270328: 03-28T02:30, 03-29T02:30, 03-30T02:30
from 20270327: 03-27T01:30, 03-29T01:30, 03-30T01:30"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
