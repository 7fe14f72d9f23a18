/** Middleware of the pages that a token opens: the address's limit of pages, a timeout, and error pages. */
import { Effect, Layer } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { RateLimits } from "../access/RateLimits.ts"
import { linkPaths } from "../access/LinkTokens.ts"
import { FirstQueryValues, LinkPages } from "../api/PageContract.ts"
import type { ErrorPages } from "../api/ResponseRules.ts"
import type { Settings } from "../config/AppConfig.ts"
import { preferredLanguage } from "../i18n/Languages.ts"
import { withFooter } from "./Layout.ts"
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
        Effect.matchEffect(limits.takeForPage(limits.addressOf(request)), {
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

/** Media types that programs ask for. Browsers name `text/html` and none of these when they open an address. */
const forPrograms = /application\/(problem\+)?json|text\/event-stream/i
const maxAcceptLength = 500

/** Whether who accepts this is a person: a browser that opens an address. */
const isPerson = (accepted = ""): boolean => {
  const accept = accepted.slice(0, maxAcceptLength)
  return /text\/html/i.test(accept) && !forPrograms.test(accept)
}

const isForPerson = ({ headers }: Request): boolean => isPerson(headers["accept"])

/** The pages for people who meet an error. */
export const errorPages = ({ publisher }: Pick<Settings, "publisher">): ErrorPages => {
  const complete = withFooter(publisher)
  // Whoever is refused costs little: each page is made once.
  const refusals = new Map<string, HttpServerResponse.HttpServerResponse>()
  return {
    // A link for people that was copied badly is explained to programs, too: chats open it for a preview.
    missing: (request) =>
      Object.values(linkPaths).some((path) => request.url.startsWith(path))
        ? linkProblemPage(request.url.startsWith(linkPaths.invitation) ? "invitation" : "dead", languageOf(request))
        : isForPerson(request)
          ? linkProblemPage("nothing", languageOf(request))
          : undefined,
    broken: (request) => (isForPerson(request) ? linkProblemPage("broken", languageOf(request)) : undefined),
    refused: ({ accept, languages, retryAfter, status }) => {
      if (!isPerson(accept)) return undefined
      const language = preferredLanguage(languages)
      const key = `${status} ${language}`
      const problem = status === 429 ? "tooMany" : "unavailable"
      const page = refusals.get(key) ?? complete(linkProblemPage(problem, language, retryAfter))
      refusals.set(key, page)
      return page
    },
    complete
  }
}
