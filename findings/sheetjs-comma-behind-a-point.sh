#!/usr/bin/env bash
# A cell that shows 1.234,50 is the number 1.2345.
#
# Guess: of a German price list as CSV, SheetJS makes texts of what is no number in English, such as 1.234,50. 12,50 may
# become 1250, as in many readers.
# What happens: every comma is taken away, wherever it stands, and what is left is a number: 1.2345. The cell keeps the
# text as what it shows, so the sheet looks right, and so does the CSV that is made of it.
# Seen: 2026-11-29, xlsx 0.18.5 (npm), Node 20.20.2.
# Why it matters here: of amounts in one column, some are a hundred times too large and others a thousand times too
# small, and a look at the sheet shows none of it. Prices that come through such a conversion have to be compared as
# numbers.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error xlsx@0.18.5 >/dev/null
cat >try.mjs <<'JS'
import XLSX from "xlsx"

const text = "package;price\nOpen play;12,50\nParty;240,00\nHall;1.234,50\nTower;1.000.000,00\n"
const sheet = XLSX.read(text, { type: "string" }).Sheets.Sheet1
for (const cell of ["B2", "B3", "B4", "B5"]) {
  const { w, v } = sheet[cell]
  console.log(`shows ${w ?? v}, is ${JSON.stringify(v)}`)
}
console.log(XLSX.utils.sheet_to_csv(sheet, { FS: ";" }) === text.trimEnd() ? "as CSV: as it was" : "as CSV: changed")
JS
seen="$(node try.mjs)"
echo "$seen"
expected='shows 12,50, is 1250
shows 240,00, is 24000
shows 1.234,50, is 1.2345
shows 1.000.000,00, is "1.000.000,00"
as CSV: as it was'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
