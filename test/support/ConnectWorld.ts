/**
 * `/mcp/connect` with its authorization server on a port of its own, over real services and a scripted payment
 * provider; and further nodes on the same database. The clock is the real one, as the library's is.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { ApiKeys, KeyCacheMs } from "../../src/platform/access/ApiKeys.ts"
import { Authentication } from "../../src/platform/access/Authentication.ts"
import { type Network, PublicDocuments } from "../../src/platform/access/PublicDocuments.ts"
import { ConnectKeys } from "../../src/domain/oauth/ConnectKeys.ts"
import { Grants } from "../../src/domain/oauth/Grants.ts"
import { RateLimits } from "../../src/platform/access/RateLimits.ts"
import { AppConfig, type Settings } from "../../src/platform/config/AppConfig.ts"
import { ConnectRoutes } from "../../src/surfaces/web/connect/ConnectRoutes.ts"
import { errorPages } from "../../src/surfaces/web/frame/LinkProblems.ts"
import { Draining } from "../../src/surfaces/http/Ending.ts"
import { listener, serve } from "../../src/surfaces/http/Server.ts"
import { ProcessorTime } from "../../src/surfaces/mcp/transport/JsonRpc.ts"
import { McpEndpoint } from "../../src/surfaces/mcp/transport/McpEndpoint.ts"
import { ToolCalls } from "../../src/surfaces/mcp/tools/ToolCalls.ts"
import { PlayroomSearch } from "../../src/domain/search/PlayroomSearch.ts"
import { paymentWorldInRealTime } from "./PaymentWorld.ts"
import { freePort } from "./freePort.ts"

/** No host has an address. */
const noNetwork: Network = { resolve: () => Effect.succeed([]), allowed: () => false, port: 443 }

const access = (network: Network) =>
  Authentication.layer.pipe(
    Layer.provideMerge(Layer.fresh(RateLimits.layerInMemory)),
    Layer.provide(Grants.accessTokens),
    Layer.provideMerge(Layer.mergeAll(ConnectKeys.layer, Grants.layer, PublicDocuments.layerOn(network)))
  )

/**
 * Starts a node: on the port of the settings, or as a further one on a free port, as behind a balancer. Gives its
 * address.
 */
export const startNode = Effect.fnUntraced(function* (
  options: { readonly network?: Network; readonly further?: boolean } = {}
) {
  const settings = yield* AppConfig
  const { port } = settings
  const context = yield* Layer.build(
    serve(Layer.mergeAll(McpEndpoint.layer, McpEndpoint.layerConnect, ConnectRoutes.layer), errorPages(settings)).pipe(
      Layer.provide(ToolCalls.layer),
      Layer.provideMerge(listener({ host: "127.0.0.1", port: options.further === true ? 0 : port })),
      Layer.provideMerge(Layer.fresh(access(options.network ?? noNetwork))),
      Layer.provide(Draining.layer)
    )
  )
  const address = yield* Effect.provideContext(HttpServer.addressFormattedWith(Effect.succeed), context)
  return address.replace("127.0.0.1", "localhost")
})

/** The first node's address, which is `baseUrl` of the settings. */
export class Node extends Context.Service<Node, string>()("test/Node") {}

/** How long the nodes of a `connectWorld` cache a key or a token, in milliseconds. */
const keyCacheMs = 20

/** Waits until every node has noticed that a token, a grant or a key has ended. */
export const untilNoticed = Effect.sleep(keyCacheMs * 2)

/** One node, and what further ones share with it: a database of their own, services, settings. */
export const connectWorld = (changes: Partial<Settings> = {}, network: Network = noNetwork) =>
  Layer.unwrap(
    Effect.map(freePort, (port) => {
      const baseUrl = `http://localhost:${port}`
      return Layer.effect(Node, startNode({ network })).pipe(
        Layer.provideMerge(Layer.mergeAll(Grants.layer, ApiKeys.layer, ConnectKeys.layer, PlayroomSearch.layer)),
        Layer.provideMerge(
          paymentWorldInRealTime({ port, baseUrl, connect: ["key", "guest"], allowedOrigins: [baseUrl], ...changes })
        ),
        Layer.provideMerge(Layer.mergeAll(NodeFileSystem.layer, NodeHttpServer.layerHttpServices)),
        Layer.provideMerge(Layer.succeed(KeyCacheMs, keyCacheMs)),
        // Batches are not cut short because tests work beside.
        Layer.provideMerge(Layer.succeed(ProcessorTime, Effect.succeed(0)))
      )
    })
  )
