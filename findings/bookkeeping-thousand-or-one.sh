#!/usr/bin/env bash
# A thousand euros are one euro, or a thousand, by the program that reads the same book.
#
# Guess: hledger reads what Ledger reads, as its format was made from it. "EUR 1,000" and "EUR 1.500" in one file are a
# thousand and one and a half, or are refused for a sign that may mean both.
# What happens: hledger takes either sign, if it stands alone, for the decimal one: 1, 1.5 and 12.5 are 15 together.
# Ledger takes the comma of the first line for thousands, and that of the last for decimals: 1000, 1.5 and 12.5 are
# 1014. Both say nothing, and print their sums with a comma for the decimals.
# Seen: 2026-11-29, hledger 1.25-2+b5, ledger 3.3.0-3 (Debian 12).
# Why it matters here: what a venue took is exported for such books. An amount has no sign between thousands, and always
# its decimals with a point, so that nobody has to guess: 1000.00.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
boost="libboost-filesystem1.74.0 libboost-iostreams1.74.0 libboost-python1.74.0 libboost-regex1.74.0"
apt-get -qq download hledger=1.25-2+b5 ledger=3.3.0-3 $boost libpython3.11 libgmp10 libmpfr6 libicu72 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
export LD_LIBRARY_PATH="$folder/usr/lib/$(uname -m)-linux-gnu:$folder/usr/lib/ledger"
cat >book.journal <<'BOOK'
2026-12-05 A party
    Bank   EUR 1,000
    Sales

2026-12-06 A visit
    Bank   EUR 1.500
    Sales

2026-12-07 A visit
    Bank   EUR 12,50
    Sales
BOOK
seen="hledger $(usr/bin/hledger -f book.journal balance Bank --no-total | xargs)
ledger $(usr/bin/ledger --init-file /dev/null -f book.journal balance Bank | xargs)"
echo "$seen"
[ "$seen" = "hledger EUR 15,000 Bank
ledger EUR 1.014,000 Bank" ] || { echo "This has changed." >&2; exit 1; }
