#!/usr/bin/env bash
# A server has two tools, and an agent has one.
#
# Guess: where tools/list has a nextCursor, a framework's list of tools asks for the next page, or says that it did not.
# What happens: ADK and LlamaIndex take the first page and say nothing. LangChain asks for the second. The SDK's own
# listTools gives a page, with its cursor, as it says.
# Seen: 2026-11-29, @google/adk 2.0.0, @llamaindex/tools 0.2.1 with llamaindex 0.12.1, @langchain/mcp-adapters 1.1.4
# with @langchain/core 1.4.0, @modelcontextprotocol/sdk 1.32.2, Node 20.20.2.
# Why it matters here: an assistant that can search and can't book looks as if it had been set up that way. All tools
# stand on the first page here, however many there will be.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @google/adk@2.0.0 @llamaindex/tools@0.2.1 llamaindex@0.12.1 \
  @langchain/mcp-adapters@1.1.4 @langchain/core@1.4.0 @modelcontextprotocol/sdk@1.32.2 >/dev/null
cat >server.mjs <<'JS'
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js"

const tool = (name) => ({ name, description: name, inputSchema: { type: "object", properties: {} } })
const server = new Server({ name: "play", version: "1" }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
  params?.cursor === "2" ? { tools: [tool("book")] } : { tools: [tool("search")], nextCursor: "2" }
)
await server.connect(new StdioServerTransport())
JS
cat >try.mjs <<'JS'
import { MCPToolset } from "@google/adk"
import { MultiServerMCPClient } from "@langchain/mcp-adapters"
import { mcp } from "@llamaindex/tools"

const run = { command: process.execPath, args: ["server.mjs"] }
const names = {
  ADK: async () => {
    const tools = await new MCPToolset({ type: "StdioConnectionParams", serverParams: run }).getTools()
    return tools.map(({ name }) => name)
  },
  LlamaIndex: async () => (await mcp(run).tools()).map(({ metadata }) => metadata.name),
  LangChain: async () => {
    const tools = await new MultiServerMCPClient({ play: { transport: "stdio", ...run } }).getTools()
    return tools.map(({ name }) => name)
  }
}
for (const [client, list] of Object.entries(names)) console.log(`${client}: ${(await list()).join(", ")}`)
process.exit()
JS
seen="$(node try.mjs 2>/dev/null)"
echo "$seen"
expected="ADK: search
LlamaIndex: search
LangChain: search, book"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
