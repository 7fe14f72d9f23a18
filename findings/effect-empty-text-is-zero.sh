#!/usr/bin/env bash
# An empty text is the number zero, unless it is a setting.
#
# Guess: Schema.FiniteFromString refuses a text without a digit: its name, and what Config.Finite says of such a text
# ("a string representing a finite number"), are the same.
# What happens: it is what JavaScript's Number makes of the text. Empty or blank is 0, "0x10" is 16, and a check for
# whole numbers or a minimum of 0 passes all of them. Config.Finite refuses each. Schema.isStringFinite before it does,
# too.
# Seen: 2026-11-29, effect 4.1.0, Node 20.20.2.
# Why it matters here: an empty Retry-After of a gateway was "at once", where an unreadable one is no advice at all; an
# empty amount in a form would be a price of nothing. Texts that others write are checked before they become numbers.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund effect@4.1.0
cat >try.mjs <<'JS'
import { Config, ConfigProvider, Effect, Option, Schema } from "effect"

const number = Schema.FiniteFromString.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(0))
const checked = Schema.String.check(Schema.isStringFinite()).pipe(Schema.decodeTo(number))
const told = Option.getOrElse(() => "refused")
for (const text of ["12", "", " ", "0x10"]) {
  const [schema, checkedSchema] = [number, checked].map((of) => told(Schema.decodeUnknownOption(of)(text)))
  const config = Config.Finite("X").parse(ConfigProvider.fromEnv({ env: { X: text } }))
  const setting = told(Effect.runSync(Effect.option(config)))
  console.log(`${JSON.stringify(text)}: Schema ${schema}, Config ${setting}, Schema with a check ${checkedSchema}`)
}
JS
seen="$(node try.mjs)"
echo "$seen"
expected='"12": Schema 12, Config 12, Schema with a check 12
"": Schema 0, Config refused, Schema with a check refused
" ": Schema 0, Config refused, Schema with a check refused
"0x10": Schema 16, Config refused, Schema with a check refused'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
