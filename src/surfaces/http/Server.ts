/**
 * Serves routes under the rules of all responses, as much as is let in, and lets requests in flight finish when it
 * stops.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Deferred, Effect, Exit, Layer, type Scope } from "effect"
import { HttpRouter, HttpServer, type HttpServerError } from "effect/http"
import { networks } from "../../platform/access/ClientAddress.ts"
import { RateLimits } from "../../platform/access/RateLimits.ts"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { CurrentLoopSlice } from "../../platform/concurrency/LoopSlice.ts"
import { Addresses, exactPaths, type ErrorPages, noPages, withResponseRules } from "./ResponseRules.ts"
import { Admission, type AdmissionLimits, watchQueue } from "./Admission.ts"
import {
  arrivalBounds,
  backlog,
  boundConnections,
  type ConnectionBounds,
  connectionBounds,
  fittingConnections,
  finishSeconds,
  keepAliveSeconds
} from "./Connections.ts"
import { CurrentInheritedSocket, Draining, Succession } from "./Ending.ts"
import { FairServer } from "./FairServer.ts"
import type { RefusalPages } from "./Problem.ts"

/**
 * Lets a request add more services (itself, its scope, its spans) before its context is copied. By default the ninth
 * addition copies all services, which happens in nearly every request.
 */
const withDeepContext = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(self, (services: Context.Context<R>) =>
    Context.makeUnsafe<R>(services.mapUnsafe, { maxDepth: 32 })
  )

/** The server socket. It opens after the routes are built, so that no request arrives before them. */
class Listener extends Context.Service<
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
      const { drainSeconds } = yield* AppConfig
      const addresses = new Addresses()
      const app = yield* HttpRouter.toHttpEffect(Layer.provide(routes, addresses.layer)).pipe(
        Effect.provideService(HttpRouter.RouterConfig, exactPaths)
      )
      const server = yield* listener.open(pages.refused)
      yield* withDeepContext(
        Effect.provideService(
          HttpServer.serveEffect(withResponseRules(app, { addresses, draining, pages })),
          HttpServer.HttpServer,
          server
        )
      )
      yield* Effect.forkScoped(watchQueue(listener.admission))
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
  readonly arrival?: Readonly<Record<keyof typeof arrivalBounds, number>>
  readonly admits?: AdmissionLimits
}) =>
  Layer.effect(
    Listener,
    Effect.gen(function* () {
      const { trustedProxies } = yield* AppConfig
      const { isOver } = yield* RateLimits
      const turn = yield* CurrentLoopSlice
      const bounds = options.bounds ?? connectionBounds
      const connections = yield* fittingConnections(bounds.connections)
      const admission = new Admission(options.admits)
      const isTrusted = networks(trustedProxies)
      const node = new FairServer(options.arrival ?? arrivalBounds, { admission, connections, isTrusted, isOver, turn })
      const open = Effect.fnUntraced(function* (refusals: RefusalPages) {
        node.explainRefusals(refusals)
        const fd = yield* CurrentInheritedSocket
        const { host, port } = options
        const server = yield* NodeHttpServer.make(() => node, {
          ...(fd === undefined ? { host, port } : { fd }),
          backlog,
          gracefulShutdownTimeout: `${finishSeconds} seconds`
        })
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
