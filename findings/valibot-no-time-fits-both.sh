#!/usr/bin/env bash
# No start of a visit fits both a schema and the JSON Schema that was made from it.
#
# Guess: toJsonSchema throws for what JSON Schema can't express, as it does for trim(). What it makes of isoDateTime()
# therefore takes what Valibot takes, or a little more.
# What happens: isoDateTime() takes no seconds and no zone, as in "2026-06-05T14:00". It becomes "format": "date-time",
# which demands both (RFC 3339, 5.6), so what fits one never fits the other. isoTime() takes "14:00", and becomes
# "format": "time", of which the same is true.
# Seen: 2026-12-01, valibot 1.5.0, @valibot/to-json-schema 1.8.0, ajv 8.20.0 with ajv-formats 3.0.1, Node 20.20.2.
# Why it matters here: a model reads the JSON Schema of a tool and writes 2026-06-05T14:00:00Z, which the tool refuses;
# a client that checks before it sends refuses what the tool wants. Our tools take date and time apart, by patterns.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund valibot@1.5.0 @valibot/to-json-schema@1.8.0 ajv@8.20.0 ajv-formats@3.0.1
cat >try.cjs <<'JS'
const v = require("valibot")
const { toJsonSchema } = require("@valibot/to-json-schema")
const ajv = new (require("ajv"))()
require("ajv-formats")(ajv)
for (const [action, values] of Object.entries({
  isoDateTime: ["2026-06-05T14:00", "2026-06-05T14:00:00", "2026-06-05T14:00:00Z", "2026-06-05T14:00:00+02:00"],
  isoTime: ["14:00", "14:00:00", "14:00:00Z", "14:00:00+02:00"]
})) {
  const schema = v.pipe(v.string(), v[action]())
  const { $schema, ...jsonSchema } = toJsonSchema(schema)
  console.log(action, JSON.stringify(jsonSchema))
  const fits = ajv.compile(jsonSchema)
  for (const value of values) console.log(`${value}: Valibot ${v.is(schema, value)}, JSON Schema ${fits(value)}`)
}
JS
seen="$(node try.cjs)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
isoDateTime {"type":"string","format":"date-time"}
2026-06-05T14:00: Valibot true, JSON Schema false
2026-06-05T14:00:00: Valibot false, JSON Schema false
2026-06-05T14:00:00Z: Valibot false, JSON Schema true
2026-06-05T14:00:00+02:00: Valibot false, JSON Schema true
isoTime {"type":"string","format":"time"}
14:00: Valibot true, JSON Schema false
14:00:00: Valibot false, JSON Schema false
14:00:00Z: Valibot false, JSON Schema true
14:00:00+02:00: Valibot false, JSON Schema true
SEEN
