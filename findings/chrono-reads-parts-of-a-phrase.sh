#!/usr/bin/env bash
# "First Saturday in December" is today.
#
# Guess: a parser of dates in words finds 5 December 2026, or nothing. Words that it doesn't know make it find nothing.
# What happens: it finds each part that it knows and passes over the rest. On Saturday 28 November the phrase gives that
# same day and, apart, 1 December; "last Sunday of March" gives tomorrow; "half past two on Saturday" has no time;
# "Saturday week", a week later in Britain, is today. Only the text of each match shows that a word was left over.
# Seen: 2026-11-28, chrono-node 2.10.3, Node 20.20.2.
# Why it matters here: assistants' calendar helpers are built on it, and they are sure of a day that nobody meant. An
# answer has to repeat weekday, date and time in full, so that a person sees it before a booking is made.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund chrono-node@2.10.3
cat >try.mjs <<'JS'
import * as chrono from "chrono-node"
const saturday = new Date(2026, 10, 28, 10)
for (const text of ["first Saturday in December", "last Sunday of March", "half past two on Saturday", "Saturday week"])
  for (const { text: part, start } of chrono.en.GB.parse(text, saturday, { forwardDate: true }))
    console.log(`${text}: "${part}" ${start.date().toDateString()}${start.isCertain("hour") ? " with a time" : ""}`)
JS
seen="$(TZ=Europe/London node try.mjs)"
echo "$seen"
[ "$seen" = 'first Saturday in December: "Saturday" Sat Nov 28 2026
first Saturday in December: "December" Tue Dec 01 2026
last Sunday of March: "last Sunday" Sun Nov 29 2026
last Sunday of March: "March" Mon Mar 01 2027
half past two on Saturday: "on Saturday" Sat Nov 28 2026
Saturday week: "Saturday" Sat Nov 28 2026' ] || { echo "This has changed." >&2; exit 1; }
