#!/usr/bin/env bash
# "Either this field or that" is dropped without a word when a schema becomes Zod.
#
# Guess: what z.fromJSONSchema can't express it refuses, as it does for "if", "then" and "dependentRequired". An object
# with properties and "anyOf" of two "required" lists therefore either demands one of the two or throws.
# What happens: "anyOf" beside "properties" is passed over. {} is valid, while ajv says that it isn't.
# Seen: 2026-11-28, zod 4.6.7, ajv 8.20.0, Node 20.20.2.
# Why it matters here: get_booking takes an id, or a reference with an e-mail address, which a schema would say so. A host that turns tools' schemas
# into Zod sends a call with neither and has no error of its own to show, so the server's has to name both ways.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund zod@4.6.7 ajv@8.20.0
cat >try.cjs <<'JS'
const { z } = require("zod")
const Ajv = require("ajv/dist/2020")
const properties = { booking_id: { type: "string" }, reference: { type: "string" } }
const either = { type: "object", properties, anyOf: [{ required: ["booking_id"] }, { required: ["reference"] }] }
console.log("ajv:", new Ajv({ strictRequired: false }).validate(either, {}))
console.log("zod:", z.fromJSONSchema(either).safeParse({}).success)
try {
  z.fromJSONSchema({ type: "object", properties, dependentRequired: { reference: ["booking_id"] } })
} catch {
  console.log("zod refuses dependentRequired")
}
JS
seen="$(node try.cjs)"
echo "$seen"
[ "$seen" = "ajv: false
zod: true
zod refuses dependentRequired" ] || { echo "This has changed." >&2; exit 1; }
