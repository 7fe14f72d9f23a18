#!/usr/bin/env bash
# From 31 January to 1 March it is one month and 62 days.
#
# Guess: the days that are left over beside whole months are fewer than a month has. By the calendar this is one month
# and one day, for a program that goes on from 28 February, or one month and none.
# What happens: dateutils.ddiff says 1 month and 62 days, and 63 from 30 January or to 2 March. In days alone it has 29,
# which is right. From 31 March to 1 May it is one month, as guessed. Of all days in two years, only those from the 30th
# or 31st of a month to 1 or 2 March are wrong.
# Seen: 2026-11-30, dateutils 0.4.10-1 (Debian 12).
# Why it matters here: babies' ages are told in months and days, and venues let babies in free up to some age. A script
# that counts so is right all year but for two days. Our prices go by whole years (`child_ages`), and a voucher's months
# end on the last day of a month that lacks the day on which it was sold.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download dateutils=0.4.10-1 2>/dev/null
dpkg -x dateutils_*.deb .
export TZ=UTC
seen="$(while read -r from to; do
  echo "$from $to: $(usr/bin/dateutils.ddiff "$from" "$to" -f "%m months, %d days"), or $(
    usr/bin/dateutils.ddiff "$from" "$to" -f "%d days"
  )"
done <<'DATES'
2027-01-28 2027-03-01
2027-01-30 2027-03-01
2027-01-31 2027-03-01
2027-01-31 2027-03-02
2027-01-31 2027-03-03
2027-03-31 2027-05-01
2027-03-31 2027-05-02
DATES
)"
echo "$seen"
[ "$seen" = "2027-01-28 2027-03-01: 1 months, 1 days, or 32 days
2027-01-30 2027-03-01: 1 months, 63 days, or 30 days
2027-01-31 2027-03-01: 1 months, 62 days, or 29 days
2027-01-31 2027-03-02: 1 months, 63 days, or 30 days
2027-01-31 2027-03-03: 1 months, 0 days, or 31 days
2027-03-31 2027-05-01: 1 months, 0 days, or 31 days
2027-03-31 2027-05-02: 1 months, 1 days, or 32 days" ] || { echo "This has changed." >&2; exit 1; }
