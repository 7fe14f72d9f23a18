#!/usr/bin/env bash
# Christmas Day is on 27 December, and in other years on Boxing Day.
#
# Guess: England's holidays have Christmas Day on 25 December of each year. Where it falls on a weekend the day off that
# stands in for it is in the list too.
# What happens: the day that stands in takes the name and the place of the feast, which is then nowhere. Of 2027 both
# names are two days late. Of 2022 Boxing Day's own date, a Monday, is called Christmas Day. Ireland has the 25th.
# Seen: 2026-11-30, gcal 4.1-3.1 (Debian 12).
# Why it matters here: a venue that closes on the listed days is open on Christmas Day, as a Saturday like any other. A
# feast and the day off for it are two days, and the desk is asked about each.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download gcal=4.1-3.1 2>/dev/null
dpkg -x gcal_*.deb .
export HOME="$folder" LC_ALL=C TZ=UTC
listed() { # country, year; asked as on 1 June 2026, since the running year has a count of days behind " = "
  usr/bin/gcal %20260601 -n -u -q "$1" "$2" | grep -E '^(Christmas|Boxing) Day' |
    sed -E 's/ = .*//; s/ +$//; s/ {2,}/ /g'
}
seen="$(for year in 2022 2026 2027; do listed GB_EN "$year"; done; listed IE 2027)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
Christmas Day (GB_EN) + Mon, Dec:26th:2022
Boxing Day (GB_EN) + Tue, Dec:27th:2022
Christmas Day (GB_EN) + Fri, Dec:25th:2026
Boxing Day (GB_EN) + Mon, Dec:28th:2026
Christmas Day (GB_EN) + Mon, Dec:27th:2027
Boxing Day (GB_EN) + Tue, Dec:28th:2027
Christmas Day (IE) + Sat, Dec:25th:2027
Boxing Day (IE) + Sun, Dec:26th:2027
SEEN
