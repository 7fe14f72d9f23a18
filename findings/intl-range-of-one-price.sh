#!/usr/bin/env bash
# From 12 euros to 12 euros is about 12 euros.
#
# Guess: formatRange(12, 12) is "€12.00", or "€12.00 – €12.00".
# What happens: it is "~€12.00", with another sign in each language: ≈ in German, ≃ in French, 約 in Japanese. The exact
# price is told as a rough one.
# Seen: 2026-11-29, Node 24.21.0 (CLDR 48).
# Why it matters here: a page that shows what a package costs "from – to" says so of each package with one price. Two
# ends that are shown alike have to be told as one amount.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error node@24.21.0 >/dev/null
cat >try.mjs <<'JS'
for (const language of ["en", "de", "fr", "ja"]) {
  const format = new Intl.NumberFormat(language, { style: "currency", currency: "EUR" })
  const texts = [format.formatRange(10, 12), format.formatRange(12, 12)]
  console.log(`${language}: ${texts.map((text) => text.replace(/\s/g, " ")).join("; ")}`)
}
JS
seen="$(node_modules/.bin/node try.mjs)"
echo "$seen"
expected='en: €10.00 – €12.00; ~€12.00
de: 10,00–12,00 €; ≈12,00 €
fr: 10,00–12,00 €; ≃12,00 €
ja: €10.00 ～ €12.00; 約€12.00'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
