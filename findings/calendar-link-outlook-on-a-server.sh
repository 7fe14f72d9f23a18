#!/usr/bin/env bash
# The link for Google's calendar says two o'clock, the one for Outlook says one.
#
# Guess: both links of one event name one instant, since its start has an offset: 13:00Z, or 14:00+01:00. The library's
# own advice is to pass times in UTC, so that Outlook's link is right.
# What happens: Outlook's link has the clock of the process, without Z and without an offset: a time by whatever clock
# its reader has. On a server in UTC it says 13:00, in New York 09:00. Passing UTC changes nothing.
# Seen: 2026-11-29, calendar-link 2.11.5, Node 20.20.2.
# Why it matters here: such links are put into letters, which servers write. In London they are right all winter. An
# entry as a file, with times in UTC, is read alike by both.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error calendar-link@2.11.5 >/dev/null
cat >try.cjs <<'JS'
const { google, outlook } = require("calendar-link")
const party = { title: "Party", start: "2027-06-05T13:00:00Z", end: "2027-06-05T15:00:00Z" }
const dates = new URL(google(party)).searchParams.get("dates")
console.log(`Google ${dates.split("/")[0]}, Outlook ${new URL(outlook(party)).searchParams.get("startdt")}`)
JS
seen="$(for zone in UTC America/New_York Europe/London; do echo "$zone: $(TZ=$zone node try.cjs)"; done)"
echo "$seen"
expected="UTC: Google 20270605T130000Z, Outlook 2027-06-05T13:00:00
America/New_York: Google 20270605T130000Z, Outlook 2027-06-05T09:00:00
Europe/London: Google 20270605T130000Z, Outlook 2027-06-05T14:00:00"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
