#!/usr/bin/env bash
# Every address in Tokyo is in all of Tokyo, and every one in Hokkaido in all of Hokkaido.
#
# Guess: a library that orders the parts of an address by country writes all parts that it is given, Japan's from the
# largest to the smallest.
# What happens: it leaves out the city or ward of a Japanese address, in Japanese and in Latin letters. Its form for
# Japan has a prefecture and lines, and no city. Korea, Britain and France keep theirs. @fragaria/address-formatter
# keeps the Japanese one, too.
# Seen: 2026-11-30, localized-address-format 1.3.3, @fragaria/address-formatter 6.7.1, Node 20.20.2.
# Why it matters here: a shop's form asks a Japanese family for its ward, and the label of a posted voucher lacks it.
# What is left looks whole, and the postcode may still find the street. A playroom's address is one text in our
# catalogue: we show it as the venue wrote it.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent localized-address-format@1.3.3 @fragaria/address-formatter@6.7.1
cat >try.cjs <<'JS'
const { formatAddress } = require("localized-address-format")
const fragaria = require("@fragaria/address-formatter")

for (const [country, state, city, postcode, street] of [
  ["JP", "東京都", "渋谷区", "150-0001", "神宮前1-2-3"],
  ["JP", "北海道", "札幌市", "060-0001", "北一条西1-2-3"],
  ["KR", "서울특별시", "종로구", "03000", "세종대로 1"],
  ["GB", "", "London", "SW4 7AA", "1 High Street"],
  ["FR", "", "Paris", "75001", "1 rue du Parc"]
]) {
  const parts = {
    postalCountry: country,
    administrativeArea: state,
    locality: city,
    postalCode: postcode,
    addressLines: [street]
  }
  const other = fragaria.format({ road: street, city, state, postcode, countryCode: country })
  const kept = (text) => (text.includes(city) ? "has" : "lacks")
  for (const letters of ["local", "latin"]) {
    const text = formatAddress(parts, letters).join(" / ")
    console.log(`${country}, ${letters}: ${text} (${kept(text)} ${city}; the other ${kept(other)} it)`)
  }
}
JS
seen="$(node try.cjs)"
echo "$seen"
expected='JP, local: 〒150-0001 / 東京都 / 神宮前1-2-3 (lacks 渋谷区; the other has it)
JP, latin: 神宮前1-2-3, 東京都 / 150-0001 (lacks 渋谷区; the other has it)
JP, local: 〒060-0001 / 北海道 / 北一条西1-2-3 (lacks 札幌市; the other has it)
JP, latin: 北一条西1-2-3, 北海道 / 060-0001 (lacks 札幌市; the other has it)
KR, local: 서울특별시 종로구 / 세종대로 1 / 03000 (has 종로구; the other has it)
KR, latin: 세종대로 1 / 종로구 / 서울특별시 / 03000 (has 종로구; the other has it)
GB, local: 1 High Street / London / SW4 7AA (has London; the other has it)
GB, latin: 1 High Street / London / SW4 7AA (has London; the other has it)
FR, local: 1 rue du Parc / 75001 Paris (has Paris; the other has it)
FR, latin: 1 rue du Parc / 75001 Paris (has Paris; the other has it)'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
