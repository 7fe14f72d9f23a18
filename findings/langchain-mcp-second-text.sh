#!/usr/bin/env bash
# What a tool says in fields is lost as soon as it says a second sentence.
#
# Guess: an adapter gives the model a result's content, and its structuredContent always, or never.
# What happens: with one text in the content, the fields come along beside it. With two texts, or with a link, they are
# gone, and with fields alone the result is an empty list. A link to a resource keeps its address and loses its name.
# Seen: 2026-11-29, @langchain/mcp-adapters 1.1.4 with @langchain/core 1.4.0, @modelcontextprotocol/sdk 1.32.2, Node
# 20.20.2.
# Why it matters here: a model that had the price in fields in one answer has it nowhere in the next. All that a person
# must be told stands in a result's text, which is one here and holds all fields. A test of one answer through a host
# says nothing of another's.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @langchain/mcp-adapters@1.1.4 @langchain/core@1.4.0 \
  @modelcontextprotocol/sdk@1.32.2 >/dev/null
cat >server.mjs <<'JS'
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js"

const [one, two] = ["Booked.", "Pay by Friday."].map((text) => ({ type: "text", text }))
const link = { type: "resource_link", uri: "https://play.example/visit", name: "Your visit" }
const contents = { "one text": [one], "two texts": [one, two], "text and link": [one, link], "no text": [] }
const object = (name, type) => ({ type: "object", properties: { [name]: { type } }, required: [name] })
const server = new Server({ name: "play", version: "1" }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [{ name: "book", inputSchema: object("says", "string"), outputSchema: object("total", "number") }]
}))
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
  content: contents[params.arguments.says],
  structuredContent: { total: 240.5 }
}))
await server.connect(new StdioServerTransport())
JS
cat >try.mjs <<'JS'
import { MultiServerMCPClient } from "@langchain/mcp-adapters"

const play = { transport: "stdio", command: process.execPath, args: ["server.mjs"] }
const client = new MultiServerMCPClient({ play })
const [book] = await client.getTools()
for (const says of ["one text", "two texts", "text and link", "no text"])
  console.log(`${says}: ${JSON.stringify(await book.invoke({ says }))}`)
await client.close()
JS
seen="$(node try.mjs 2>/dev/null)"
echo "$seen"
expected='one text: {"type":"text","text":"Booked.","structuredContent":{"total":240.5}}
two texts: [{"type":"text","text":"Booked."},{"type":"text","text":"Pay by Friday."}]
text and link: [{"type":"text","text":"Booked."},{"type":"file","source_type":"url","url":"https://play.example/visit"}]
no text: []'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
