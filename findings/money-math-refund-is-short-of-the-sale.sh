#!/usr/bin/env bash
# The tax on a refund is up to two cents less than the tax on the sale.
#
# Guess: money-math rounds below zero as above it, so 19 percent of -12.50 is 19 percent of 12.50, 2.38, with a minus.
# What happens: it is -2.36; its notes say "half up", which would make -2.37. Of an amount below zero, each percentage
# tried that has a fraction of a cent comes out nearer to zero, by a cent or two: 10.10 has a tax of 1.92 or -1.91, 0.50
# one of 0.10 or -0.08. What has no such fraction is right. A division may be off, too: -2.00 by 3 is -0.65.
# Seen: 2026-12-01, money-math 2.6.3, Node 20.20.2.
# Why it matters here: a sale and its full refund leave a cent or two of tax in the books. Trials with round prices,
# 20.00 or 240.00, find nothing. A refund is best worked out as an amount above zero, and given its minus afterwards.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent money-math@2.6.3
cat >try.cjs <<'JS'
const money = require("money-math")
for (const price of ["20.00", "240.00", "12.50", "10.10", "0.50"])
  console.log(
    `19 percent of ${price}: ${money.percent(price, "19.00")}, of -${price}: ${money.percent(`-${price}`, "19.00")}`,
  )
console.log(`2.00 by 3: ${money.div("2.00", "3.00")}, -2.00 by 3: ${money.div("-2.00", "3.00")}`)
JS
seen="$(node try.cjs)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
19 percent of 20.00: 3.80, of -20.00: -3.80
19 percent of 240.00: 45.60, of -240.00: -45.60
19 percent of 12.50: 2.38, of -12.50: -2.36
19 percent of 10.10: 1.92, of -10.10: -1.91
19 percent of 0.50: 0.10, of -0.50: -0.08
2.00 by 3: 0.67, -2.00 by 3: -0.65
SEEN
