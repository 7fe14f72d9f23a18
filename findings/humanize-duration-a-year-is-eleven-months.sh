#!/usr/bin/env bash
# A year is "11 months, 4 weeks, 2 days, 4 hours and 30 minutes".
#
# Guess: 365 days are "1 year", and 30 days "1 month" or "30 days".
# What happens: a year is 365.25 days there and a month 30.4375 of them, so 365 days are a little less than a year and
# 30 days less than a month; what is left is told to the minute. 31 days are "1 month, 13 hours, 30 minutes".
# Seen: 2026-11-30, humanize-duration 3.35.1, Node 20.20.2.
# Why it matters here: gift vouchers are valid for months, and terms count in days. Such a time is told as the date on
# which it ends; where a length is told it has the unit that the venue wrote, and nothing is converted.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund humanize-duration@3.35.1
cat >try.cjs <<'JS'
const humanize = require("humanize-duration")
for (const days of [14, 30, 31, 365, 366]) console.log(`${days} days: ${humanize(days * 86_400_000)}`)
JS
seen="$(node try.cjs)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
14 days: 2 weeks
30 days: 4 weeks, 2 days
31 days: 1 month, 13 hours, 30 minutes
365 days: 11 months, 4 weeks, 2 days, 4 hours, 30 minutes
366 days: 1 year, 18 hours
SEEN
