#!/usr/bin/env bash
# A workbook can't be opened, because one of its cells shows two decimals.
#
# Guess: a workbook with a price in the format 0.00 opens in any library that opens the one with the bare number.
# What happens: xlsx-populate gives a cell with a format a fill of its own, which it writes as <fill/>: neither a
# pattern nor a gradient. openpyxl refuses the whole workbook for it ("expected <class 'openpyxl.styles.fills.Fill'>").
# exceljs reads it, and what exceljs writes of it openpyxl reads.
# Seen: 2026-11-29, xlsx-populate 1.21.0, exceljs 4.4.0, Node 20.20.2; python3-openpyxl 3.0.9-1 (Debian 12).
# Why it matters here: a month's figures are written once and opened by programs that nobody has heard of. A library for
# typed cells is to be judged by its readers: the number is right, and the bookkeeper's import gets none of it.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error xlsx-populate@1.21.0 exceljs@4.4.0 >/dev/null 2>&1
apt-get -qq download python3-openpyxl=3.0.9-1 python3-et-xmlfile=1.0.1-2.1 python3-jdcal=1.0-1.3 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >make.mjs <<'JS'
import ExcelJS from "exceljs"
import XlsxPopulate from "xlsx-populate"

for (const [name, format] of [["bare"], ["format", "0.00"]]) {
  const workbook = await XlsxPopulate.fromBlankAsync()
  const cell = workbook.sheet(0).cell("A1").value(240.5)
  if (format !== undefined) cell.style("numberFormat", format)
  await workbook.toFileAsync(`${name}.xlsx`)
}
const again = new ExcelJS.Workbook()
await again.xlsx.readFile("format.xlsx")
await again.xlsx.writeFile("again.xlsx")
JS
cat >look.py <<'PY'
import warnings
from openpyxl import load_workbook

warnings.simplefilter("ignore")
for name in ("bare", "format", "again"):
    try:
        print(f"{name}: {load_workbook(name + '.xlsx').active['A1'].value}")
    except TypeError as error:
        print(f"{name}: {error}")
PY
node make.mjs
seen="$(PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 look.py)"
echo "$seen"
[ "$seen" = "bare: 240.5
format: expected <class 'openpyxl.styles.fills.Fill'>
again: 240.5" ] || { echo "This has changed." >&2; exit 1; }
