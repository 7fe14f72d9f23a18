#!/usr/bin/env bash
# A calendar made in India declares five hours where India has five and a half.
#
# Guess: the VTIMEZONE that a library writes for Asia/Kolkata has the offset +0530.
# What happens: it has +0500. The minutes of every offset are dropped: Nepal +0500, Adelaide +0900 and +1000.
# Seen: 2026-11-28, python3-vobject 0.9.6.1-2 (Debian 12), Python 3.11.
# Why it matters here: a reader that does what the standard says, and trusts the zone that the file declares, is half an
# hour off. Nothing in the file is malformed, so no reader can tell.
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

for name in ("Asia/Kolkata", "Asia/Kathmandu", "Australia/Adelaide"):
    start = datetime(2026, 6, 5, 14, 0, tzinfo=ZoneInfo(name))
    calendar = vobject.iCalendar()
    event = calendar.add("vevent")
    event.add("uid").value = "a1"
    event.add("dtstart").value = start
    offsets = sorted({line[11:] for line in calendar.serialize().split("\r\n") if line.startswith("TZOFFSETTO")})
    print(f"{name}: {start:%z}, declared {' and '.join(offsets)}")
PY
seen="$(PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 -W ignore try.py)"
echo "$seen"
expected="Asia/Kolkata: +0530, declared +0500
Asia/Kathmandu: +0545, declared +0500
Australia/Adelaide: +0930, declared +0900 and +1000"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
