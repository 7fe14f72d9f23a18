#!/usr/bin/env bash
# Who asks for the German of Austria gets English, though German is there.
#
# Guess: of pages in English, German and Polish, a browser that asks for "de-AT,en;q=0.8" gets the German ones: a
# language without a country serves all of its countries (RFC 4647, 3.4: lookup cuts a range from its end).
# What happens: a range with a country fits only pages with that country, so German is passed over for English. With
# `loose` it fits; but then pages in the German of Germany are chosen for "de-AT", too, and before those without a
# country, if they stand first.
# Seen: 2026-11-30, accept-language-parser 1.5.0, Node 20.20.2.
# Why it matters here: our pages are in languages without countries, and most browsers ask with one. We cut the range;
# a test has `de-CH` and `DE-AT`.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund accept-language-parser@1.5.0
cat >try.cjs <<'JS'
const { pick } = require("accept-language-parser")
const asked = "de-AT,en;q=0.8"
console.log(`en, de, pl: ${pick(["en", "de", "pl"], asked)}`)
console.log(`the same, loose: ${pick(["en", "de", "pl"], asked, { loose: true })}`)
console.log(`en, de-DE, de, loose: ${pick(["en", "de-DE", "de"], asked, { loose: true })}`)
console.log(`en, de, pl for de: ${pick(["en", "de", "pl"], "de,en;q=0.8")}`)
JS
seen="$(node try.cjs)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
en, de, pl: en
the same, loose: de
en, de-DE, de, loose: de-DE
en, de, pl for de: de
SEEN
