#!/usr/bin/env bash
# 1 234,50 € is 1 at the end of a line and 234,50 at the beginning of the next.
#
# Guess: a line isn't broken at a no-break space (U+00A0, U+202F), which Intl writes into amounts so that they stay
# whole.
# What happens: word-wrap, linewrap and wordwrap break there, since a space in their patterns is \s, which has both.
# linewrap and wordwrap lose the space, too. wrap-ansi keeps amounts whole.
# Seen: 2026-11-29, word-wrap 1.2.5, linewrap 0.2.1, wordwrap 1.0.0, wrap-ansi 10.0.2, Node 20.20.2 (ICU 77.1).
# Why it matters here: hosts' letters and terminals wrap our answers that way. A French family finds the 1 of its total
# on another line than the rest, and where that happens depends on the words before it. Our letters aren't wrapped by
# us.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund word-wrap@1.2.5 linewrap@0.2.1 wordwrap@1.0.0 wrap-ansi@10.0.2
cat >try.mjs <<'JS'
import linewrap from "linewrap"
import wordWrap from "word-wrap"
import wordwrap from "wordwrap"
import wrapAnsi from "wrap-ansi"

const price = new Intl.NumberFormat("fr", { style: "currency", currency: "EUR" }).format(1234.5)
const text = `Le total de la fête est de ${price}.`
const wraps = {
  "word-wrap": wordWrap(text, { width: 30, indent: "" }),
  linewrap: linewrap(30)(text),
  wordwrap: wordwrap(30)(text),
  "wrap-ansi": wrapAnsi(text, 30)
}
for (const [name, lines] of Object.entries(wraps)) {
  console.log(name, JSON.stringify(lines.replace(/[\u00A0\u202F]/g, "_")))
}
JS
seen="$(node try.mjs)"
echo "$seen"
expected='word-wrap "Le total de la fête est de 1_\n234,50_€."
linewrap "Le total de la fête est de 1\n234,50_€."
wordwrap "Le total de la fête est de 1\n234,50_€."
wrap-ansi "Le total de la fête est de\n1_234,50_€."'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
