#!/usr/bin/env bash
# A date and an hour are somebody's telephone number.
#
# Guess: findPhoneNumbersInText finds valid numbers alone, and passes over dates: it does so for 05/06/2027.
# What happens: "05.06.2027 14:00" is a valid number in Germany, France and Italy, with the hour as its last digits.
# Dates with slashes, and those that begin with the year, are passed over. In Britain all are.
# Seen: 2026-11-29, libphonenumber-js 1.13.16, Node 20.20.2.
# Why it matters here: messages to a venue are made into links to call, or are rid of telephones, that way. The hour of
# the party rings at a stranger's, or is blacked out. A field for notes has to be shown as it was written.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error libphonenumber-js@1.13.16 >/dev/null
cat >try.mjs <<'JS'
import { findPhoneNumbersInText } from "libphonenumber-js/max"

const dates = ["05.06.2027 14:00", "05-06-2027 14:00", "05/06/2027 14:00", "2027-06-05 14:00"]
for (const country of ["DE", "FR", "IT", "GB"])
  for (const text of dates)
    for (const { endsAt, number, startsAt } of findPhoneNumbersInText(text, country))
      console.log(
        `${country}, ${text}: "${text.slice(startsAt, endsAt)}" is ${number.number}, valid ${number.isValid()}`
      )
JS
seen="$(node try.mjs)"
echo "$seen"
expected='DE, 05.06.2027 14:00: "05.06.2027 14" is +49506202714, valid true
DE, 05-06-2027 14:00: "05-06-2027 14" is +49506202714, valid true
FR, 05.06.2027 14:00: "05.06.2027 14" is +33506202714, valid true
FR, 05-06-2027 14:00: "05-06-2027 14" is +33506202714, valid true
IT, 05.06.2027 14:00: "05.06.2027 14" is +390506202714, valid true
IT, 05-06-2027 14:00: "05-06-2027 14" is +390506202714, valid true'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
