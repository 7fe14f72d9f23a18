#!/usr/bin/env bash
# Anna Ma has no family name, and Van Nguyen no first name.
#
# Guess: a parser of names may fail at particles and titles; two words of a few letters are a first and a family name.
# What happens: humanparser takes "Ma" at the end for a degree and "V" for "the fifth", and leaves the family name
# empty, as of somebody with one name. At the beginning, "Ma Lee", it is a name. parse-full-name has both right, and
# takes "Van" for a particle: Van Nguyen is a family name of two words, without a first.
# Seen: 2026-11-29, humanparser 2.7.0, parse-full-name 1.2.7, Node 20.20.2.
# Why it matters here: Ma, Van and V are names, too. A letter to "Dear Ma" or to nobody is what comes of splitting. A
# contact has one name, as it was given, and no list of ours is sorted by a part of it.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund humanparser@2.7.0 parse-full-name@1.2.7
cat >try.cjs <<'JS'
const { parseName } = require("humanparser")
const { parseFullName } = require("parse-full-name")
for (const name of ["Anna Lee", "Anna Ma", "Anna V", "Ma Lee", "Van Nguyen"]) {
  const [one, other] = [parseName(name), parseFullName(name)]
  const told = (first, last, suffix) => `first "${first}", last "${last}", suffix "${suffix}"`
  const texts = [told(one.firstName, one.lastName, one.suffix ?? ""), told(other.first, other.last, other.suffix)]
  console.log(`${name}: ${texts.join(" | ")}`)
}
JS
seen="$(node try.cjs)"
echo "$seen"
expected='Anna Lee: first "Anna", last "Lee", suffix "" | first "Anna", last "Lee", suffix ""
Anna Ma: first "Anna", last "", suffix "Ma" | first "Anna", last "Ma", suffix ""
Anna V: first "Anna", last "", suffix "V" | first "Anna", last "V", suffix ""
Ma Lee: first "Ma", last "Lee", suffix "" | first "Ma", last "Lee", suffix ""
Van Nguyen: first "Van", last "Nguyen", suffix "" | first "", last "Van Nguyen", suffix ""'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
