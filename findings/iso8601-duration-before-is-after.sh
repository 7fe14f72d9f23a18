#!/usr/bin/env bash
# A reminder 15 minutes before the party comes 15 minutes after it began.
#
# Guess: "-PT15M", as a calendar's TRIGGER has it, is a negative length or is refused.
# What happens: it is read as "PT15M". The sign before the P is passed over without a word, so the end of it from 14:30
# is 14:45. tinyduration tells the sign apart.
# Seen: 2026-11-30, iso8601-duration 2.1.4, tinyduration 3.4.1, Node 20.20.2.
# Why it matters here: the letter before a visit, and the time up to which it can be moved, are lengths back from its
# start. The wrong time is still near the right one and well formed, so only a clock shows it.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error iso8601-duration@2.1.4 tinyduration@3.4.1 >/dev/null
cat >try.cjs <<'JS'
const { end, parse, toSeconds } = require("iso8601-duration")
const tiny = require("tinyduration")

const party = new Date("2027-06-05T14:30:00Z")
for (const length of ["PT15M", "-PT15M", "-P2D"]) {
  const read = parse(length)
  console.log(`${length}: ${toSeconds(read, party)} seconds, from 14:30 to ${end(read, party).toISOString()}`)
  console.log(`  tinyduration: ${JSON.stringify(tiny.parse(length))}`)
}
JS
seen="$(TZ=UTC node try.cjs)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
PT15M: 900 seconds, from 14:30 to 2027-06-05T14:45:00.000Z
  tinyduration: {"minutes":15}
-PT15M: 900 seconds, from 14:30 to 2027-06-05T14:45:00.000Z
  tinyduration: {"minutes":15,"negative":true}
-P2D: 172800 seconds, from 14:30 to 2027-06-07T14:30:00.000Z
  tinyduration: {"days":2,"negative":true}
SEEN
