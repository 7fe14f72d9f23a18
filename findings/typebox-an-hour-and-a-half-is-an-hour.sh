#!/usr/bin/env bash
# A visit of 1.5 hours is one of 1 hour, and the check has nothing to say.
#
# Guess: Value.Parse refuses 1.5 where the schema has an integer, as Value.Check does. It makes the number 2 of the text
# "2", perhaps; where something would be lost, it leaves the value to the check.
# What happens: Parse converts before it checks, and to convert is to cut off what is behind the point: 1.5, "1.5" and
# 1.999 are 1. `true` is 1, too. The newer package, typebox, refuses 1.5 in Value.Parse; its Value.Convert still cuts.
# Seen: 2026-12-01, @sinclair/typebox 0.34.52, typebox 1.4.3, Node 20.20.2.
# Why it matters here: a model that is told "hours" as an integer and is asked for an hour and a half sends 1.5. The
# family gets an hour, and pays for one. Our whole numbers are Schema.Int, which refuses a fraction.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @sinclair/typebox@0.34.52 typebox@1.4.3
cat >try.mjs <<'JS'
import { Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { Type as NewType } from "typebox"
import { Value as NewValue } from "typebox/value"
const tell = (parse) => {
  try {
    return JSON.stringify(parse())
  } catch (error) {
    return "refused"
  }
}
const [old, current] = [Type, NewType].map((type) => type.Object({ hours: type.Integer() }))
for (const hours of [1.5, "1.5", 1.999, true, "1:30"]) {
  console.log(JSON.stringify(hours))
  console.log("  0.34: check", Value.Check(old, { hours }), "parse", tell(() => Value.Parse(old, { hours })))
  console.log("  1.4: parse", tell(() => NewValue.Parse(current, { hours })),
    "convert", tell(() => NewValue.Convert(current, { hours })))
}
JS
seen="$(node try.mjs)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
1.5
  0.34: check false parse {"hours":1}
  1.4: parse refused convert {"hours":1}
"1.5"
  0.34: check false parse {"hours":1}
  1.4: parse refused convert {"hours":1}
1.999
  0.34: check false parse {"hours":1}
  1.4: parse refused convert {"hours":1}
true
  0.34: check false parse {"hours":1}
  1.4: parse refused convert {"hours":1}
"1:30"
  0.34: check false parse refused
  1.4: parse refused convert {"hours":"1:30"}
SEEN
