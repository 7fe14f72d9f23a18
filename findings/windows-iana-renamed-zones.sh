#!/usr/bin/env bash
# Some zones have a Windows name only under the spelling that they had years ago, others under both.
#
# Guess: findWindows knows each zone by its present name: Europe/Kyiv is "FLE Standard Time", as Asia/Kolkata is "India
# Standard Time".
# What happens: Kolkata and Calcutta are both found. Kyiv is not, Kiev is. Ciudad_Juarez and Kanton are not found by any
# name. The list is CLDR's, whose keys stay as they were, with some of the new names added by hand.
# Seen: 2026-11-28, windows-iana 5.1.0, Node 20.20.2.
# Why it matters here: whoever writes calendars for Outlook from IANA's names has a hole for a capital, and a test with
# Kolkata does not show it.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error windows-iana@5.1.0 >/dev/null
cat >try.mjs <<'JS'
import { findWindows } from "windows-iana"

for (const zone of ["Asia/Kolkata", "Asia/Calcutta", "Europe/Kyiv", "Europe/Kiev", "America/Ciudad_Juarez", "Pacific/Kanton"])
  console.log(`${zone}: ${[findWindows(zone)].flat().join() || "none"}`)
JS
seen="$(node try.mjs)"
echo "$seen"
expected="Asia/Kolkata: India Standard Time
Asia/Calcutta: India Standard Time
Europe/Kyiv: none
Europe/Kiev: FLE Standard Time
America/Ciudad_Juarez: none
Pacific/Kanton: none"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
