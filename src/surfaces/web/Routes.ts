/** All addresses but those of `/mcp` and of signing in, and the rules of all responses. */

import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSchema, OpenApi } from "effect/http-api"
import { plainQuery } from "../../domain/search/SearchQuery.ts"
import { RateLimits } from "../../platform/access/RateLimits.ts"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { Readiness, ready } from "../../platform/database/Readiness.ts"
import { type Draining, hindranceWith } from "../http/Ending.ts"
import { NotFoundProblem, NotReadyProblem, RateLimitedProblem } from "../http/Problem.ts"
import { serve } from "../http/Server.ts"
import { webhookRoutes } from "../receivers/Webhooks.ts"
import { Api, ServiceApi } from "./Api.ts"
import { deskRoutes } from "./desk/DeskRoutes.ts"
import { familyRoutes } from "./family/FamilyRoutes.ts"
import { errorPages } from "./frame/LinkProblems.ts"
import { type PageRow, pageRoutes } from "./frame/PageTable.ts"
import { docs, PublishedTools } from "./landing/Docs.ts"
import { landing, roomsOnStart } from "./landing/Landing.ts"
import { missingRoomPage, roomPage, roomsOnPage, roomsPage, roomsPath } from "./landing/Rooms.ts"
import { ShownRooms } from "./landing/ShownRooms.ts"
import { operatorRoutes } from "./operator/OperatorRoutes.ts"

// Health and documents for machines; for people the start page, playrooms and the documentation.

const unkept = <A>(body: A) => HttpApiSchema.withHeaders({ body, headers: { "cache-control": "no-store" as const } })
const after = <A>(seconds: number, body: A) => HttpApiSchema.withHeaders({ body, headers: { "retry-after": seconds } })

const forMachines = HttpApiBuilder.group(
  ServiceApi,
  "service",
  Effect.fn(function* (handlers) {
    const { baseUrl, openaiAppsChallenge } = yield* AppConfig
    const limits = yield* RateLimits
    const hindrance = Effect.provideContext(
      hindranceWith(Readiness.hindrance),
      yield* Effect.context<Draining | Readiness>()
    )
    // Written once: it is long.
    const document = HttpServerResponse.jsonUnsafe(
      { ...OpenApi.fromApi(Api), servers: [{ url: baseUrl }] },
      { headers: { "cache-control": "no-cache" } }
    )
    return handlers
      .handle("healthz", () => Effect.succeed(unkept({ status: "ok" })))
      .handle("readyz", () =>
        Effect.flatMap(hindrance, (detail) =>
          detail === undefined
            ? Effect.sync(() => unkept(ready()))
            : Effect.fail(after(2, new NotReadyProblem({ detail })))
        )
      )
      .handleRaw("openapi", ({ request }) =>
        limits.takeForPage(limits.addressOf(request)).pipe(
          Effect.mapBoth({
            onFailure: ({ retry_after_seconds }) => after(retry_after_seconds, new RateLimitedProblem()),
            onSuccess: () => document
          })
        )
      )
      .handle("openaiAppsChallenge", () =>
        openaiAppsChallenge === undefined
          ? Effect.fail(new NotFoundProblem())
          : Effect.succeed(
              HttpApiSchema.withHeaders({ body: openaiAppsChallenge, headers: { "cache-control": "no-cache" } })
            )
      )
  })
)

const onboardingEnds = ["done", "expired"] as const

const pages = Effect.gen(function* () {
  const settings = yield* AppConfig
  const { baseUrl } = settings
  const shownRooms = yield* ShownRooms
  // Made once.
  const docsPage = docs(OpenApi.fromApi(Api), baseUrl, yield* PublishedTools)
  /**
   * Read once for all who look meanwhile, so that the start page shows under any load: without playrooms, if they can't
   * be read.
   */
  const roomsOfStart = yield* Effect.cachedWithTTL(
    shownRooms.list({ city: "", cursor: "", limit: roomsOnStart }).pipe(
      Effect.timeout("2 seconds"),
      Effect.tapError((error) => Effect.logWarning("The start page could not show playrooms", error))
    ),
    "10 seconds"
  )

  return [
    {
      path: "/",
      show: ({ language, query: { onboarding } }) =>
        Effect.map(
          Effect.orElseSucceed(roomsOfStart, () => undefined),
          (shown) =>
            landing(settings, language, { onboarding: onboardingEnds.find((end) => end === onboarding), shown })
        )
    },
    {
      path: roomsPath,
      show: ({ language, query: { cursor = "", ...asked } }) => {
        const { city = "" } = plainQuery({ city: (asked.city ?? "").trim() })
        return Effect.map(shownRooms.list({ city, cursor, limit: roomsOnPage }), (found) =>
          roomsPage(found, { city, language })
        )
      }
    },
    {
      path: `${roomsPath}/:playroom`,
      show: ({ language, token }) =>
        Effect.map(shownRooms.room(token), (shown) =>
          shown === undefined ? missingRoomPage(language) : roomPage(shown, settings, language)
        )
    },
    { path: "/docs", show: () => Effect.succeed(docsPage) }
  ] satisfies ReadonlyArray<PageRow>
})

/** Health, documents, the start page, and playrooms. */
export const systemRoutes = Layer.merge(
  HttpApiBuilder.layer(ServiceApi).pipe(Layer.provide(forMachines)),
  pageRoutes(pages)
)

export const routes = Layer.mergeAll(systemRoutes, webhookRoutes, familyRoutes, operatorRoutes, deskRoutes)

/** Serves routes, with pages for people who meet an error. */
export const serveRoutes = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  Layer.unwrap(Effect.map(AppConfig, (settings) => serve(routes, errorPages(settings))))
