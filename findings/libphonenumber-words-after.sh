#!/usr/bin/env bash
# A telephone number with a remark that has a digit is no number.
#
# Guess: "07911 123456 after 6" gives the number, since "Tel. 07911 123456" and "07911 123456 (office)" do: words round a
# number are passed over.
# What happens: nothing is found, nor in "020 7946 0958 / 07700 900123", with two numbers. Words before and behind a number
# are cut off as long as no digit follows them.
# Seen: 2026-11-28, libphonenumber-js 1.13.16, Node 20.20.2.
# Why it matters here: people write just that where a venue asks for a telephone. A form that takes only what the parser
# finds refuses a family with a good number, so what is typed has to be kept, and found again as it was typed.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error libphonenumber-js@1.13.16 >/dev/null
cat >try.mjs <<'JS'
import { parsePhoneNumberFromString } from "libphonenumber-js"

for (const text of ["Tel. 07911 123456", "07911 123456 (office)", "07911 123456 after 6", "020 7946 0958 / 07700 900123"])
  console.log(`${text}: ${parsePhoneNumberFromString(text, "GB")?.number ?? "none"}`)
JS
seen="$(node try.mjs)"
echo "$seen"
expected="Tel. 07911 123456: +447911123456
07911 123456 (office): +447911123456
07911 123456 after 6: none
020 7946 0958 / 07700 900123: none"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
