#!/usr/bin/env bash
# "1.5 hours" has no Polish text, though all of the translator's three forms were brought over.
#
# Guess: i18next-conv is i18next's own converter from gettext. Where a text has all forms that gettext has for its
# language, i18next has a form for each number.
# What happens: gettext has three forms for Polish. i18next has four: one, few, many, and "other" for fractions. The
# converter makes three of three, so for 1.5 the page shows the key. Nothing warns. Without `--compatibilityJSON v4` no
# number has a text in Polish.
# Seen: 2026-12-01, i18next-conv 16.0.0, i18next 26.7.2, Node 20.20.2.
# Why it matters here: visits of an hour and a half are common, and a test with 1, 2 and 5 passes. Our texts in Polish
# have the form "other".
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund i18next-conv@16.0.0 i18next@26.7.2
cat >pl.po <<'PO'
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Language: pl\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);\n"

msgid "duration"
msgid_plural "durations"
msgstr[0] "{{count}} godzina"
msgstr[1] "{{count}} godziny"
msgstr[2] "{{count}} godzin"
PO
npx i18next-conv --compatibilityJSON v4 -l pl -s pl.po -t v4.json >/dev/null
npx i18next-conv -l pl -s pl.po -t plain.json >/dev/null
cat >try.cjs <<'JS'
const i18next = require("i18next")
for (const file of ["v4", "plain"]) {
  const translation = require(`./${file}.json`)
  const texts = i18next.createInstance()
  texts.init({ lng: "pl", initAsync: false, showSupportNotice: false, resources: { pl: { translation } } })
  console.log(file, Object.keys(translation).join())
  for (const count of [1, 2, 5, 1.5]) console.log(`  ${count}: ${texts.t("duration", { count })}`)
}
JS
seen="$(node try.cjs)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
v4 duration_one,duration_few,duration_many
  1: 1 godzina
  2: 2 godziny
  5: 5 godzin
  1.5: duration
plain duration_0,duration_1,duration_2
  1: duration
  2: duration
  5: duration
  1.5: duration
SEEN
