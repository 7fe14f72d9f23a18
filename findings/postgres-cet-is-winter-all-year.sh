#!/usr/bin/env bash
# 14:00 CET in June is one hour to the database, and another to the program that asks it.
#
# Guess: CET is a name of the tz database, Central European time with its summer, so both say 12:00 UTC. If PostgreSQL
# takes it for an abbreviation, it is at least the same for "at time zone 'CET'", which wants the name of a zone.
# What happens: PostgreSQL's list of abbreviations comes before the names of zones, in both places, and there CET is
# winter time all year: 13:00 UTC. So are EET, WET and MET. EST5EDT is in no such list, so it has its summer.
# Seen: 2026-11-29, PGlite 0.5.16 (PostgreSQL 18.6), Node 24.21.0 (ICU 78.3).
# Why it matters here: a venue in Berlin that is set up with "CET" closes an hour late in summer on one side of the same
# program. A zone is taken only by region and place; an abbreviation in a calendar is told as doubtful.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error node@24.21.0 @electric-sql/pglite@0.5.16 >/dev/null
cat >try.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite"

const database = await PGlite.create()
const byNode = (timeZone) => {
  const at = new Date("2027-06-05T12:00Z")
  const parts = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" }).formatToParts(at)
  return parts.find(({ type }) => type === "timeZoneName").value
}
for (const zone of ["Europe/Berlin", "CET", "EET", "WET", "EST5EDT"]) {
  const { rows } = await database.query(
    `select to_char('2027-06-05 14:00 ${zone}'::timestamptz at time zone 'UTC', 'HH24:MI') as text,
       to_char(timestamp '2027-06-05 14:00' at time zone '${zone}' at time zone 'UTC', 'HH24:MI') as zone`
  )
  console.log(`14:00 ${zone}: ${rows[0].text} and ${rows[0].zone} UTC; by Node ${byNode(zone)}`)
}
await database.close()
JS
seen="$(node_modules/.bin/node try.mjs)"
echo "$seen"
[ "$seen" = "14:00 Europe/Berlin: 12:00 and 12:00 UTC; by Node GMT+02:00
14:00 CET: 13:00 and 13:00 UTC; by Node GMT+02:00
14:00 EET: 12:00 and 12:00 UTC; by Node GMT+03:00
14:00 WET: 14:00 and 14:00 UTC; by Node GMT+01:00
14:00 EST5EDT: 18:00 and 18:00 UTC; by Node GMT-04:00" ] || { echo "This has changed." >&2; exit 1; }
