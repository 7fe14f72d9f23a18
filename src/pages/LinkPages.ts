/** Middleware of the pages that a token opens: the address's rate limit, a timeout, and error pages. */
import { Effect, Layer } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { RateLimits } from "../access/RateLimits.ts"
import { linkPaths } from "../access/LinkTokens.ts"
import { FirstQueryValues, LinkPages } from "../api/Api.ts"
import { preferredLanguage } from "../i18n/Languages.ts"
import { linkProblemPage } from "./LinkProblems.ts"

type Request = HttpServerRequest.HttpServerRequest

const languageOf = ({ headers }: Request) => preferredLanguage(headers["accept-language"])

/** Timeout of a page, which asks the database and (for at most two seconds) the payment provider. */
const pageTimeout = "8 seconds"

const linkPages = Layer.effect(
  LinkPages,
  Effect.map(RateLimits, (limits) =>
    LinkPages.of((answer, { endpoint }) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.matchEffect(limits.takeForAddress(limits.addressOf(request)), {
          onFailure: ({ retry_after_seconds }) =>
            Effect.succeed(linkProblemPage("tooMany", languageOf(request), retry_after_seconds)),
          onSuccess: () =>
            Effect.catchCause(Effect.timeout(answer, pageTimeout), (cause) =>
              Effect.as(
                Effect.logError("A page for people could not be made", { route: endpoint.path }, cause),
                linkProblemPage("unavailable", languageOf(request))
              )
            )
        })
      )
    )
  )
)

const firstOfEach = Layer.succeed(
  FirstQueryValues,
  Effect.updateService(HttpServerRequest.ParsedSearchParams, (query) =>
    Object.fromEntries(
      Object.entries(query).map(([name, value]) => [name, typeof value === "string" ? value : (value[0] ?? "")])
    )
  )
)

/** The middleware of the contract's pages. */
export const pageMiddleware = Layer.merge(linkPages, firstOfEach)

/** The error page for a link for people that was copied badly; undefined for any other address. */
export const missingPage = (request: Request): HttpServerResponse.HttpServerResponse | undefined =>
  Object.values(linkPaths).some((path) => request.url.startsWith(path))
    ? linkProblemPage("dead", languageOf(request))
    : undefined
