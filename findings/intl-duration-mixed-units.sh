#!/usr/bin/env bash
# An hour and a half is "1h, 30 Min." in German, and no time at all is nothing.
#
# Guess: Intl.DurationFormat's narrow style has one kind of abbreviation in a language, as English has "1h 30m"; and a
# duration of 0 hours and 0 minutes is "0 minutes", since both are given.
# What happens: German has a letter for hours and for days, and "Min." with a point and a comma before it for minutes.
# Zero is an empty text in all styles but "digital".
# Seen: 2026-11-29, Node 24.21.0 (ICU 78.3).
# Why it matters here: "free of charge until 0 hours before" loses its number, and a line that begins with how long a
# package lasts looks like a slip of ours in one of six languages. Zero needs words of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error node@24.21.0 >/dev/null
cat >try.mjs <<'JS'
const durations = [{ hours: 1, minutes: 30 }, { days: 1, hours: 2 }, { minutes: 90 }, { hours: 0, minutes: 0 }]
const styles = [["en", "narrow"], ["de", "narrow"], ["de", "short"], ["en", "long"], ["en", "digital"]]
for (const [language, style] of styles) {
  const texts = durations.map((duration) => `"${new Intl.DurationFormat(language, { style }).format(duration)}"`)
  console.log(`${language} ${style}: ${texts.join(" ")}`)
}
JS
seen="$(node_modules/.bin/node try.mjs)"
echo "$seen"
[ "$seen" = 'en narrow: "1h 30m" "1d 2h" "90m" ""
de narrow: "1h, 30 Min." "1 T, 2h" "90 Min." ""
de short: "1 Std., 30 Min." "1 Tg., 2 Std." "90 Min." ""
en long: "1 hour, 30 minutes" "1 day, 2 hours" "90 minutes" ""
en digital: "1:30:00" "1 day, 2:00:00" "0:90:00" "0:00:00"' ] || { echo "This has changed." >&2; exit 1; }
