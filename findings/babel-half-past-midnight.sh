#!/usr/bin/env bash
# Half past midnight is lunchtime, and half past twelve does not exist.
#
# Guess: parse_time reads what format_time writes: "12:30 AM" is 00:30, "12:30 PM" is 12:30. What it can't read it
# refuses.
# What happens: twelve is added for PM, and nothing is done for AM: "12:30 AM" is 12:30, and "12:30 PM" would be 24:30,
# which raises an error. "2 p.m." is two at night, as only "pm" is looked for.
# Seen: 2026-11-29, python3-babel 2.10.3-1 (Debian 12), Python 3.11.
# Why it matters here: hours of American venues pass through such programs on their way to a catalogue. A time without
# its half of the day is the only form that all read alike, so a catalogue takes 00:30 and 14:00 and nothing else.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download python3-babel=2.10.3-1 python-babel-localedata=2.10.3-1 python3-tz=2022.7.1-4 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >try.py <<'PY'
from datetime import time
from babel.dates import format_time, parse_time

times = (time(0, 30), time(12, 30), time(14))
written = [format_time(one, "short", locale="en_US").replace("\u202f", " ") for one in times]
for text in (*written, "2 p.m."):
    try:
        print(f"{text}: {parse_time(text, locale='en_US'):%H:%M}")
    except ValueError as error:
        print(f"{text}: {error}")
PY
seen="$(PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 try.py)"
echo "$seen"
[ "$seen" = "12:30 AM: 12:30
12:30 PM: hour must be in 0..23
2:00 PM: 14:00
2 p.m.: 02:00" ] || { echo "This has changed." >&2; exit 1; }
