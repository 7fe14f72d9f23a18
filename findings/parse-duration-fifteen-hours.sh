#!/usr/bin/env bash
# An hour and a half is fifteen hours, or five.
#
# Guess: "1,5 h", as most of Europe writes it, is an hour and a half, or refused, as ms refuses it.
# What happens: parse-duration and timestring drop the comma and have 15 hours. Ruby's chronic_duration reads what
# stands behind it, 5 hours, and juration adds a second to that for the 1. None says a word. With a point all have an
# hour and a half.
# Seen: 2026-11-29, parse-duration 2.1.9, timestring 7.0.0, juration 0.1.1, ms 2.1.3, Node 20.20.2;
# ruby-chronic-duration 0.10.6.2-2 (Debian 12), Ruby 3.1.2.
# Why it matters here: lengths of visits come from owners' lists through such scripts. Five hours are a length that some
# visits have, and fifteen end after each room has closed, so no start is left to book. In our files a length is whole
# minutes, and its name says so (`duration_minutes`).
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund parse-duration@2.1.9 timestring@7.0.0 juration@0.1.1 ms@2.1.3
apt-get -qq download ruby3.1 libruby3.1 ruby-numerizer ruby-chronic-duration=0.10.6.2-2 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >try.mjs <<'JS'
import juration from "juration"
import ms from "ms"
import parse from "parse-duration"
import timestring from "timestring"

for (const text of ["1.5 h", "1,5 h"]) {
  const minutes = { "parse-duration": parse(text) / 6e4, timestring: timestring(text) / 60 }
  console.log(text, JSON.stringify({ ...minutes, juration: juration.parse(text) / 60, ms: ms(text) / 6e4 }))
}
JS
cat >try.rb <<'RB'
require "gitlab_chronic_duration"
["1.5 h", "1,5 h"].each { |text| puts "#{text} {\"chronic_duration\":#{ChronicDuration.parse(text) / 60.0}}" }
RB
library="usr/lib/$(uname -m)-linux-gnu"
seen="$(node try.mjs)
$(LD_LIBRARY_PATH="$library" usr/bin/ruby3.1 --disable-gems -I usr/lib/ruby/3.1.0 -I "$library/ruby/3.1.0" \
  -I usr/lib/ruby/vendor_ruby try.rb)"
echo "$seen"
expected='1.5 h {"parse-duration":90,"timestring":90,"juration":90,"ms":90}
1,5 h {"parse-duration":900,"timestring":900,"juration":300.01666666666665,"ms":null}
1.5 h {"chronic_duration":90.0}
1,5 h {"chronic_duration":300.0}'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
