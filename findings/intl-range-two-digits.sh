#!/usr/bin/env bash
# A range of times is written otherwise than its two ends.
#
# Guess: with hour "2-digit", formatRange writes 09:00–13:00 wherever format writes 09:00.
# What happens: in Spanish the range is 9:00–13:00; in Japanese it even changes its signs, from 09:00 to 9時00分.
# Seen: 2026-11-28, Node 24.21.0 (CLDR 48).
# Why it matters here: a page that lists opening hours as ranges and starts as times has two spellings of one hour, and a
# test that looks for "09:00" in the page misses the range.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error node@24.21.0 >/dev/null
cat >try.mjs <<'JS'
const from = new Date("2026-12-05T09:00Z")
const to = new Date("2026-12-05T13:00Z")
for (const locale of ["en-GB", "de", "es", "ja"]) {
  const format = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", timeZone: "UTC" })
  const plain = (text) => text.replace(/[–～]/, "-").replace(/\s/g, " ")
  console.log(`${locale}: ${format.format(from)}, ${format.format(to)}; ${plain(format.formatRange(from, to))}`)
}
JS
seen="$(node_modules/.bin/node try.mjs)"
echo "$seen"
expected="en-GB: 09:00, 13:00; 09:00-13:00
de: 09:00, 13:00; 09:00-13:00 Uhr
es: 09:00, 13:00; 9:00-13:00
ja: 09:00, 13:00; 9時00分-13時00分"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
