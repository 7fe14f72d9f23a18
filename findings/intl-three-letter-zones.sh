#!/usr/bin/env bash
# Three letters for a zone are another continent's: BST is Bangladesh, IST is India, and CST is Chicago.
#
# Guess: BST, IST and CST are no IANA names, so Intl refuses them; or BST is British Summer Time.
# What happens: Intl takes them without a word. BST is Asia/Dhaka, IST Asia/Calcutta, AST Alaska (not Halifax), and
# ECT Paris (not Ecuador). None of them is in Intl.supportedValuesOf("timeZone").
# Seen: 2026-11-28, Node 24.21.0 (ICU 78.3).
# Why it matters here: "it formats, so it is an IANA zone" is the usual check of a zone. A venue in Leeds that writes
# BST then opens five hours off, all year.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error node@24.21.0 >/dev/null
cat >try.mjs <<'JS'
const known = new Set(Intl.supportedValuesOf("timeZone"))
const at = new Date("2026-06-15T12:00:00Z")
for (const timeZone of ["BST", "IST", "CST", "AST", "ECT", "NST"]) {
  const time = new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "short" }).format(at)
  const { timeZone: taken } = new Intl.DateTimeFormat("en-GB", { timeZone }).resolvedOptions()
  console.log(`${timeZone}: ${taken}, ${time} at 12:00Z in June, ${known.has(timeZone) ? "listed" : "not listed"}`)
}
JS
seen="$(node_modules/.bin/node try.mjs)"
echo "$seen"
expected="BST: Asia/Dhaka, 18:00 at 12:00Z in June, not listed
IST: Asia/Calcutta, 17:30 at 12:00Z in June, not listed
CST: America/Chicago, 07:00 at 12:00Z in June, not listed
AST: America/Anchorage, 04:00 at 12:00Z in June, not listed
ECT: Europe/Paris, 14:00 at 12:00Z in June, not listed
NST: Pacific/Auckland, 00:00 at 12:00Z in June, not listed"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
