/** Every route but `/mcp`. */
import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SystemApi } from "./Api.ts"
import { SystemHandlers } from "./SystemHandlers.ts"
import { WebhookHandlers } from "./WebhookHandlers.ts"

export const HttpRoutes = Layer.mergeAll(
  HttpApiBuilder.layer(SystemApi).pipe(Layer.provide(SystemHandlers)),
  WebhookHandlers
)
