#!/usr/bin/env bash
# Did you mean somebody else?
#
# Guess: a library that mends misspelt addresses leaves those of real providers alone, or knows at least the large ones:
# gmial.com becomes gmail.com, and proton.me stays.
# What happens: what is near to one of its 30 domains is bent to it, and what is near to another ending gets that.
# proton.me becomes proton.de, libero.it live.it, wp.pl wp.nl, hey.com sky.com.
# Seen: 2026-11-29, mailcheck 1.1.1, Node 20.20.2.
# Why it matters here: a family that presses "yes" gets no letter, and a stranger may get the link to its booking. An
# address has to be repeated as it was written, in the answer and on the page, instead of being mended.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error mailcheck@1.1.1 >/dev/null
cat >try.mjs <<'JS'
import Mailcheck from "mailcheck"

for (const domain of ["gmial.com", "gmail.com", "gmx.at", "proton.me", "libero.it", "wp.pl", "hey.com", "email.de"])
  console.log(`${domain}: ${Mailcheck.run({ email: `iris@${domain}` })?.domain ?? "as it is"}`)
JS
seen="$(node try.mjs)"
echo "$seen"
expected="gmial.com: gmail.com
gmail.com: as it is
gmx.at: as it is
proton.me: proton.de
libero.it: live.it
wp.pl: wp.nl
hey.com: sky.com
email.de: mail.de"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
