#!/usr/bin/env bash
# A visit from two to four is not within two to four, and all time to come is.
#
# Guess: containsRange does what PostgreSQL's @> does: [14,16) contains itself, and doesn't contain [14,).
# What happens: it is the other way round. Where both ends are left out, the other's end is asked for as a point, and it
# isn't in. A missing end is not asked for at all.
# Seen: 2026-11-29, postgres-range 1.1.4, which pg-types 4 makes of ranges; @electric-sql/pglite 0.5.16, Node 20.20.2.
# Why it matters here: opening hours as ranges, asked in code what the database would say, lose the last visit of each
# day, and take a closure without an end for one of an afternoon. Such questions have to be asked in SQL.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error postgres-range@1.1.4 @electric-sql/pglite@0.5.16 >/dev/null
cat >try.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite"
import { parse } from "postgres-range"

const database = await PGlite.create()
const pairs = [["[10,18)", "[12,14)"], ["[14,16)", "[14,16)"], ["[10,18)", "[16,18)"], ["[14,16)", "[14,)"]]
for (const [outer, inner] of pairs) {
  const { rows } = await database.query("select $1::numrange @> $2::numrange as holds", [outer, inner])
  const told = parse(outer, Number).containsRange(parse(inner, Number))
  console.log(`${outer} contains ${inner}: PostgreSQL ${rows[0].holds}, postgres-range ${told}`)
}
await database.close()
JS
seen="$(node try.mjs)"
echo "$seen"
expected='[10,18) contains [12,14): PostgreSQL true, postgres-range true
[14,16) contains [14,16): PostgreSQL true, postgres-range false
[10,18) contains [16,18): PostgreSQL true, postgres-range false
[14,16) contains [14,): PostgreSQL false, postgres-range true'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
