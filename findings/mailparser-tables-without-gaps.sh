#!/usr/bin/env bash
# A party for 8 children at 90.00 costs 890.00.
#
# Guess: the text of a letter that is a web page has its table's cells apart, by a space, a tab or a line.
# What happens: mailparser's text joins them: the hours, the number and the price of a row are one word. Paragraphs and
# lists are apart. html-to-text is behind it, which takes each table for layout.
# Seen: 2026-11-29, mailparser 3.14.2, Node 20.20.2.
# Why it matters here: confirmations are tables. An assistant that reads its person's mail so sees a price that nobody
# wrote. A letter needs a text of its own beside the page, with a line for each fact.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error mailparser@3.14.2 >/dev/null
cat >try.mjs <<'JS'
import { simpleParser } from "mailparser"

const row = "<tr><td>5 June</td><td>14:00</td><td>16:00</td><td>8</td><td>90.00</td></tr>"
const head = ["From: a@example.com", "To: b@example.com", "MIME-Version: 1.0", "Content-Type: text/html"].join("\r\n")
for (const page of [`<table>${row}</table>`, "<p>14:00</p><p>16:00</p>"]) {
  const { text } = await simpleParser(`${head}\r\n\r\n${page}\r\n`)
  console.log(`${page.slice(1, page.indexOf(">"))}: ${text.trim().replaceAll(/\n+/g, " / ")}`)
}
JS
seen="$(node try.mjs)"
echo "$seen"
expected="table: 5 June14:0016:00890.00
p: 14:00 / 16:00"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
