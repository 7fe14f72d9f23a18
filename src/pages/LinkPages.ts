/** The pages that a token in their address opens: the address' limit, the longest that they wait, and a page where one can't be shown. */
import { Effect, Layer } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { RateLimits } from "../access/RateLimits.ts"
import { linkPaths } from "../access/LinkTokens.ts"
import { FirstQueryValues, LinkPages } from "../api/Api.ts"
import { preferredLanguage } from "../i18n/Languages.ts"
import { linkProblemPage } from "./LinkProblems.ts"

type Request = HttpServerRequest.HttpServerRequest

const languageOf = ({ headers }: Request) => preferredLanguage(headers["accept-language"])

/** The longest that a page waits: it asks the database and, within two seconds, the payment provider. */
const pageWaits = "8 seconds"

const linkPages = Layer.effect(
  LinkPages,
  Effect.map(RateLimits, (limits) =>
    LinkPages.of((answer, { endpoint }) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.matchEffect(limits.takeForAddress(limits.addressOf(request)), {
          onFailure: ({ retry_after_seconds }) =>
            Effect.succeed(linkProblemPage("tooMany", languageOf(request), retry_after_seconds)),
          onSuccess: () =>
            Effect.catchCause(Effect.timeout(answer, pageWaits), (cause) =>
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

/** What the contract's pages go through. Open: `RateLimits`. */
export const pageMiddleware = Layer.merge(linkPages, firstOfEach)

/** The page for an address that people were given, and that was copied badly; none for any other address. */
export const missingPage = (request: Request): HttpServerResponse.HttpServerResponse | undefined =>
  Object.values(linkPaths).some((path) => request.url.startsWith(path))
    ? linkProblemPage("dead", languageOf(request))
    : undefined
