#!/usr/bin/env bash
# "Try again later" becomes "Please try again."
#
# Guess: what a server says of a call that it can't do reaches the model, whichever way MCP has to say it: as a result
# with isError, as a JSON-RPC error, as an HTTP status with a body.
# What happens: of a result with isError the text arrives. Of the two others the model reads a fixed sentence, "An error
# occurred while running the tool. Please try again.", also where the server says to wait, to sign in or to change what
# was asked for.
# Seen: 2026-11-29, @openai/agents 0.20.0, zod 4.6.7, Node 20.20.2.
# Why it matters here: a model that is told to try again does so at once, with the same call. What an assistant can mend
# is a tool's result here, never an error of the protocol; and a repeated booking has to find the first one.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @openai/agents@0.20.0 zod@4.6.7 >/dev/null
cat >try.mjs <<'JS'
import { Agent, MCPServerStreamableHttp, Runner, Usage } from "@openai/agents"
import { createServer } from "node:http"

const words = "The room is taken on that day: ask for another one."
const rejected = { error: { code: -32602, message: words } }
const answers = {
  "a result with isError": [200, { result: { isError: true, content: [{ type: "text", text: words }] } }],
  "a JSON-RPC error": [200, rejected],
  "HTTP 409": [409, rejected]
}
const others = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "play", version: "1" }
  },
  "tools/list": { tools: [{ name: "book", inputSchema: { type: "object", properties: {} } }] }
}
const server = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end()
  let body = ""
  for await (const part of request) body += part
  const { id, method } = JSON.parse(body)
  if (id === undefined) return response.writeHead(202).end()
  const [status, answer] =
    method === "tools/call"
      ? answers[decodeURIComponent(request.url.slice(1))]
      : [200, method in others ? { result: others[method] } : { error: { code: -32601, message: "Unknown method" } }]
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
}).listen(0, "127.0.0.1")
await new Promise((listening) => server.once("listening", listening))

for (const way of Object.keys(answers)) {
  const url = `http://127.0.0.1:${server.address().port}/${encodeURIComponent(way)}`
  const mcp = new MCPServerStreamableHttp({ url })
  await mcp.connect()
  const asked = []
  const call = { type: "function_call", callId: "1", name: "book", arguments: "{}", status: "completed" }
  const end = { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "" }] }
  const model = {
    getResponse: async ({ input }) => ({ usage: new Usage(), output: [asked.push(input) === 1 ? call : end] })
  }
  await new Runner({ tracingDisabled: true }).run(new Agent({ name: "play", model, mcpServers: [mcp] }), "Book it.")
  const { output } = asked[1].find(({ type }) => type === "function_call_result")
  console.log(`${way}: ${[output].flat()[0].text}`)
  await mcp.close()
}
server.close()
JS
seen="$(node try.mjs 2>/dev/null)"
echo "$seen"
expected="a result with isError: The room is taken on that day: ask for another one.
a JSON-RPC error: An error occurred while running the tool. Please try again.
HTTP 409: An error occurred while running the tool. Please try again."
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
