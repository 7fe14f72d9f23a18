#!/usr/bin/env bash
# Of one result, one framework gives the model the words alone, and the other the fields alone.
#
# Guess: a model reads a result's content, for which MCP made it, and its structuredContent beside it, or not at all.
# What happens: the AI SDK gives it the content, and no field. Mastra gives it structuredContent, and no word of the
# content: neither a sentence that isn't in the fields, nor a link. Without structuredContent Mastra gives the content.
# Seen: 2026-11-29, @mastra/mcp 2.0.0, @ai-sdk/mcp 2.0.99, Node 20.20.2.
# Why it matters here: what stands in one of the two alone is unread by one of them: a page to pay, or what to do next.
# Our results have one text, which is the JSON of structuredContent, and the next step is one of its fields.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @mastra/mcp@2.0.0 @ai-sdk/mcp@2.0.99 zod@4.6.7
cat >try.mjs <<'JS'
import { createMCPClient } from "@ai-sdk/mcp"
import { MCPClient } from "@mastra/mcp"
import { createServer } from "node:http"

const link = { type: "resource_link", uri: "https://play.example/pay", name: "Pay here" }
const content = [{ type: "text", text: "Show the price before you book." }, link]
const answers = { both: { content, structuredContent: { free: 3 } }, words: { content } }
const inputSchema = { type: "object", properties: {} }
const others = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "play", version: "1" }
  },
  "tools/list": { tools: Object.keys(answers).map((name) => ({ name, inputSchema })) }
}
const server = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end()
  let body = ""
  for await (const part of request) body += part
  const { id, method, params } = JSON.parse(body)
  if (id === undefined) return response.writeHead(202).end()
  const result = method === "tools/call" ? answers[params.name] : others[method]
  const answer = result === undefined ? { error: { code: -32601, message: "Unknown method" } } : { result }
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
}).listen(0, "127.0.0.1")
await new Promise((listening) => server.once("listening", listening))
const url = new URL(`http://127.0.0.1:${server.address().port}/`)

const ofAiSdk = await (await createMCPClient({ transport: { type: "http", url: url.href } })).tools()
const ofMastra = await new MCPClient({ servers: { play: { url } } }).listTools()
const told = (value) =>
  [
    JSON.stringify(value).includes("Show the price") && "the sentence",
    JSON.stringify(value).includes("play.example") && "the link",
    JSON.stringify(value).includes('"free":3') && "the field"
  ].filter(Boolean)
for (const name of Object.keys(answers)) {
  const output = await ofAiSdk[name].execute({}, { toolCallId: "1", messages: [] })
  console.log(`${name}: AI SDK ${told(await ofAiSdk[name].toModelOutput({ output }))}`)
  console.log(`${name}: Mastra ${told(await ofMastra[`play_${name}`].execute({}, {}))}`)
}
process.exit()
JS
seen="$(node try.mjs 2>/dev/null)"
echo "$seen"
expected="both: AI SDK the sentence,the link
both: Mastra the field
words: AI SDK the sentence,the link
words: Mastra the sentence,the link"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
