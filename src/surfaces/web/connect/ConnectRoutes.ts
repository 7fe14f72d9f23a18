/**
 * Routes of the authorization server, mounted only if `CONNECT` is set: its metadata, its endpoints for clients, and
 * its pages. Clients find all of them through the metadata of `/mcp/connect` (RFC 9728), so the HTTP contract does not
 * list them.
 */
import { Data, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Cookies, HttpRouter, type HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import type { SqlError } from "effect/sql"
import { AppConfig } from "../../../platform/config/AppConfig.ts"
import { makeAuthorizationServer, type Decision } from "../../../domain/oauth/AuthorizationServer.ts"
import { grantable } from "../../../domain/oauth/Grants.ts"
import {
  addressAsked,
  issuerPath,
  metadataPath,
  paths,
  resourceMetadataPath,
  serverMetadataPaths,
  toolsPath,
  type ConnectAnswer,
  type ConnectRequest
} from "../../../domain/oauth/OAuthExchange.ts"
import { ApiKeyInvalid } from "../../../platform/access/ApiKeys.ts"
import { BookingLinks } from "../../../domain/booking/BookingLinks.ts"
import { RateLimits } from "../../../platform/access/RateLimits.ts"
import { type Language, preferredLanguage } from "../../../words/Languages.ts"
import { bodyLimits, readText } from "../../http/Bodies.ts"
import { BadRequestProblem, PayloadTooLargeProblem } from "../../http/Problem.ts"
import { consentPage, deadEndPage, errorPage, type Fault } from "./ConsentPage.ts"
import { redirectAfterPost } from "../frame/PageTable.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Pages of any origin may use these addresses: they rely on codes and tokens, never on a cookie. */
const anyOrigin = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "www-authenticate, retry-after"
}
const preflight = (allow: string): Response =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      ...anyOrigin,
      "access-control-allow-methods": allow,
      "access-control-allow-headers": "accept, authorization, content-type, mcp-protocol-version",
      "access-control-max-age": "7200"
    }
  })

const badRequest = HttpServerRespondable.toResponse(new BadRequestProblem())

/** An error as OAuth writes it (RFC 6749, 5.2). */
const oauthError = (
  status: number,
  error: string,
  error_description: string,
  headers: Readonly<Record<string, string>> = {}
): Response =>
  HttpServerResponse.jsonUnsafe(
    { error, error_description },
    { status, headers: { "cache-control": "no-store", ...anyOrigin, ...headers } }
  )

const unavailable = oauthError(503, "temporarily_unavailable", "the service can't answer for a moment", {
  "retry-after": "5"
})

const tooMany = (seconds: number): Response =>
  oauthError(429, "temporarily_unavailable", `too many requests from this address: wait ${seconds} s`, {
    "retry-after": String(seconds)
  })

/** Limit of a browser address in characters: most of it is stored while a person decides. */
const maxAddressLength = 4096
const tooLong = {
  error: "invalid_request",
  description: `the address has more than ${maxAddressLength} characters`,
  status: 414
}

/** The database does not answer. This is temporary and logged as ours. */
const orUnavailable = (response: Response) => (error: SqlError.SqlError) =>
  Effect.as(Effect.logWarning("The authorization server's database does not answer", error), response)

const languageOf = (request: Request): Language => preferredLanguage(request.headers["accept-language"])

const OAuthError = Schema.fromJsonString(
  Schema.Struct({ error: Schema.String, error_description: Schema.optionalKey(Schema.String) })
)
const decodeError = Schema.decodeUnknownOption(OAuthError)

/** CORS headers of the library, which ours replace. */
const own = new Set(["access-control-allow-origin", "access-control-expose-headers", "vary"])

const toResponse = (answer: ConnectAnswer, headers: Readonly<Record<string, string>>): Response => {
  const kept = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !own.has(name)))
  const { "content-type": contentType, ...others } = kept
  const response =
    answer.body === ""
      ? HttpServerResponse.empty({ status: answer.status, headers: { ...others, ...headers } })
      : HttpServerResponse.text(answer.body, {
          status: answer.status,
          headers: { ...others, ...headers },
          ...(contentType === undefined ? {} : { contentType })
        })
  return HttpServerResponse.mergeCookies(response, Cookies.fromSetCookie(answer.cookies))
}

/** An answer for a browser: a redirect as it is, a failure as a page. */
const toPage = (answer: ConnectAnswer, language: Language): Response => {
  if (answer.status >= 300 && answer.status < 400) return toResponse(answer, { "cache-control": "no-store" })
  const failure = Option.getOrUndefined(decodeError(answer.body))
  if (failure === undefined) return toResponse(answer, {})
  if (answer.status >= 500) return deadEndPage("unavailable", language)
  return errorPage(
    { error: failure.error, description: failure.error_description ?? "", status: answer.status },
    language
  )
}

/** The pasted link opens no booking, or no longer does. */
class LinkWrong extends Data.TaggedError("LinkWrong") {
  override readonly message = "The pasted link opens no booking."
}

const decisionOf = (form: URLSearchParams): Decision | Fault | undefined => {
  switch (form.get("decision")) {
    case "refusal":
      return { by: "refusal" }
    case "guest":
      return { by: "guest" }
    case "key": {
      const key = form.get("key")?.trim() ?? ""
      return key === "" ? "keyMissing" : { by: "key", key: Redacted.make(key, { label: "API key" }) }
    }
    default:
      return undefined
  }
}

const routes = Effect.gen(function* () {
  const settings = yield* AppConfig
  const { baseUrl, connect: ways } = settings
  const server = yield* makeAuthorizationServer
  const limits = yield* RateLimits
  const links = yield* BookingLinks

  const asked = (request: Request, target: string, body: string): ConnectRequest => ({
    method: request.method === "HEAD" ? "GET" : request.method,
    target,
    headers: request.headers,
    body,
    address: limits.addressOf(request)
  })

  /** Path and query below the issuer. */
  const targetOf = ({ url }: Request): string => url.slice(issuerPath.length)

  const respond = (request: Request, target: string, body: string) => server.respond(asked(request, target, body))

  /** A metadata document, for pages of any origin. */
  const document = (path: string, answer: (request: Request) => Effect.Effect<Response>) =>
    Layer.merge(
      HttpRouter.add("GET", `/${path.slice(1)}`, answer),
      HttpRouter.add("OPTIONS", `/${path.slice(1)}`, preflight("GET"))
    )

  /** A document of the library's, with how many seconds it may be kept. */
  const kept = (target: string, seconds: number) => (request: Request) =>
    respond(request, target, "").pipe(
      Effect.map((answer) => toResponse(answer, { ...anyOrigin, "cache-control": `public, max-age=${seconds}` })),
      Effect.catchTag("SqlError", orUnavailable(unavailable))
    )

  const protectedResource = ({ headers }: Request) =>
    HttpServerResponse.jsonUnsafe(
      {
        resource: addressAsked(settings, headers.host) + toolsPath,
        authorization_servers: [server.issuer],
        scopes_supported: grantable,
        bearer_methods_supported: ["header"],
        resource_name: "Playroom booking",
        resource_documentation: `${baseUrl}/docs`
      },
      { headers: { ...anyOrigin, "cache-control": "public, max-age=300", vary: "host" } }
    )

  /** An endpoint that clients post to. */
  const endpoint = (path: string, take: RateLimits["Service"]["takeForAddress"], largest: number = bodyLimits.oauth) =>
    Layer.merge(
      HttpRouter.add("POST", `${issuerPath}/${path.slice(1)}`, (request) =>
        Effect.gen(function* () {
          yield* take(limits.addressOf(request))
          const body = yield* readText(request, largest)
          return toResponse(yield* respond(request, targetOf(request), body), anyOrigin)
        }).pipe(
          Effect.catchTags({
            RateLimited: ({ retry_after_seconds }) => Effect.succeed(tooMany(retry_after_seconds)),
            BodyTooLarge: ({ limit }) =>
              Effect.succeed(oauthError(413, "invalid_request", `the body has more than ${limit} bytes`)),
            BodyUnreadable: () => Effect.succeed(oauthError(400, "invalid_request", "the body could not be read")),
            SqlError: orUnavailable(unavailable)
          })
        )
      ),
      HttpRouter.add("OPTIONS", `${issuerPath}/${path.slice(1)}`, preflight("POST"))
    )

  /** Whether this fails because the browser was sent back to the client before: a second press, a reload, or "back". */
  const pressedAgain = Effect.fnUntraced(function* ({ status }: ConnectAnswer) {
    const { id } = yield* HttpRouter.params
    return status === 400 && id !== undefined && (yield* server.isFinished(id))
  })

  /** An address that the protocol sends a browser to. */
  const browserAddress = (path: `/${string}`) =>
    HttpRouter.add("GET", path, (request) => {
      const language = languageOf(request)
      if (request.url.length > maxAddressLength) return Effect.succeed(errorPage(tooLong, language))
      return limits.takeForAddress(limits.addressOf(request)).pipe(
        Effect.andThen(respond(request, targetOf(request), "")),
        Effect.flatMap((answer) =>
          Effect.map(pressedAgain(answer), (again) =>
            again ? deadEndPage("decided", language) : toPage(answer, language)
          )
        ),
        Effect.catchTags({
          RateLimited: () => Effect.succeed(deadEndPage("tooManyTries", language)),
          SqlError: orUnavailable(deadEndPage("unavailable", language))
        })
      )
    })

  /**
   * A guest's decision with the booking that the pasted link opens. A wrong link is a guess, as a wrong key is, and
   * counts for the address.
   */
  const withBooking = Effect.fnUntraced(function* (decision: Decision, link: string, address: string) {
    if (decision.by !== "guest" || link.trim() === "") return decision
    const found = links.pasted(link).pipe(
      Effect.flatMap(Effect.fromOption),
      Effect.catchTag("NoSuchElementError", () => Effect.fail(new ApiKeyInvalid()))
    )
    const { booking_id } = yield* Effect.catchTag(limits.guessGuard(address)(found), "ApiKeyInvalid", () =>
      Effect.fail(new LinkWrong())
    )
    return { by: "guest", agreed: (key_id: string) => links.join(booking_id, key_id) } satisfies Decision
  })

  const consent = Effect.fnUntraced(function* (request: Request) {
    const language = languageOf(request)
    const { id = "" } = yield* HttpRouter.params
    const deadEnd = (dead: Parameters<typeof deadEndPage>[0]) => deadEndPage(dead, language)
    return yield* Effect.gen(function* () {
      yield* limits.takeForAddress(limits.addressOf(request))
      const body = request.method === "POST" ? yield* readText(request, bodyLimits.oauth) : ""
      const call = asked(request, targetOf(request), body)
      const found = yield* server.consent(id, call)
      if (request.method !== "POST") {
        return found.decided === undefined
          ? consentPage(found, language, ways)
          : HttpServerResponse.redirect(found.decided, { status: 303 })
      }
      const form = new URLSearchParams(body)
      const decision = decisionOf(form)
      if (decision === undefined) return yield* badRequest
      if (typeof decision === "string") return consentPage(found, language, ways, decision)
      if (decision.by !== "refusal" && !ways.includes(decision.by)) return yield* badRequest
      const again = (fault: Fault) => () => Effect.succeed(consentPage(found, language, ways, fault))
      return yield* withBooking(decision, form.get("link") ?? "", call.address).pipe(
        Effect.flatMap((joining) => server.decide(found, joining, call, form.get("form_token") ?? "")),
        Effect.map(redirectAfterPost),
        Effect.catchTags({
          ApiKeyInvalid: again("keyWrong"),
          LinkWrong: again("linkWrong"),
          KeyAllowsNothing: again("keyAllowsNothing"),
          RateLimited: again("tooManyTries"),
          TooManyGuests: again("tooManyGuests"),
          ForeignForm: () => Effect.succeed(deadEnd("expired"))
        })
      )
    }).pipe(
      Effect.catchTags({
        BodyTooLarge: () => HttpServerRespondable.toResponse(new PayloadTooLargeProblem()),
        BodyUnreadable: () => badRequest,
        NoConsent: ({ why }) => Effect.succeed(deadEnd(why === "no_cookie" ? "noCookie" : why)),
        RateLimited: () => Effect.succeed(deadEnd("tooManyTries")),
        SqlError: orUnavailable(deadEnd("unavailable"))
      })
    )
  })

  const consentAddress: `/${string}` = `${issuerPath}${paths.consent}/:id`

  return Layer.mergeAll(
    document(resourceMetadataPath, (request) => Effect.succeed(protectedResource(request))),
    ...serverMetadataPaths.map((path) => document(path, kept(metadataPath, 300))),
    document(`${issuerPath}${paths.jwks}`, kept(paths.jwks, 60)),
    endpoint(paths.token, limits.takeForTokens),
    endpoint(paths.revocation, limits.takeForTokens),
    endpoint(paths.registration, limits.takeForAddress, bodyLimits.registration),
    browserAddress(`${issuerPath}${paths.authorization}`),
    browserAddress(`${issuerPath}${paths.authorization}/:id`),
    HttpRouter.add("GET", consentAddress, consent),
    HttpRouter.add("POST", consentAddress, consent)
  )
})

/** Mounts the authorization server's routes; none if signing in is disabled. */
export const ConnectRoutes = {
  layer: Layer.unwrap(
    Effect.flatMap(AppConfig, ({ connect }) => (connect.length === 0 ? Effect.succeed(Layer.empty) : routes))
  ).pipe(Layer.provide(BookingLinks.layer))
}
