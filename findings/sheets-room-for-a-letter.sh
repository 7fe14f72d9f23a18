#!/usr/bin/env bash
# A price is a day in August 1900, because its format leaves room for a letter.
#
# Guess: 240.5 with the format #,##0.00\ _K_M is a number. "_" and a letter are a blank as wide as that letter, which
# lines amounts up with others that have the marks behind them.
# What happens: exceljs and openpyxl find the M and read a date: noon of 27 August 1900. They leave out what is in
# quotes and brackets, but not what follows "_". #,##0.00\ _E_U_R is a number to both. SheetJS reads numbers.
# Seen: 2026-11-29, exceljs 4.4.0 and xlsx 0.18.5, Node 20.20.2; python3-openpyxl 3.0.9-1 (Debian 12), Python 3.11.
# Why it matters here: of a chain's workbook, the prices of one country are dates and those of another aren't. A price
# that arrives as a date has to be refused with the name of its cell, not taken as a number of milliseconds.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error exceljs@4.4.0 xlsx@0.18.5 >/dev/null
apt-get -qq download python3-openpyxl=3.0.9-1 python3-et-xmlfile=1.0.1-2.1 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >try.mjs <<'JS'
import ExcelJS from "exceljs"
import XLSX from "xlsx"

const workbook = new ExcelJS.Workbook()
const sheet = workbook.addWorksheet("Prices")
for (const format of ["#,##0.00\\ _E_U_R", "#,##0.00\\ _K_M"]) sheet.addRow([240.5]).getCell(1).numFmt = format
await workbook.xlsx.writeFile("prices.xlsx")
const show = (who, values) => {
  console.log(`${who}: ${values.map((value) => (value instanceof Date ? value.toISOString() : value)).join(", ")}`)
}
const read = new ExcelJS.Workbook()
await read.xlsx.readFile("prices.xlsx")
show("exceljs", ["A1", "A2"].map((cell) => read.worksheets[0].getCell(cell).value))
show("SheetJS", ["A1", "A2"].map((cell) => XLSX.readFile("prices.xlsx", { cellDates: true }).Sheets.Prices[cell].v))
JS
cat >try.py <<'PY'
import openpyxl

sheet = openpyxl.load_workbook("prices.xlsx").active
print("openpyxl:", ", ".join(str(row[0]) for row in sheet.iter_rows(values_only=True)))
PY
seen="$(node try.mjs && PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 -W ignore try.py)"
echo "$seen"
expected='exceljs: 240.5, 1900-08-27T12:00:00.000Z
SheetJS: 240.5, 240.5
openpyxl: 240.5, 1900-08-27 12:00:00'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
