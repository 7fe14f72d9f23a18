#!/usr/bin/env bash
# A call that was answered 503 succeeds.
#
# Guess: the official Stripe client rejects whatever has an error status; the body only decides what the error says.
# What happens: if the body is JSON without a member "error", as many proxies send it, the call resolves with that body,
# for 503 after all retries, and for 404 at once.
# Seen: 2026-11-28, stripe 23.1.0, Node 20.20.2.
# Why it matters here: "webhook endpoint updated" was printed for an update that a gateway in between had refused. Whoever
# changes something has to look at what came back: its kind and its id.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error stripe@23.1.0 >/dev/null
cat >try.mjs <<'JS'
import { createServer } from "node:http"
import Stripe from "stripe"

let status = 503
const server = createServer((request, response) => {
  request.resume()
  response.writeHead(status, { "content-type": "application/json" }).end('{"message":"upstream unavailable"}')
})
server.listen(0, "127.0.0.1", async () => {
  const { port } = server.address()
  const stripe = new Stripe("sk_test_x", { host: "127.0.0.1", port, protocol: "http", telemetry: false })
  for (status of [503, 404]) {
    const answer = await stripe.webhookEndpoints.update("we_1", { disabled: false }).then(
      (endpoint) => `resolves with ${JSON.stringify(endpoint)}`,
      ({ type }) => `rejects: ${type}`
    )
    console.log(`${status}: ${answer}`)
  }
  server.close(() => process.exit())
})
JS
seen="$(node try.mjs)"
echo "$seen"
expected='503: resolves with {"message":"upstream unavailable"}
404: resolves with {"message":"upstream unavailable"}'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
