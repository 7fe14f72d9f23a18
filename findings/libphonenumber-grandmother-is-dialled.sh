#!/usr/bin/env bash
# "0664 1234567 Oma" is a number with 662 at its end.
#
# Guess: a word behind a number is passed over, as one before it is ("Oma: 0664 1234567"); or the text is no number.
# What happens: Google's library reads letters as the keys of a telephone, as in 0800 FLOWERS. "Oma" is 662. Austria and
# Germany have numbers of many lengths, so the result is a valid number of somebody else, with brackets or without. An
# umlaut makes it an error. libphonenumber-js, made after it, knows no such letters and cuts the word off: here it is
# right. Of 0800 FLOWERS it leaves 0800.
# Seen: 2026-11-29, google-libphonenumber 3.2.47, libphonenumber-js 1.13.16, Node 20.20.2.
# Why it matters here: whose number it is belongs to it for a family: "Oma", "Papa", "Mama". The same text is two
# numbers to two libraries, both valid. What was typed has to be kept beside what was understood, and shown to who
# calls.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error google-libphonenumber@3.2.47 libphonenumber-js@1.13.16 >/dev/null
cat >try.mjs <<'JS'
import google from "google-libphonenumber"
import parse from "libphonenumber-js/max"

const util = google.PhoneNumberUtil.getInstance()
const byGoogle = (text, country) => {
  try {
    const number = util.parse(text, country)
    return `${util.format(number, google.PhoneNumberFormat.E164)} ${util.isValidNumber(number)}`
  } catch {
    return "none"
  }
}
const byOther = (text, country) => {
  const number = parse(text, country)
  return number === undefined ? "none" : `${number.number} ${number.isValid()}`
}
for (const [text, country] of [
  ["Oma: 0664 1234567", "AT"],
  ["0664 1234567 (Oma)", "AT"],
  ["0664 1234567 Oma", "AT"],
  ["+43 1 234567 Mama", "AT"],
  ["030 1234567 Büro", "DE"],
  ["030 1234567 privat", "DE"],
  ["0800 FLOWERS", "GB"]
])
  console.log(`${text}: ${byGoogle(text, country)} | ${byOther(text, country)}`)
JS
seen="$(node try.mjs)"
echo "$seen"
expected="Oma: 0664 1234567: +436641234567 true | +436641234567 true
0664 1234567 (Oma): +436641234567662 true | +436641234567 true
0664 1234567 Oma: +436641234567662 true | +436641234567 true
+43 1 234567 Mama: +4312345676262 true | +431234567 true
030 1234567 Büro: none | +49301234567 true
030 1234567 privat: +49301234567774828 true | +49301234567 true
0800 FLOWERS: +448003569377 true | +440800 false"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
