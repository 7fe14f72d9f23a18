#!/usr/bin/env bash
# Two zloty are declined as five, and five thousand as one: each word is there, and not chosen by the number.
#
# Guess: a package that has Polish, Czech and Russian as languages of amounts declines what it counts: `dwa złote`,
# `pięć złotych`, `pięć tysięcy`; `dvě koruny`; `два рубля`. Node's own Intl.PluralRules says which form is meant.
# What happens: each currency has one word for one and one for all else, the genitive: `dwa złotych`. In Russian 21 has
# it, too, though 21 takes the singular. `Tysiące` is right for two thousand; five thousand are `pięć tysiąc`.
# Seen: 2026-12-01, to-words 5.7.0, Node 20.20.2.
# Why it matters here: receipts and vouchers of some countries have the amount in words. Nobody who checks the English
# ones, or one Polish voucher of 50 zloty, finds it: 50 takes the form that all have. Ours prints amounts in digits.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error to-words@5.7.0 >/dev/null
cat >try.mjs <<'JS'
import { ToWords } from "to-words"

const asked = { "pl-PL": [1, 2, 5, 50, 2000, 5000], "cs-CZ": [1, 2, 5], "ru-RU": [1, 2, 5, 21] }
for (const [localeCode, amounts] of Object.entries(asked)) {
  const words = new ToWords({ localeCode })
  const meant = new Intl.PluralRules(localeCode)
  for (const amount of amounts)
    console.log(localeCode, amount, meant.select(amount), words.convert(amount, { currency: true }).toLowerCase())
}
JS
seen="$(node try.mjs)"
echo "$seen"
expected="pl-PL 1 one jeden złoty tylko
pl-PL 2 few dwa złotych tylko
pl-PL 5 many pięć złotych tylko
pl-PL 50 many pięćdziesiąt złotych tylko
pl-PL 2000 many dwa tysiące złotych tylko
pl-PL 5000 many pięć tysiąc złotych tylko
cs-CZ 1 one jeden koruna pouze
cs-CZ 2 few dva korun pouze
cs-CZ 5 other pět korun pouze
ru-RU 1 one один рубль только
ru-RU 2 few два рублей только
ru-RU 5 many пять рублей только
ru-RU 21 one двадцать один рублей только"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
