/** A bare Effect route: the query and its JSON, no protocol. POST with `{"playroom_id"}`. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createServer } from "node:http"
import { database, getPlayroom } from "./effectQuery.ts"
import { port } from "./query.ts"

const Body = Schema.Struct({ playroom_id: Schema.String })

const route = HttpRouter.add(
  "POST",
  "/playroom",
  Effect.gen(function* () {
    const { playroom_id } = yield* HttpServerRequest.schemaBodyJson(Body)
    const found = yield* getPlayroom(playroom_id)
    return found === undefined
      ? HttpServerResponse.empty({ status: 404 })
      : HttpServerResponse.text(JSON.stringify(found), { contentType: "application/json" })
  })
)

Effect.runFork(
  Layer.launch(
    HttpRouter.serve(route, { disableLogger: true, disableListenLog: true }).pipe(
      Layer.provide(NodeHttpServer.layer(() => createServer(), { host: "127.0.0.1", port })),
      Layer.provide(database)
    )
  )
)
