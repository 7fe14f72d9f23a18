#!/usr/bin/env bash
# Saturday 12 June is Saturday the 5th at noon.
#
# Guess: a parser that knows "12 June" and "Saturday June 12" knows "Saturday 12 June", too, or finds nothing.
# What happens: Chronic takes the number behind the weekday for an hour and drops the month. On 1 June, "Friday 11 June"
# is Friday the 4th at eleven, "Sat 24 Jul" midnight at the end of Saturday the 3rd, and "Sat 5 Jun" five in the
# afternoon. Days from the 25th on are no hours, so nothing is found.
# Seen: 2026-11-30, ruby-chronic 0.10.5-2 (Debian 12), Ruby 3.1.2.
# Why it matters here: it is how our English pages write a day without its year ("Sat 12 Jun"). A helper that reads it
# back has the right weekday of another week, with an hour that nobody said. Programs should read the times in an
# answer's fields, which have year and offset, and leave the words to people.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download ruby3.1 libruby3.1 ruby-numerizer ruby-chronic=0.10.5-2 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >try.rb <<'RB'
require "chronic"
now = Time.utc(2027, 6, 1, 12)
texts = ["12 June", "Saturday June 12", "Saturday 12 June", "Friday 11 June", "Sat 5 Jun", "Sat 24 Jul", "Sat 26 Jun"]
texts.each do |text|
  time = Chronic.parse(text, now: now)
  puts "#{text}: #{time ? time.strftime("%a %Y-%m-%d %H:%M") : "nothing"}"
end
RB
library="usr/lib/$(uname -m)-linux-gnu"
seen="$(TZ=UTC LD_LIBRARY_PATH="$library" RUBYLIB="usr/lib/ruby/3.1.0:$library/ruby/3.1.0:usr/lib/ruby/vendor_ruby:$(
  echo usr/share/rubygems-integration/all/gems/*/lib | tr ' ' ':'
)" usr/bin/ruby3.1 --disable-gems try.rb)"
echo "$seen"
[ "$seen" = "12 June: Sat 2027-06-12 12:00
Saturday June 12: Sat 2027-06-12 12:00
Saturday 12 June: Sat 2027-06-05 12:00
Friday 11 June: Fri 2027-06-04 11:00
Sat 5 Jun: Sat 2027-06-05 17:00
Sat 24 Jul: Sun 2027-07-04 00:00
Sat 26 Jun: nothing" ] || { echo "This has changed." >&2; exit 1; }
