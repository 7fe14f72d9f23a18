#!/usr/bin/env bash
# 14.30 is eighteen minutes past two.
#
# Guess: "14.30" and "2.30pm", as times are written with a point in Britain, Italy or Finland, are half past two, or
# they are refused.
# What happens: Date::Manip reads hours and a decimal fraction of an hour: 14.30 is 14:18, 10.15 is 10:09, and 10.5 is
# half past ten. It does so behind a date and before "pm", too. 14.00 is right, and so is everything with a colon.
# Seen: 2026-11-30, libdate-manip-perl 6.91-1 (Debian 12), Perl 5.36.0.
# Why it matters here: scripts that carry a venue's old diary over read hours as its owner wrote them. Whole hours are
# right, which hides it, and 14:18 is a time like any other. Our times are `HH:MM`: one with a point is refused, in a
# catalogue as in a tool's arguments.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download libdate-manip-perl=6.91-1 2>/dev/null
dpkg -x libdate-manip-perl_*.deb .
cat >try.pl <<'PL'
use strict;
use warnings;
use Date::Manip;

Date_Init("SetDate=2027-06-01-12:00:00,UTC");
for my $text ("14:30", "14.30", "2.30pm", "14.00", "10.5", "Saturday at 10.15", "5 June 2027 14.30", "14.30.00") {
  my $date = ParseDate($text);
  print "$text: ", $date ? UnixDate($date, "%a %Y-%m-%d %H:%M") : "refused", "\n";
}
PL
seen="$(TZ=UTC PERL5LIB="$folder/usr/share/perl5" perl try.pl)"
echo "$seen"
[ "$seen" = "14:30: Tue 2027-06-01 14:30
14.30: Tue 2027-06-01 14:18
2.30pm: Tue 2027-06-01 14:18
14.00: Tue 2027-06-01 14:00
10.5: Tue 2027-06-01 10:30
Saturday at 10.15: Sat 2027-06-05 10:09
5 June 2027 14.30: Sat 2027-06-05 14:18
14.30.00: refused" ] || { echo "This has changed." >&2; exit 1; }
