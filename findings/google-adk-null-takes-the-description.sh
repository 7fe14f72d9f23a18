#!/usr/bin/env bash
# A field that may be null has no description.
#
# Guess: Gemini's schemas have "description" and "nullable", so a framework that rewrites a tool's schema for Gemini
# keeps a field's description, whether or not the field may be null.
# What happens: of anyOf with a type and null, the Agent Development Kit takes the type's own schema in place of the
# field's. The description, which stands beside anyOf, is gone. It stays with ["string", "null"], and if it stands
# within anyOf. The Gemini client of the same company passes on the schema as it is.
# Seen: 2026-11-30, @google/adk 2.0.0, @google/genai 2.32.0, zod 4.2.1, Node 20.20.2.
# Why it matters here: Zod writes nullable() as anyOf, so what null means for a field is told to nobody, and the model
# goes by the field's name. A field that may be left out instead keeps its description.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent \
  @google/adk@2.0.0 @google/genai@2.32.0 zod@4.2.1 @modelcontextprotocol/sdk@1.32.2
cat >try.mjs <<'JS'
import { MCPToolset } from "@google/adk"
import { mcpToTool } from "@google/genai"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { createServer } from "node:http"
import { z } from "zod"

const description = "None is any room"
const inputSchema = z.toJSONSchema(
  z.object({
    left_out: z.string().optional().describe(description),
    outside: z.string().nullable().describe(description),
    inside: z.string().describe(description).nullable()
  })
)
inputSchema.properties.two_types = { type: ["string", "null"], description }
const answers = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "toy", version: "1" } },
  "tools/list": { tools: [{ name: "search", inputSchema }] }
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
const url = `http://127.0.0.1:${server.address().port}/mcp`

const [tool] = await new MCPToolset({ type: "StreamableHTTPConnectionParams", url }).getTools()
const client = new Client({ name: "host", version: "1" })
await client.connect(new StreamableHTTPClientTransport(new URL(url)))
const [declared] = (await mcpToTool(client).tool()).functionDeclarations
const properties = { "@google/adk": tool._getDeclaration().parameters, "@google/genai": declared.parametersJsonSchema }
for (const [library, schema] of Object.entries(properties)) {
  console.log(library)
  for (const [name, field] of Object.entries(schema.properties)) console.log(" ", name, JSON.stringify(field))
}
process.exit()
JS
seen="$(node try.mjs 2>/dev/null)"
printf '%s\n' "$seen"
diff <(printf '%s\n' "$seen") - <<'SEEN'
@google/adk
  left_out {"type":"STRING","description":"None is any room"}
  outside {"type":"STRING","nullable":true}
  inside {"type":"STRING","description":"None is any room","nullable":true}
  two_types {"type":"STRING","description":"None is any room","nullable":true}
@google/genai
  left_out {"description":"None is any room","type":"string"}
  outside {"description":"None is any room","anyOf":[{"type":"string"},{"type":"null"}]}
  inside {"anyOf":[{"description":"None is any room","type":"string"},{"type":"null"}]}
  two_types {"type":["string","null"],"description":"None is any room"}
SEEN
