/**
 * Serves routes. What no route answers becomes a problem document, every response gets the security headers, requests
 * are counted, and a stop lets requests in flight finish.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Cause, Clock, Context, Deferred, Effect, ErrorReporter, Exit, Layer, Metric, Option, type Scope } from "effect"
import {
  HttpRouter,
  HttpServer,
  HttpServerError,
  HttpServerRequest,
  HttpServerRespondable,
  HttpServerResponse,
  ProblemDetails
} from "effect/http"
import { HttpApiError } from "effect/http-api"
import { createServer } from "node:http"
import { Server as NetServer } from "node:net"
import { AppConfig } from "../config/AppConfig.ts"
import { countedPaths } from "../oauth/Paths.ts"
import { exactPaths, methods, routeOf } from "./Addresses.ts"
import {
  arrivalBounds,
  boundConnections,
  type ConnectionBounds,
  connectionBounds,
  finishSeconds,
  keptSeconds
} from "./Connections.ts"
import { Draining, Succession } from "./Draining.ts"
import {
  BadRequestProblem,
  InternalErrorProblem,
  MethodNotAllowedProblem,
  NotFoundProblem,
  PayloadTooLargeProblem
} from "./Problem.ts"

/** The router decodes `%` and cuts a path at `;` before it compares. No address of ours has either. */
const inexactPath = /^[^?#]*[%;]/

/** The address as metrics and logs may have it: the path itself may hold a token, or whatever a caller wrote there. */
const shownRoute = (url: string): string => {
  if (inexactPath.test(url)) return "other"
  const [path = ""] = url.split(/[?#]/, 1)
  return routeOf(url) ?? (countedPaths.includes(path) ? path : "other")
}

const traceIdOf = Effect.map(
  Effect.option(Effect.currentSpan),
  Option.match({ onNone: () => undefined, onSome: (span) => span.traceId })
)

/** The page for an address that nothing is at, where people were given one like it; undefined for any other. */
type MissingPage = (request: HttpServerRequest.HttpServerRequest) => HttpServerResponse.HttpServerResponse | undefined

/** The response for a failure that no handler caught. It tells nothing of the cause, which is logged. */
const failureResponse = Effect.fnUntraced(function* <E>(
  request: HttpServerRequest.HttpServerRequest,
  cause: Cause.Cause<E>,
  missingPage: MissingPage
) {
  for (const reason of cause.reasons) {
    if (Cause.isDieReason(reason)) {
      // The framework fails with a response where it has one to send.
      if (HttpServerResponse.isHttpServerResponse(reason.defect)) return reason.defect
      const unread = HttpApiError.HttpApiSchemaError.is(reason.defect) && reason.defect[ErrorReporter.ignore]
      if (unread) return yield* HttpServerRespondable.toResponse(new BadRequestProblem())
    }
    if (Cause.isFailReason(reason) && HttpServerError.isHttpServerError(reason.error)) {
      const why = reason.error.reason
      if (why._tag === "RouteNotFound") {
        const route = routeOf(request.url)
        const allow = route === undefined ? undefined : methods.get(route)
        if (allow === undefined) return yield* missing(request, missingPage)
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
  // The response is made where the request can't be interrupted any more. Nobody waits for that of an interrupted one.
  if (Cause.hasInterruptsOnly(cause)) return yield* Effect.failCause(cause)
  const trace_id = yield* traceIdOf
  yield* Effect.logError("A request failed", { method: request.method, route: shownRoute(request.url) }, cause)
  return yield* HttpServerRespondable.toResponse(new InternalErrorProblem(trace_id === undefined ? {} : { trace_id }))
})

const missing = (request: HttpServerRequest.HttpServerRequest, missingPage: MissingPage) => {
  const page = missingPage(request)
  return page === undefined ? HttpServerRespondable.toResponse(new NotFoundProblem()) : Effect.succeed(page)
}

const securityHeaders = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" }
const problemHeaders = { "cache-control": "no-store" }

// Fine enough to show a slow database, and few enough to keep the metrics short.
const durationBoundaries = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const makeRequestMetrics = () => {
  const series = new Map<string, { readonly count: Metric.Counter<number>; readonly time: Metric.Histogram<number> }>()
  return (request: HttpServerRequest.HttpServerRequest, status: number, ms: number) => {
    const route = shownRoute(request.url)
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

/** The router's effect with what every response needs: see the file's head. */
const withResponseRules = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  draining: Draining["Service"],
  missingPage: MissingPage
) => {
  const record = makeRequestMetrics()
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const start = yield* Clock.currentTimeMillis
    const response = inexactPath.test(request.url)
      ? yield* missing(request, missingPage)
      : yield* Effect.catchCause(app, (cause) => failureResponse(request, cause, missingPage))
    yield* record(request, response.status, (yield* Clock.currentTimeMillis) - start)
    // On a connection that is kept alive the stop would wait for a next request, and a load balancer would send one.
    const connection = (yield* draining.stage) === "serving" ? undefined : { connection: "close" }
    const notKept = response.headers["content-type"] === ProblemDetails.contentType ? problemHeaders : undefined
    return HttpServerResponse.setHeaders(response, {
      ...securityHeaders,
      ...notKept,
      ...response.headers,
      ...connection
    })
  })
}

/**
 * Lets a request add more services to the context (itself, its scope, its spans) before the context is copied. By
 * default the ninth addition copies all services, which happens in nearly every request.
 */
const withDeepContext = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(self, (services: Context.Context<R>) =>
    Context.makeUnsafe<R>(services.mapUnsafe, { maxDepth: 32 })
  )

/** Where the service will listen. It is opened when the routes are there, so that no request comes before them. */
export class Listener extends Context.Service<
  Listener,
  {
    readonly open: Effect.Effect<HttpServer.HttpServer["Service"], HttpServerError.ServeError, Scope.Scope>
    /**
     * Takes no new connections, and waits until clients have ended theirs: a connection that is closed here may have a
     * request on its way. Waits `keptSeconds` at most, or until `cutShort` ends, and then `finishSeconds` for requests
     * in flight.
     */
    readonly handOver: (cutShort: Effect.Effect<void>) => Effect.Effect<void>
  }
>()("playroom/http/Listener") {}

/**
 * Serves the routes on the `Listener`. A stop has three steps. `/readyz` answers 503 and all else is served as before,
 * for `drainSeconds` of the settings. Then no new connection is taken, and requests in flight have `finishSeconds`
 * before they are interrupted. Then the services below stop. Where others serve on (`Succession`), connections are
 * handed over to them in place of the first two.
 */
export const serve = <A, E, R>(routes: Layer.Layer<A, E, R>, missingPage: MissingPage = () => undefined) =>
  Layer.effect(
    HttpServer.HttpServer,
    Effect.gen(function* () {
      const draining = yield* Draining
      const listener = yield* Listener
      const succession = yield* Succession
      const { drainSeconds } = yield* AppConfig
      const app = yield* Effect.provideService(HttpRouter.toHttpEffect(routes), HttpRouter.RouterConfig, exactPaths)
      const server = yield* listener.open
      yield* withDeepContext(
        Effect.provideService(
          HttpServer.serveEffect(withResponseRules(app, draining, missingPage)),
          HttpServer.HttpServer,
          server
        )
      )
      const drain = Effect.gen(function* () {
        yield* draining.enter("leaving")
        if (drainSeconds === 0) return
        yield* Effect.logInfo("Stopping: serving on until balancers have noticed", {
          seconds: drainSeconds
        })
        yield* Effect.sleep(`${drainSeconds} seconds`)
      })
      const handOver = Effect.andThen(draining.enter("handing over"), listener.handOver(succession.cutShort))
      // Finalizers run last in, first out: this one before the server closes.
      yield* Effect.addFinalizer(() =>
        Effect.flatMap(succession.handsOver, (handsOver) => (handsOver ? handOver : drain))
      )
      return server
    })
  )

/** Listens on a port. `port` 0 takes any free one. */
export const listener = (options: {
  readonly host: string
  readonly port: number
  readonly bounds?: ConnectionBounds
}) =>
  Layer.sync(Listener, () => {
    const node = createServer(arrivalBounds)
    const open = Effect.gen(function* () {
      const server = yield* NodeHttpServer.make(() => node, {
        host: options.host,
        port: options.port,
        gracefulShutdownTimeout: `${finishSeconds} seconds`
      })
      // The close would wait for connections that never sent a request. This runs after the drain.
      yield* Effect.addFinalizer(() => Effect.sync(() => node.closeAllConnections()))
      yield* boundConnections(node, options.bounds ?? connectionBounds)
      return server
    })
    const handOver = Effect.fnUntraced(function* (cutShort: Effect.Effect<void>) {
      const ended = yield* Deferred.make<void>()
      node.once("close", () => Deferred.doneUnsafe(ended, Exit.void))
      // An HTTP server's own way to close ends idle connections at once.
      NetServer.prototype.close.call(node)
      const within = (seconds: number) => Effect.timeoutOption(Deferred.await(ended), `${seconds} seconds`)
      yield* Effect.raceFirst(within(keptSeconds), cutShort)
      node.closeIdleConnections()
      yield* within(finishSeconds)
    })
    return Listener.of({ open, handOver })
  })
