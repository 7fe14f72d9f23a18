/**
 * Serves routes. Unmatched requests and failures become problem documents, every response gets the security headers,
 * requests are counted, and a stop lets requests in flight finish.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import {
  Cause,
  Context,
  Deferred,
  Effect,
  ErrorReporter,
  Exit,
  type Fiber,
  Layer,
  Metric,
  Option,
  Scheduler,
  type Scope
} from "effect"
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
import { bucketOf, networks, senders } from "../access/ClientAddress.ts"
import { RateLimits } from "../access/RateLimits.ts"
import { AppConfig } from "../config/AppConfig.ts"
import { monotonicMs } from "../kernel/Elapsed.ts"
import { CurrentLoopTurn } from "../kernel/LoopTurn.ts"
import { countedPaths } from "../oauth/Paths.ts"
import { exactPaths, methods, routeOf } from "./Addresses.ts"
import { Admission, type AdmissionLimits } from "./Admission.ts"
import {
  arrivalBounds,
  backlog,
  boundConnections,
  type ConnectionBounds,
  connectionBounds,
  fittingConnections,
  finishSeconds,
  keepAliveSeconds,
  listeningSockets
} from "./Connections.ts"
import { Draining, Succession } from "./Draining.ts"
import { FairScheduler } from "./FairScheduler.ts"
import { FairServer } from "./FairServer.ts"
import {
  BadRequestProblem,
  EncodingUnsupportedProblem,
  InternalErrorProblem,
  MethodNotAllowedProblem,
  NotFoundProblem,
  PayloadTooLargeProblem
} from "./Problem.ts"
import type { RefusalPages } from "./Refusals.ts"
import { watchQueue } from "./QueueWatch.ts"

/** The router decodes `%` and cuts a path at `;` before matching. Our addresses contain neither. */
const inexactPath = /^[^?#]*[%;]/

/** The route for metrics and logs. The path itself may contain a token or whatever a caller wrote. */
const safeRoute = (url: string): string => {
  if (inexactPath.test(url)) return "other"
  const [path = ""] = url.split(/[?#]/, 1)
  return routeOf(url) ?? (countedPaths.includes(path) ? path : "other")
}

const traceIdOf = Effect.map(
  Effect.option(Effect.currentSpan),
  Option.match({ onNone: () => undefined, onSome: (span) => span.traceId })
)

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** The pages for people who meet an error; undefined for programs, which get a problem document. */
export interface ErrorPages {
  readonly missing: (request: Request) => Response | undefined
  readonly broken: (request: Request) => Response | undefined
  /** Whoever was refused before work began; complete. */
  readonly refused: RefusalPages
  /** Completes a response that is a page, of any route. */
  readonly complete: (response: Response) => Response
}

const noPages: ErrorPages = {
  missing: () => undefined,
  broken: () => undefined,
  refused: () => undefined,
  complete: (response) => response
}

/** The header with the trace of a request that failed, for whoever runs the service. */
export const traceHeader = "x-trace-id"

/** The response for an unhandled failure. It does not reveal the cause, which is logged. */
const failureResponse = Effect.fnUntraced(function* <E>(
  request: HttpServerRequest.HttpServerRequest,
  cause: Cause.Cause<E>,
  pages: ErrorPages
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
        const route = routeOf(request.url)
        const allow = route === undefined ? undefined : methods.get(route)
        if (allow === undefined) return yield* notFound(request, pages)
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
  yield* Effect.logError("A request failed", { method: request.method, route: safeRoute(request.url) }, cause)
  const response = pages.broken(request) ?? (yield* HttpServerRespondable.toResponse(new InternalErrorProblem()))
  return trace_id === undefined ? response : HttpServerResponse.setHeader(response, traceHeader, trace_id)
})

const notFound = (request: Request, { missing }: ErrorPages) => {
  const page = missing(request)
  return page === undefined ? HttpServerRespondable.toResponse(new NotFoundProblem()) : Effect.succeed(page)
}

const isHost = (name: string): boolean => name.length === 4 && name.toLowerCase() === "host"

/**
 * The answer to a request that others could read differently; undefined if there is one reading. Node has refused those
 * whose length is ambiguous.
 */
const ambiguity = (request: HttpServerRequest.HttpServerRequest) => {
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

const makeRequestMetrics = () => {
  const series = new Map<string, { readonly count: Metric.Counter<number>; readonly time: Metric.Histogram<number> }>()
  return (request: HttpServerRequest.HttpServerRequest, status: number, ms: number) => {
    const route = safeRoute(request.url)
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

/** Adds to the router what every response needs (see the top of this file). */
const withResponseRules = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  draining: Draining["Service"],
  pages: ErrorPages
) => {
  const record = makeRequestMetrics()
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const start = yield* monotonicMs
    const answered = yield* (
      ambiguity(request) ??
        (inexactPath.test(request.url)
          ? notFound(request, pages)
          : Effect.catchCause(app, (cause) => failureResponse(request, cause, pages)))
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

/**
 * Lets a request add more services (itself, its scope, its spans) before its context is copied. By default the ninth
 * addition copies all services, which happens in nearly every request.
 */
const withDeepContext = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(self, (services: Context.Context<R>) =>
    Context.makeUnsafe<R>(services.mapUnsafe, { maxDepth: 32 })
  )

/** The sender of the request that a fiber answers; none for a fiber of no request. */
const requestSender = (trustedProxies: ReadonlyArray<string>) => {
  const senderOf = senders(trustedProxies)
  return ({ context }: Fiber.Fiber<unknown, unknown>): string =>
    Option.match(Context.getOption(context, HttpServerRequest.HttpServerRequest), {
      onNone: () => "",
      onSome: (request) => bucketOf(senderOf(request))
    })
}

/** The server socket. It opens after the routes are built, so that no request arrives before them. */
export class Listener extends Context.Service<
  Listener,
  {
    readonly open: (
      refusals: RefusalPages
    ) => Effect.Effect<HttpServer.HttpServer["Service"], HttpServerError.ServeError, Scope.Scope>
    /**
     * Refuses new connections and waits until clients have closed theirs: a request may already be on its way. Waits at
     * most `keepAliveSeconds`, or until `cutShort` completes, then `finishSeconds` for requests in flight.
     */
    readonly handOver: (cutShort: Effect.Effect<void>) => Effect.Effect<void>
    /** How much work it lets in. */
    readonly admission: Admission
  }
>()("playroom/api/Listener") {}

/**
 * Serves the routes on the `Listener`. A stop has three steps. First, `/readyz` answers 503 and everything else is
 * served for `drainSeconds` of the settings. Then new connections are refused, and requests in flight have
 * `finishSeconds` before they are interrupted. Then the services below stop. If other processes take over
 * (`Succession`), handing over the connections replaces the first two steps.
 */
export const serve = <A, E, R>(routes: Layer.Layer<A, E, R>, pages: ErrorPages = noPages) =>
  Layer.effect(
    HttpServer.HttpServer,
    Effect.gen(function* () {
      const draining = yield* Draining
      const listener = yield* Listener
      const succession = yield* Succession
      const { drainSeconds, trustedProxies } = yield* AppConfig
      const app = yield* Effect.provideService(HttpRouter.toHttpEffect(routes), HttpRouter.RouterConfig, exactPaths)
      const server = yield* listener.open(pages.refused)
      const fair = new FairScheduler(yield* CurrentLoopTurn, requestSender(trustedProxies))
      yield* withDeepContext(
        Effect.provideService(
          HttpServer.serveEffect(withResponseRules(app, draining, pages)),
          HttpServer.HttpServer,
          server
        )
      ).pipe(Effect.provideService(Scheduler.Scheduler, fair))
      // Its statements wait as a newcomer's would.
      yield* Effect.forkScoped(watchQueue(listener.admission)).pipe(Effect.provideService(Scheduler.Scheduler, fair))
      const drain = Effect.gen(function* () {
        yield* draining.enter("leaving")
        if (drainSeconds === 0) return
        yield* Effect.logInfo("Stopping: serving on until balancers have noticed", {
          seconds: drainSeconds
        })
        yield* Effect.sleep(`${drainSeconds} seconds`)
      })
      const handOver = Effect.andThen(draining.enter("handing over"), listener.handOver(succession.cutShort))
      // Finalizers run last in, first out: this one runs before the server closes.
      yield* Effect.addFinalizer(() =>
        Effect.flatMap(succession.handsOver, (handsOver) => (handsOver ? handOver : drain))
      )
      return server
    })
  )

/** Listens on a port. `port` 0 selects a free one. */
export const listener = (options: {
  readonly host: string
  readonly port: number
  readonly bounds?: ConnectionBounds
  readonly admits?: AdmissionLimits
}) =>
  Layer.effect(
    Listener,
    Effect.gen(function* () {
      const { trustedProxies } = yield* AppConfig
      const { isOver } = yield* RateLimits
      const turn = yield* CurrentLoopTurn
      const bounds = options.bounds ?? connectionBounds
      const connections = yield* fittingConnections(bounds.connections)
      const admission = new Admission(options.admits)
      const isTrusted = networks(trustedProxies)
      const node = new FairServer(arrivalBounds, { admission, connections, isTrusted, isOver, turn })
      const open = Effect.fnUntraced(function* (refusals: RefusalPages) {
        node.explainRefusals(refusals)
        const sockets = listeningSockets()
        const listening = { host: options.host, port: options.port, backlog, reusePort: sockets > 1 }
        // Sockets that share a port don't notice if another process has it.
        if (listening.reusePort) yield* Effect.scoped(NodeHttpServer.make(() => createServer(), options))
        const server = yield* NodeHttpServer.make(() => node, {
          ...listening,
          gracefulShutdownTimeout: `${finishSeconds} seconds`
        })
        const { address } = server
        if (address._tag !== "UnixPathAddress") {
          const more = { ...listening, port: address.port }
          yield* Effect.callback<void>((resume) => node.listenMore(sockets - 1, more, () => resume(Effect.void)))
        }
        // Closing would wait for connections that never sent a request. This runs after the drain.
        yield* Effect.addFinalizer(() => Effect.sync(() => node.closeAllConnections()))
        yield* boundConnections(node, bounds)
        return server
      })
      const handOver = Effect.fnUntraced(function* (cutShort: Effect.Effect<void>) {
        const ended = yield* Deferred.make<void>()
        node.stopListening(() => Deferred.doneUnsafe(ended, Exit.void))
        const within = (seconds: number) => Effect.timeoutOption(Deferred.await(ended), `${seconds} seconds`)
        yield* Effect.raceFirst(within(keepAliveSeconds), cutShort)
        node.closeIdleConnections()
        yield* within(finishSeconds)
      })
      return Listener.of({ open, handOver, admission })
    })
  )
