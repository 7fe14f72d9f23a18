/** Logs, metrics and traces: where they go and in which form. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Logger, LogLevel, References, Tracer } from "effect"
import { FetchHttpClient, HttpRouter, HttpServerResponse } from "effect/http"
import {
  OtlpExporter,
  OtlpLogger,
  OtlpMetrics,
  OtlpSerialization,
  OtlpTracer,
  PrometheusMetrics
} from "effect/observability"
import { createServer } from "node:http"
import packageJson from "../package.json" with { type: "json" }
import { AppConfig, type Settings } from "./AppConfig.ts"
import { Gauges } from "./Gauges.ts"
import { jsonLines, logfmtLines } from "./LogLines.ts"
import { ownTraces } from "./OwnTraces.ts"
import { privateLogger, privateTracer } from "./TelemetryPrivacy.ts"

/** How long, in milliseconds, a line may wait for others, and the most that may wait, in characters. */
const lineWaitMs = 10
const mostWaiting = 65_536

/**
 * Writes a logger's lines to standard output, several together: under load that saves a system call for nearly each. Warnings
 * and worse are written at once, with what waits before them, and all lines before the process ends.
 */
const writeBatched = (lines: Logger.Logger<unknown, string>): Logger.Logger<unknown, void> => {
  let waiting = ""
  const flush = () => {
    const text = waiting
    waiting = ""
    if (text !== "") process.stdout.write(text)
  }
  process.once("exit", flush)
  return Logger.make((options) => {
    if (waiting === "") setTimeout(flush, lineWaitMs)
    waiting += `${lines.log(options)}\n`
    if (waiting.length > mostWaiting || LogLevel.isGreaterThanOrEqualTo(options.logLevel, "Warn")) flush()
  })
}

const loggerOf = (format: Settings["logFormat"]): Logger.Logger<unknown, void> => {
  switch (format) {
    case "json":
      return privateLogger(writeBatched(jsonLines))
    case "logfmt":
      return privateLogger(writeBatched(logfmtLines))
    case "pretty":
      return privateLogger(Logger.consolePretty())
  }
}

const resource = { serviceName: "playroom", serviceVersion: packageJson.version }

const otlpExport = (endpoint: string) => {
  const to = (signal: "logs" | "metrics" | "traces") =>
    ({
      url: `${endpoint.replace(/\/+$/, "")}/v1/${signal}`,
      resource,
      shutdownTimeout: "3 seconds"
    }) as const
  return Layer.mergeAll(
    Logger.layer([Effect.map(OtlpLogger.make(to("logs")), privateLogger)], { mergeWithExisting: true }),
    OtlpMetrics.layer(to("metrics")),
    Layer.effect(
      Tracer.Tracer,
      Effect.map(OtlpTracer.make(to("traces")), (tracer) => ownTraces(privateTracer(tracer)))
    )
  ).pipe(
    Layer.provide(OtlpExporter.layerFlusher),
    Layer.provide(OtlpSerialization.layerJson),
    Layer.provide(FetchHttpClient.layer)
  )
}

/** `GET /metrics` in the format of Prometheus, its gauges read at each request. */
const metrics = HttpRouter.add(
  "GET",
  "/metrics",
  Effect.gen(function* () {
    yield* Gauges.use(({ refresh }) => refresh)
    return HttpServerResponse.text(yield* PrometheusMetrics.format({ prefix: "playroom" }), {
      contentType: "text/plain; version=0.0.4; charset=utf-8"
    })
  })
)

/** The logger and level that the settings ask for, and OTLP where an endpoint is given. Provide it around everything else. */
export const Observability = {
  layer: Layer.unwrap(
    Effect.map(AppConfig, ({ logFormat, logLevel, otlpEndpoint }) => {
      const lines = Logger.layer([loggerOf(logFormat)])
      return Layer.mergeAll(
        // The exporter adds itself to the loggers below it, so the one of the settings has to be there already.
        otlpEndpoint === undefined ? lines : otlpExport(otlpEndpoint).pipe(Layer.provideMerge(lines)),
        Layer.succeed(References.MinimumLogLevel, logLevel)
      )
    })
  ),
  /** Writes log lines in this format to standard output. */
  logger: loggerOf,
  /** Exports logs, traces and metrics to an endpoint (OTLP over HTTP), beside the loggers that are there. */
  otlp: otlpExport,
  /** For the command line: standard output is the command's, so logs go to standard error, and only warnings do. */
  quiet: Layer.mergeAll(
    Logger.layer([loggerOf("pretty")]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, "Warn")
  ),
  /** `GET /metrics` for Prometheus on loopback; nothing where no `MANAGEMENT_PORT` is set. */
  management: Layer.unwrap(
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
