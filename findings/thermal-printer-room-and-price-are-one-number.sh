#!/usr/bin/env bash
# A party in room 2 for 249.00 costs 2249.00.
#
# Guess: a line of a receipt with a text on the left and a price on the right keeps a space between them. A text that is
# too long is cut, or goes on in the next line.
# What happens: nothing is cut and no space is kept. Where both fill the line or are longer, the price follows the
# text's last sign at once. One sign less, and the line is right.
# Seen: 2026-11-30, node-thermal-printer 4.6.1, Node 20.20.2.
# Why it matters here: a room, an age or a count of children often ends the name of what is sold, so the receipt tells
# another price than the one paid. The trial with a short name is fine.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error node-thermal-printer@4.6.1 >/dev/null
cat >try.cjs <<'JS'
const { ThermalPrinter, PrinterTypes } = require("node-thermal-printer")

// 32 signs are a line on paper of 58 mm. Nothing is sent to the address: the receipt is only read back.
const printer = new ThermalPrinter({ type: PrinterTypes.EPSON, interface: "tcp://printer.example", width: 32 })
printer.leftRight("Party in room 2", "249.00")
printer.leftRight("Party, 8 children, room 2", "249.00")
printer.leftRight("Party, 10 children, room 2", "249.00")
printer.leftRight("Party for 10 children, room 2", "249.00")
process.stdout.write(printer.getText())
JS
seen="$(node try.cjs)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
Party in room 2           249.00
Party, 8 children, room 2 249.00
Party, 10 children, room 2249.00
Party for 10 children, room 2249.00
SEEN
