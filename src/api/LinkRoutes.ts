/**
 * What the pages have in common that a token in their address opens: the address' limit, and one page for all tokens that open nothing.
 */
import { Cause, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { RateLimits } from "../access/RateLimits.ts"
import { type Language, preferredLanguage } from "../kernel/Language.ts"
import { linkProblemPage } from "../pages/LinkProblems.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** A request to a page that a token opens. */
export interface LinkRequest {
  readonly token: string
  readonly language: Language
  readonly request: Request
  readonly query: Readonly<Record<string, string | ReadonlyArray<string>>>
}

/** The longest that a page waits: it asks the database and, within two seconds, the payment provider. */
const pageWaits = "8 seconds"

/**
 * A route whose path has `:token`. `answer` gives none where the token opens nothing.
 */
export const linkRoute = <E, R>(
  method: "GET" | "POST",
  path: `/${string}`,
  answer: (asked: LinkRequest) => Effect.Effect<Option.Option<Response>, E, R>
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const limits = yield* RateLimits
      const respond = Effect.fnUntraced(function* (request: Request) {
        const language = preferredLanguage(request.headers["accept-language"])
        const { token = "" } = yield* HttpRouter.params
        const query = yield* HttpServerRequest.ParsedSearchParams
        const address = limits.addressOf(
          Option.getOrUndefined(request.remoteAddress),
          request.headers["x-forwarded-for"]
        )
        const failed = (cause: Cause.Cause<unknown>) =>
          Effect.as(
            Effect.logError("A page for people could not be made", { route: path }, cause),
            linkProblemPage("unavailable", language)
          )
        return yield* limits.takeForAddress(address).pipe(
          Effect.matchEffect({
            onFailure: ({ retry_after_seconds }) =>
              Effect.succeed(linkProblemPage("tooMany", language, retry_after_seconds)),
            onSuccess: () =>
              answer({ token, language, request, query }).pipe(
                Effect.timeout(pageWaits),
                Effect.map(Option.getOrElse(() => linkProblemPage("dead", language)))
              )
          }),
          Effect.catchCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : failed(cause)))
        )
      })
      return HttpRouter.add(method, path, respond)
    })
  )
