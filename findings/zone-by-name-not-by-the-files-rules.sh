#!/usr/bin/env bash
# A file has the rules of its zone, and the reader takes others.
#
# Guess: TZID=Africa/Casablanca refers to the VTIMEZONE of that name in the file (RFC 5545, 3.2.19), which says +00:00.
# What happens: python3-icalendar looks the name up in pytz, finds Morocco's clock of before 2026 (+01:00), and passes
# over the rules in the file. Under a name that pytz does not know, the file's rules are taken.
# Seen: 2026-11-29, python3-icalendar 4.0.3-5, python3-tz 2022.7.1-4, tzdata 2025b-0+deb12u2 (Debian 12), Python 3.11.
# Why it matters here: we write local times with their rules, so that a program that does not know a zone is right.
# One that knows it from before is an hour early in Casablanca until its data is newer; so are khal, vobject,
# sabre/vobject and Evolution. Times in UTC would be right there, and wrong on the wall of whoever has the older data.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download python3-icalendar=4.0.3-5 python3-dateutil=2.8.2-2 python3-tz=2022.7.1-4 python3-six=1.16.0-4 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >try.py <<'PY'
from icalendar import Calendar

for name in ("Africa/Casablanca", "Playroom/Casablanca"):
    lines = f"""BEGIN:VCALENDAR
BEGIN:VTIMEZONE
TZID:{name}
BEGIN:STANDARD
DTSTART:19700101T000000
TZOFFSETFROM:+0000
TZOFFSETTO:+0000
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
DTSTART;TZID={name}:20270605T140000
END:VEVENT
END:VCALENDAR
"""
    event = Calendar.from_ical(lines.replace("\n", "\r\n")).walk("VEVENT")[0]
    print(f"{name}: {event.decoded('DTSTART').isoformat()}")
PY
seen="$(PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 try.py)"
echo "$seen"
expected="Africa/Casablanca: 2027-06-05T14:00:00+01:00
Playroom/Casablanca: 2027-06-05T14:00:00+00:00"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
