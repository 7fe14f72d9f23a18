#!/usr/bin/env bash
# Intl shows money of currencies that have cents without its cents.
#
# Guess: style "currency" has the decimals of ISO 4217 by default, as ECMA-402 says: forint 2, Pakistani rupee 2, dinar of
# Iraq 3, Colombian peso 2.
# What happens: they have 0. The digits are CLDR's, which go by what people use. 1,234.56 forints are printed as 1,235.
# Seen: 2026-11-28, Node 24.21.0 (CLDR 48).
# Why it matters here: whoever derives the minor unit from resolvedOptions() charges a hundredth, and whoever prints by
# default shows another amount than is charged. Decimals have to come from ISO 4217, and be said to Intl each time.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error node@24.21.0 >/dev/null
cat >try.mjs <<'JS'
for (const [currency, iso] of [["HUF", 2], ["PKR", 2], ["COP", 2], ["IDR", 2], ["IQD", 3], ["CZK", 2], ["TND", 3]]) {
  const format = new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay: "code" })
  const { maximumFractionDigits } = format.resolvedOptions()
  console.log(`${currency}: ISO 4217 ${iso}, Intl ${maximumFractionDigits}, ${format.format(1234.56).replace(/\s/, " ")}`)
}
JS
seen="$(node_modules/.bin/node try.mjs)"
echo "$seen"
expected="HUF: ISO 4217 2, Intl 0, HUF 1,235
PKR: ISO 4217 2, Intl 0, PKR 1,235
COP: ISO 4217 2, Intl 0, COP 1,235
IDR: ISO 4217 2, Intl 0, IDR 1,235
IQD: ISO 4217 3, Intl 0, IQD 1,235
CZK: ISO 4217 2, Intl 2, CZK 1,234.56
TND: ISO 4217 3, Intl 3, TND 1,234.560"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
