#!/usr/bin/env bash
# A party for five- and six-year-olds is for 11-year-olds.
#
# Guess: "five and six year olds" becomes "5 and 6 year olds". An "and" joins parts of one number only behind a hundred
# or a thousand, as in "two hundred and forty".
# What happens: any two numbers with "and" between are added, and there is one number left: rooms one and two are room
# 3, and "between four and six" is "between 10". With "or" and "to" they stay two numbers, and so do digits: "5 and 6".
# Seen: 2026-12-01, ruby-numerizer 0.2.0-2 (Debian 12), Ruby 3.1.
# Why it matters here: ages, rooms and hours come in pairs when people write to a venue. In Debian, Chronic and
# chronic_duration, which read dates and durations, depend on it. Our tools take each age as a number (`child_ages`).
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download ruby3.1 libruby3.1 ruby-numerizer=0.2.0-2 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
library="usr/lib/$(uname -m)-linux-gnu"
cat >try.rb <<'RB'
require "numerizer"
[
  "two hundred and forty pounds",
  "five and six year olds",
  "rooms one and two",
  "between four and six",
  "from two to four and from five to seven",
  "five or six year olds",
  "5 and 6 year olds",
  "eight children and two adults"
].each { |text| puts "#{text}: #{Numerizer.numerize(text)}" }
RB
seen="$(LD_LIBRARY_PATH="$library" usr/bin/ruby3.1 --disable-gems -I usr/lib/ruby/3.1.0 -I "$library/ruby/3.1.0" \
  -I usr/lib/ruby/vendor_ruby try.rb)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
two hundred and forty pounds: 240 pounds
five and six year olds: 11 year olds
rooms one and two: rooms 3
between four and six: between 10
from two to four and from five to seven: from 2 to 4 and from 5 to 7
five or six year olds: 5 or 6 year olds
5 and 6 year olds: 5 and 6 year olds
eight children and two adults: 8 children and 2 adults
SEEN
