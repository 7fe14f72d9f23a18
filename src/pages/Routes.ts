/** The addresses of the contract, with their handlers. */
import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { HandledApi } from "../api/Api.ts"
import { serve } from "../api/Server.ts"
import { WebhookHandlers } from "../api/WebhookHandlers.ts"
import { FamilyHandlers } from "./family/FamilyHandlers.ts"
import { missingPage, pageMiddleware } from "./LinkPages.ts"
import { OperatorHandlers } from "./operator/OperatorHandlers.ts"
import { SystemHandlers } from "./SystemHandlers.ts"

const routes = HttpApiBuilder.layer(HandledApi).pipe(
  Layer.provide([SystemHandlers, FamilyHandlers, OperatorHandlers, WebhookHandlers]),
  Layer.provide(pageMiddleware)
)

/** Serves every address of the contract, and what is mounted on the router by itself: `/mcp`, and what people sign in with. */
export const serveRoutes = <A, E, R>(others: Layer.Layer<A, E, R>) => serve(Layer.merge(routes, others), missingPage)
