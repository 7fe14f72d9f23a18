#!/usr/bin/env bash
# A letter from summer was written just now.
#
# Guess: a zone in letters that a parser doesn't know counts as UTC (RFC 5322, 4.3), so "14:00:00 CET" is 14:00Z; at
# worst there is no date, or the text as it stands.
# What happens: it is the moment of reading. Letters with CET, BST or one letter for their zone are dated now, and read
# again, they are younger still. EST is read.
# Seen: 2026-11-29, mailparser 3.14.2, Node 20.20.2.
# Why it matters here: whoever judges by its letter whether a family cancelled in time gets a day that nobody wrote, and
# another one at each look. Letters about a visit are no record of it; the press on the page is.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error mailparser@3.14.2 >/dev/null
cat >try.mjs <<'JS'
import { simpleParser } from "mailparser"

for (const zone of ["+0200", "EST", "CET", "BST", "A"]) {
  const sent = `Fri, 05 Jun 2026 14:00:00 ${zone}`
  const letter = `From: a@example.com\r\nTo: b@example.com\r\nSubject: Party\r\nDate: ${sent}\r\n\r\nWe can't come.\r\n`
  const { date } = await simpleParser(letter)
  console.log(`${sent}: ${Math.abs(date.getTime() - Date.now()) < 60_000 ? "now" : date.toISOString()}`)
}
JS
seen="$(node try.mjs)"
echo "$seen"
expected="Fri, 05 Jun 2026 14:00:00 +0200: 2026-06-05T12:00:00.000Z
Fri, 05 Jun 2026 14:00:00 EST: 2026-06-05T19:00:00.000Z
Fri, 05 Jun 2026 14:00:00 CET: now
Fri, 05 Jun 2026 14:00:00 BST: now
Fri, 05 Jun 2026 14:00:00 A: now"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
