#!/usr/bin/env bash
# A day that is closed in December is that day, and a day that is closed in June is the day before.
#
# Guess: an event of a whole day, given as that day's midnight on a computer in London, has that day's date.
# What happens: the date is UTC's. Midnight of 28 June is 23:00 of 27 June there, so 27 June is closed and 28 June is
# open. In Berlin it is the day before in winter, too, and in New York never. With a `timezone` it is the day itself.
# Seen: 2026-11-29, ical-generator 11.1.2, Node 20.20.2.
# Why it matters here: such a feed is well formed, and each reader reads it alike: the room is sold on the day that the
# venue closed. What is built and tried in winter looks right. A look at a feed (`playroom calendar try`) has to be
# compared with the calendar itself, on a day of summer.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error ical-generator@11.1.2 >/dev/null
cat >try.mjs <<'JS'
import ical from "ical-generator"

const closed = (month, day, timezone) => {
  const calendar = ical()
  const [start, end] = [new Date(2027, month - 1, day), new Date(2027, month - 1, day + 1)]
  calendar.createEvent({ summary: "Closed", allDay: true, start, end, ...(timezone && { timezone }) })
  return /DTSTART\S*:(\d+)/.exec(calendar.toString())[1]
}
const own = closed(6, 28, process.env.TZ)
console.log(`${process.env.TZ}: 28 December ${closed(12, 28)}, 28 June ${closed(6, 28)}, with its timezone ${own}`)
JS
seen="$(for zone in Europe/London Europe/Berlin America/New_York; do TZ=$zone node try.mjs; done)"
echo "$seen"
expected="Europe/London: 28 December 20271228, 28 June 20270627, with its timezone 20270628
Europe/Berlin: 28 December 20271227, 28 June 20270627, with its timezone 20270628
America/New_York: 28 December 20271228, 28 June 20270628, with its timezone 20270628"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
