#!/usr/bin/env bash
# "10:00-12:00" is ten o'clock in a place twelve hours west of Greenwich.
#
# Guess: a parser of one date or time refuses a range of two, as it does if there are spaces around the hyphen.
# What happens: what stands behind the hyphen is taken for an offset, so the morning from ten to twelve is 22:00 UTC.
# And an offset with its letters is turned round: "14:00+2" is two hours east, "14:00 UTC+2" two hours west.
# Seen: 2026-11-29, python3-dateutil 2.8.2-2 (Debian 12), Python 3.11.
# Why it matters here: assistants and scripts copy hours off a page as they stand. A range in one field is a valid time
# with an offset that no playroom has, so a time in another zone than the playroom's has to be shown before it is
# booked.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download python3-dateutil=2.8.2-2 python3-six=1.16.0-4 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >try.py <<'PY'
from datetime import datetime, timezone
from dateutil import parser

for text in ("10:00-12:00", "10:00 - 12:00", "14:00+2", "14:00 UTC+2", "14:00 GMT+2"):
    try:
        time = parser.parse(text, default=datetime(2027, 6, 5))
        print(f"{text}: {time.isoformat(timespec='minutes')}, {time.astimezone(timezone.utc):%H:%M} UTC")
    except parser.ParserError:
        print(f"{text}: refused")
PY
seen="$(PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 try.py)"
echo "$seen"
[ "$seen" = "10:00-12:00: 2027-06-05T10:00-12:00, 22:00 UTC
10:00 - 12:00: refused
14:00+2: 2027-06-05T14:00+02:00, 12:00 UTC
14:00 UTC+2: 2027-06-05T14:00-02:00, 16:00 UTC
14:00 GMT+2: 2027-06-05T14:00-02:00, 16:00 UTC" ] || { echo "This has changed." >&2; exit 1; }
