#!/usr/bin/env bash
# An envelope is addressed to "+44 113 496 0000, allergic to nuts".
#
# Guess: a formatter of addresses writes the parts of an address that it knows, and leaves out the other fields of a
# record, such as a telephone or a note.
# What happens: every field that it doesn't know is written on the first line, where the addressee stands, with commas
# between. A field `name` is written there as well, in one line with the others.
# Seen: 2026-12-01, @fragaria/address-formatter 6.7.1, Node 20.20.2.
# Why it matters here: a record of a family is more than an address. If all of it is handed over, what was told to the
# venue alone is on an envelope, and so is the next column that the table gets. We keep no postal address of families.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @fragaria/address-formatter@6.7.1
cat >try.cjs <<'JS'
const { format } = require("@fragaria/address-formatter")
const place = { houseNumber: "5", road: "High Street", city: "Leeds", postcode: "LS1 1AA", countryCode: "GB" }
const show = (fields) => console.log(format({ ...place, ...fields }).trim().replaceAll("\n", " | "))
show({})
show({ name: "Anna Example" })
show({ name: "Anna Example", telephone: "+44 113 496 0000", note: "allergic to nuts" })
show({ telephone: "+44 113 496 0000", note: "allergic to nuts" })
show({ id: 4711, born: "2019-06-05" })
JS
seen="$(node try.cjs)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
5 High Street | Leeds | LS1 1AA
Anna Example | 5 High Street | Leeds | LS1 1AA
Anna Example, +44 113 496 0000, allergic to nuts | 5 High Street | Leeds | LS1 1AA
+44 113 496 0000, allergic to nuts | 5 High Street | Leeds | LS1 1AA
4711, 2019-06-05 | 5 High Street | Leeds | LS1 1AA
SEEN
