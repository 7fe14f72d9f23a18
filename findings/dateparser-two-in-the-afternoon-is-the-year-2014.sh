#!/usr/bin/env bash
# "5 June at 14 o'clock" is in the year 2014.
#
# Guess: "5. Juni um 14 Uhr" is 5 June 2026 at 14:00, or nothing is found.
# What happens: the hour is taken for a year of two digits, in German, French, Polish and Spanish: 14 is 2014, and 15 is
# 2015. If days of the future are preferred, as they are where visits are booked, it is 2114. With "14:00" all is well.
# Japanese fares worse: of 12月5日, 5 December, the month becomes the year, and the day the month: 1 May 2012.
# Seen: 2026-12-01, dateparser 1.1.6-1 (Debian 12), Python 3.11.
# Why it matters here: families write full hours this way. A booking service refuses a date of the past, but one in 2114
# is a day with all places free. Our tools take a date as YYYY-MM-DD and a time as HH:MM, and leave words to the model.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download python3-dateparser=1.1.6-1 python3-regex=0.1.20221031-1+b1 python3-tzlocal=4.2-1 \
  python3-dateutil=2.8.2-2 python3-six=1.16.0-4 python3-tz=2022.7.1-4 python3-pytz-deprecation-shim=0.1.0.post0-3 \
  2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
export PYTHONPATH=usr/lib/python3/dist-packages TZ=UTC
cat >try.py <<'PY'
from datetime import datetime
from dateparser import parse
now = {"RELATIVE_BASE": datetime(2026, 12, 1, 10)}
texts = {
    "de": ["5. Juni um 14 Uhr", "5. Juni um 15 Uhr", "5. Juni um 14:00 Uhr"], "fr": ["5 juin à 14 h"],
    "pl": ["5 czerwca o 14"], "es": ["5 de junio a las 14"], "ja": ["12月5日", "6月5日"],
}
for language, several in texts.items():
    for text in several:
        read = [parse(text, languages=[language], settings={**now, "PREFER_DATES_FROM": wish})
                for wish in ("current_period", "future")]
        print(f"{text}: {read[0]:%Y-%m-%d %H:%M}, of the future {read[1]:%Y-%m-%d %H:%M}")
PY
seen="$(PYTHONIOENCODING=utf-8 /usr/bin/python3 -W ignore try.py)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
5. Juni um 14 Uhr: 2014-06-05 00:00, of the future 2114-06-05 00:00
5. Juni um 15 Uhr: 2015-06-05 00:00, of the future 2115-06-05 00:00
5. Juni um 14:00 Uhr: 2026-06-05 14:00, of the future 2027-06-05 14:00
5 juin à 14 h: 2014-06-05 00:00, of the future 2114-06-05 00:00
5 czerwca o 14: 2014-06-05 00:00, of the future 2114-06-05 00:00
5 de junio a las 14: 2014-06-05 00:00, of the future 2114-06-05 00:00
12月5日: 2012-05-01 00:00, of the future 2112-05-01 00:00
6月5日: 2026-06-05 00:00, of the future 2027-06-05 00:00
SEEN
