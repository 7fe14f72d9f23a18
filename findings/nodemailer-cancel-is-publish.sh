#!/usr/bin/env bash
# A cancellation is sent as a publication.
#
# Guess: icalEvent takes the method of the part from the calendar, where METHOD:CANCEL stands, or names none.
# What happens: the part is "text/calendar; method=PUBLISH" unless the caller names the method a second time. RFC 6047,
# 2.4, wants both to be the same.
# Seen: 2026-11-29, nodemailer 10.6.0, Node 20.20.2.
# Why it matters here: a program that goes by the part's header enters the visit that was cancelled, instead of taking
# it away. We attach the entry as a file, without icalEvent.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error nodemailer@10.6.0 >/dev/null
cat >try.mjs <<'JS'
import nodemailer from "nodemailer"

const transport = nodemailer.createTransport({ streamTransport: true, buffer: true })
const times = ["DTSTAMP:20270601T090000Z", "DTSTART:20270605T130000Z"]
const event = ["BEGIN:VEVENT", "UID:a1", ...times, "STATUS:CANCELLED", "END:VEVENT"]
const calendar = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//EXAMPLE//EN", "METHOD:CANCEL", ...event]
const content = [...calendar, "END:VCALENDAR", ""].join("\r\n")
for (const [what, icalEvent] of [
  ["the calendar alone", content],
  ["as content", { content }],
  ["with the method again", { content, method: "CANCEL" }]
]) {
  const letter = { from: "a@example.com", to: "b@example.com", text: "Cancelled", icalEvent }
  const { message } = await transport.sendMail(letter)
  console.log(`${what}: ${/^Content-Type: text\/calendar.*(method=\w+)/m.exec(String(message))[1]}`)
}
JS
seen="$(node try.mjs)"
echo "$seen"
expected="the calendar alone: method=PUBLISH
as content: method=PUBLISH
with the method again: method=CANCEL"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
