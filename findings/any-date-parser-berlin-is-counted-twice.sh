#!/usr/bin/env bash
# 14:00:00+02:00 is ten o'clock in UTC, if the server is in Berlin.
#
# Guess: a time with an offset is one instant, 12:00 in UTC, wherever the server stands.
# What happens: the offset is taken off, and what is left counts as a time of the server's zone. In Berlin two hours are
# taken off twice; in New York two are taken off and four put on. It is the same for a time that ends in "Z" or "CEST".
# Only in UTC is it right.
# Seen: 2026-12-01, any-date-parser 2.2.4, Node 20.20.2.
# Why it matters here: a container and a CI are in UTC, so tests pass. On an office's computer each visit is moved.
# Our checks of calendar readers run in several zones.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund any-date-parser@2.2.4
cat >try.cjs <<'JS'
const parser = require("any-date-parser").default
const texts = ["2026-06-05T14:00:00+02:00", "2026-06-05T12:00:00Z", "5 Jun 2026 14:00 CEST", "2026-12-05T13:00:00Z"]
for (const text of texts) console.log(`  ${text}: ${parser.fromString(text).toISOString()}`)
JS
seen="$(for zone in UTC Europe/Berlin America/New_York; do echo "$zone" && TZ="$zone" node try.cjs; done)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
UTC
  2026-06-05T14:00:00+02:00: 2026-06-05T12:00:00.000Z
  2026-06-05T12:00:00Z: 2026-06-05T12:00:00.000Z
  5 Jun 2026 14:00 CEST: 2026-06-05T12:00:00.000Z
  2026-12-05T13:00:00Z: 2026-12-05T13:00:00.000Z
Europe/Berlin
  2026-06-05T14:00:00+02:00: 2026-06-05T10:00:00.000Z
  2026-06-05T12:00:00Z: 2026-06-05T10:00:00.000Z
  5 Jun 2026 14:00 CEST: 2026-06-05T10:00:00.000Z
  2026-12-05T13:00:00Z: 2026-12-05T12:00:00.000Z
America/New_York
  2026-06-05T14:00:00+02:00: 2026-06-05T16:00:00.000Z
  2026-06-05T12:00:00Z: 2026-06-05T16:00:00.000Z
  5 Jun 2026 14:00 CEST: 2026-06-05T16:00:00.000Z
  2026-12-05T13:00:00Z: 2026-12-05T18:00:00.000Z
SEEN
