#!/usr/bin/env bash
# The same 429 is one class of error for /v1/ and another for /v2/.
#
# Guess: a rate limit is a StripeRateLimitError, whichever address was called.
# What happens: for /v2/ it is a RateLimitError, which is no StripeRateLimitError. `instanceof`, and a switch over `type`,
# take it for an error that they do not know.
# Seen: 2026-11-28, stripe 23.1.0, Node 20.20.2.
# Why it matters here: event destinations are of /v2/. A limit there was taken for a refusal for good, and not tried again.
# The status 429 is the same for both.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error stripe@23.1.0 >/dev/null
cat >try.mjs <<'JS'
import { createServer } from "node:http"
import Stripe from "stripe"

const server = createServer((request, response) => {
  request.resume()
  const error = { type: "rate_limit", code: "rate_limit", message: "Too many requests" }
  response.writeHead(429, { "content-type": "application/json" }).end(JSON.stringify({ error }))
})
server.listen(0, "127.0.0.1", async () => {
  const { port } = server.address()
  const options = { host: "127.0.0.1", port, protocol: "http", telemetry: false, maxNetworkRetries: 0 }
  const stripe = new Stripe("sk_test_x", options)
  const calls = {
    v1: () => stripe.accounts.retrieve("acct_1"),
    v2: () => stripe.v2.core.eventDestinations.retrieve("ed_1")
  }
  for (const [version, call] of Object.entries(calls))
    await call().catch((error) => {
      const same = error instanceof Stripe.errors.StripeRateLimitError
      console.log(`${version}: ${error.type}, a StripeRateLimitError: ${same}, status ${error.statusCode}`)
    })
  server.close(() => process.exit())
})
JS
seen="$(node try.mjs)"
echo "$seen"
expected="v1: StripeRateLimitError, a StripeRateLimitError: true, status 429
v2: RateLimitError, a StripeRateLimitError: false, status 429"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
