#!/usr/bin/env bash
# A calendar declares a zone named GMT that has summer time.
#
# Guess: the zone is named Europe/London; or else TZID=GMT means Greenwich, all year.
# What happens: the zone's name is its winter abbreviation, GMT, and its VTIMEZONE has British summer time. 14:00 in June
# with TZID=GMT is 13:00Z by the file, and 14:00Z by the name.
# Seen: 2026-11-28, python3-vobject 0.9.6.1-2 (Debian 12), Python 3.11.
# Why it matters here: a reader that prefers zones it knows by name over those that the file declares reads all summer an
# hour late, and says nothing. For a name without a slash, the file's own rules have to win.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download python3-vobject=0.9.6.1-2 python3-dateutil=2.8.2-2 python3-six=1.16.0-4 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >try.py <<'PY'
from datetime import datetime
from zoneinfo import ZoneInfo
import vobject

calendar = vobject.iCalendar()
event = calendar.add("vevent")
event.add("uid").value = "a1"
event.add("dtstart").value = datetime(2026, 6, 5, 14, 0, tzinfo=ZoneInfo("Europe/London"))
wanted = ("TZID:", "DTSTART;TZID", "TZNAME", "TZOFFSETTO")
print("\n".join(line for line in calendar.serialize().split("\r\n") if line.startswith(wanted)))
PY
seen="$(PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 -W ignore try.py)"
echo "$seen"
expected="TZID:GMT
TZNAME:GMT
TZOFFSETTO:+0000
TZNAME:BST
TZOFFSETTO:+0100
DTSTART;TZID=GMT:20260605T140000"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
