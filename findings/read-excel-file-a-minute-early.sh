#!/usr/bin/env bash
# A visit at 08:20 is at 08:19 to one reader, and not to the other.
#
# Guess: a time in a cell, written as a whole number of minutes, is read as that minute.
# What happens: a day is 1, so 08:20 is a third and a bit of it, with the date before the point. read-excel-file makes a
# Date of it without rounding: every third time with a date is a thousandth of a second early, and the minute before it
# once it is cut to minutes. Times without a date are whole. exceljs rounds, and has all of them right. So are quarters
# of an hour: 00:15 is wrong, 00:30 right.
# Seen: 2026-11-29, read-excel-file 9.3.17, exceljs 4.4.0, Node 20.20.2.
# Why it matters here: a list of visits or closures out of a workbook starts a minute early in some rows, off the grid
# of times that a room is let by. What is read of a workbook has to be rounded to whole seconds.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error read-excel-file@9.3.17 exceljs@4.4.0 >/dev/null
cat >try.mjs <<'JS'
import ExcelJS from "exceljs"
import { readSheet } from "read-excel-file/node"

const day = Date.UTC(2027, 5, 5) / 86_400_000 + 25_569
const minutes = Array.from({ length: 288 }, (_, i) => i * 5)
const workbook = new ExcelJS.Workbook()
const sheet = workbook.addWorksheet("Visits")
for (const minute of minutes) {
  const row = sheet.addRow([day + minute / 1440, minute / 1440])
  row.getCell(1).numFmt = "yyyy-mm-dd hh:mm"
  row.getCell(2).numFmt = "hh:mm"
}
await workbook.xlsx.writeFile("visits.xlsx")

const clock = (date) => date.toISOString().slice(11, 16)
const wanted = minutes.map((minute) => clock(new Date(minute * 60_000)))
const early = (dates) => wanted.filter((time, i) => clock(dates[i]) !== time)
const rows = await readSheet("visits.xlsx")
const again = new ExcelJS.Workbook()
await again.xlsx.readFile("visits.xlsx")
const byExceljs = minutes.map((_, i) => again.worksheets[0].getCell(i + 1, 1).value)
const wrong = early(rows.map(([date]) => date))
console.log(`with a date: ${wrong.length} of ${wanted.length} are early, from ${wrong.slice(0, 4).join(" ")}`)
console.log(`08:20 is ${rows[100][0].toISOString()}`)
const bare = early(rows.map(([, time]) => time))
console.log(`without one: ${bare.length}; exceljs, with a date: ${early(byExceljs).length}`)
JS
seen="$(node try.mjs)"
echo "$seen"
[ "$seen" = "with a date: 96 of 288 are early, from 00:05 00:15 00:25 00:50
08:20 is 2027-06-05T08:19:59.999Z
without one: 0; exceljs, with a date: 0" ] || { echo "This has changed." >&2; exit 1; }
