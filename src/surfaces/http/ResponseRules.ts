/**
 * What holds for every response: unmatched requests and failures become problem documents or pages, a request that
 * others could read differently is refused, the security headers are set, and the request is counted.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Effect, ErrorReporter, Metric, Option, Layer } from "effect"
import {
  HttpServerError,
  HttpServerRequest,
  HttpServerRespondable,
  HttpServerResponse,
  ProblemDetails,
  FindMyWay,
  HttpMethod,
  HttpRouter
} from "effect/http"
import { HttpApiError } from "effect/http-api"
import { toolsPath } from "../../domain/oauth/OAuthExchange.ts"
import { monotonicMs } from "../../platform/time/Elapsed.ts"
import type { Draining } from "./Ending.ts"
import {
  BadRequestProblem,
  EncodingUnsupportedProblem,
  InternalErrorProblem,
  MethodNotAllowedProblem,
  NotFoundProblem,
  PayloadTooLargeProblem,
  type RefusalPages
} from "./Problem.ts"

// What a server serves where: for the router, the `Allow` headers, and the labels of metrics.

/** Longer than any address that arrives, so that an overlong token gets the same answer as a wrong one. */
const maxParameterLength = 65_536

/** Each address has one spelling: another case, a second slash or an encoded letter is not found. */
export const exactPaths = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  maxParamLength: maxParameterLength
} as const

/** An address in OpenAPI notation: `/b/{token}`. */
const openApiPath = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}")

const refusals = new WeakSet<object>()

/** Routes for all methods but these, of an address that refuses them in its own words. */
export const refusing = (
  path: HttpRouter.PathInput,
  taken: ReadonlyArray<HttpMethod.HttpMethod>,
  answer: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse>
): ReadonlyArray<HttpRouter.Route> =>
  [...HttpMethod.all]
    .filter((method) => !taken.includes(method))
    .map((method) => {
      const route = HttpRouter.route(method, path, answer)
      refusals.add(route)
      return route
    })

/** The addresses of one server. It learns them as its routes are added. */
export class Addresses {
  readonly #router = FindMyWay.make<string>(exactPaths)
  readonly #methods = new Map<string, Set<string>>()

  #learn(route: Pick<HttpRouter.Route, "method" | "path">): void {
    const { method, path } = route
    const address = openApiPath(path)
    const known = this.#methods.get(address)
    if (known === undefined && path !== "*") this.#router.on("GET", path, address)
    const methods = known ?? new Set()
    this.#methods.set(address, methods)
    // An address of all methods says itself which it takes.
    if (method === "*" || refusals.has(route)) return
    methods.add(method)
    if (method === "GET") methods.add("HEAD")
  }

  /** The router of this server, for its routes. */
  readonly layer = Layer.effect(
    HttpRouter.HttpRouter,
    Effect.map(HttpRouter.HttpRouter, (router) => {
      const addAll: HttpRouter.HttpRouter["addAll"] = (routes) => {
        for (const route of routes) this.#learn(route)
        return router.addAll(routes)
      }
      return HttpRouter.HttpRouter.of({
        ...router,
        addAll,
        add: (method, path, handler, options) => addAll([HttpRouter.route(method, path, handler, options)])
      })
    })
  )

  /** The address of a request in OpenAPI notation; undefined if there is none. */
  routeOf(url: string): string | undefined {
    const end = url.search(/[?#]/)
    const path = end === -1 ? url : url.slice(0, end)
    return this.#methods.has(path) ? path : this.#router.find("GET", url)?.handler
  }

  /** The methods of an address as `Allow` lists them. */
  allowOf(route: string): string {
    return [...(this.#methods.get(route) ?? [])].join(", ")
  }
}

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** The router decodes `%` and cuts a path at `;` before matching. Our addresses contain neither. */
const inexactPath = /^[^?#]*[%;]/

/** The route for metrics and logs. The path itself may contain a token or whatever a caller wrote. */
const safeRoute = (addresses: Addresses, url: string): string =>
  inexactPath.test(url) ? "other" : (addresses.routeOf(url) ?? "other")

const traceIdOf = Effect.map(
  Effect.option(Effect.currentSpan),
  Option.match({ onNone: () => undefined, onSome: (span) => span.traceId })
)

/** What the rules need to know of what is served. */
interface Surface {
  readonly addresses: Addresses
  readonly draining: Draining["Service"]
  readonly pages: ErrorPages
}

/** The pages for people who meet an error; undefined for programs, which get a problem document. */
export interface ErrorPages {
  readonly missing: (request: Request) => Response | undefined
  readonly broken: (request: Request) => Response | undefined
  /** Whoever was refused before work began; complete. */
  readonly refused: RefusalPages
  /** Completes a response that is a page, of any route. */
  readonly complete: (response: Response) => Response
}

/** Everyone gets problem documents. */
export const noPages: ErrorPages = {
  missing: () => undefined,
  broken: () => undefined,
  refused: () => undefined,
  complete: (response) => response
}

/** The header with the trace of a request that failed, for whoever runs the service. */
const traceHeader = "x-trace-id"

/** The response for an unhandled failure. It does not reveal the cause, which is logged. */
const failureResponse = Effect.fnUntraced(function* <E>(
  request: Request,
  cause: Cause.Cause<E>,
  { addresses, pages }: Surface
) {
  for (const reason of cause.reasons) {
    if (Cause.isDieReason(reason)) {
      // The framework dies with the response that it wants to send.
      if (HttpServerResponse.isHttpServerResponse(reason.defect)) return reason.defect
      const isUnreadable = HttpApiError.HttpApiSchemaError.is(reason.defect) && reason.defect[ErrorReporter.ignore]
      if (isUnreadable) return yield* HttpServerRespondable.toResponse(new BadRequestProblem())
    }
    if (Cause.isFailReason(reason) && HttpServerError.isHttpServerError(reason.error)) {
      const why = reason.error.reason
      if (why._tag === "RouteNotFound") {
        const route = addresses.routeOf(request.url)
        if (route === undefined) return yield* notFound(request, { addresses, pages })
        const allow = addresses.allowOf(route)
        const problem = new MethodNotAllowedProblem({ detail: `${route} takes ${allow}.` })
        return HttpServerResponse.setHeader(yield* HttpServerRespondable.toResponse(problem), "allow", allow)
      }
      if (why._tag === "RequestParseError") {
        return yield* HttpServerRespondable.toResponse(
          why.reason === "BodyTooLarge" ? new PayloadTooLargeProblem() : new BadRequestProblem()
        )
      }
    }
  }
  // Responses are built in an uninterruptible region. An interruption means that nobody waits for an answer.
  if (Cause.hasInterruptsOnly(cause)) return yield* Effect.failCause(cause)
  const trace_id = yield* traceIdOf
  yield* Effect.logError(
    "A request failed",
    { method: request.method, route: safeRoute(addresses, request.url) },
    cause
  )
  const response = pages.broken(request) ?? (yield* HttpServerRespondable.toResponse(new InternalErrorProblem()))
  return trace_id === undefined ? response : HttpServerResponse.setHeader(response, traceHeader, trace_id)
})

/** A person's link without what stood behind it: a slash, or what else no token has. */
const withoutTail = (url: string): string =>
  url.replace(/^(\/[a-z]\/[\w-]{48})[^\w?#-].*$/s, "$1").replace(/^(\/[^?#]+)\/(?=\?|$)/s, "$1")

const notFound = (request: Request, { addresses, pages }: Pick<Surface, "addresses" | "pages">) => {
  const page = pages.missing(request)
  const meant = withoutTail(request.url)
  if (page !== undefined && request.method === "GET" && meant !== request.url && addresses.routeOf(meant) !== undefined)
    return Effect.succeed(HttpServerResponse.redirect(meant))
  // The address is there wherever people can sign in.
  const detail = request.url.split("?")[0] === toolsPath ? "People can't sign in here: CONNECT is not set." : undefined
  return page === undefined
    ? HttpServerRespondable.toResponse(new NotFoundProblem(detail === undefined ? {} : { detail }))
    : Effect.succeed(page)
}

const isHost = (name: string): boolean => name.length === 4 && name.toLowerCase() === "host"

/**
 * The answer to a request that others could read differently; undefined if there is one reading. Node has refused those
 * whose length is ambiguous.
 */
const ambiguity = (request: Request) => {
  // Node drops a second `Host`, and a proxy may have decided by it.
  const { rawHeaders } = NodeHttpServerRequest.toIncomingMessage(request)
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at] ?? "")) hosts += 1
  if (hosts > 1) return HttpServerRespondable.toResponse(new BadRequestProblem({ detail: "Two Host headers." }))
  const { "content-encoding": encoding, "content-length": length = "0", "transfer-encoding": chunked } = request.headers
  // RFC 9112, 6.3: without chunks at the end the length of a request is unknown. Node tells only who reads the body.
  if (chunked !== undefined && chunked.toLowerCase() !== "chunked") {
    return HttpServerRespondable.toResponse(new BadRequestProblem({ detail: "Transfer-Encoding must be chunked." }))
  }
  if (encoding === undefined || identity.test(encoding) || (length === "0" && chunked === undefined)) return undefined
  return Effect.map(HttpServerRespondable.toResponse(new EncodingUnsupportedProblem()), (response) =>
    HttpServerResponse.setHeader(response, "accept-encoding", "identity")
  )
}

/** No coding, however often it is said. */
const identity = /^[\s,]*(?:identity[\s,]*)*$/i

const securityHeaders = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" }
const problemHeaders = { "cache-control": "no-store" }

// Fine enough to show a slow database, few enough to keep the metrics short.
const durationBoundaries = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const makeRequestMetrics = (addresses: Addresses) => {
  const series = new Map<string, { readonly count: Metric.Counter<number>; readonly time: Metric.Histogram<number> }>()
  return (request: Request, status: number, ms: number) => {
    const route = safeRoute(addresses, request.url)
    const key = `${route} ${status}`
    let known = series.get(key)
    if (known === undefined) {
      const attributes = { route, status: String(status) }
      known = {
        count: Metric.counter("http_requests_total", {
          description: "Requests answered",
          incremental: true,
          attributes
        }),
        time: Metric.histogram("http_request_duration_seconds", {
          description: "Time to the response",
          boundaries: durationBoundaries,
          attributes: { route }
        })
      }
      series.set(key, known)
    }
    return Effect.andThen(Metric.update(known.count, 1), Metric.update(known.time, ms / 1000))
  }
}

/** Adds to the router what every response needs. */
export const withResponseRules = <E, R>(app: Effect.Effect<Response, E, R>, surface: Surface) => {
  const { addresses, draining, pages } = surface
  const record = makeRequestMetrics(addresses)
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const start = yield* monotonicMs
    const answered = yield* (
      ambiguity(request) ??
        (inexactPath.test(request.url)
          ? notFound(request, surface)
          : Effect.catchCause(app, (cause) => failureResponse(request, cause, surface)))
    )
    const response = pages.complete(answered)
    yield* record(request, response.status, (yield* monotonicMs) - start)
    // A kept-alive connection would delay the stop, and a load balancer would reuse it.
    const connection = (yield* draining.stage) === "serving" ? undefined : { connection: "close" }
    const noStore = response.headers["content-type"] === ProblemDetails.contentType ? problemHeaders : undefined
    return HttpServerResponse.setHeaders(response, {
      ...securityHeaders,
      ...noStore,
      ...response.headers,
      ...connection
    })
  })
}
