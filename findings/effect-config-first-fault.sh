#!/usr/bin/env bash
# Of several settings that are wrong, only the first is told.
#
# Guess: Config.all and Config.schema read all settings and report all faults at once, as Schema can.
# What happens: both end at the first fault. The schema behind Config.schema is decoded without errors: "all", and no
# option asks for it. The same schema decoded by hand tells both.
# Seen: 2026-11-28, effect 4.1.0, Node 24.21.0.
# Why it matters here: whoever sets up a service mends one variable, starts it again, and meets the next one.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error node@24.21.0 effect@4.1.0 >/dev/null
cat >try.mjs <<'JS'
import { Config, ConfigProvider, Effect, Schema } from "effect"

const env = { PORT: "many", SMTP_PORT: "none" }
const names = ["PORT", "SMTP_PORT"]
const told = (effect) =>
  Effect.match(effect, {
    onFailure: (error) => names.filter((name) => String(error.message).includes(`"${name}"`)).join(" and "),
    onSuccess: () => "nothing"
  })
const provider = ConfigProvider.fromEnv({ env })
const ports = Schema.Struct({ PORT: Schema.FiniteFromString, SMTP_PORT: Schema.FiniteFromString })
for (const [what, effect] of [
  ["Config.all", Config.all(names.map((name) => Config.schema(Schema.FiniteFromString, name))).parse(provider)],
  ["Config.schema", Config.schema(ports).parse(provider)],
  ["by hand", Schema.decodeUnknownEffect(ports)(env, { errors: "all" })]
])
  console.log(`${what} tells ${await Effect.runPromise(told(effect))}`)
JS
seen="$(node_modules/.bin/node try.mjs)"
echo "$seen"
expected="Config.all tells PORT
Config.schema tells PORT
by hand tells PORT and SMTP_PORT"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
