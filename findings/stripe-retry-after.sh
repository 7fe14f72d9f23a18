#!/usr/bin/env bash
# The official Stripe client ignores Retry-After.
#
# Guess: a client that retries by itself waits as long as the answer's Retry-After says (4 seconds here).
# What happens: stripe 23.1.0 retries after about half a second, whatever Retry-After says.
# Seen: 2026-11-28, stripe 23.1.0, Node 20.20.2.
# Why it matters here: a provider that asks for a pause gets all its retries inside the pause. The caller's own deadline
# and breaker have to keep the pause; the client's retries only help against a single lost answer.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error stripe@23.1.0 >/dev/null
cat >try.mjs <<'JS'
import { createServer } from "node:http"
import Stripe from "stripe"

const arrivals = []
const server = createServer((request, response) => {
  arrivals.push(performance.now())
  request.resume()
  const busy = arrivals.length < 3
  response.writeHead(busy ? 503 : 200, { "content-type": "application/json", "retry-after": "4" })
  response.end(JSON.stringify(busy ? { error: { type: "api_error", message: "busy" } } : { id: "acct_1", object: "account" }))
})
server.listen(0, "127.0.0.1", async () => {
  const { port } = server.address()
  const stripe = new Stripe("sk_test_x", { host: "127.0.0.1", port, protocol: "http", telemetry: false })
  const { id } = await stripe.accounts.retrieve("acct_1")
  const waits = arrivals.slice(1).map((at, index) => (at - arrivals[index] < 3000 ? "under 3 s" : "3 s or more"))
  console.log(`${id} after waits: ${waits.join(", ")}`)
  server.close(() => process.exit())
})
JS
seen="$(node try.mjs)"
echo "$seen"
[ "$seen" = "acct_1 after waits: under 3 s, under 3 s" ] || { echo "This has changed." >&2; exit 1; }
