/**
 * The management port: `GET /metrics` for Prometheus, `/healthz` and `/readyz` for balancers and service managers, on
 * loopback. Probes wait for nothing: what they say is known before they ask.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Ref } from "effect"
import { HttpRouter, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { createServer } from "node:http"
import { loopbackHosts } from "../../platform/access/ClientAddress.ts"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { ready } from "../../platform/database/Readiness.ts"
import { unending } from "../../platform/time/LocalTime.ts"
import { NotReadyProblem } from "./Problem.ts"

/** The prefix of every metric name. */
export const metricsPrefix = "playroom"

/** Connections of the port at once. They are part of the files that `OwnFolder.ts` leaves for a process itself. */
const maxConnections = 16

const readEvery = "1 second"

/**
 * What `read` said last, without waiting, and `initially` where it failed; it is read once a second while the scope is
 * open.
 */
export const lastSaid = <A, R>(read: Effect.Effect<A, never, R>, initially: A) =>
  Effect.flatMap(Ref.make(initially), (ref) =>
    unending(
      Effect.flatMap(read, (said) => Ref.set(ref, said)).pipe(
        // What was said before a reading that failed may be wrong by now.
        Effect.onError(() => Ref.set(ref, initially)),
        Effect.andThen(Effect.sleep(readEvery))
      ),
      "What the probes are told can't be read"
    ).pipe(Effect.forkScoped, Effect.as(Ref.get(ref)))
  )

const unkept = { headers: { "cache-control": "no-store" } }

/**
 * Serves `text`, run for each request, as Prometheus metrics, and the probes. `hindrance`: why the service is not ready
 * now, at once; undefined if it is. Serves nothing unless `MANAGEMENT_PORT` is set.
 */
export const management = <R, E, R2>(of: {
  readonly text: Effect.Effect<string, never, R>
  readonly hindrance: Effect.Effect<Effect.Effect<string | undefined>, E, R2>
}) => {
  const metrics = HttpRouter.add(
    "GET",
    "/metrics",
    Effect.map(of.text, (body) =>
      HttpServerResponse.text(body, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
    )
  )
  const probes = Layer.unwrap(
    Effect.map(of.hindrance, (hindrance) =>
      Layer.mergeAll(
        HttpRouter.add("GET", "/healthz", Effect.succeed(HttpServerResponse.jsonUnsafe({ status: "ok" }, unkept))),
        HttpRouter.add(
          "GET",
          "/readyz",
          Effect.flatMap(hindrance, (detail) =>
            detail === undefined
              ? Effect.sync(() => HttpServerResponse.jsonUnsafe(ready(), unkept))
              : HttpServerRespondable.toResponse(new NotReadyProblem({ detail }))
          )
        )
      )
    )
  )
  const server = () => Object.assign(createServer(), { maxConnections })
  return Layer.unwrap(
    Effect.map(AppConfig, ({ managementPort }) =>
      managementPort === undefined
        ? Layer.empty
        : HttpRouter.serve(Layer.mergeAll(metrics, probes, loopbackHosts), {
            disableLogger: true,
            disableListenLog: true
          }).pipe(
            Layer.provide(
              NodeHttpServer.layer(server, {
                host: "127.0.0.1",
                port: managementPort,
                gracefulShutdownTimeout: "1 second"
              })
            )
          )
    )
  )
}
