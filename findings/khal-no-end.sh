#!/usr/bin/env bash
# An event without an end lasts a day in one command and an hour in another of the same program.
#
# Guess: DTSTART with a time, without DTEND and DURATION, ends when it begins (RFC 5545, 3.6.1), or lasts for one length
# that a program has for such events.
# What happens: "khal printics" shows it until the same time of the next day. After "khal import" of that file, "khal
# list" shows it for one hour.
# Seen: 2026-11-29, khal 1:0.10.5-1.1 (Debian 12), Python 3.11.
# Why it matters here: whoever looks at a file with one and at their calendar with the other sees two times of one
# visit. An entry of ours always has its end. What a calendar from outside closes without an end is not to be read off a
# reader.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
needed="python3-atomicwrites python3-click python3-click-log python3-configobj python3-dateutil python3-six"
needed="$needed python3-tzlocal python3-urwid python3-xdg python3-pkg-resources"
apt-get -qq download khal=1:0.10.5-1.1 python3-icalendar=4.0.3-5 python3-tz=2022.7.1-4 $needed 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
mkdir calendar
cat >config <<CONFIG
[calendars]
[[play]]
path = $folder/calendar
[locale]
timeformat = %H:%M
dateformat = %Y-%m-%d
longdateformat = %Y-%m-%d
datetimeformat = %Y-%m-%d %H:%M
longdatetimeformat = %Y-%m-%d %H:%M
local_timezone = Europe/London
default_timezone = Europe/London
[sqlite]
path = $folder/khal.db
CONFIG
printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 PRODID:-//Play//EN BEGIN:VEVENT UID:1 DTSTAMP:20261101T000000Z \
  DTSTART:20261207T140000Z SUMMARY:Visit END:VEVENT END:VCALENDAR >visit.ics
export PYTHONPATH=usr/lib/python3/dist-packages HOME="$folder"
khal() { /usr/bin/python3 usr/bin/khal -c config "$@"; }
seen="$(
  khal printics visit.ics | tail -1
  khal import --batch visit.ics >/dev/null
  khal list 2026-12-07 1d | tail -1
)"
echo "$seen"
[ "$seen" = "2026-12-07 14:00-2026-12-08 14:00 Visit
14:00-15:00 Visit" ] || { echo "This has changed." >&2; exit 1; }
