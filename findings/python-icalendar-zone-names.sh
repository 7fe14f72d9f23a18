#!/usr/bin/env bash
# A time in Europe/London is written with the zone "BST", which nothing in the file explains.
#
# Guess: a datetime with ZoneInfo("Europe/London") gets TZID=Europe/London, the key of its zone.
# What happens: it gets the abbreviation of that day: BST in June, GMT in December, EST in New York. No VTIMEZONE is
# written for it. Only zones of pytz keep their names.
# Seen: 2026-11-28, python3-icalendar 4.0.3-5 (Debian 12), Python 3.11.
# Why it matters here: BST is Bangladesh to a runtime that takes three letters, and EST has no summer time. What is
# undeclared and no IANA name must be named and closed, never guessed.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download python3-icalendar=4.0.3-5 python3-dateutil=2.8.2-2 python3-tz=2022.7.1-4 python3-six=1.16.0-4 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >try.py <<'PY'
from datetime import datetime
from zoneinfo import ZoneInfo
from icalendar import Event

for name, month in (("Europe/London", 6), ("Europe/London", 12), ("America/New_York", 12)):
    event = Event()
    event.add("dtstart", datetime(2026, month, 5, 14, 0, tzinfo=ZoneInfo(name)))
    line = next(line for line in event.to_ical().decode().split("\r\n") if line.startswith("DTSTART"))
    print(f"{name}, month {month}: {line}")
PY
seen="$(PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 try.py)"
echo "$seen"
expected="Europe/London, month 6: DTSTART;TZID=BST;VALUE=DATE-TIME:20260605T140000
Europe/London, month 12: DTSTART;TZID=GMT;VALUE=DATE-TIME:20261205T140000
America/New_York, month 12: DTSTART;TZID=EST;VALUE=DATE-TIME:20261205T140000"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
