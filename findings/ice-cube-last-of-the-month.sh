#!/usr/bin/env bash
# "The last day of a weekend in each month" is every day of every weekend.
#
# Guess: BYSETPOS=-1 takes the last of the days that the rule makes in a month. A library that doesn't know it raises an
# error, as this one does for BYWEEKNO.
# What happens: ice_cube drops BYSETPOS without a word. One Sunday a month becomes each Saturday and Sunday.
# Seen: 2026-11-29, ruby-ice-cube 0.16.4-3 (Debian 12), Ruby 3.1.2.
# Why it matters here: calendars write "the last weekend day" or "the last working day" as BYSETPOS. A site that reads a
# venue's series so shows all its weekends closed.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download ruby3.1 libruby3.1 ruby-ice-cube=0.16.4-3 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >try.rb <<'RB'
require "ice_cube"

["FREQ=MONTHLY;BYDAY=-1SU", "FREQ=MONTHLY;BYDAY=SA,SU;BYSETPOS=-1", "FREQ=YEARLY;BYWEEKNO=4"].each do |rule|
  schedule = IceCube::Schedule.from_ical("DTSTART:20270131T100000Z\nRRULE:#{rule}")
  puts "#{rule}: #{schedule.first(4).map { |time| time.strftime("%m-%d") }.join(" ")}"
rescue ArgumentError => error
  puts "#{rule}: raises #{error.message}"
end
RB
ruby="$folder/usr"
library="$(echo "$ruby"/lib/*/ruby)"
seen="$(LD_LIBRARY_PATH="$(dirname "$library")" RUBYLIB="$ruby/lib/ruby/3.1.0:$library/3.1.0:$ruby/lib/ruby/vendor_ruby:$(
  echo "$ruby"/share/rubygems-integration/all/gems/*/lib | tr ' ' ':'
)" "$ruby/bin/ruby3.1" --disable-gems -rdate try.rb)"
echo "$seen"
expected="FREQ=MONTHLY;BYDAY=-1SU: 01-31 02-28 03-28 04-25
FREQ=MONTHLY;BYDAY=SA,SU;BYSETPOS=-1: 01-31 02-06 02-07 02-13
FREQ=YEARLY;BYWEEKNO=4: raises Invalid rule validation type: BYWEEKNO"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
