/** Every route but `/mcp`. */
import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "./Api.ts"
import { SystemHandlers } from "./SystemHandlers.ts"
import { WebhookHandlers } from "./WebhookHandlers.ts"

export const HttpRoutes = HttpApiBuilder.layer(Api).pipe(Layer.provide([SystemHandlers, WebhookHandlers]))
