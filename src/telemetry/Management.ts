/** `GET /metrics` for Prometheus, on loopback and its own port. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { createServer } from "node:http"
import { AppConfig } from "../config/AppConfig.ts"

/** The prefix of every metric name. */
export const metricsPrefix = "playroom"

/** Serves `text`, run for each request, as Prometheus metrics. Serves nothing unless `MANAGEMENT_PORT` is set. */
export const management = <R>(text: Effect.Effect<string, never, R>) => {
  const metrics = HttpRouter.add(
    "GET",
    "/metrics",
    Effect.map(text, (body) =>
      HttpServerResponse.text(body, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
    )
  )
  return Layer.unwrap(
    Effect.map(AppConfig, ({ managementPort }) =>
      managementPort === undefined
        ? Layer.empty
        : HttpRouter.serve(metrics, {
            disableLogger: true,
            disableListenLog: true
          }).pipe(
            Layer.provide(
              NodeHttpServer.layer(() => createServer(), {
                host: "127.0.0.1",
                port: managementPort,
                gracefulShutdownTimeout: "1 second"
              })
            )
          )
    )
  )
}
