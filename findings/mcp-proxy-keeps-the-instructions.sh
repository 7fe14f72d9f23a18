#!/usr/bin/env bash
# A bridge passes on what a server can do, and not what the server says about doing it.
#
# Guess: a bridge between a host on stdio and a server on HTTP gives the host what the server answers to "initialize":
# its name, its capabilities and its instructions.
# What happens: mcp-proxy gives name, title and capabilities, and no instructions. The server is told that "mcp-proxy"
# calls, which can't ask a person anything, though the host can. The other way round, from HTTP to stdio, the same
# package passes the instructions on.
# Seen: 2026-11-30, mcp-proxy 6.7.19, @modelcontextprotocol/sdk 1.32.2, Node 20.20.2.
# Why it matters here: a host behind such a bridge never sees our instructions. The order of the tools, and that the
# person agrees first, stand in the tools' own descriptions, too. What no tool gives, such as an invoice, is then told
# only once a call has a field for it. That texts of operators and families are data stands in the instructions alone.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent mcp-proxy@6.7.19 @modelcontextprotocol/sdk@1.32.2
cat >server.mjs <<'JS'
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js"

/** Its one tool is named after who calls, and what that can do. */
export const makeServer = (caller) => {
  const info = { name: "play", title: "Play", version: "1" }
  const server = new Server(info, { capabilities: { tools: {} }, instructions: "Search first." })
  server.setRequestHandler(ListToolsRequestSchema, () => {
    const { name, capabilities } = caller?.() ?? {
      name: server.getClientVersion().name,
      capabilities: server.getClientCapabilities()
    }
    const can = Object.keys(capabilities).join() || "nothing"
    return { tools: [{ name: `${name}: ${can}`, inputSchema: { type: "object" } }] }
  })
  return server
}
if (process.argv[2] === "stdio") await makeServer().connect(new StdioServerTransport())
JS
cat >bridge.mjs <<'JS'
import { ServerType, startStdioServer } from "mcp-proxy"

await startStdioServer({ serverType: ServerType.HTTPStream, url: process.argv[2] })
JS
cat >try.mjs <<'JS'
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import { json } from "node:stream/consumers"
import { setTimeout } from "node:timers/promises"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { makeServer } from "./server.mjs"

const stdio = (...args) => new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" })
const show = async (way, transport) => {
  const client = new Client({ name: "host", version: "1" }, { capabilities: { elicitation: {} } })
  await client.connect(transport)
  const [{ name }] = (await client.listTools()).tools
  console.log(`${way}: ${client.getServerVersion().title}, ${client.getInstructions() ?? "no instructions"} (${name})`)
}

let caller
const http = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end()
  const message = await json(request)
  if (message.method === "initialize")
    caller = { name: message.params.clientInfo.name, capabilities: message.params.capabilities }
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
  await makeServer(() => caller).connect(transport)
  await transport.handleRequest(request, response, message)
})
await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve))
const url = `http://127.0.0.1:${http.address().port}/mcp`
await show("HTTP", new StreamableHTTPClientTransport(new URL(url)))
await show("stdio to HTTP", stdio("bridge.mjs", url))
await show("stdio", stdio("server.mjs", "stdio"))

const free = createServer()
await new Promise((resolve) => free.listen(0, "127.0.0.1", resolve))
const { port } = free.address()
await new Promise((resolve) => free.close(resolve))
const at = ["--server", "stream", "--host", "127.0.0.1", "--port", port, "--", process.execPath, "server.mjs", "stdio"]
const bridge = spawn("node_modules/.bin/mcp-proxy", at, { stdio: "ignore" })
const other = new URL(`http://127.0.0.1:${port}/mcp`)
for (let tries = 0; tries < 100 && !(await fetch(other).then(() => true, () => false)); tries++) await setTimeout(100)
await show("HTTP to stdio", new StreamableHTTPClientTransport(other))
bridge.kill()
process.exit()
JS
seen="$(node try.mjs)"
echo "$seen"
expected='HTTP: Play, Search first. (host: elicitation)
stdio to HTTP: Play, no instructions (mcp-proxy: nothing)
stdio: Play, Search first. (host: elicitation)
HTTP to stdio: Play, Search first. (mcp-proxy: nothing)'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
