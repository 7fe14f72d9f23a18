#!/usr/bin/env bash
# The same message says 20 % in one library and 2,000 % in the other.
#
# Guess: ICU MessageFormat is one format, so {rate, number, ::percent} of 20 is the same text in both of its libraries.
# What happens: @messageformat/core adds the sign and leaves the number, as ICU does; intl-messageformat multiplies by a
# hundred, too. With "scale/100", which asks for that, it multiplies twice. {rate, number, percent}, without the colons,
# is alike in both.
# Seen: 2026-11-29, intl-messageformat 12.1.5, @messageformat/core 3.4.1, Node 20.20.2.
# Why it matters here: a receipt's "includes 20% tax" is wrong by a hundred in texts that were moved from one to the
# other, and both compile. Our own messages are functions that are handed numbers in words.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error intl-messageformat@12.1.5 @messageformat/core@3.4.1 >/dev/null
cat >try.mjs <<'JS'
import MessageFormat from "@messageformat/core"
import { IntlMessageFormat } from "intl-messageformat"

for (const [how, rate] of [["::percent", 20], ["::percent", 0.2], ["::percent scale/100", 0.2], ["percent", 0.2]]) {
  const message = `{rate, number, ${how}}`
  const intl = new IntlMessageFormat(message, "en").format({ rate })
  const core = new MessageFormat("en").compile(message)({ rate })
  console.log(`${message} of ${rate}: ${intl}, ${core}`)
}
JS
seen="$(node try.mjs)"
echo "$seen"
expected='{rate, number, ::percent} of 20: 2,000%, 20%
{rate, number, ::percent} of 0.2: 20%, 0.2%
{rate, number, ::percent scale/100} of 0.2: 2,000%, 20%
{rate, number, percent} of 0.2: 20%, 20%'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
