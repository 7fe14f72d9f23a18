#!/usr/bin/env bash
# A column "price incl. tax" is a column "price incl" with a column " tax" within it.
#
# Guess: a heading is a name, so each row has a "price incl. tax" and a "child no. 2".
# What happens: both readers take a point in a heading for a step inwards. Both make a list of six of "child 1.5", with
# the value at its end. json-2-csv makes a list with a member " 2" of "child no. 2", which JSON leaves out: the value is
# gone. csvtojson keeps headings with `flatKeys`; for json-2-csv, the file has to have "\." in its heading.
# Seen: 2026-11-30, csvtojson 2.0.14, json-2-csv 5.6.0, Node 20.20.2.
# Why it matters here: the headings of our spreadsheets for a catalogue have points, such as "tax.included". A script
# that reads them so finds nothing under that name. Our own import takes them apart itself, with csv-parse, and the
# headings of monthly accounts have none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent csvtojson@2.0.14 json-2-csv@5.6.0
cat >try.cjs <<'JS'
const csvtojson = require("csvtojson")
const { csv2json } = require("json-2-csv")

const columns = [["price incl. tax", 20], ["child no. 2", 8], ["child 1.5", 8], ["tax.included", "yes"]]
const main = async () => {
  for (const [heading, value] of columns) {
    const list = `room,${heading}\nBlue,${value}`
    console.log(heading)
    console.log(`  csvtojson: ${JSON.stringify((await csvtojson().fromString(list))[0])}`)
    console.log(`  json-2-csv: ${JSON.stringify(csv2json(list)[0])}`)
  }
  const [kept] = await csvtojson({ flatKeys: true }).fromString("room,price incl. tax\nBlue,20")
  console.log(`flatKeys: ${JSON.stringify(kept)}`)
}
main()
JS
seen="$(node try.cjs)"
echo "$seen"
expected='price incl. tax
  csvtojson: {"room":"Blue","price incl":{" tax":"20"}}
  json-2-csv: {"room":"Blue","price incl":{" tax":20}}
child no. 2
  csvtojson: {"room":"Blue","child no":{" 2":"8"}}
  json-2-csv: {"room":"Blue","child no":[]}
child 1.5
  csvtojson: {"room":"Blue","child 1":[null,null,null,null,null,"8"]}
  json-2-csv: {"room":"Blue","child 1":[null,null,null,null,null,8]}
tax.included
  csvtojson: {"room":"Blue","tax":{"included":"yes"}}
  json-2-csv: {"room":"Blue","tax":{"included":"yes"}}
flatKeys: {"room":"Blue","price incl. tax":"20"}'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
