#!/usr/bin/env bash
# The Saturdays of summer come every second or third year.
#
# Guess: FREQ=WEEKLY;BYDAY=SA;BYMONTH=6,7,8 from 5 June 2027 is each Saturday of June, July and August.
# What happens: it is only those Saturdays that are the 5th of their month, as the first one is: 5 June 2027, then 5
# August 2028. Without BYMONTH all Saturdays are there.
# Seen: 2026-11-29, libdatetime-format-ical-perl 0.09-3, libdatetime-event-ical-perl 0.13-2 (Debian 12), Perl 5.36.0.
# Why it matters here: a venue's site that shows its season by it has a single Saturday open in summer. The answer is a
# short list of real days, so nobody takes it for a fault.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
needed="$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
  --no-enhances libdatetime-format-ical-perl | grep '^lib.*-perl$' | sort -u |
  grep -v '^libdatetime-\(format\|event\)-ical-perl$')"
apt-get -qq download libdatetime-format-ical-perl=0.09-3 libdatetime-event-ical-perl=0.13-2 $needed 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >try.pl <<'PL'
use strict;
use warnings;
use DateTime::Format::ICal;

my $start = DateTime::Format::ICal->parse_datetime("20270605T130000Z");
for my $rule ("FREQ=WEEKLY;BYDAY=SA", "FREQ=WEEKLY;BYDAY=SA;BYMONTH=6,7,8") {
  my $days = DateTime::Format::ICal->parse_recurrence(recurrence => $rule, dtstart => $start)->iterator;
  print "$rule: ", join(" ", map { $days->next->ymd } 1 .. 4), "\n";
}
PL
PERL5LIB="$folder/usr/share/perl5:$(echo "$folder"/usr/lib/*/perl5/5.36)"
export PERL5LIB
seen="$(perl try.pl)"
echo "$seen"
expected="FREQ=WEEKLY;BYDAY=SA: 2027-06-05 2027-06-12 2027-06-19 2027-06-26
FREQ=WEEKLY;BYDAY=SA;BYMONTH=6,7,8: 2027-06-05 2028-08-05 2031-07-05 2032-06-05"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
