#!/usr/bin/env bash
# Fifty pence are fifty pounds.
#
# Guess: £.50 is 0.5. The point has two digits behind it, and £0.50 and £12.50 are read by that.
# What happens: £.50 is 50, and $.99 is 99: the point is taken as a part of the sign before the amount. A text without
# a sign, .50, is 50, too.
# Seen: 2026-12-01, parsecurrency 1.1.1, Node 20.20.2.
# Why it matters here: some price lists in pounds and dollars leave out the zero, for socks at £.50 or a drink at $.99.
# These cost a hundred times their price, among others that are right. Our import takes amounts in minor units only.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent parsecurrency@1.1.1
cat >try.cjs <<'JS'
const parse = require("parsecurrency")
for (const text of ["£12.50", "£0.50", "£.50", "$.99", ".50", "-£.50", "USD .75"]) {
  const { value, symbol } = parse(text)
  console.log(`${text}: ${value}, sign "${symbol}"`)
}
JS
seen="$(node try.cjs)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
£12.50: 12.5, sign "£"
£0.50: 0.5, sign "£"
£.50: 50, sign "£."
$.99: 99, sign "$."
.50: 50, sign "."
-£.50: -50, sign "£."
USD .75: 75, sign "."
SEEN
