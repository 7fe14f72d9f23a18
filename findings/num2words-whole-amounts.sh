#!/usr/bin/env bash
# Two hundred and forty pounds are two pounds forty in words.
#
# Guess: num2words(240, to="currency", currency="GBP") says what num2words(240.0, …) says. Equal numbers have equal
# words.
# What happens: an int is pence and a float is pounds. 240 is "two pounds sterling, forty pence", 240.0 two hundred and
# forty. In Japanese, 1500 is one thousand five hundred yen either way.
# Seen: 2026-11-29, python3-num2words 0.5.10-2 (Debian 12), Python 3.11.
# Why it matters here: receipts in some countries have the sum in words. A sum that is read from JSON or a sheet is an
# int when it is round and a float when it isn't, so 12.50 is right and 240 a hundred times too small.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download python3-num2words=0.5.10-2 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >try.py <<'PY'
import json
from num2words import num2words

for text in ("12.50", "240.0", "240", "1"):
    print(f"{text}: {num2words(json.loads(text), to='currency', currency='GBP')}")
print(f"1500: {num2words(1500, to='currency', currency='JPY', lang='ja')}")
PY
seen="$(PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 try.py)"
echo "$seen"
expected="12.50: twelve pounds sterling, fifty pence
240.0: two hundred and forty pounds sterling, zero pence
240: two pounds sterling, forty pence
1: zero pounds sterling, one penny
1500: 千五百円"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
