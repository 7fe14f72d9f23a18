#!/usr/bin/env bash
# The 5th of June in Polish is the 5th of the month in which it is typed.
#
# Guess: a date picker that has Polish takes "5 czerwca 2027", which is how Poles write that date, or empties the field.
# What happens: it knows the month's name as it stands alone, "czerwiec", and passes over the part that it can't read.
# The month is then today's: typed in February it is 5 February 2027, in November 5 November. Czech, Ukrainian and
# Finnish dates go the same way. German ones, where the name stays as it is, are right.
# Seen: 2026-11-30, vanillajs-datepicker 1.3.4, happy-dom 20.14.6, Node 20.20.2.
# Why it matters here: our Polish pages and letters say "sobota, 5 czerwca 2027". Whoever types that day into such a
# field has a valid day in another month, and in June all is well. Our own fields for days are the browser's
# (`type="date"`), and they send the same in all languages.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund vanillajs-datepicker@1.3.4 happy-dom@20.14.6
cat >try.mjs <<'JS'
import { Window } from "happy-dom"

const window = new Window()
for (const name of ["document", "CustomEvent", "EventTarget", "ShadowRoot"]) globalThis[name] = window[name]
globalThis.window = window
const { default: Datepicker } = await import("vanillajs-datepicker/Datepicker")

const RealDate = Date
const typedIn = async (today, language, format, text) => {
  globalThis.Date = class extends RealDate {
    constructor(...of) {
      super(...(of.length === 0 ? [today] : of))
    }
  }
  Object.assign(Datepicker.locales, (await import(`vanillajs-datepicker/locales/${language}`)).default)
  const input = window.document.createElement("input")
  window.document.body.append(input)
  const picker = new Datepicker(input, { language, format })
  input.value = text
  picker.update() // what Enter does
  return picker.getDate("yyyy-mm-dd")
}
for (const [language, format, text] of [
  ["pl", "d MM yyyy", "5 czerwca 2027"],
  ["pl", "d MM yyyy", "5 czerwiec 2027"],
  ["cs", "d. MM yyyy", "5. června 2027"],
  ["uk", "d MM yyyy", "5 червня 2027"],
  ["fi", "d. MM yyyy", "5. kesäkuuta 2027"],
  ["de", "d. MM yyyy", "5. Juni 2027"]
]) {
  const days = []
  for (const today of ["2027-02-03T12:00", "2027-11-03T12:00"]) days.push(await typedIn(today, language, format, text))
  console.log(`${text}: in February ${days[0]}, in November ${days[1]}`)
}
await window.happyDOM.close()
JS
seen="$(TZ=UTC node try.mjs)"
echo "$seen"
[ "$seen" = "5 czerwca 2027: in February 2027-02-05, in November 2027-11-05
5 czerwiec 2027: in February 2027-06-05, in November 2027-06-05
5. června 2027: in February 2027-02-05, in November 2027-11-05
5 червня 2027: in February 2027-02-05, in November 2027-11-05
5. kesäkuuta 2027: in February 2027-02-05, in November 2027-11-05
5. Juni 2027: in February 2027-06-05, in November 2027-06-05" ] || { echo "This has changed." >&2; exit 1; }
