/** Health, documentation, and the pages for people. */
import { Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, OpenApi } from "effect/http-api"
import { RateLimits } from "../access/RateLimits.ts"
import { AppConfig } from "../config/AppConfig.ts"
import { type DatabaseState, Readiness } from "../database/Readiness.ts"
import { preferredLanguage } from "../kernel/Language.ts"
import { CheckoutReturn, type ReturnTokens } from "../payment/CheckoutReturn.ts"
import { Api, SystemApi } from "./Api.ts"
import { Draining } from "./Draining.ts"
import { checkoutReturn, type Found } from "../pages/checkout/CheckoutReturnPage.ts"
import { docs } from "../pages/landing/Docs.ts"
import { landing, type OnboardingEnd } from "../pages/landing/Landing.ts"
import { linkProblemPage } from "../pages/LinkProblems.ts"
import { PublishedTools } from "../pages/landing/Tools.ts"
import { problem } from "./Problem.ts"

const noStore = { headers: { "cache-control": "no-store" } }
const notReady = (detail: string) => problem("not_ready", { detail, headers: { "retry-after": "2" } })

/** The longest that a payer's page waits: it asks the database and, within two seconds, the provider. */
const payerWaits = "6 seconds"

/** Why the service is not ready; undefined where it is. */
const hindrances: Readonly<Record<DatabaseState, string | undefined>> = {
  ready: undefined,
  unmigrated: "The database is not migrated yet.",
  away: "The database can't be reached.",
  silent: "The database does not answer.",
  read_only: "The database is read-only.",
  unwritable: "The database can't be written to; the log says why."
}

const onboardingEnd = (text: string | undefined): OnboardingEnd | undefined =>
  text === "done" || text === "expired" ? text : undefined

const first = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "string" ? value : value?.[0]

export const SystemHandlers = HttpApiBuilder.group(
  SystemApi,
  "system",
  Effect.fn(function* (handlers) {
    const settings = yield* AppConfig
    const { baseUrl, openaiAppsChallenge } = settings
    const database = yield* Readiness
    const draining = yield* Draining
    const checkoutReturns = yield* CheckoutReturn
    const limits = yield* RateLimits
    const document = OpenApi.fromApi(Api)
    const served = { ...document, servers: [{ url: baseUrl }] }
    const documentResponse = HttpServerResponse.jsonUnsafe(served, { headers: { "cache-control": "no-cache" } })
    const docsPage = docs(document, baseUrl, yield* PublishedTools)
    const challengeResponse =
      openaiAppsChallenge === undefined
        ? problem("not_found")
        : HttpServerResponse.text(openaiAppsChallenge, { headers: { "cache-control": "no-cache" } })
    const ready = HttpServerResponse.jsonUnsafe({ status: "ready" }, noStore)

    const readiness = Effect.gen(function* () {
      if ((yield* draining.stage) === "leaving") return notReady("The service is stopping.")
      const hindrance = hindrances[yield* database.state]
      return hindrance === undefined ? ready : notReady(hindrance)
    })

    const paymentOf = (tokens: ReturnTokens, { headers, remoteAddress }: HttpServerRequest.HttpServerRequest) =>
      limits.takeForAddress(limits.addressOf(Option.getOrUndefined(remoteAddress), headers["x-forwarded-for"])).pipe(
        Effect.andThen(Effect.timeout(checkoutReturns.read(tokens), payerWaits)),
        Effect.map(
          Option.match({
            onNone: (): Found => ({ payment: "unknown" }),
            onSome: (view): Found => ({ payment: "known", tokens, view })
          })
        ),
        Effect.catchTags({
          RateLimited: ({ retry_after_seconds }) =>
            Effect.succeed({ payment: "too_many" as const, retry_after_seconds }),
          SqlError: (error) => unavailable(tokens, error),
          TimeoutError: (error) => unavailable(tokens, error)
        })
      )
    const unavailable = (tokens: ReturnTokens, error: unknown) =>
      Effect.as(Effect.logWarning("A payer could not be told how the payment stands", error), {
        payment: "unavailable",
        tokens
      } satisfies Found)

    return handlers
      .handleRaw("healthz", () => Effect.succeed(HttpServerResponse.jsonUnsafe({ status: "ok" }, noStore)))
      .handleRaw("readyz", () => readiness)
      .handleRaw("openapi", () => Effect.succeed(documentResponse))
      .handleRaw("docs", () => Effect.succeed(docsPage))
      .handleRaw("openaiAppsChallenge", () => Effect.succeed(challengeResponse))
      .handleRaw("landing", ({ request }) =>
        Effect.map(HttpServerRequest.ParsedSearchParams, ({ onboarding }) =>
          landing(settings, preferredLanguage(request.headers["accept-language"]), onboardingEnd(first(onboarding)))
        )
      )
      .handleRaw("checkoutReturn", ({ request }) =>
        Effect.gen(function* () {
          const { look, outcome, payment, token } = yield* HttpServerRequest.ParsedSearchParams
          const tokens = { booking: first(token) ?? "", payment: first(payment) ?? "" }
          const language = preferredLanguage(request.headers["accept-language"])
          const none = tokens.booking === "" && tokens.payment === ""
          const found = none ? { payment: "unknown" as const } : yield* paymentOf(tokens, request)
          return found.payment === "too_many"
            ? linkProblemPage("tooMany", language, found.retry_after_seconds)
            : checkoutReturn(found, { outcome: first(outcome), look: first(look) }, language)
        })
      )
  })
)
