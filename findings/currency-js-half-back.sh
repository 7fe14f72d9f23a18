#!/usr/bin/env bash
# Half of what was paid is 0.58, and half of it back is -0.57.
#
# Guess: a library for money rounds an amount and its negative to the same number, so what comes in and what goes back
# for the same share cancel out.
# What happens: currency.js rounds halves towards the larger number, as Math.round does: 0.575 to 0.58, -0.575 to -0.57.
# Seen: 2026-11-29, currency.js 2.0.4, Node 20.20.2.
# Why it matters here: a ledger that has refunds as negative amounts keeps a penny of every odd half. A share has to be
# taken of what was paid, and its sign put on afterwards, as our one rounding rule does.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error currency.js@2.0.4 >/dev/null
cat >try.mjs <<'JS'
import currency from "currency.js"

for (const paid of [1.15, 7.51, 240.25]) {
  const share = currency(paid).multiply(0.5)
  const back = currency(-paid).multiply(0.5)
  console.log(`${paid}: ${share} in, ${back} back, ${share.add(back)} left`)
}
JS
seen="$(node try.mjs)"
echo "$seen"
expected='1.15: 0.58 in, -0.57 back, 0.01 left
7.51: 3.76 in, -3.75 back, 0.01 left
240.25: 120.13 in, -120.12 back, 0.01 left'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
