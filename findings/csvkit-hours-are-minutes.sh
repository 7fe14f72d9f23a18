#!/usr/bin/env bash
# A visit at two in the afternoon starts after fourteen minutes.
#
# Guess: csvsort puts the lines into order and leaves their cells as they are: 14:00 stays 14:00.
# What happens: it writes 0:14:00. A column of hours and minutes is taken for lengths of time, of minutes and seconds,
# and written as what it was taken for. 14:00:00 stays. csvjson, csvlook and the other tools do the same.
# Seen: 2026-11-29, csvkit 1.0.7-1 with python3-agate 1.6.3-2 (Debian 12), Python 3.11.
# Why it matters here: a list of bookings that was only sorted has starts of 0:14:00, which the next program reads as a
# quarter past midnight. With `-I` cells stay as they are.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download csvkit=1.0.7-1 python3-csvkit=1.0.7-1 python3-agate=1.6.3-2 python3-babel=2.10.3-1 \
  python-babel-localedata=2.10.3-1 python3-tz=2022.7.1-4 python3-isodate=0.6.1-1 python3-leather=0.3.4-2 \
  python3-parsedatetime=2.6-3 python3-pytimeparse=1.1.5-3 python3-six=1.16.0-4 python3-slugify=4.0.0-2 \
  python3-unidecode=1.3.6-1 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
export PYTHONPATH=usr/lib/python3/dist-packages
csvsort() { /usr/bin/python3 usr/bin/csvsort "$@"; }
seen="$(printf 'reference,start\nA,14:00\nB,09:30\n' | csvsort -c reference
printf 'reference,start\nA,14:00:00\nB,09:30:00\n' | csvsort -c reference
printf 'reference,start\nA,14:00\nB,09:30\n' | csvsort -I -c reference)"
echo "$seen"
[ "$seen" = "reference,start
A,0:14:00
B,0:09:30
reference,start
A,14:00:00
B,9:30:00
reference,start
A,14:00
B,09:30" ] || { echo "This has changed." >&2; exit 1; }
