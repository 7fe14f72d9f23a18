#!/usr/bin/env bash
# The model reads `{\option_id\:\option_1\,\room\:\12\}`.
#
# Guess: the text of a tool's answer reaches the model as the server wrote it, here an object in JSON.
# What happens: the whole result is written as JSON once more, with what is structured beside the text, so the model
# reads the answer twice; then each pair of quotes is taken out. Of the JSON in the text the backslashes stay that had
# escaped its quotes, around each name and each value. A text like "12" and a number can no longer be told apart.
# Seen: 2026-11-30, @llamaindex/tools 0.1.12, @llamaindex/core 0.6.22, @llamaindex/env 0.1.30, Node 20.20.2.
# Why it matters here: our answers are JSON as text, with the same structured. A model there may copy an id with a
# backslash at its end: `create_booking` says which id it can't read and what to ask for, and books nothing. What has to
# be read for certain stands in words first (`next_step`).
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @llamaindex/tools@0.1.12 @llamaindex/core@0.6.22 @llamaindex/env@0.1.30
cat >try.mjs <<'JS'
import { callTool } from "@llamaindex/core/agent"
import { stringifyJSONToMessageContent } from "@llamaindex/core/utils"
import { mcp } from "@llamaindex/tools"
import { createServer } from "node:http"

const said = { option_id: "option_1", room: "12" }
const answers = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "play", version: "1" } },
  "tools/list": { tools: [{ name: "ask", inputSchema: { type: "object", properties: {} } }] },
  "tools/call": { content: [{ type: "text", text: JSON.stringify(said) }], structuredContent: said }
}
const server = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end()
  let body = ""
  for await (const part of request) body += part
  const { id, method } = JSON.parse(body)
  if (id === undefined) return response.writeHead(202).end()
  response.writeHead(200, { "content-type": "application/json" })
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] }))
}).listen(0, "127.0.0.1")
await new Promise((listening) => server.once("listening", listening))

const client = mcp({ url: `http://127.0.0.1:${server.address().port}/` })
const [tool] = await client.tools()
const quiet = { log() {}, warn() {}, error() {} }
const { output } = await callTool(tool, { id: "1", name: "ask", input: {} }, quiet)
// What its agents put into the message with a tool's result.
console.log(stringifyJSONToMessageContent(output))
await client.cleanup()
server.close()
JS
seen="$(node try.mjs)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
{
  content: [
    {
      type: text,
      text: {\option_id\:\option_1\,\room\:\12\}
    }
  ],
  structuredContent: {
    option_id: option_1,
    room: 12
  }
}
SEEN
