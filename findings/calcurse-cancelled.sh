#!/usr/bin/env bash
# The file that cancels an appointment makes a second one.
#
# Guess: METHOD:CANCEL with STATUS:CANCELLED, the same UID and a higher SEQUENCE takes the appointment away, or, in a
# program that only imports, is passed over.
# What happens: calcurse imports it as an appointment like any other, beside the first. It reads neither METHOD, STATUS
# nor UID.
# Seen: 2026-11-28, calcurse 4.7.1-1 (Debian 12).
# Why it matters here: a family that opens the entry of its cancelled visit there has it twice. The entry's title has to
# say that it is cancelled, since the title may be all that is read.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download calcurse=4.7.1-1 2>/dev/null
dpkg -x calcurse_*.deb .
mkdir data
export TZ=UTC HOME="$folder"
entry() { # method, sequence, status
  printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 PRODID:-//EXAMPLE//EN "METHOD:$1" BEGIN:VEVENT UID:a1@example.com \
    DTSTAMP:20261101T000000Z "SEQUENCE:$2" "STATUS:$3" DTSTART:20270605T130000Z DTEND:20270605T150000Z SUMMARY:Party \
    END:VEVENT END:VCALENDAR >entry.ics
  usr/bin/calcurse -q -D data -i entry.ics
}
entry PUBLISH 0 CONFIRMED
entry CANCEL 1 CANCELLED
seen="$(cat data/apts)"
echo "$seen"
[ "$seen" = "06/05/2027 @ 13:00 -> 06/05/2027 @ 15:00|Party
06/05/2027 @ 13:00 -> 06/05/2027 @ 15:00|Party" ] || { echo "This has changed." >&2; exit 1; }
