#!/usr/bin/env bash
# "The price is £12" and "8 children have a place." become "The price is £128 children have a place."
#
# Guess: two texts of one result stay two for the model, or a line break or a space is put between them.
# What happens: Genkit joins the texts with nothing between. A result with isError is joined the same way.
# Seen: 2026-11-30, @genkit-ai/mcp 1.42.0, genkit 1.42.0, Node 20.20.2.
# Why it matters here: a price or a time at the end of one text runs into the number at the start of the next, and still
# reads as a price. Our results have one text each, so there is nothing to join.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @genkit-ai/mcp@1.42.0 genkit@1.42.0
cat >try.mjs <<'JS'
import { createMcpClient } from "@genkit-ai/mcp"
import { genkit } from "genkit"
import { createServer } from "node:http"

const content = ["The price is £12", "8 children have a place."].map((text) => ({ type: "text", text }))
const tool = (name) => ({ name, inputSchema: { type: "object", properties: {} } })
const answers = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "toy", version: "1" } },
  "tools/list": { tools: [tool("answer"), tool("error")] }
}
const server = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end()
  let body = ""
  for await (const part of request) body += part
  const { id, method, params } = JSON.parse(body)
  if (id === undefined) return response.writeHead(202).end()
  const result = method === "tools/call" ? { content, isError: params.name === "error" } : answers[method]
  response.writeHead(200, { "content-type": "application/json" })
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }))
}).listen(0, "127.0.0.1")
await new Promise((listening) => server.once("listening", listening))

const url = `http://127.0.0.1:${server.address().port}/mcp`
const client = createMcpClient({ name: "play", mcpServer: { url } })
await client.ready()
for (const call of await client.getActiveTools(genkit({}))) {
  // What it gives to the model as the output of a tool.
  console.log(call.__action.name, JSON.stringify(await call({})))
}
await client.disable()
process.exit()
JS
seen="$(node try.mjs)"
printf '%s\n' "$seen"
expected='toy/answer "The price is £128 children have a place."
toy/error {"error":"The price is £128 children have a place."}'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
