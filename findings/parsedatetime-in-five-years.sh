#!/usr/bin/env bash
# A party for a 5-year-old on Saturday is on a Tuesday in five years.
#
# Guess: "party for a 5 year old on Saturday at 2pm" is Saturday at two, as "for 2 hours on Saturday at 2pm" is.
# What happens: parsedatetime takes the child's age for a distance from today and drops the weekday: on 1 June 2027 it
# is 1 June 2032 at two, and it says that it has both a date and a time. With "5yo", or with a date in the place of the
# weekday, it is right.
# Seen: 2026-11-30, python3-parsedatetime 2.6-3 (Debian 12), Python 3.11.
# Why it matters here: whoever books a playroom says an age and a day in one sentence. Our tools take them apart, as a
# date and as whole years (`date`, `child_ages`), and the answer repeats the day with its weekday and year.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download python3-parsedatetime=2.6-3 2>/dev/null
dpkg -x python3-parsedatetime_*.deb .
cat >try.py <<'PY'
from datetime import datetime
from parsedatetime import Calendar

today = datetime(2027, 6, 1, 12)
for text in ("Saturday at 2pm", "for 2 hours on Saturday at 2pm", "party for a 5 year old on Saturday at 2pm",
             "Saturday at 2pm, 6 years old", "a 5yo on Saturday at 2pm", "for 5 year olds on 5 June 2027 at 2pm"):
    time, known = Calendar().parseDT(text, today)
    print(f"{text}: {time:%a %Y-%m-%d %H:%M}{', date and time' if known == 3 else ''}")
PY
seen="$(TZ=UTC LC_ALL=C PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 try.py)"
echo "$seen"
expected="Saturday at 2pm: Sat 2027-06-05 14:00, date and time
for 2 hours on Saturday at 2pm: Sat 2027-06-05 14:00, date and time
party for a 5 year old on Saturday at 2pm: Tue 2032-06-01 14:00, date and time
Saturday at 2pm, 6 years old: Wed 2033-06-01 14:00, date and time
a 5yo on Saturday at 2pm: Sat 2027-06-05 14:00, date and time
for 5 year olds on 5 June 2027 at 2pm: Sat 2027-06-05 14:00, date and time"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
