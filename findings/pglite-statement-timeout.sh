#!/usr/bin/env bash
# statement_timeout is taken, shown, and has no effect.
#
# Guess: after SET statement_timeout = '100ms', a statement of half a second ends with 57014.
# What happens: SHOW says 100ms, and the statement runs to its end. The time limit is a signal of a timer, and the one
# thread of the program is busy with the statement.
# Seen: 2026-11-28, @electric-sql/pglite 0.5.16, Node 20.20.2.
# Why it matters here: no setting bounds what a statement takes of the embedded database, and all others wait for it. Each
# statement has to be small by itself.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @electric-sql/pglite@0.5.16 >/dev/null
cat >try.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite"

const database = await PGlite.create()
await database.exec("set statement_timeout = '100ms'")
const [shown] = (await database.query("show statement_timeout")).rows
const began = performance.now()
const ended = await database.query("select pg_sleep(0.5)").then(() => "the statement ended", ({ code }) => `error ${code}`)
console.log(`limit ${shown.statement_timeout}: ${ended} after ${performance.now() - began >= 450 ? "all" : "a part"} of 500 ms`)
await database.close()
JS
seen="$(node try.mjs)"
echo "$seen"
[ "$seen" = "limit 100ms: the statement ended after all of 500 ms" ] || { echo "This has changed." >&2; exit 1; }
