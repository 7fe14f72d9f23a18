#!/usr/bin/env bash
# A party in the calendar leaves its time free.
#
# Guess: a file for a calendar made of title, start and end says nothing of TRANSP, or OPAQUE, which is the default (RFC
# 5545, 3.8.2.7): the time is taken.
# What happens: datebook writes TRANSP:TRANSPARENT into every event, and no option of the event says otherwise. Another
# TRANSP can only be added below it.
# Seen: 2026-11-29, datebook 8.0.1 read by node-ical 0.27.2, Node 20.20.2.
# Why it matters here: a venue whose other booking page hands out such files has its parties in its calendar as free
# time. A feed of that calendar closes nothing, as the standard wants it, and the room is sold again.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error datebook@8.0.1 node-ical@0.27.2 >/dev/null
cat >try.mjs <<'JS'
import { ICalendar } from "datebook"
import ical from "node-ical"

const party = { title: "Party", start: new Date("2027-06-05T13:00:00Z"), end: new Date("2027-06-05T15:00:00Z") }
const text = new ICalendar(party).render()
console.log(text.split("\n").filter((line) => /^(DTSTART|TRANSP)/.test(line)).sort().join(", "))
const event = Object.values(ical.sync.parseICS(text)).find(({ type }) => type === "VEVENT")
console.log(`read as ${event.transparency}`)
JS
seen="$(node try.mjs)"
echo "$seen"
expected="DTSTART:20270605T130000Z, TRANSP:TRANSPARENT
read as TRANSPARENT"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
