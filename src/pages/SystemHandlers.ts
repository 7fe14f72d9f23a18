/** Health, documentation, and the pages for people. */
import { Effect, Option } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSchema, OpenApi } from "effect/http-api"
import type { RateLimited } from "../access/ApiKey.ts"
import { RateLimits } from "../access/RateLimits.ts"
import { Api, HandledApi } from "../api/Api.ts"
import { type Draining, hindranceWith } from "../api/Draining.ts"
import { NotFoundProblem, NotReadyProblem, problems, problemType } from "../api/Problem.ts"
import { AppConfig } from "../config/AppConfig.ts"
import { Readiness } from "../database/Readiness.ts"
import { type Language, preferredLanguage } from "../i18n/Languages.ts"
import { payerReturned, type PaymentLookup } from "./family/PayerReturn.ts"
import { type ReturnTokens, ShownBookings } from "./family/ShownBookings.ts"
import { docs } from "./landing/Docs.ts"
import { landing, type OnboardingEnd } from "./landing/Landing.ts"
import { linkProblemPage } from "./LinkProblems.ts"
import { PublishedTools } from "./landing/Tools.ts"

/** Timeout of what is read for a payer. */
const payerTimeout = "6 seconds"

const tooManyDocuments = (retryAfter: number) => {
  const { status, title } = problems.rate_limited
  return HttpServerResponse.jsonUnsafe(
    { type: problemType("rate_limited"), status, title, code: "rate_limited" },
    { status, contentType: "application/problem+json", headers: { "retry-after": String(retryAfter) } }
  )
}

const onboardingEnds = ["done", "expired"] as const

/** A response that must not be cached. */
const unkept = <A>(body: A) => HttpApiSchema.withHeaders({ body, headers: { "cache-control": "no-store" as const } })
const notReady = (detail: string) =>
  Effect.fail(HttpApiSchema.withHeaders({ body: new NotReadyProblem({ detail }), headers: { "retry-after": 2 } }))

export const SystemHandlers = HttpApiBuilder.group(
  HandledApi,
  "system",
  Effect.fn(function* (handlers) {
    const settings = yield* AppConfig
    const { baseUrl, openaiAppsChallenge } = settings
    const hindrance = Effect.provideContext(
      hindranceWith(Readiness.hindrance),
      yield* Effect.context<Draining | Readiness>()
    )
    const bookings = yield* ShownBookings
    const limits = yield* RateLimits
    const document = OpenApi.fromApi(Api)
    const served = { ...document, servers: [{ url: baseUrl }] }
    const documentResponse = HttpServerResponse.jsonUnsafe(served, { headers: { "cache-control": "no-cache" } })
    const docsPage = docs(document, baseUrl, yield* PublishedTools)
    const startPages = new Map<string, HttpServerResponse.HttpServerResponse>()
    const startPage = (language: Language, onboarding: OnboardingEnd | undefined) => {
      const key = `${language} ${onboarding}`
      const made = startPages.get(key) ?? landing(settings, language, onboarding)
      startPages.set(key, made)
      return made
    }

    /** The lookup of a payer, who waits for the database and (for at most two seconds) the provider. */
    const payerOf = (
      tokens: ReturnTokens,
      request: HttpServerRequest.HttpServerRequest
    ): Effect.Effect<PaymentLookup, RateLimited> =>
      tokens.booking === "" && tokens.payment === ""
        ? Effect.succeed("unknown")
        : Effect.andThen(
            limits.takeForAddress(limits.addressOf(request)),
            bookings.payerReturn(tokens).pipe(
              Effect.timeout(payerTimeout),
              Effect.map(Option.getOrElse(() => "unknown" as const)),
              Effect.catch((error) =>
                Effect.as(
                  Effect.logWarning("A payer could not be told how the payment stands", error),
                  "unavailable" as const
                )
              )
            )
          )
    /** Counts a page of the address. Beyond its limit: a page for people, or the problem for programs. */
    const counted = (
      request: HttpServerRequest.HttpServerRequest,
      tooMany: (retryAfter: number) => HttpServerResponse.HttpServerResponse,
      answer: () => HttpServerResponse.HttpServerResponse
    ) =>
      Effect.match(limits.takeForPage(limits.addressOf(request)), {
        onFailure: ({ retry_after_seconds }) => tooMany(retry_after_seconds),
        onSuccess: answer
      })

    return (
      handlers
        .handle("healthz", () => Effect.succeed(unkept({ status: "ok" })))
        .handle("readyz", () =>
          Effect.gen(function* () {
            const detail = yield* hindrance
            return detail === undefined ? unkept({ status: "ready" }) : yield* notReady(detail)
          })
        )
        // Built once, as the start page is in each language.
        .handleRaw("openapi", ({ request }) => counted(request, tooManyDocuments, () => documentResponse))
        .handleRaw("docs", ({ request }) =>
          counted(
            request,
            (retryAfter) =>
              linkProblemPage("tooMany", preferredLanguage(request.headers["accept-language"]), retryAfter),
            () => docsPage
          )
        )
        .handle("openaiAppsChallenge", () =>
          openaiAppsChallenge === undefined
            ? Effect.fail(new NotFoundProblem())
            : Effect.succeed(
                HttpApiSchema.withHeaders({ body: openaiAppsChallenge, headers: { "cache-control": "no-cache" } })
              )
        )
        .handleRaw("landing", ({ headers, query: { onboarding }, request }) =>
          counted(
            request,
            (retryAfter) => linkProblemPage("tooMany", headers["accept-language"], retryAfter),
            () =>
              startPage(
                headers["accept-language"],
                onboardingEnds.find((end) => end === onboarding)
              )
          )
        )
        .handleRaw("checkoutReturn", ({ headers, query: { payment = "", token = "", ...query }, request }) => {
          const language = headers["accept-language"]
          const tokens = { booking: token, payment }
          return Effect.match(payerOf(tokens, request), {
            onSuccess: (found) => payerReturned(found, tokens, query, language),
            onFailure: ({ retry_after_seconds }) => linkProblemPage("tooMany", language, retry_after_seconds)
          })
        })
    )
  })
)
