#!/usr/bin/env bash
# 14:00 in London is London's as numbers, and the server's as text.
#
# Guess: new TZDate("2027-06-05T14:00", "Europe/London") is 14:00 in London, as new TZDate(2027, 5, 5, 14, 0,
# "Europe/London") is. The documentation calls it "from the date time string and time zone".
# What happens: the text is read by the clock of the process, and only then shown in London: 15:00 on a server in UTC,
# 19:00 in New York. A process in London is right.
# Seen: 2026-11-29, @date-fns/tz 1.5.0, Node 20.20.2.
# Why it matters here: hours come as text, from files, forms and assistants. A party that was wished for 14:00 is booked
# for 15:00 by a program that its developer, in London, has seen to be right.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @date-fns/tz@1.5.0 >/dev/null
cat >try.mjs <<'JS'
import { TZDate } from "@date-fns/tz"

const numbers = new TZDate(2027, 5, 5, 14, 0, "Europe/London")
const text = new TZDate("2027-06-05T14:00", "Europe/London")
console.log(`numbers ${numbers.toISOString().slice(11, 16)}, text ${text.toISOString().slice(11, 16)}`)
JS
seen="$(for zone in Europe/London UTC America/New_York; do echo "$zone: $(TZ=$zone node try.mjs)"; done)"
echo "$seen"
expected="Europe/London: numbers 14:00, text 14:00
UTC: numbers 14:00, text 15:00
America/New_York: numbers 14:00, text 19:00"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
