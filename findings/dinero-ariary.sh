#!/usr/bin/env bash
# A thousand minor units of Madagascar's money are ten ariary to ISO 4217, a thousand to the provider, and two hundred
# to dinero.js.
#
# Guess: the library's currencies are those of ISO 4217 with its decimals, so MGA and MRU have two: 10.00.
# What happens: both have base 5 and exponent 1, as their coins do, so 1,000 are 200. toDecimal throws, whatever the
# amount.
# Seen: 2026-11-29, dinero.js 2.0.2, Node 20.20.2.
# Why it matters here: whoever takes our { amount, currency } into it shows a room there at twenty times its price. An
# amount has to come with its `display`, by ISO 4217 alone, and the provider's units are converted in one place.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error dinero.js@2.0.2 >/dev/null
cat >try.mjs <<'JS'
import { dinero, toDecimal, toUnits } from "dinero.js"
import { GBP, MGA, MRU } from "dinero.js/currencies"

for (const currency of [GBP, MGA, MRU]) {
  const money = dinero({ amount: 1000, currency })
  let decimal
  try {
    decimal = toDecimal(money)
  } catch ({ message }) {
    decimal = message
  }
  console.log(`${currency.code}: units ${toUnits(money).join(" and ")}; ${decimal}`)
}
JS
seen="$(node try.mjs)"
echo "$seen"
expected='GBP: units 10 and 0; 10.00
MGA: units 200 and 0; [Dinero.js] Currency is not decimal.
MRU: units 200 and 0; [Dinero.js] Currency is not decimal.'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
