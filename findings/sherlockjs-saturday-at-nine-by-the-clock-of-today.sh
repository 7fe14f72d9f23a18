#!/usr/bin/env bash
# "Saturday at 9" is in the morning if it is asked for before nine, and at nine in the evening afterwards.
#
# Guess: an hour without "am" or "pm" is read one way: as it stands, or as the likelier of the two. If today's clock has
# a say, then only for an hour of today.
# What happens: an hour that today's clock has passed is put into the evening, for any day. On Tuesday at 8:00, "on
# Saturday at 9" is 9:00. On the same Tuesday at 10:30 it is 21:00, and "on December 12 at 10:00" is 22:00.
# Seen: 2026-12-01, sherlockjs 1.4.2, Node 20.20.2.
# Why it matters here: the same words of two families are visits twelve hours apart, and a test that runs at night sees
# only one of them. Our tools take a time as HH:MM.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund sherlockjs@1.4.2
cat >try.cjs <<'JS'
const sherlock = require("sherlockjs")
for (const now of ["2026-12-01T08:00", "2026-12-01T10:30", "2026-12-01T15:00"]) {
  sherlock._setNow(new Date(now))
  for (const text of ["Party on Saturday at 9", "Party on December 12 at 10:00", "Party on Saturday at 11"]) {
    const { startDate } = sherlock.parse(text)
    console.log(`${now} ${text}: ${startDate.toLocaleString("sv").slice(0, 16)}`)
  }
}
JS
seen="$(TZ=UTC node try.cjs)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
2026-12-01T08:00 Party on Saturday at 9: 2026-12-05 09:00
2026-12-01T08:00 Party on December 12 at 10:00: 2026-12-12 10:00
2026-12-01T08:00 Party on Saturday at 11: 2026-12-05 11:00
2026-12-01T10:30 Party on Saturday at 9: 2026-12-05 21:00
2026-12-01T10:30 Party on December 12 at 10:00: 2026-12-12 22:00
2026-12-01T10:30 Party on Saturday at 11: 2026-12-05 11:00
2026-12-01T15:00 Party on Saturday at 9: 2026-12-05 21:00
2026-12-01T15:00 Party on December 12 at 10:00: 2026-12-12 22:00
2026-12-01T15:00 Party on Saturday at 11: 2026-12-05 23:00
SEEN
