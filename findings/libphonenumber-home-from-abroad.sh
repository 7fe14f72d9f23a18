#!/usr/bin/env bash
# A number from Berlin is a valid number in Japan, Korea and Indonesia.
#
# Guess: "0049 30 1234567" with the default country Japan is no valid number, since Japan has none that begin like that:
# 00 is what Germans dial before a country's code, and Japan has 010. At worst the two zeros are read as 010.
# What happens: the library's default entry ("libphonenumber-js", or "/min") says that +81 0049301234567 is possible and
# valid. The same code with "/max" says that it is not valid. The small metadata has one pattern for all kinds of
# numbers, and these countries have some of their own that begin with 00. In the United States it is refused by both.
# Seen: 2026-11-29, libphonenumber-js 1.13.16, Node 20.20.2.
# Why it matters here: a family on a journey writes its number as it does at home. A venue in Tokyo then has a valid
# number that nobody has, so "valid" is no reason to throw away what was typed, and the small metadata is no judge.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error libphonenumber-js@1.13.16 >/dev/null
cat >try.mjs <<'JS'
import usual from "libphonenumber-js"
import full from "libphonenumber-js/max"

const typed = "0049 30 1234567"
const told = (number) => `${number.number} ${number.isValid() ? "valid" : "not valid"}`
for (const country of ["JP", "KR", "ID", "US", "DE"])
  console.log(`${country}: ${told(usual(typed, country))}, by all metadata ${told(full(typed, country))}`)
JS
seen="$(node try.mjs)"
echo "$seen"
expected="JP: +810049301234567 valid, by all metadata +810049301234567 not valid
KR: +820049301234567 valid, by all metadata +820049301234567 not valid
ID: +620049301234567 valid, by all metadata +620049301234567 not valid
US: +10049301234567 not valid, by all metadata +10049301234567 not valid
DE: +49301234567 valid, by all metadata +49301234567 valid"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
