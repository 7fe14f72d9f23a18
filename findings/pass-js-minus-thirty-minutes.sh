#!/usr/bin/env bash
# A pass for the phone's wallet begins at 10:30-04:-30.
#
# Guess: a library for passes writes a time with its machine's offset, and half hours as half hours: +05:30 in India,
# -03:30 in Newfoundland.
# What happens: India is right. Newfoundland's three and a half hours are rounded away from zero to four, and the rest
# is minus thirty minutes: -04:-30. Neither JavaScript's reader of dates nor the library's own takes that. In summer, at
# -02:30, it is -03:-30.
# Seen: 2026-11-30, @walletpass/pass-js 6.9.8, Node 20.20.2.
# Why it matters here: a ticket for a visit shows itself on the phone when its time has come, if the phone can read it.
# Whoever tries in Europe, India or New York sees it work. We make no passes, and the times that we give with an offset
# come from the playroom's zone.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @walletpass/pass-js@6.9.8
cat >try.cjs <<'JS'
const { Template } = require("@walletpass/pass-js")
const { getDateFromW3CString } = require("@walletpass/pass-js/dist/lib/w3cdate.js")

const template = new Template("eventTicket", {
  passTypeIdentifier: "pass.com.example",
  teamIdentifier: "EXAMPLE",
  organizationName: "Playroom",
  description: "A visit"
})
const written = (date) => {
  const pass = template.createPass({ serialNumber: "1" })
  pass.relevantDate = date
  return JSON.parse(JSON.stringify(pass)).relevantDate
}
const own = (text) => {
  try {
    return getDateFromW3CString(text).toISOString().slice(0, 16)
  } catch {
    return "refused"
  }
}
for (const day of ["2027-01-09", "2027-06-05"]) {
  const text = written(new Date(`${day}T14:00:00Z`))
  const read = Date.parse(text)
  const told = Number.isNaN(read) ? "no date" : new Date(read).toISOString().slice(0, 16)
  console.log(`${process.env.TZ}: ${text} is ${told} to JavaScript, ${own(text)} to the library`)
}
JS
seen="$(for zone in Asia/Kolkata Europe/Berlin America/New_York America/St_Johns; do TZ="$zone" node try.cjs; done)"
echo "$seen"
expected='Asia/Kolkata: 2027-01-09T19:30+05:30 is 2027-01-09T14:00 to JavaScript, 2027-01-09T14:00 to the library
Asia/Kolkata: 2027-06-05T19:30+05:30 is 2027-06-05T14:00 to JavaScript, 2027-06-05T14:00 to the library
Europe/Berlin: 2027-01-09T15:00+01:00 is 2027-01-09T14:00 to JavaScript, 2027-01-09T14:00 to the library
Europe/Berlin: 2027-06-05T16:00+02:00 is 2027-06-05T14:00 to JavaScript, 2027-06-05T14:00 to the library
America/New_York: 2027-01-09T09:00-05:00 is 2027-01-09T14:00 to JavaScript, 2027-01-09T14:00 to the library
America/New_York: 2027-06-05T10:00-04:00 is 2027-06-05T14:00 to JavaScript, 2027-06-05T14:00 to the library
America/St_Johns: 2027-01-09T10:30-04:-30 is no date to JavaScript, refused to the library
America/St_Johns: 2027-06-05T11:30-03:-30 is no date to JavaScript, refused to the library'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
