/** Every route but `/mcp`. */
import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SystemApi } from "./Api.ts"
import { BookingRoutes } from "./booking/BookingRoutes.ts"
import { OperatorRoutes } from "./operator/OperatorRoutes.ts"
import { SystemHandlers } from "./SystemHandlers.ts"
import { WebhookHandlers } from "./WebhookHandlers.ts"

export const HttpRoutes = Layer.mergeAll(
  HttpApiBuilder.layer(SystemApi).pipe(Layer.provide(SystemHandlers)),
  BookingRoutes,
  OperatorRoutes,
  WebhookHandlers
)
