#!/usr/bin/env bash
# A person presses "stop": one client hangs up and says nothing, the other says it and stays on the line.
#
# Guess: whoever stops a call sends notifications/cancelled, as MCP has it, and then closes the connection, since nobody
# reads the answer any more; or does only the first.
# What happens: the AI SDK's client closes the connection and sends no message, though MCP says that a lost connection
# doesn't stand for it. The official SDK's client, on which other frameworks are built, sends the message and leaves the
# connection open until the answer has come.
# Seen: 2026-11-29, @ai-sdk/mcp 2.0.99, @modelcontextprotocol/sdk 1.32.2, Node 20.20.2. The OpenAI Agents SDK 0.20.0 and
# @langchain/mcp-adapters 1.1.4 do as the official one does.
# Why it matters here: a booking that was stopped may be made all the same, and neither sign is there with every host.
# The message comes in a request of its own, maybe to another of our processes, with a number that many callers use. An
# idempotency key gives one booking, so the same call again shows what the first one did.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @ai-sdk/mcp@2.0.99 @modelcontextprotocol/sdk@1.32.2 zod@4.6.7
cat >try.mjs <<'JS'
import { createMCPClient } from "@ai-sdk/mcp"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { createServer } from "node:http"

const others = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "play", version: "1" }
  },
  "tools/list": { tools: [{ name: "book", inputSchema: { type: "object", properties: {} } }] }
}
let seen, stop
const server = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end()
  let body = ""
  for await (const part of request) body += part
  const { id, method } = JSON.parse(body)
  if (method === "notifications/cancelled") seen.push("a message")
  if (id === undefined) return response.writeHead(202).end()
  let answer = method in others ? { result: others[method] } : { error: { code: -32601, message: "Unknown method" } }
  if (method === "tools/call") {
    response.once("close", () => response.writableFinished || seen.push("the connection is closed"))
    stop.abort()
    await new Promise((resolve) => setTimeout(resolve, 1000))
    answer = { result: { content: [{ type: "text", text: "Booked." }] } }
  }
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
}).listen(0, "127.0.0.1")
await new Promise((listening) => server.once("listening", listening))
const url = `http://127.0.0.1:${server.address().port}/`

const calls = {
  "AI SDK": async (signal) => {
    const { book } = await (await createMCPClient({ transport: { type: "http", url } })).tools()
    return book.execute({}, { toolCallId: "1", messages: [], abortSignal: signal })
  },
  "official SDK": async (signal) => {
    const client = new Client({ name: "host", version: "1" })
    await client.connect(new StreamableHTTPClientTransport(new URL(url)))
    return client.callTool({ name: "book", arguments: {} }, undefined, { signal })
  }
}
for (const [name, call] of Object.entries(calls)) {
  seen = []
  stop = new AbortController()
  const end = await call(stop.signal).then(
    () => "an answer",
    () => "an error"
  )
  await new Promise((resolve) => setTimeout(resolve, 1500))
  console.log(`${name}: ${end} for the caller; for the server ${seen.join(", ")}`)
}
process.exit()
JS
seen="$(node try.mjs 2>/dev/null)"
echo "$seen"
expected="AI SDK: an error for the caller; for the server the connection is closed
official SDK: an error for the caller; for the server a message"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
