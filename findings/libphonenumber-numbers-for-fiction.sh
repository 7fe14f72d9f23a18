#!/usr/bin/env bash
# Of the British numbers that are kept free for films and examples, some are valid and some are not.
#
# Guess: none is given to anybody, so isValid() is false for all; or it goes by length and prefix, and is true for all.
# What happens: landlines of London and Newcastle and a freephone number are valid, the mobile and the number without an
# area are not. The metadata has blocks by prefix, and only two of the reserved ones have a prefix of their own.
# Seen: 2026-11-28, libphonenumber-js 1.13.16, Node 20.20.2; the numbers are Ofcom's "numbers for use in TV and radio drama".
# Why it matters here: documents and tests use these numbers, since they reach nobody. A form that asks isValid() refuses
# the mobile of its own example and takes the landline.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error libphonenumber-js@1.13.16 >/dev/null
cat >try.mjs <<'JS'
import { parsePhoneNumberFromString } from "libphonenumber-js/max"

for (const text of ["020 7946 0123", "0191 498 0123", "0808 157 0123", "07700 900123", "01632 960123"])
  console.log(`${text}: ${parsePhoneNumberFromString(text, "GB").isValid()}`)
JS
seen="$(node try.mjs)"
echo "$seen"
expected="020 7946 0123: true
0191 498 0123: true
0808 157 0123: true
07700 900123: false
01632 960123: false"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
