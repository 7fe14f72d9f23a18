#!/usr/bin/env bash
# Noon in UTC is one o'clock in UTC, if it is summer and the server is in Berlin.
#
# Guess: fromdate reads a time that ends in "Z" and gives its seconds since 1970. The server's zone has no part in it,
# so todate gives back the time that was read. A time with "+0200" is read by strptime with "%z", and is two hours less.
# What happens: where the server's zone has summer time, fromdate adds an hour to each time from summer. It is a time in
# UTC before and after. "%z" is read and has no effect: 14:00 at +0200 is 14:00 in UTC, or 15:00 on that server.
# Seen: 2026-12-01, jq 1.6-2.1+deb12u3 (Debian 12).
# Why it matters here: a script that sorts bookings by day, or looks for those of the next hour, is right in a container
# and in winter, and an hour late on an office's computer from spring on. TZ=UTC before the command mends the first.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download jq=1.6-2.1+deb12u3 libjq1=1.6-2.1+deb12u3 libonig5=6.9.8-1 tzdata 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
export LD_LIBRARY_PATH="$(dirname usr/lib/*/libjq.so.1)" TZDIR="$folder/usr/share/zoneinfo"
seen="$(for zone in UTC Europe/Berlin America/New_York; do
  echo "$zone"
  TZ="$zone" usr/bin/jq -nr '("2026-06-05T12:00:00Z", "2026-12-05T12:00:00Z") | "\(.) is \(fromdate | todate)"'
  TZ="$zone" usr/bin/jq -nr '"2026-06-05 14:00 +0200" | "\(.) is \(strptime("%Y-%m-%d %H:%M %z") | mktime | todate)"'
done)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
UTC
2026-06-05T12:00:00Z is 2026-06-05T12:00:00Z
2026-12-05T12:00:00Z is 2026-12-05T12:00:00Z
2026-06-05 14:00 +0200 is 2026-06-05T14:00:00Z
Europe/Berlin
2026-06-05T12:00:00Z is 2026-06-05T13:00:00Z
2026-12-05T12:00:00Z is 2026-12-05T12:00:00Z
2026-06-05 14:00 +0200 is 2026-06-05T15:00:00Z
America/New_York
2026-06-05T12:00:00Z is 2026-06-05T13:00:00Z
2026-12-05T12:00:00Z is 2026-12-05T12:00:00Z
2026-06-05 14:00 +0200 is 2026-06-05T15:00:00Z
SEEN
