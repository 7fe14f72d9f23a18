#!/usr/bin/env bash
# A revocation that worked is an error to the client that asked for it.
#
# Guess: an answer of 200 to a revocation is all that a client wants. RFC 7009, 2.2: "The content of the response body is
# ignored by the client".
# What happens: simple-oauth2 throws if the answer is not JSON, and an empty one is not.
# Seen: 2026-11-28, simple-oauth2 5.1.0, Node 20.20.2.
# Why it matters here: a host that signs out tells its user that it failed, though the grant has ended. Servers that
# answer an empty JSON object please every client.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error simple-oauth2@5.1.0 >/dev/null
cat >try.mjs <<'JS'
import { createServer } from "node:http"
import oauth from "simple-oauth2"

const answers = [["", "no body"], ["{}", "{}"]]
let answered = ""
const server = createServer((request, response) => {
  request.resume()
  response.writeHead(200, answered === "" ? {} : { "content-type": "application/json" })
  response.end(answered)
})
server.listen(0, "127.0.0.1", async () => {
  const tokenHost = `http://127.0.0.1:${server.address().port}`
  const client = new oauth.AuthorizationCode({ client: { id: "app", secret: "word" }, auth: { tokenHost } })
  for (const [body, name] of answers) {
    answered = body
    const token = client.createToken({ access_token: "a", token_type: "bearer", expires_in: 60 })
    const outcome = await token.revoke("access_token").then(() => "revoked", ({ message }) => `throws: ${message}`)
    console.log(`200 with ${name}: ${outcome}`)
  }
  server.close(() => process.exit())
})
JS
seen="$(node try.mjs)"
echo "$seen"
expected="200 with no body: throws: The content-type is not JSON compatible
200 with {}: revoked"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
