/** Every route but `/mcp`. */
import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SystemApi } from "./Api.ts"
import { BookingRoutes } from "../pages/family/BookingRoutes.ts"
import { OperatorRoutes } from "../pages/operator/OperatorRoutes.ts"
import { SystemHandlers } from "./SystemHandlers.ts"
import { WebhookHandlers } from "./WebhookHandlers.ts"

export const HttpRoutes = Layer.mergeAll(
  HttpApiBuilder.layer(SystemApi).pipe(Layer.provide(SystemHandlers)),
  BookingRoutes,
  OperatorRoutes,
  WebhookHandlers
)
