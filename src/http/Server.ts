/**
 * Serves routes: what no route answers becomes a problem document, every response carries the headers that it should, requests
 * are counted, and a stop lets requests in flight finish.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Cause, Clock, Context, Effect, Layer, Metric, Option } from "effect"
import { HttpRouter, HttpServer, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createServer } from "node:http"
import { AppConfig } from "../AppConfig.ts"
import { methods } from "./Api.ts"
import { arrivalBounds, boundConnections, type ConnectionBounds, connectionBounds } from "./Connections.ts"
import { Draining } from "./Draining.ts"
import { problem } from "./Problem.ts"

/** How long a stop waits for requests in flight, once the listener is closed. */
export const finishSeconds = 10

/** The path of a request target, without its query. */
const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  return end === -1 ? url : url.slice(0, end)
}

const notFound = problem("not_found")

const unrouted = (request: HttpServerRequest.HttpServerRequest): HttpServerResponse.HttpServerResponse => {
  const path = pathOf(request.url)
  const allow = methods.get(path)
  if (allow === undefined) return notFound
  return problem("method_not_allowed", { detail: `${path} takes ${allow}.`, headers: { allow } })
}

const traceIdOf = Effect.map(
  Effect.option(Effect.currentSpan),
  Option.match({ onNone: () => undefined, onSome: (span) => span.traceId })
)

/** An address has one spelling: another case, a second slash or an encoded letter is another address. */
const exactly = { caseSensitive: true, ignoreDuplicateSlashes: false, ignoreTrailingSlash: false } as const
/** What the router would decode, or cut off, before it compares; no address of ours has it. */
const misspelt = /[%;]/

/** What a failure that nobody handled looks like from outside: nothing of its inside. */
const rescue = <E>(request: HttpServerRequest.HttpServerRequest, cause: Cause.Cause<E>) => {
  for (const reason of cause.reasons) {
    // A response thrown on purpose, for instance by the framework.
    if (Cause.isDieReason(reason) && HttpServerResponse.isHttpServerResponse(reason.defect))
      return Effect.succeed(reason.defect)
    if (Cause.isFailReason(reason) && HttpServerError.isHttpServerError(reason.error)) {
      const why = reason.error.reason
      if (why._tag === "RouteNotFound") return Effect.succeed(unrouted(request))
      if (why._tag === "RequestParseError") {
        return Effect.succeed(problem(why.reason === "BodyTooLarge" ? "payload_too_large" : "bad_request"))
      }
    }
  }
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
  return Effect.gen(function* () {
    const trace_id = yield* traceIdOf
    yield* Effect.logError("A request failed", { method: request.method, path: pathOf(request.url) }, cause)
    return problem("internal_error", trace_id === undefined ? {} : { extra: { trace_id } })
  })
}

const always = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" }

// Fine enough to see a slow database, coarse enough to stay a handful of lines each.
const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const makeRecorder = () => {
  const series = new Map<string, { readonly count: Metric.Counter<number>; readonly time: Metric.Histogram<number> }>()
  return (request: HttpServerRequest.HttpServerRequest, status: number, ms: number) => {
    const path = pathOf(request.url)
    const route = methods.has(path) ? path : "other"
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
          boundaries: seconds,
          attributes: { route }
        })
      }
      series.set(key, known)
    }
    return Effect.andThen(Metric.update(known.count, 1), Metric.update(known.time, ms / 1000))
  }
}

/** Wraps the router's effect: see the file's head. */
export const edge = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  draining: Draining["Service"]
) => {
  const record = makeRecorder()
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const start = yield* Clock.currentTimeMillis
    const response = misspelt.test(pathOf(request.url))
      ? notFound
      : yield* Effect.catchCause(app, (cause) => rescue(request, cause))
    yield* record(request, response.status, (yield* Clock.currentTimeMillis) - start)
    // A connection that is kept alive would keep a stop waiting for its next request, and a balancer with this node.
    const last = (yield* draining.begun) ? { connection: "close" } : undefined
    return HttpServerResponse.setHeaders(response, { ...always, ...response.headers, ...last })
  })
}

/**
 * Lets a request add to the services, one by one (itself, its scope, its spans), without all of them being copied: by default that
 * happens after eight, so to nearly every request.
 */
const withRoom = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(self, (services: Context.Context<R>) =>
    Context.makeUnsafe<R>(services.mapUnsafe, { maxDepth: 32 })
  )

/**
 * Serves the routes on the `HttpServer`. When it is taken down, `/readyz` turns to 503 and all else is served as before, for
 * `drainSeconds` of the settings; then no new connection is taken, and requests in flight have `finishSeconds` before they are
 * interrupted; only then do the services below go.
 */
export const serve = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const draining = yield* Draining
      const { drainSeconds } = yield* AppConfig
      const app = yield* Effect.provideService(HttpRouter.toHttpEffect(routes), HttpRouter.RouterConfig, exactly)
      yield* withRoom(HttpServer.serveEffect(edge(app, draining)))
      // Finalizers run last in, first out: this one before the server closes.
      const drain = Effect.gen(function* () {
        yield* draining.begin
        if (drainSeconds === 0) return
        yield* Effect.logInfo("Stopping: serving on until balancers have noticed", { seconds: drainSeconds })
        yield* Effect.sleep(`${drainSeconds} seconds`)
      })
      yield* Effect.addFinalizer(() => drain)
    })
  )

/** The listener. `port` 0 takes any free one. */
export const listener = (options: {
  readonly host: string
  readonly port: number
  readonly bounds?: ConnectionBounds
}) =>
  Layer.effect(
    HttpServer.HttpServer,
    Effect.gen(function* () {
      const node = createServer(arrivalBounds)
      const server = yield* NodeHttpServer.make(() => node, {
        host: options.host,
        port: options.port,
        gracefulShutdownTimeout: `${finishSeconds} seconds`
      })
      // After the drain: connections that never sent a request would keep the close waiting.
      yield* Effect.addFinalizer(() => Effect.sync(() => node.closeAllConnections()))
      yield* boundConnections(node, options.bounds ?? connectionBounds)
      return server
    })
  )
