#!/usr/bin/env bash
# Money for a party with "Annie" and 8 children was paid into an account named ` 8 children"`.
#
# Guess: the command `csv` doubles a quotation mark within a text, as readers of CSV expect it.
# What happens: Ledger puts a backslash before it. A reader takes the quotation mark as the end of the text, so the next
# comma begins a column: the account is a part of the text, the currency is the account, and the amount is EUR. hledger
# writes the same book with doubled marks.
# Seen: 2026-12-01, ledger 3.3.0-3, hledger 1.25-2+b5 (Debian 12), Python 3.11.
# Why it matters here: what a booking is called may have a nickname in quotation marks. One such line has its amount in
# another column than the others, and a sum over the month is short by it. Our list of accounts doubles the marks.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export TZ=UTC LC_ALL=C.UTF-8
boost="libboost-filesystem1.74.0 libboost-iostreams1.74.0 libboost-python1.74.0 libboost-regex1.74.0"
apt-get -qq download hledger=1.25-2+b5 ledger=3.3.0-3 $boost libpython3.11 libgmp10 libmpfr6 libicu72 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
export LD_LIBRARY_PATH="$folder/usr/lib/$(uname -m)-linux-gnu:$folder/usr/lib/ledger"
cat >book.journal <<'BOOK'
2026-12-05 Party for "Annie", 8 children
    Bank    EUR 240.50
    Sales

2026-12-06 Party for Ben, 5 children
    Bank    EUR 90.00
    Sales
BOOK
cat >try.py <<'PY'
import csv, sys
for line in csv.reader(open(sys.argv[1])):
    print([cell for cell in line if cell])
PY
usr/bin/ledger --init-file /dev/null -f book.journal csv Bank >ledger.csv
usr/bin/hledger -f book.journal register Bank -O csv >hledger.csv
seen="$(sed 1q ledger.csv
/usr/bin/python3 try.py ledger.csv
/usr/bin/python3 try.py hledger.csv)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
"2026/12/05","","Party for \"Annie\", 8 children","Bank","EUR","240.5","",""
['2026/12/05', 'Party for \\Annie\\"', ' 8 children"', 'Bank', 'EUR', '240.5']
['2026/12/06', 'Party for Ben, 5 children', 'Bank', 'EUR', '90']
['txnidx', 'date', 'code', 'description', 'account', 'amount', 'total']
['1', '2026-12-05', 'Party for "Annie", 8 children', 'Bank', 'EUR 240.50', 'EUR 240.50']
['2', '2026-12-06', 'Party for Ben, 5 children', 'Bank', 'EUR 90.00', 'EUR 330.50']
SEEN
