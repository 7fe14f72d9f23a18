#!/usr/bin/env bash
# The official MCP client replaces a tool's error by a complaint about its schema, once it has listed the tools.
#
# Guess: outputSchema describes success. A result with isError is handed to the caller as it is, whatever its
# structuredContent; and the same call gives the same result before and after tools/list.
# What happens: before tools/list the error arrives. After it, callTool throws -32602, and the tool's own text is lost.
# Seen: 2026-11-28, @modelcontextprotocol/sdk 1.32.2, Node 20.20.2.
# Why it matters here: refusals ("these places are taken, here are others") may carry no structuredContent at all, or an
# assistant reads only that an answer was malformed.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @modelcontextprotocol/sdk@1.32.2 >/dev/null
cat >try.mjs <<'JS'
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js"

const server = new Server({ name: "server", version: "1" }, { capabilities: { tools: {} } })
const outputSchema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] }
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [{ name: "book", inputSchema: { type: "object" }, outputSchema }]
}))
server.setRequestHandler(CallToolRequestSchema, () => ({
  isError: true,
  content: [{ type: "text", text: "The room is taken." }],
  structuredContent: { code: "taken" }
}))
const [near, far] = InMemoryTransport.createLinkedPair()
const client = new Client({ name: "client", version: "1" })
await Promise.all([server.connect(near), client.connect(far)])
const call = () =>
  client.callTool({ name: "book", arguments: {} }).then(
    ({ content }) => content[0].text,
    ({ message }) => `throws: ${message}`
  )
console.log(`before tools/list: ${await call()}`)
await client.listTools()
console.log(`after tools/list: ${await call()}`)
await client.close()
JS
seen="$(node try.mjs)"
echo "$seen"
expected="before tools/list: The room is taken.
after tools/list: throws: MCP error -32602: Structured content does not match the tool's output schema: data must have required property 'id'"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
