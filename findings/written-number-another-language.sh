#!/usr/bin/env bash
# 240.50 in German words is "two hundred and forty-one".
#
# Guess: a language that a library doesn't have raises an error; half a euro is told, or left out, but not made a whole.
# What happens: "de" and "pl" are English without a word of warning, while "it" and "fr" are what they say. An amount is
# rounded to whole numbers first: 240.50 is two hundred and forty-one, 0.40 is zero. The digits beside it say otherwise.
# Seen: 2026-11-29, written-number 0.11.1, Node 20.20.2.
# Why it matters here: a receipt that has its total in words, too, has two totals then, and in a German one the second
# is English. An amount has to be split into its units before it is put into words, and the language to be looked up.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund written-number@0.11.1
cat >try.cjs <<'JS'
const words = require("written-number")
for (const lang of ["en", "fr", "de", "pl"])
  console.log(`${lang}: ${[240.5, 0.4].map((amount) => words(amount, { lang })).join("; ")}`)
JS
seen="$(node try.cjs)"
echo "$seen"
[ "$seen" = "en: two hundred and forty-one; zero
fr: deux cent quarante et un; zéro
de: two hundred and forty-one; zero
pl: two hundred and forty-one; zero" ] || { echo "This has changed." >&2; exit 1; }
