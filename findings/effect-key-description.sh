#!/usr/bin/env bash
# What a field means is lost in the JSON Schema as soon as the field has a default.
#
# Guess: annotateKey({ description }) describes the field in the JSON Schema, with withDecodingDefaultKey as without.
# What happens: without a default it is there, as allOf with the description. With one it is gone. The document describes
# the encoded side, and the annotation stays on the other.
# Seen: 2026-11-28, effect 4.1.0, Node 24.21.0.
# Why it matters here: the fields that have defaults are those that people leave out without knowing what they mean. Words
# for them have to be kept under an annotation of one's own, and put into the document afterwards.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error node@24.21.0 effect@4.1.0 >/dev/null
cat >try.mjs <<'JS'
import { Effect, Schema } from "effect"

const described = Schema.annotateKey({ description: "How many come." })
for (const [what, field] of [
  ["without a default", Schema.optionalKey(Schema.Int).pipe(described)],
  ["with a default", Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(1)), described)]
]) {
  const { schema } = Schema.toJsonSchemaDocument(Schema.Struct({ guests: field }))
  console.log(`${what}: ${JSON.stringify(schema).includes("How many come.") ? "described" : "no description"}`)
}
JS
seen="$(node_modules/.bin/node try.mjs)"
echo "$seen"
expected="without a default: described
with a default: no description"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
