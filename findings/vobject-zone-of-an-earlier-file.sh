#!/usr/bin/env bash
# A weekly visit is an hour earlier in November, because another calendar was read before its own.
#
# Guess: a file that declares the rules of Europe/London is read by them, whatever was read before it.
# What happens: alone it is. After any file that names Europe/London without its rules, the name stays taken in that
# process for pytz's zone, the file's own rules are passed over, and each series keeps the offset of its first day: the
# visit at 14:00 is at 13:00 once the clocks have changed. In the other order both files are right.
# Seen: 2026-11-29, python3-vobject 0.9.6.1-2 with python3-tz 2022.7.1-4 (Debian 12), Python 3.11.
# Why it matters here: two readers of the same feed differ by what else they have read, so a comparison by one file each
# never shows it. test/readers/weeks reads many, and judges what vobject says by the clock that its times show.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download python3-vobject=0.9.6.1-2 python3-dateutil=2.8.2-2 python3-six=1.16.0-4 python3-tz=2022.7.1-4 \
  2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >try.py <<'PY'
import sys
from datetime import timezone
import vobject

zone = """BEGIN:VTIMEZONE
TZID:Europe/London
BEGIN:STANDARD
DTSTART:19961027T020000
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
TZOFFSETFROM:+0100
TZOFFSETTO:+0000
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:19810329T010000
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
TZOFFSETFROM:+0000
TZOFFSETTO:+0100
END:DAYLIGHT
END:VTIMEZONE
"""
text = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//A//B//EN
{}BEGIN:VEVENT
UID:a1
DTSTAMP:20261129T000000Z
DTSTART;TZID=Europe/London:20271030T140000
DTEND;TZID=Europe/London:20271030T160000
RRULE:FREQ=WEEKLY;COUNT=2
END:VEVENT
END:VCALENDAR
"""
files = {"declared": text.format(zone), "undeclared": text.format("")}
for name in sys.argv[1:]:
    times = vobject.readOne(files[name].replace("\n", "\r\n")).vevent.rruleset
    print(f"  {name}:", ", ".join(time.astimezone(timezone.utc).strftime("%d %b %H:%MZ") for time in times))
PY
seen="$(for order in "declared" "undeclared declared" "declared undeclared"; do
  echo "read $order"
  # shellcheck disable=SC2086
  PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 -W ignore try.py $order
done)"
echo "$seen"
expected="read declared
  declared: 30 Oct 13:00Z, 06 Nov 14:00Z
read undeclared declared
  undeclared: 30 Oct 13:00Z, 06 Nov 13:00Z
  declared: 30 Oct 13:00Z, 06 Nov 13:00Z
read declared undeclared
  declared: 30 Oct 13:00Z, 06 Nov 14:00Z
  undeclared: 30 Oct 13:00Z, 06 Nov 14:00Z"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
