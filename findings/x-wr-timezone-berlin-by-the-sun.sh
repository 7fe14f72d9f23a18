#!/usr/bin/env bash
# Berlin is 53 minutes from Greenwich.
#
# Guess: a calendar with X-WR-TIMEZONE:Europe/Berlin and 14:00 without a zone becomes 14:00 in Berlin, +02:00 in summer:
# that is what the library is for.
# What happens: it becomes 14:00+00:53. That is Berlin's mean time by the sun, the first offset that the zone's history
# has. New York is four minutes from its own winter time.
# Seen: 2026-11-29, python3-x-wr-timezone 0.0.5-2, python3-icalendar 4.0.3-5, python3-tz 2022.7.1-4 (Debian 12), Python
# 3.11.
# Why it matters here: ical-generator writes just such calendars, and python3-recurring-ical-events reads through this
# library. A closed hour begins 67 minutes late, which looks like no time zone at all.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download python3-x-wr-timezone=0.0.5-2 python3-icalendar=4.0.3-5 python3-tz=2022.7.1-4 \
  python3-dateutil=2.8.2-2 python3-six=1.16.0-4 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >try.py <<'PY'
from icalendar import Calendar
from x_wr_timezone import to_standard

for zone in ("Europe/Berlin", "America/New_York"):
    calendar = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//EXAMPLE//EN", f"X-WR-TIMEZONE:{zone}"]
    event = ["BEGIN:VEVENT", "UID:a1", "DTSTAMP:20261101T000000Z", "DTSTART:20270605T140000", "END:VEVENT"]
    text = "\r\n".join([*calendar, *event, "END:VCALENDAR"])
    [event] = to_standard(Calendar.from_ical(text)).walk("VEVENT")
    print(f"{zone}: {event['DTSTART'].dt.isoformat()}")
PY
seen="$(PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 try.py)"
echo "$seen"
expected="Europe/Berlin: 2027-06-05T14:00:00+00:53
America/New_York: 2027-06-05T14:00:00-04:56"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
