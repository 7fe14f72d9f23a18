#!/usr/bin/env bash
# Of two telephones in one column, one is a text and one a number without its zero.
#
# Guess: dynamicTyping makes numbers of both +442079460018 and 02079460018, or of neither, since a leading zero or plus
# shows that no amount is meant. Other readers that guess types do the same.
# What happens: Papa Parse leaves the one with the plus and makes 2079460018 of the other. d3's autoType and csvtojson
# make numbers of both, and of an identifier like 7E123456 infinity. Papa Parse leaves that, too: its numbers end at
# 2^53.
# Seen: 2026-11-29, papaparse 5.7.1, d3-dsv 3.0.2, csvtojson 2.0.14, Node 20.20.2.
# Why it matters here: who tries an import of our visits with a number from abroad sees it work, and loses the zero of
# every number from home. References have a hyphen in the middle, so none of them is a number.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund papaparse@5.7.1 d3-dsv@3.0.2 csvtojson@2.0.14
cat >try.mjs <<'JS'
import csvtojson from "csvtojson"
import { autoType, csvParse } from "d3-dsv"
import Papa from "papaparse"

const text = "value\n+442079460018\n02079460018\n7E123456\n7E12-3456\n"
const told = (name, rows) =>
  console.log(`${name}: ${rows.map(({ value }) => (typeof value === "string" ? `"${value}"` : value)).join(" ")}`)
told("papaparse", Papa.parse(text.trim(), { header: true, dynamicTyping: true, delimiter: "," }).data)
told("d3-dsv", csvParse(text, autoType))
told("csvtojson", await csvtojson({ checkType: true }).fromString(text))
JS
seen="$(node try.mjs)"
echo "$seen"
[ "$seen" = 'papaparse: "+442079460018" 2079460018 "7E123456" "7E12-3456"
d3-dsv: 442079460018 2079460018 Infinity "7E12-3456"
csvtojson: 442079460018 2079460018 Infinity "7E12-3456"' ] || { echo "This has changed." >&2; exit 1; }
