/**
 * The whole service in the test's process, with everything that it tells of itself on record: log lines in every
 * format, what reaches an OTLP collector, what it writes to the console, and its metrics. On an embedded database of
 * its own with the demo catalogue.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Console, Effect, Layer, Logger, Metric, References } from "effect"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { inject } from "vitest"
import { App } from "../../src/App.ts"
import { AppConfig, fromEnv } from "../../src/platform/config/AppConfig.ts"
import { Observability } from "../../src/platform/telemetry/Observability.ts"
import { recordingServer } from "./RecordingServer.ts"
import { freePort } from "./freePort.ts"
import { serverUrl } from "./TestDatabase.ts"

export const sinks = [
  "pretty",
  "json",
  "logfmt",
  "console",
  "otlp logs",
  "otlp traces",
  "otlp metrics",
  "metrics"
] as const
export type Sink = (typeof sinks)[number]

/** Whatever is written to the process's own console and streams until the scope closes. */
const capturedOutput = (write: (text: string) => void) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const real = { console: { ...globalThis.console }, out: process.stdout.write, error: process.stderr.write }
      for (const name of ["log", "info", "warn", "error", "debug", "trace"] as const)
        globalThis.console[name] = (...parts: ReadonlyArray<unknown>) =>
          write(parts.map((part) => inspect(part, { depth: 9 })).join(" "))
      const stream = (chunk: string | Uint8Array) => {
        write(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString())
        return true
      }
      process.stdout.write = stream
      process.stderr.write = stream
      return real
    }),
    (real) =>
      Effect.sync(() => {
        Object.assign(globalThis.console, real.console)
        process.stdout.write = real.out
        process.stderr.write = real.error
      })
  )

export const watchedService = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  const told: Record<Sink, Array<string>> = {
    pretty: [],
    json: [],
    logfmt: [],
    console: [],
    "otlp logs": [],
    "otlp traces": [],
    "otlp metrics": [],
    metrics: []
  }
  const collector = yield* recordingServer
  collector.answer(({ body, path }) => {
    const sink = `otlp ${path.replace("/v1/", "")}`
    if (sink === "otlp logs" || sink === "otlp traces" || sink === "otlp metrics") told[sink].push(body)
    return { status: 200, body: {} }
  })
  const [port, sandbox, management] = yield* Effect.all([freePort, freePort, freePort])
  const dataDir = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-watched-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  // Where the suite runs on a server, there is no embedded template, and the service makes its own cluster.
  if (serverUrl === undefined) cpSync(inject("templateDatabase"), join(dataDir, "postgres"), { recursive: true })
  const settings = Layer.effect(
    AppConfig,
    Effect.fromResult(
      fromEnv({
        PORT: String(port),
        SANDBOX_PORT: String(sandbox),
        MANAGEMENT_PORT: String(management),
        DATA_DIR: dataDir,
        ...env
      })
    )
  )
  const into = (sink: Sink) => (text: string) => void told[sink].push(text)
  const pretty = (...parts: ReadonlyArray<unknown>) =>
    into("pretty")(parts.map((part) => (typeof part === "string" ? part : inspect(part, { depth: 9 }))).join(" "))
  const telemetry = Observability.otlp(`http://127.0.0.1:${collector.port}`).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Logger.layer((["pretty", "json", "logfmt"] as const).map(Observability.logger)),
        Layer.succeed(References.MinimumLogLevel, "Trace"),
        // Its own, without what other test files of this process have counted.
        Layer.sync(Metric.MetricRegistry, () => new Map()),
        Layer.succeed(Console.Console, {
          ...globalThis.console,
          log: pretty,
          info: pretty,
          warn: pretty,
          error: pretty,
          debug: pretty,
          trace: pretty,
          group: pretty,
          groupCollapsed: pretty,
          groupEnd: () => {}
        })
      )
    )
  )
  yield* capturedOutput((text) => {
    for (const line of text.split("\n"))
      into(line.startsWith("{") ? "json" : line.startsWith("timestamp=") ? "logfmt" : "console")(line)
  })
  const context = yield* Layer.build(
    App.service.pipe(Layer.provideMerge(telemetry), Layer.provideMerge(settings), Layer.provide(NodeFileSystem.layer))
  )
  const metrics = Effect.promise(() => fetch(`http://127.0.0.1:${management}/metrics`).then((answer) => answer.text()))
  return {
    baseUrl: `http://localhost:${port}`,
    sandboxUrl: `http://127.0.0.1:${sandbox}`,
    told,
    /** What runs in here is told of as what the service does itself. */
    inside: Effect.provideContext(context),
    /** Reads the metrics into their sink. */
    readMetrics: Effect.map(metrics, into("metrics"))
  }
})
