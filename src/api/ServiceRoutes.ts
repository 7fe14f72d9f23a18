/** Probes and documents: what answers the group `service` of the contract. */
import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSchema, OpenApi } from "effect/http-api"
import { RateLimits } from "../access/RateLimits.ts"
import { AppConfig } from "../config/AppConfig.ts"
import { Readiness } from "../database/Readiness.ts"
import { Api, ServiceApi } from "./Api.ts"
import { type Draining, hindranceWith } from "./Draining.ts"
import { NotFoundProblem, NotReadyProblem, RateLimitedProblem } from "./Problem.ts"

const unkept = <A>(body: A) => HttpApiSchema.withHeaders({ body, headers: { "cache-control": "no-store" as const } })
const after = <A>(seconds: number, body: A) => HttpApiSchema.withHeaders({ body, headers: { "retry-after": seconds } })

const handlers = HttpApiBuilder.group(
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
            ? Effect.succeed(unkept({ status: "ready" }))
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

/** Health and documents. */
export const serviceRoutes = HttpApiBuilder.layer(ServiceApi).pipe(Layer.provide(handlers))
