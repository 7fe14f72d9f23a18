#!/usr/bin/env bash
# The write-ahead log grows past its maximum, because nothing makes checkpoints.
#
# Guess: with max_wal_size of 64 MB, a checkpoint comes about every 64 MB, and old segments are used again.
# What happens: none comes, however much is written: in PostgreSQL the checkpointer process does it, and PGlite is a single
# process without one. After some 200 MB of log the last checkpoint is still that of the start.
# Seen: 2026-11-28, @electric-sql/pglite 0.5.16, Node 20.20.2.
# Why it matters here: a service that is never stopped in order fills its disk with log, and applies all of it after a
# crash. It has to call CHECKPOINT by itself from time to time.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @electric-sql/pglite@0.5.16 >/dev/null
cat >try.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite"

const database = await PGlite.create({
  dataDir: "./data",
  startParams: [...PGlite.defaultStartParams, "-c", "max_wal_size=64MB", "-c", "min_wal_size=32MB"]
})
const one = async (text) => Object.values((await database.query(text)).rows[0])[0]
const checkpoint = () => one("select checkpoint_lsn from pg_control_checkpoint()")
const first = await checkpoint()
await database.exec("create table note (words text)")
for (let round = 0; round < 14; round++)
  await database.exec("insert into note select repeat(md5(n::text), 20) from generate_series(1, 20000) n")
const written = await one(`select (pg_current_wal_lsn() - '${first}'::pg_lsn > 150 * 1024 * 1024)::text`)
console.log(`max_wal_size ${await one("show max_wal_size")}, more than 150 MB written since: ${written}`)
console.log(`another checkpoint: ${(await checkpoint()) === first ? "no" : "yes"}`)
await database.exec("checkpoint")
console.log(`after CHECKPOINT: ${(await checkpoint()) === first ? "no" : "yes"}`)
await database.close()
JS
seen="$(node try.mjs)"
echo "$seen"
expected="max_wal_size 64MB, more than 150 MB written since: true
another checkpoint: no
after CHECKPOINT: yes"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
