#!/usr/bin/env bash
# The meeting point is at gate two, and the point of sale is 0 of sale.
#
# Guess: words that are no numbers stay as they are. "Point" is the sign between a number and its decimals, and only
# there.
# What happens: "point" is 0 wherever it stands, so "meet at the meeting point" is "meet at the meeting 0". Other words
# with "point" in them, such as "appointment", are left.
# Seen: 2026-12-01, words-to-numbers 1.5.1, Node 20.20.2.
# Why it matters here: spoken words are put into digits by such a library before a model or a form gets them, and a
# wish for the venue has "the meeting 0" in it. Our tools take numbers in fields of their own, so `notes` stay as sent.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent words-to-numbers@1.5.1
cat >try.cjs <<'JS'
const { wordsToNumbers } = require("words-to-numbers")
for (const text of [
  "three point five hours",
  "balloons at the meeting point, please",
  "the meeting point is at gate two",
  "pay at the point of sale for eight children",
  "the appointment is at ten",
  "the comma is at gate two"
]) console.log(`${text}: ${wordsToNumbers(text)}`)
JS
seen="$(node try.cjs)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
three point five hours: 3.5 hours
balloons at the meeting point, please: balloons at the meeting 0, please
the meeting point is at gate two: the meeting 0 is at gate 2
pay at the point of sale for eight children: pay at the 0 of sale for 8 children
the appointment is at ten: the appointment is at 10
the comma is at gate two: the comma is at gate 2
SEEN
