#!/usr/bin/env bash
# A time that is written and read back has moved by the clock of the machine.
#
# Guess: a Date in a column of type timestamp comes back as it was, since the driver writes and reads in the same zone.
# Either is right: UTC, or the process's own, as pg does it.
# What happens: PGlite writes the Date in UTC and reads it in the zone of the process. In New York, noon comes back as
# four in the afternoon; in UTC nothing is to be seen.
# Seen: 2026-11-29, @electric-sql/pglite 0.5.16, Node 20.20.2.
# Why it matters here: tests run in UTC, and so do most servers. On a venue's own machine each saving moves such a time
# on by some hours. All instants here are timestamptz.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @electric-sql/pglite@0.5.16 >/dev/null
cat >try.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite"

const database = await PGlite.create()
let start = new Date("2026-06-05T12:00:00Z")
for (const type of ["timestamptz", "timestamp", "timestamp"]) {
  start = (await database.query(`select $1::${type} as start`, [start])).rows[0].start
  console.log(`${process.env.TZ}, as ${type}: ${start.toISOString()}`)
}
await database.close()
JS
seen="$(TZ=UTC node try.mjs && TZ=America/New_York node try.mjs)"
echo "$seen"
expected='UTC, as timestamptz: 2026-06-05T12:00:00.000Z
UTC, as timestamp: 2026-06-05T12:00:00.000Z
UTC, as timestamp: 2026-06-05T12:00:00.000Z
America/New_York, as timestamptz: 2026-06-05T12:00:00.000Z
America/New_York, as timestamp: 2026-06-05T16:00:00.000Z
America/New_York, as timestamp: 2026-06-05T20:00:00.000Z'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
