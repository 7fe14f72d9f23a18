/** `fastmcp`: stateless, answering with JSON. */
import { FastMCP } from "fastmcp"
import { z } from "zod"
import { getPlayroom } from "./postgres.ts"
import { port, tool } from "./query.ts"

const server = new FastMCP({
  name: "fastmcp",
  version: "1.0.0",
  logger: { debug() {}, error: console.error, info() {}, log() {}, warn() {} }
})

server.addTool({
  ...tool,
  parameters: z.object({ playroom_id: z.string() }),
  execute: async ({ playroom_id }) => {
    const found = await getPlayroom(playroom_id)
    if (found === undefined) throw new Error("playroom_not_found")
    return { content: [{ type: "text", text: JSON.stringify(found) }], structuredContent: found }
  }
})

await server.start({
  transportType: "httpStream",
  httpStream: { port, host: "127.0.0.1", endpoint: "/mcp", stateless: true, enableJsonResponse: true }
})
