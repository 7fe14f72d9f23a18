#!/usr/bin/env bash
# What is paid on New Year's Eve was entered a year before, and what is entered on New Year's Eve is a year late.
#
# Guess: MT940 gives a line's value date with a year, 261231, and its entry date without one, 0102. A reader takes the
# year in which the two are close: 2 January 2027.
# What happens: both readers take the year of the value date: 2 January 2026. A line that is entered on 31 December with
# the value of 4 January has its entry at the end of 2027.
# Seen: 2026-11-30, mt940js 1.3.5, @centrapay/swift-parser 1.0.1, Node 20.20.2.
# Why it matters here: venues compare a month's payouts with their bank's statement. By entry date, the payouts round
# New Year are in another year's books, though all other days agree. Our accounts read no statements, and each of their
# dates has its year.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export TZ=UTC
npm init -y >/dev/null
npm install --no-audit --no-fund --silent mt940js@1.3.5 @centrapay/swift-parser@1.0.1
cat >try.cjs <<'JS'
const { Parser } = require("mt940js")
const swift = require("@centrapay/swift-parser")

const statement = `:20:STATEMENT
:25:37040044/532013000
:28C:00001/001
:60F:C261231EUR1000,00
:61:2612310102C90,00NTRFNONREF//A1
:86:Payout
:61:2701040104C70,00NTRFNONREF//A2
:86:Payout
:61:2701041231C50,00NTRFNONREF//A3
:86:Payout
:62F:C270104EUR1210,00
-
`
const show = (reader, [{ transactions }]) => {
  for (const { amount, date, entryDate } of transactions) {
    const [value, entry] = [date, entryDate].map((day) => day.toISOString().slice(0, 10))
    console.log(`${reader}: ${amount} of ${value}, entered ${entry}`)
  }
}
show("mt940js", new Parser().parse(statement))
show("swift-parser", swift.parse({ type: "mt940", data: statement }))
JS
seen="$(node try.cjs)"
echo "$seen"
expected='mt940js: 90 of 2026-12-31, entered 2026-01-02
mt940js: 70 of 2027-01-04, entered 2027-01-04
mt940js: 50 of 2027-01-04, entered 2027-12-31
swift-parser: 90 of 2026-12-31, entered 2026-01-02
swift-parser: 70 of 2027-01-04, entered 2027-01-04
swift-parser: 50 of 2027-01-04, entered 2027-12-31'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
