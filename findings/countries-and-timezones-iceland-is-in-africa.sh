#!/usr/bin/env bash
# The only time zone of Iceland is Africa/Abidjan, and that of the Netherlands Europe/Brussels.
#
# Guess: a country's zones are those that its people choose from: Atlantic/Reykjavik, Europe/Amsterdam.
# What happens: zones whose clocks have agreed since 1970 are links in the zone tables of today, and a country gets what
# they lead to, under another country's name. The country's own zone is there, too, marked as deprecated. A form that
# offers a country's zones offers no Amsterdam, and one that checks a zone against them refuses it.
# Seen: 2026-11-30, countries-and-timezones 3.10.0, Node 20.20.2.
# Why it matters here: each playroom has a country and a time zone. Whoever fills them in by such a list imports
# Europe/Brussels, which is right on the clock and reads oddly on a page; our import checks no zone against its country.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund countries-and-timezones@3.10.0
cat >try.cjs <<'JS'
const zones = require("countries-and-timezones")
for (const id of ["IS", "NL", "SE", "SI", "GB", "CH"]) console.log(`${id}: ${zones.getCountry(id).timezones.join(", ")}`)
const { aliasOf, countries, deprecated } = zones.getTimezone("Europe/Amsterdam")
console.log(`Europe/Amsterdam: of ${countries}, alias of ${aliasOf}, deprecated: ${deprecated}`)
JS
seen="$(node try.cjs)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
IS: Africa/Abidjan
NL: Europe/Brussels
SE: Europe/Berlin
SI: Europe/Belgrade
GB: Europe/London
CH: Europe/Zurich
Europe/Amsterdam: of NL, alias of Europe/Brussels, deprecated: true
SEEN
