/** Effect's own `McpServer`, with a tool that leaves its result as it is. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Logger, Schema } from "effect"
import { McpProtocol, McpServer, Tool, Toolkit } from "effect/ai"
import { HttpRouter } from "effect/http"
import { createServer } from "node:http"
import { database, getPlayroom } from "./effectQuery.ts"
import { port, tool } from "./query.ts"

const GetPlayroom = Tool.make(tool.name, {
  description: tool.description,
  parameters: Schema.Struct({ playroom_id: Schema.String }),
  success: Schema.Struct({ playroom: Schema.Unknown })
})
const toolkit = Toolkit.make(GetPlayroom)
const handlers = toolkit.toLayer({
  get_playroom: ({ playroom_id }) =>
    getPlayroom(playroom_id).pipe(
      Effect.flatMap((found) => (found === undefined ? Effect.die("playroom_not_found") : Effect.succeed(found))),
      Effect.orDie
    )
})

const server = McpServer.layerHttp({
  name: "effect",
  version: "1.0.0",
  path: "/mcp",
  protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25],
  registrations: McpServer.toolkit(toolkit).pipe(Layer.provide(handlers))
})

Effect.runFork(
  Layer.launch(
    HttpRouter.serve(server, { disableLogger: true, disableListenLog: true }).pipe(
      Layer.provide(NodeHttpServer.layer(() => createServer(), { host: "127.0.0.1", port })),
      Layer.provide(database),
      Layer.provide(Logger.layer([]))
    )
  )
)
