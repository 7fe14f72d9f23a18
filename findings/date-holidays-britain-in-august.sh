#!/usr/bin/env bash
# Britain has no bank holiday in August.
#
# Guess: new Holidays("GB"), without a part of the country, has the days of England; or those that all parts share,
# which are without Easter Monday, since Scotland has none.
# What happens: it is neither. Easter Monday is there, and the holiday of August is not, because it is on another Monday
# in Scotland than elsewhere. England by itself has both.
# Seen: 2026-11-29, date-holidays 3.37.0, Node 20.20.2.
# Why it matters here: whoever closes a venue in Leeds on the holidays of "GB" sells the last Monday of August at the
# price of a Monday, or with nobody there. All other days are right, so the list looks good.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund date-holidays@3.37.0
cat >try.cjs <<'JS'
const Holidays = require("date-holidays")
for (const parts of [["GB"], ["GB", "eng"], ["GB", "sct"]]) {
  const days = new Holidays(...parts).getHolidays(2027).filter(({ type }) => type === "public")
  const has = (name) => days.find((day) => day.name === name)?.date.slice(5, 10) ?? "none"
  console.log(`${parts.join(" ")}: Easter Monday ${has("Easter Monday")}, August ${has("Summer bank holiday")}`)
}
JS
seen="$(node try.cjs)"
echo "$seen"
[ "$seen" = "GB: Easter Monday 03-29, August none
GB eng: Easter Monday 03-29, August 08-30
GB sct: Easter Monday none, August 08-02" ] || { echo "This has changed." >&2; exit 1; }
