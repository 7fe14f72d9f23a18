#!/usr/bin/env bash
# Kids Park in Tokyo and Kids Park in Osaka have one web address, /kizzupku.
#
# Guess: a library that makes addresses of names, and says that it writes Chinese and Japanese in Latin letters, writes
# 東京キッズパーク as "toukyou-kizzu-paaku"; or reads 東京 in Chinese, as it does where these two letters stand alone.
# What happens: as soon as one kana is in a name, limax leaves out all its Chinese letters, which in Japanese names are
# the town and often the venue. A long vowel goes as well: パーク is "pku". Two playrooms in two towns have one address.
# Seen: 2026-11-30, limax 4.2.3, Node 20.20.2.
# Why it matters here: Japanese is one of our six languages. An address that is made of a name may be another venue's,
# or is refused as taken. The slugs of our catalogue are the operator's own, and none is made of a name.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent limax@4.2.3
cat >try.mjs <<'JS'
import limax from "limax"

const names = ["東京", "東京遊園", "東京キッズパーク", "大阪キッズパーク", "京都の遊び場", "あそびば"]
for (const name of names) console.log(name, limax(name, { tone: false }))
JS
seen="$(node try.mjs)"
printf '%s\n' "$seen"
expected="東京 dong-jing
東京遊園 dong-jing-you-yuan
東京キッズパーク kizzupku
大阪キッズパーク kizzupku
京都の遊び場 nobi
あそびば asobiba"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
