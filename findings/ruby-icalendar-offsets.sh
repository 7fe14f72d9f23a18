#!/usr/bin/env bash
# A time loses its offset when it is written, even if it is in UTC.
#
# Guess: Time.new(2026, 6, 5, 14, 0, 0, "+02:00") and the same in UTC are one instant: both are written 20260605T120000Z.
# What happens: they are written 20260605T140000 and 20260605T120000. The offset is dropped, and no Z says UTC. Both are
# times of whatever clock the reader has (RFC 5545, 3.3.5, form 1).
# Seen: 2026-11-28, ruby-icalendar 2.8.0-1 (Debian 12), Ruby 3.1.2.
# Why it matters here: a web site that makes its feed so has hours that each reader takes for its own. In London it is
# right all winter and an hour off all summer. A look at a feed has to be compared with the calendar itself.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download ruby3.1 libruby3.1 ruby-icalendar=2.8.0-1 ruby-ice-cube=0.16.4-3 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >try.rb <<'RB'
require "icalendar"

instant = Time.new(2026, 6, 5, 14, 0, 0, "+02:00")
{ "Time, +02:00" => instant, "DateTime, +02:00" => instant.to_datetime, "Time, UTC" => Time.utc(2026, 6, 5, 12) }.each do |what, start|
  event = Icalendar::Event.new
  event.dtstart = start
  puts "#{what}: #{event.to_ical[/^DTSTART.*/].strip}"
end
RB
ruby="$folder/usr"
library="$(echo "$ruby"/lib/*/ruby)"
seen="$(LD_LIBRARY_PATH="$(dirname "$library")" RUBYLIB="$ruby/lib/ruby/3.1.0:$library/3.1.0:$ruby/lib/ruby/vendor_ruby:$(
  echo "$ruby"/share/rubygems-integration/all/gems/*/lib | tr ' ' ':'
)" "$ruby/bin/ruby3.1" --disable-gems -rdate try.rb)"
echo "$seen"
expected="Time, +02:00: DTSTART:20260605T140000
DateTime, +02:00: DTSTART:20260605T140000
Time, UTC: DTSTART:20260605T120000"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
