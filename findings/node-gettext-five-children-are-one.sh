#!/usr/bin/env bash
# "5 children" is "5 child", because the 5 came from the database.
#
# Guess: the form of a plural goes by the number, whether it comes as a number or in digits, as in Intl.PluralRules; or
# a text is refused.
# What happens: node-gettext takes the first form, the one for 1, of "5" and of any other text, and says nothing. Where
# a translation is missing it is the other way round: the plural for "5", and for "1" as well.
# Seen: 2026-11-30, node-gettext 3.0.1, Node 20.20.2.
# Why it matters here: PostgreSQL's count(*) is a bigint, which Node's drivers give as a text. A form's field is one.
# The page is right before it is translated and wrong afterwards. Our counts for pages are cast to int in SQL, and
# Intl.PluralRules chooses the form.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent node-gettext@3.0.1
cat >try.cjs <<'JS'
const Gettext = require("node-gettext")

const words = { en: ["child", "children"], pl: ["dziecko", "dzieci", "dzieci"] }
const texts = new Gettext({ debug: false })
texts.setTextDomain("play")
for (const [language, msgstr] of Object.entries(words)) {
  const translations = { "": { child: { msgid: "child", msgid_plural: "children", msgstr } } }
  texts.addTranslations(language, "play", { charset: "utf-8", headers: {}, translations })
}
for (const language of ["en", "pl", "none"]) {
  texts.setLocale(language)
  const told = [5, "5", 1, "1"].map((n) => `${JSON.stringify(n)} ${texts.ngettext("child", "children", n)}`)
  console.log(`${language}: ${told.join(", ")}`)
}
console.log("Intl:", [5, "5", 1, "1"].map((n) => new Intl.PluralRules("en").select(n)).join(", "))
JS
seen="$(node try.cjs)"
printf '%s\n' "$seen"
expected='en: 5 children, "5" child, 1 child, "1" child
pl: 5 dzieci, "5" dziecko, 1 dziecko, "1" dziecko
none: 5 children, "5" children, 1 child, "1" children
Intl: other, other, one, one'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
