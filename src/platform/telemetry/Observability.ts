/** Where logs, traces and exported metrics go, and in which format. */
import { Effect, Layer, Logger, LogLevel, References, Tracer } from "effect"
import { SecureRandom } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import { OtlpExporter, OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import packageJson from "../../../package.json" with { type: "json" }
import { AppConfig, type Settings } from "../config/AppConfig.ts"
import { jsonLines, logfmtLines } from "./LogLines.ts"
import { withoutRepeats } from "./RepeatedFailures.ts"
import { requestTraces } from "./RequestTraces.ts"
import { privateLogger, privateTracer } from "./TelemetryPrivacy.ts"

/** The longest that a line waits for others, in milliseconds. */
const lineWaitMs = 10
/**
 * The most bytes in one write. A pipe takes this many atomically (`PIPE_BUF`), so that the lines of several processes
 * do not mix.
 */
const maxBytes = 4096

/**
 * Writes a logger's lines to standard output in batches: under load that saves nearly one system call a line. Warnings
 * and errors are written at once, after the lines that wait, and all lines before the process exits.
 */
const writeBatched = (lines: Logger.Logger<unknown, string>): Logger.Logger<unknown, void> => {
  let waiting = ""
  let bytes = 0
  const flush = () => {
    const text = waiting
    waiting = ""
    bytes = 0
    if (text !== "") process.stdout.write(text)
  }
  process.once("exit", flush)
  return Logger.make((options) => {
    const line = `${lines.log(options)}\n`
    const more = Buffer.byteLength(line)
    if (bytes + more > maxBytes) flush()
    if (waiting === "") setTimeout(flush, lineWaitMs)
    waiting += line
    bytes += more
    if (LogLevel.isGreaterThanOrEqualTo(options.logLevel, "Warn")) flush()
  })
}

const loggerOf = (format: Settings["logFormat"]): Logger.Logger<unknown, void> => {
  switch (format) {
    case "json":
      return withoutRepeats(privateLogger(writeBatched(jsonLines)))
    case "logfmt":
      return withoutRepeats(privateLogger(writeBatched(logfmtLines)))
    case "pretty":
      return withoutRepeats(privateLogger(Logger.consolePretty()))
  }
}

const otlpExport = (endpoint: string) =>
  Layer.unwrap(
    Effect.map(
      SecureRandom.SecureRandom.use(({ uuidV4 }) => uuidV4()),
      (instance) => otlpExportAs(endpoint, instance)
    )
  ).pipe(Layer.provide(SecureRandom.layerWebCrypto))

/** `instance` identifies the process: otherwise the counters of several processes look like one that jumps. */
const otlpExportAs = (endpoint: string, instance: string) => {
  const resource = {
    serviceName: "playroom",
    serviceVersion: packageJson.version,
    attributes: { "service.instance.id": instance }
  }
  const to = (signal: "logs" | "metrics" | "traces") =>
    ({
      url: `${endpoint.replace(/\/+$/, "")}/v1/${signal}`,
      resource,
      shutdownTimeout: "3 seconds"
    }) as const
  return Layer.mergeAll(
    Logger.layer([Effect.map(OtlpLogger.make(to("logs")), (logger) => withoutRepeats(privateLogger(logger)))], {
      mergeWithExisting: true
    }),
    OtlpMetrics.layer(to("metrics")),
    Layer.effect(
      Tracer.Tracer,
      Effect.map(OtlpTracer.make(to("traces")), (tracer) => requestTraces(privateTracer(tracer)))
    )
  ).pipe(
    Layer.provide(OtlpExporter.layerFlusher),
    Layer.provide(OtlpSerialization.layerJson),
    Layer.provide(FetchHttpClient.layer)
  )
}

/** Spans would be seen by nobody, and one is made for each statement. Errors name what they came through without them. */
const unexported = Layer.succeed(References.TracerEnabled, false)

/** The configured logger and level, and OTLP if an endpoint is set. Provide it around everything else. */
export const Observability = {
  layer: Layer.unwrap(
    Effect.map(AppConfig, ({ logFormat, logLevel, otlpEndpoint }) => {
      const lines = Logger.layer([loggerOf(logFormat)])
      return Layer.mergeAll(
        // The exporter adds itself to the loggers below it, so the configured one must be there already.
        otlpEndpoint === undefined
          ? Layer.merge(lines, unexported)
          : otlpExport(otlpEndpoint).pipe(Layer.provideMerge(lines)),
        Layer.succeed(References.MinimumLogLevel, logLevel)
      )
    })
  ),
  /** Writes log lines in this format to standard output. */
  logger: loggerOf,
  /** Exports logs, traces and metrics to an endpoint (OTLP over HTTP), in addition to the present loggers. */
  otlp: otlpExport,
  /** For commands: standard output is the command's, so only warnings are logged, to standard error. */
  quiet: Layer.mergeAll(
    Logger.layer([loggerOf("pretty")]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, "Warn")
  )
}
