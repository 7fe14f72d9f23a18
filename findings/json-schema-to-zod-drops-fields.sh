#!/usr/bin/env bash
# A field that a schema allows is gone after a check by the Zod that was made from it.
#
# Guess: an object's schema without "additionalProperties" takes further fields, so a value that has one comes back whole.
# z.fromJSONSchema and zod-from-json-schema keep it.
# What happens: json-schema-to-zod writes z.object, whose parse takes every unknown field away and says that all is well.
# Seen: 2026-11-28, json-schema-to-zod 2.8.1, zod 4.6.7, zod-from-json-schema 0.5.6, Node 20.20.2.
# Why it matters here: agent frameworks read structured answers through such a conversion. A field that an output schema
# leaves out, though it allows it, is not refused but never reaches the model: each field that it is to read has to be
# named there.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund json-schema-to-zod@2.8.1 zod@4.6.7 zod-from-json-schema@0.5.6
cat >try.mjs <<'JS'
import { jsonSchemaToZod } from "json-schema-to-zod"
import { z } from "zod"
import { convertJsonSchemaToZod } from "zod-from-json-schema"
const schema = { type: "object", properties: { price: { type: "string" } } }
const answer = { price: "90.00", tax: "15.00" }
const show = (name, converted) => console.log(`${name}:`, JSON.stringify(converted.parse(answer)))
show("z.fromJSONSchema", z.fromJSONSchema(schema))
show("zod-from-json-schema", convertJsonSchemaToZod(schema))
show("json-schema-to-zod", new Function("z", `return ${jsonSchemaToZod(schema, { module: "none" })}`)(z))
JS
seen="$(node try.mjs)"
echo "$seen"
[ "$seen" = 'z.fromJSONSchema: {"price":"90.00","tax":"15.00"}
zod-from-json-schema: {"price":"90.00","tax":"15.00"}
json-schema-to-zod: {"price":"90.00"}' ] || { echo "This has changed." >&2; exit 1; }
