/** Where logs, traces and exported metrics go, and in which format. */
import packageJson from "../../../package.json" with { type: "json" }
import { Effect, Layer, Logger, LogLevel, References, Tracer, Option, Cause, Clock, Formatter, Predicate } from "effect"
import { SecureRandom } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import { OtlpExporter, OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import { SqlError } from "effect/sql"
import { AppConfig, type Settings } from "../config/AppConfig.ts"
import { isTemporary } from "../errors/InvalidArguments.ts"
import { jsonLines, logfmtLines } from "./LogLines.ts"
import { privateLogger, privateTracer } from "./TelemetryPrivacy.ts"

// While what the service stands on fails (the database refuses or a disk is full, the provider is away), each call
// fails in the same way. The log tells it whole once, and then once a minute how many there were. Faults of the service
// itself are told each time: their callers are given a trace id.

type Entry = Logger.Options<unknown>

const intervalMs = 60_000
/** The most failures that are told apart at once; beyond them the oldest is told whole again. */
const maxKnown = 100

const member = (value: unknown, name: string): unknown => (Predicate.hasProperty(value, name) ? value[name] : undefined)

const outside = new Set<unknown>(["ProviderUnavailable", "CallTimedOut"])
/** Whether an error is a failure of what the service stands on. */
const isOutside = (error: object): boolean =>
  SqlError.isSqlError(error) ? isTemporary(error) : outside.has(member(error, "_tag"))

/** How what the service stands on has failed, as an error says, or one that caused it; undefined if it has not. */
const failureIn = (error: unknown, depth = 0): string | undefined => {
  if (typeof error !== "object" || error === null || depth > 4) return undefined
  const reason = member(error, "reason")
  if (!isOutside(error)) return failureIn(member(error, "cause"), depth + 1) ?? failureIn(reason, depth + 1)
  const names = ["_tag", "kind"].map((name) => member(error, name))
  const details = [...names, member(reason, "_tag"), member(member(reason, "cause"), "code")]
  return details.filter((detail) => typeof detail === "string").join(" ")
}

const partsOf = ({ message }: Entry): ReadonlyArray<unknown> => (Array.isArray(message) ? message : [message])

const failureOf = (entry: Entry): string | undefined => {
  const errors = entry.cause.reasons.flatMap((reason) =>
    Cause.isFailReason(reason) ? [reason.error] : Cause.isDieReason(reason) ? [reason.defect] : []
  )
  for (const error of [...errors, ...partsOf(entry)]) {
    const failure = failureIn(error)
    if (failure !== undefined) return failure
  }
  return undefined
}

/** What a line says beside the failure: its text, and the fields that name what it is about. */
const subjectOf = (entry: Entry): ReadonlyArray<unknown> =>
  partsOf(entry).filter((part) => part !== undefined && failureIn(part) === undefined)

interface Known {
  readonly failure: string
  readonly since: number
  /** The last line that was left out, and how many were. */
  readonly last: Entry
  readonly repeated: number
}

/** The same logger, which tells repeated failures of what the service stands on once a minute, with their number. */
export const withoutRepeats = (logger: Logger.Logger<unknown, void>): Logger.Logger<unknown, void> => {
  /** By what they say; the oldest first. */
  const known = new Map<string, Known>()

  const tellNumbers = (now: number): void => {
    for (const [key, { failure, last, repeated, since }] of known) {
      if (now - since < intervalMs) break
      known.delete(key)
      if (repeated === 0) continue
      known.set(key, { failure, since: now, last, repeated: 0 })
      logger.log({ ...last, message: [...subjectOf(last), { failure, repeated }], cause: Cause.empty })
    }
  }

  return Logger.make((entry) => {
    const now = Number(entry.fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe()) / 1e6
    tellNumbers(now)
    const failure = LogLevel.isGreaterThanOrEqualTo(entry.logLevel, "Warn") ? failureOf(entry) : undefined
    if (failure === undefined) return logger.log(entry)
    const key = Formatter.formatJson([entry.logLevel, failure, ...subjectOf(entry)])
    const before = known.get(key)
    if (before !== undefined) return void known.set(key, { ...before, last: entry, repeated: before.repeated + 1 })
    const [oldest] = known.keys()
    if (known.size >= maxKnown && oldest !== undefined) known.delete(oldest)
    known.set(key, { failure, since: now, last: entry, repeated: 0 })
    logger.log(entry)
  })
}

// Each request starts a trace of its own and links the caller's span. Callers are not trusted with our traces: one id
// sent with every call would make one endless trace, another caller's id would add to that caller's trace, and "not
// sampled" would hide a call.

/** The same tracer, with each received request as a root span that links the caller's. */
export const requestTraces = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    context: tracer.context,
    span: (options) =>
      options.kind === "server" && Option.isSome(options.parent)
        ? tracer.span({
            ...options,
            parent: Option.none(),
            root: true,
            links: [...options.links, { span: options.parent.value, attributes: {} }],
            sampled: true
          })
        : tracer.span(options)
  })

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

/**
 * Spans would be seen by nobody, and one is made for each statement. Errors name what they came through without them.
 */
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
