#!/usr/bin/env bash
# A mother's address is invalid with one provider's hidden address, and valid with another's.
#
# Guess: a list of mailboxes that are thrown away after ten minutes has neither the addresses by which providers hide a
# customer's own, and which pass letters on for years, nor those of ordinary mailboxes.
# What happens: Firefox's, DuckDuckGo's and Proton's hidden addresses are on it, and Apple's is not. keemail.me, an
# ordinary mailbox of Tuta's, is on it, while its sister tuta.io is not. disposable-email-domains has none of these.
# Seen: 2026-11-29, mailchecker 6.0.21, disposable-email-domains 1.0.62, Node 20.20.2.
# Why it matters here: forms refuse such addresses, so a family can book at one venue's page and not at another's, and
# nobody tells it why. An address is proved by a letter that arrives. We keep no list of domains.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error mailchecker@6.0.21 disposable-email-domains@1.0.62 >/dev/null
cat >try.cjs <<'JS'
const disposable = require("disposable-email-domains")
const { isValid } = require("mailchecker")
const domains = ["privaterelay.appleid.com", "mozmail.com", "duck.com", "passmail.net", "tuta.io", "keemail.me"]
for (const domain of domains) {
  const listed = disposable.includes(domain) ? "listed" : "not listed"
  console.log(`${domain}: mailchecker ${isValid(`anna@${domain}`)}, disposable-email-domains ${listed}`)
}
JS
seen="$(node try.cjs)"
echo "$seen"
expected='privaterelay.appleid.com: mailchecker true, disposable-email-domains not listed
mozmail.com: mailchecker false, disposable-email-domains not listed
duck.com: mailchecker false, disposable-email-domains not listed
passmail.net: mailchecker false, disposable-email-domains not listed
tuta.io: mailchecker true, disposable-email-domains not listed
keemail.me: mailchecker false, disposable-email-domains not listed'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
