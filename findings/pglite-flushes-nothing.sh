#!/usr/bin/env bash
# A database on disk never asks the disk to keep anything.
#
# Guess: PGlite with a directory is PostgreSQL with its default of fsync = on, so each commit is flushed.
# What happens: fsync is off, and a hundred commits make more than a hundred writes and no fsync nor fdatasync at all.
# Seen: 2026-11-28, @electric-sql/pglite 0.5.16, Node 20.20.2.
# Why it matters here: what was answered survives the end of the process, but not a power cut, until the system has
# written by itself. A service that promises bookings has to flush by itself, or say what it does not promise.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @electric-sql/pglite@0.5.16 >/dev/null
cat >try.mjs <<'JS'
import fs from "node:fs"

const calls = { write: 0, flush: 0 }
const counted = (name, kind) => {
  const original = fs[name]
  fs[name] = (...args) => {
    calls[kind]++
    return original(...args)
  }
}
counted("writeSync", "write")
for (const name of ["fsync", "fsyncSync", "fdatasync", "fdatasyncSync"]) counted(name, "flush")
const { PGlite } = await import("@electric-sql/pglite")
const database = await PGlite.create({ dataDir: "./data" })
await database.exec("create table booking (id int)")
calls.write = calls.flush = 0
for (let id = 0; id < 100; id++) await database.query("insert into booking values ($1)", [id])
const { rows } = await database.query("select current_setting('fsync') as fsync")
console.log(`fsync ${rows[0].fsync}; 100 commits: ${calls.write >= 100 ? "100 writes or more" : "fewer writes"}, ${calls.flush} flushes`)
await database.close()
JS
seen="$(node try.mjs)"
echo "$seen"
[ "$seen" = "fsync off; 100 commits: 100 writes or more, 0 flushes" ] || { echo "This has changed." >&2; exit 1; }
