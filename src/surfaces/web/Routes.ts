/** All addresses but those of `/mcp` and of signing in, and the rules of all responses. */
import { Effect, Layer } from "effect"
import { serve } from "../http/Server.ts"
import { webhookRoutes } from "../receivers/Webhooks.ts"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { deskRoutes } from "./desk/DeskRoutes.ts"
import { familyRoutes } from "./family/FamilyRoutes.ts"
import { errorPages } from "./frame/LinkProblems.ts"
import { operatorRoutes } from "./operator/OperatorRoutes.ts"
import { systemRoutes } from "./SystemRoutes.ts"

export const routes = Layer.mergeAll(systemRoutes, webhookRoutes, familyRoutes, operatorRoutes, deskRoutes)

/** Serves routes, with pages for people who meet an error. */
export const serveRoutes = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  Layer.unwrap(Effect.map(AppConfig, (settings) => serve(routes, errorPages(settings))))
