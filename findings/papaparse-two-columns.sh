#!/usr/bin/env bash
# A short list of days and amounts is cut at the decimal comma, until it loses its last line break or gets longer.
#
# Guess: Papa Parse finds the semicolon in "day;amount" with rows like "2026-12-05;12,50", as it does with three
# columns. If it can't tell, it looks at the head, which has no comma.
# What happens: up to eight rows, the separator is the comma: "2026-12-05;12" and "50", and the only complaint says that
# none was found. The empty line behind the last break counts as a row of one cell, which brings the mean of two columns
# under the 1.99 that a separator needs. From nine rows on, the ten lines that are looked at end before it.
# Seen: 2026-11-29, papaparse 5.7.1, Node 20.20.2.
# Why it matters here: a month's list is tried with two rows, or with fifty, and each time something else is wrong or
# right. Our lists have more columns, so they are read; what a venue makes of them in a spreadsheet may have two.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error papaparse@5.7.1 >/dev/null
cat >try.mjs <<'JS'
import Papa from "papaparse"

const list = (head, row, rows) =>
  [head, ...Array.from({ length: rows }, (_, index) => `2026-12-${10 + index};${row}`)].join("\n")
const show = (what, text) => {
  const { data, meta } = Papa.parse(text)
  console.log(`${what}: ${meta.delimiter} ${JSON.stringify(data[1])}`)
}
show("2 rows", list("day;amount", "12,50", 2) + "\n")
show("8 rows", list("day;amount", "12,50", 8) + "\n")
show("9 rows", list("day;amount", "12,50", 9) + "\n")
show("2 rows, no break at the end", list("day;amount", "12,50", 2))
show("2 rows, three columns", list("day;amount;tax", "12,50;2,08", 2) + "\n")
JS
seen="$(node try.mjs)"
echo "$seen"
expected='2 rows: , ["2026-12-10;12","50"]
8 rows: , ["2026-12-10;12","50"]
9 rows: ; ["2026-12-10","12,50"]
2 rows, no break at the end: ; ["2026-12-10","12,50"]
2 rows, three columns: ; ["2026-12-10","12,50","2,08"]'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
