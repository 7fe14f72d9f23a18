#!/usr/bin/env bash
# A telephone number arrives as a number, and "yes" as no.
#
# Guess: the Inspector's command line goes by the tool's schema. What is "type": "string" there is sent as it was typed,
# and what it can't make a boolean or an integer of, it refuses.
# What happens: what reads as JSON is sent as that, whatever the schema says: 447911123456 as a number, 123E5 as 12300000,
# "null" as null. Booleans are true if they are the word true, so "yes" is false; "four" for an integer is sent as null.
# 007 is no JSON and stays a text.
# Seen: 2026-11-29, @modelcontextprotocol/inspector 2.12.0, @modelcontextprotocol/sdk 1.32.2, Node 20.20.2.
# Why it matters here: whoever tries our tools with it tries other arguments than were typed. A telephone number without
# its plus, or a reference of digits, has to be taken as a number, too.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @modelcontextprotocol/inspector@2.12.0 \
  @modelcontextprotocol/sdk@1.32.2 >/dev/null
cat >server.mjs <<'JS'
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js"

const properties = Object.fromEntries(
  Object.entries({ phone: "string", reference: "string", another: "boolean", children: "integer" }).map(([name, type]) => [name, { type }]),
)
const server = new Server({ name: "try", version: "1" }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: "book", inputSchema: { type: "object", properties } }] }))
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
  content: [{ type: "text", text: JSON.stringify(params.arguments) }],
}))
await server.connect(new StdioServerTransport())
JS
try() {
  node_modules/.bin/mcp-inspector --cli node server.mjs --method tools/call --tool-name book --tool-arg "$1" |
    node -e 'console.log(process.argv[1], "is", JSON.parse(require("node:fs").readFileSync(0, "utf8")).content[0].text)' "$1"
}
seen="$(for argument in phone=447911123456 phone=007 reference=123E5 reference=null another=yes children=four; do
  try "$argument"
done)"
echo "$seen"
expected='phone=447911123456 is {"phone":447911123456}
phone=007 is {"phone":"007"}
reference=123E5 is {"reference":12300000}
reference=null is {"reference":null}
another=yes is {"another":false}
children=four is {"children":null}'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
