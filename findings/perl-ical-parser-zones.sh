#!/usr/bin/env bash
# Two in the afternoon in London is two in the afternoon wherever the file is read.
#
# Guess: DTSTART;TZID=Europe/London:20270605T140000, with the zone's rules in the file, is 09:00 in New York.
# What happens: it is 14:00 in New York, and 14:00 in UTC. iCal::Parser reads no TZID, neither by its rules nor by its
# name, while a time with Z is converted.
# Seen: 2026-11-28, libical-parser-perl 1.21-3 (Debian 12), Perl 5.36.0.
# Why it matters here: web pages that show a venue's feed by such a reader are right where the server is in the venue's
# zone and wrong elsewhere. Times in UTC are read alike by all readers; a zone is needed for series alone.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
needed="$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
  --no-enhances libical-parser-perl | grep '^lib.*-perl$' | sort -u | grep -v '^libical-parser-perl$')"
apt-get -qq download libical-parser-perl=1.21-3 $needed 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 PRODID:-//EXAMPLE//EN \
  BEGIN:VTIMEZONE TZID:Europe/London \
  BEGIN:DAYLIGHT DTSTART:19810329T010000 'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU' TZOFFSETFROM:+0000 TZOFFSETTO:+0100 \
  END:DAYLIGHT \
  BEGIN:STANDARD DTSTART:19961027T020000 'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU' TZOFFSETFROM:+0100 TZOFFSETTO:+0000 \
  END:STANDARD END:VTIMEZONE \
  BEGIN:VEVENT UID:zone DTSTAMP:20261101T000000Z 'DTSTART;TZID=Europe/London:20270605T140000' DURATION:PT2H SUMMARY:A END:VEVENT \
  BEGIN:VEVENT UID:utc DTSTAMP:20261101T000000Z DTSTART:20270605T130000Z DURATION:PT2H SUMMARY:B END:VEVENT \
  END:VCALENDAR >party.ics
cat >try.pl <<'PL'
use strict;
use warnings;
use iCal::Parser;

my $events = iCal::Parser->new(start => "20270601", end => "20270630")->parse("party.ics")->{events}{2027}{6}{5};
print join(", ", map { "$_ $events->{$_}{DTSTART}" } reverse sort keys %$events), "\n";
PL
PERL5LIB="$folder/usr/share/perl5:$(echo "$folder"/usr/lib/*/perl5/5.36)"
export PERL5LIB
seen="$(for zone in America/New_York UTC; do echo "$zone: $(TZ=$zone perl try.pl)"; done)"
echo "$seen"
expected="America/New_York: zone 2027-06-05T14:00:00, utc 2027-06-05T09:00:00
UTC: zone 2027-06-05T14:00:00, utc 2027-06-05T13:00:00"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
