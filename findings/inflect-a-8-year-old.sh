#!/usr/bin/env bash
# A party for a 8-year-old, and an eight-year-old.
#
# Guess: a library that chooses "a" or "an" by sound, and knows "an hour" and "a European", says "an 8-year-old".
# What happens: inflect for Python says "an" to no figure: a 8-year-old, a 11th birthday, a 18:00 visit. Written out, it
# is "an eight-year-old". Lingua::EN::Inflect for Perl does the same.
# Seen: 2026-11-30, python3-inflect 2.1.0-4, liblingua-en-inflect-perl 1.905-2 (Debian 12), Python 3.11, Perl 5.36.0.
# Why it matters here: ages of children are figures, and letters about birthdays say them after "a". Of the ages up to
# 18, three are wrong, so a test with a child of 5 or 6 doesn't find it. Our English words (`src/words/en`) have no
# article right before a number that is filled in.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download python3-inflect=2.1.0-4 python3-pydantic python3-typing-extensions \
  liblingua-en-inflect-perl=1.905-2 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >words <<'TXT'
hour
European
eight-year-old
8-year-old
6-year-old
11th birthday
18:00 visit
TXT
cat >try.py <<'PY'
import inflect

engine = inflect.engine()
for line in open("words"):
    print("Python:", engine.a(line.strip()))
PY
cat >try.pl <<'PL'
use strict;
use warnings;
use Lingua::EN::Inflect qw(A);

open my $words, "<", "words" or die;
while (my $line = <$words>) {
  chomp $line;
  print "Perl: ", A($line), "\n";
}
PL
seen="$(PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 try.py && PERL5LIB=usr/share/perl5 perl try.pl)"
echo "$seen"
expected='Python: an hour
Python: a European
Python: an eight-year-old
Python: a 8-year-old
Python: a 6-year-old
Python: a 11th birthday
Python: a 18:00 visit
Perl: an hour
Perl: a European
Perl: an eight-year-old
Perl: a 8-year-old
Perl: a 6-year-old
Perl: a 11th birthday
Perl: a 18:00 visit'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
