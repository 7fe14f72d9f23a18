#!/usr/bin/env bash
# import "node:http" loads all of fetch, and require("node:http") does not.
#
# Guess: both give the same module at the same cost; undici is loaded at the first fetch.
# What happens: an import reads every export once to make the names, and node:http has getters for WebSocket, CloseEvent
# and MessageEvent that load undici. A process that only listens has it from its first line.
# Seen: 2026-11-28, Node 24.21.0.
# Why it matters here: it was 34 ms of a start of one second and 5 MB at rest, in a service that never calls fetch.
# process.getBuiltinModule("node:http") does not do it.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error node@24.21.0 >/dev/null
tell='console.log(process.moduleLoadList.some((name) => name.endsWith("undici/undici")) ? "loaded" : "not loaded")'
printf 'import "node:http"\n%s\n' "$tell" >imported.mjs
printf 'require("node:http")\n%s\n' "$tell" >required.cjs
printf 'process.getBuiltinModule("node:http")\n%s\n' "$tell" >builtin.mjs
seen="$(for file in imported.mjs required.cjs builtin.mjs; do echo "$file: undici $(node_modules/.bin/node $file)"; done)"
echo "$seen"
expected="imported.mjs: undici loaded
required.cjs: undici not loaded
builtin.mjs: undici not loaded"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
