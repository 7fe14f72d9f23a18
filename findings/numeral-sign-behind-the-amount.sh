#!/usr/bin/env bash
# A euro sign behind the amount becomes two more decimals.
#
# Guess: numeral(1234.5).format("0,0.00 €") is "1,234.50 €", as "0,0.00 $" is "1,234.50 $"; or the sign is left out.
# What happens: "1,234.5000". A sign that is not a dollar is no sign, and each character behind the decimal point counts
# as one more decimal: two for " €", three for " kr", four for " EUR". In front, "€0,0.00", it is left out in silence.
# Seen: 2026-11-29, numeral 2.0.6, Node 20.20.2.
# Why it matters here: where a comma is the decimal sign, 1.234,5000 looks like millions. A page that shows our amounts
# through such a format is wrong for every currency but one, so an amount has its `display`.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error numeral@2.0.6 >/dev/null
cat >try.mjs <<'JS'
import numeral from "numeral"

for (const format of ["0,0.00 $", "0,0.00 €", "0,0.00 kr", "0,0.00 EUR", "€0,0.00"]) {
  console.log(`${format}: ${numeral(1234.5).format(format)}`)
}
JS
seen="$(node try.mjs)"
echo "$seen"
expected='0,0.00 $: 1,234.50 $
0,0.00 €: 1,234.5000
0,0.00 kr: 1,234.50000
0,0.00 EUR: 1,234.500000
€0,0.00: 1,234.50'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
