/**
 * `@modelcontextprotocol/sdk` 1 on express: stateless as its own example does it, a server and a transport for each
 * request.
 */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import express from "express"
import { z } from "zod"
import { getPlayroom } from "./postgres.ts"
import { port, tool } from "./query.ts"

const makeServer = () => {
  const server = new McpServer({ name: "sdk-v1", version: "1.0.0" })
  server.registerTool(
    tool.name,
    { description: tool.description, inputSchema: { playroom_id: z.string() } },
    async ({ playroom_id }) => {
      const found = await getPlayroom(playroom_id)
      if (found === undefined) throw new Error("playroom_not_found")
      return { content: [{ type: "text", text: JSON.stringify(found) }], structuredContent: found }
    }
  )
  return server
}

const app = express()
app.use(express.json())
app.post("/mcp", async (request, response) => {
  const server = makeServer()
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
  response.on("close", () => {
    void transport.close()
    void server.close()
  })
  await server.connect(transport)
  await transport.handleRequest(request, response, request.body)
})
app.listen(port, "127.0.0.1")
