#!/usr/bin/env bash
# O'Brien is repaired to O"Brien.
#
# Guess: {'name': 'O'Brien'}, which a model writes that quotes as Python does, becomes "O'Brien", or is not repaired.
# What happens: an apostrophe inside becomes a double quote, with the quotes round it. Typographic ones do the same:
# ‘O’Brien’. Within double quotes it stays.
# Seen: 2026-11-29, jsonrepair 3.15.0, Node 20.20.2.
# Why it matters here: a host that repairs a model's arguments so makes a valid call with another name. The same wish,
# sent again as it should be, is then a second booking, since its name differs.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error jsonrepair@3.15.0 >/dev/null
cat >try.mjs <<'JS'
import { jsonrepair } from "jsonrepair"

const texts = [`{'name': 'O'Brien'}`, `{‘name’: ‘O’Brien’}`, `{'notes': 'it's Theo's day'}`, `{"name": "O'Brien",}`]
for (const text of texts) {
  const [value] = Object.values(JSON.parse(jsonrepair(text)))
  console.log(`${text} is ${value}`)
}
JS
seen="$(node try.mjs)"
echo "$seen"
expected=$'{\'name\': \'O\'Brien\'} is O"Brien
{‘name’: ‘O’Brien’} is O"Brien
{\'notes\': \'it\'s Theo\'s day\'} is it"s Theo"s day
{"name": "O\'Brien",} is O\'Brien'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
