/** The contract's addresses with their handlers. */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AppConfig } from "../config/AppConfig.ts"
import { HandledApi } from "../api/Api.ts"
import { serve } from "../api/Server.ts"
import { WebhookHandlers } from "../api/WebhookHandlers.ts"
import { DeskHandlers } from "./desk/DeskHandlers.ts"
import { FamilyHandlers } from "./family/FamilyHandlers.ts"
import { errorPages, pageMiddleware } from "./LinkPages.ts"
import { OperatorHandlers } from "./operator/OperatorHandlers.ts"
import { SystemHandlers } from "./SystemHandlers.ts"

const routes = HttpApiBuilder.layer(HandledApi).pipe(
  Layer.provide([SystemHandlers, FamilyHandlers, OperatorHandlers, DeskHandlers]),
  Layer.provide(pageMiddleware)
)

/** Serves the contract and the routes that are mounted separately: `/mcp` and signing in. */
export const serveRoutes = <A, E, R>(others: Layer.Layer<A, E, R>) =>
  Layer.unwrap(
    Effect.map(AppConfig, (settings) => serve(Layer.mergeAll(routes, WebhookHandlers, others), errorPages(settings)))
  )
