#!/usr/bin/env bash
# A day that is taken out of a series is made up for at its end.
#
# Guess: RRULE:FREQ=WEEKLY;COUNT=3 without its second day (EXDATE) is two days: COUNT counts what the rule makes, and what
# is excluded is taken out of that (RFC 5545, 3.8.5.1).
# What happens: calcurse imports three days. It turns COUNT into a last day, and skips excluded days on the way there.
# Seen: 2026-11-28, calcurse 4.7.1-1 (Debian 12).
# Why it matters here: an owner who looks at a series in calcurse sees a Saturday closed that no other reader closes, and
# takes our open Saturday for the fault. Programs with COUNT and EXDATE have to be compared by dates, not by their number.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download calcurse=4.7.1-1 2>/dev/null
dpkg -x calcurse_*.deb .
mkdir data
printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 PRODID:-//EXAMPLE//EN BEGIN:VEVENT UID:a1 DTSTAMP:20261101T000000Z \
  DTSTART:20270605T130000Z DTEND:20270605T150000Z 'RRULE:FREQ=WEEKLY;COUNT=3' EXDATE:20270612T130000Z SUMMARY:Closed \
  END:VEVENT END:VCALENDAR >series.ics
export TZ=UTC HOME="$folder"
usr/bin/calcurse -q -D data -i series.ics
seen="$(usr/bin/calcurse -q -D data -Q --from 06/01/2027 --to 07/31/2027 | grep -o '^../../..' | tr '\n' ' ')"
echo "$seen"
[ "$seen" = "06/05/27 06/19/27 06/26/27 " ] || { echo "This has changed." >&2; exit 1; }
