#!/usr/bin/env bash
# A price in US dollars is written as "us27" #,##0.00.
#
# Guess: a cell of 240.5 with the format "USD" #,##0.00 is exported as 240.5, or as it is shown: USD 240.50.
# What happens: a letter of day, month, year or hour within the quotes makes the number a date, and the letter is
# replaced by a part of it: 240.5 is the 27th of August 1900 at noon. The amount is gone. "EUR" has none of these
# letters.
# Seen: 2026-11-29, xlsx2csv 1:0.7.8-1 (Debian 12), Python 3.11; the file is made by exceljs 4.4.0, Node 20.20.2.
# Why it matters here: which of a price list's currencies come through depends on their letters, and so do columns with
# "children" behind the number. A price has to be in a cell of its own, without words in its format.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error exceljs@4.4.0 >/dev/null
apt-get -qq download xlsx2csv=1:0.7.8-1 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >make.mjs <<'JS'
import ExcelJS from "exceljs"

const workbook = new ExcelJS.Workbook()
const sheet = workbook.addWorksheet("Prices")
for (const format of ['"EUR" #,##0.00', '"USD" #,##0.00', '#,##0.00 "KM"', '0.0 "children"']) {
  sheet.addRow([format.replace(/[^A-Za-z]/g, ""), 240.5]).getCell(2).numFmt = format
}
await workbook.xlsx.writeFile("prices.xlsx")
JS
node make.mjs
seen="$(/usr/bin/python3 usr/bin/xlsx2csv -d ';' prices.xlsx)"
echo "$seen"
expected='EUR;240.5
USD;"""us27"" #,##0.00"
KM;"#,##0.00 ""k08"""
children;"0.0 ""c12il27ren"""'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
