#!/usr/bin/env bash
# One visit without a date, and the month can't be opened.
#
# Guess: a Date that is none, or NaN, makes exceljs raise an error as it writes; or the cell is empty, or #NUM!.
# What happens: it writes the number NaN, which the format doesn't have. Reading its own file, exceljs has an empty
# cell, so a test that reads back what was written passes. openpyxl and read-excel-file refuse the whole workbook.
# Seen: 2026-11-29, exceljs 4.4.0, read-excel-file 9.3.17, Node 20.20.2; python3-openpyxl 3.0.9-1 (Debian 12).
# Why it matters here: a share of nothing (0 / 0) or a visit that was never paid gives such a value, and it takes all
# other rows with it. Each number has to be looked at before it is written, and the file be tried by another reader.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error exceljs@4.4.0 read-excel-file@9.3.17 >/dev/null
apt-get -qq download python3-openpyxl=3.0.9-1 python3-et-xmlfile=1.0.1-2.1 python3-jdcal=1.0-1.3 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >try.mjs <<'JS'
import ExcelJS from "exceljs"
import { readSheet } from "read-excel-file/node"

const workbook = new ExcelJS.Workbook()
const rows = [["paid on", "amount"], [new Date("2027-06-05"), 240.5], [new Date(NaN), 0 / 0]]
workbook.addWorksheet("Visits").addRows(rows)
await workbook.xlsx.writeFile("visits.xlsx")
const again = new ExcelJS.Workbook()
await again.xlsx.readFile("visits.xlsx")
console.log(`exceljs: ${JSON.stringify(again.worksheets[0].getRow(3).values.slice(1))}`)
console.log(`read-excel-file: ${await readSheet("visits.xlsx").then(JSON.stringify, ({ message }) => message)}`)
JS
cat >look.py <<'PY'
from openpyxl import load_workbook

try:
    print(f"openpyxl: {load_workbook('visits.xlsx').active['B2'].value}")
except ValueError as error:
    print(f"openpyxl: {error}")
PY
seen="$(node try.mjs; PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 -W ignore look.py)"
echo "$seen"
[ "$seen" = "exceljs: [null,null]
read-excel-file: <c/> at row 3, col 1: VALUE_INVALID
openpyxl: invalid literal for int() with base 10: 'NaN'" ] || { echo "This has changed." >&2; exit 1; }
