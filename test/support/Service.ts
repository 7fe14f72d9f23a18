/**
 * The service as users have it: a process of its own, on a port of its own, with a database of its own (embedded, or on
 * the server that TEST_DATABASE_URL names) and the demo catalogue. For black-box journeys.
 */
import { Console, Effect, Exit, Layer, Redacted } from "effect"
import { App } from "../../src/App.ts"
import { Reactivity } from "effect/reactivity"
import type { SqlClient } from "effect/sql"
import { execFile, spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import { serverClient } from "../../src/platform/database/Database.ts"
import { socketPath } from "../../src/platform/database/DataDirectory.ts"
import { joinEmbedded } from "../../src/platform/database/EmbeddedPostgres.ts"
import { freePort, inheritingShell, type SharedSocket } from "./freePort.ts"
import { compiled, shortLived } from "./nodeProcesses.ts"
import { copiedDatabase, serverUrl } from "./TestDatabase.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert } from "@effect/vitest"
import { AppConfig, fromEnv } from "../../src/platform/config/AppConfig.ts"
import { cli } from "../../src/surfaces/cli/Cli.ts"
import { exitCodeOf } from "../../src/surfaces/cli/Failure.ts"
import { describeCause } from "../../src/platform/telemetry/LogLines.ts"

const demo = fileURLToPath(new URL("../../src/domain/import/demo.json", import.meta.url))

export interface Service {
  readonly baseUrl: string
  readonly sandboxUrl: string
  readonly apiKey: string
  readonly env: NodeJS.ProcessEnv
  /** Everything that the process printed so far. */
  readonly output: () => string
  readonly pid: () => number
  /** Sends a signal and waits for the end; answers the exit code (null where the signal ended it). */
  readonly stop: (signal?: NodeJS.Signals) => Effect.Effect<number | null>
  /** Waits for the end; answers the exit code, as above. */
  readonly ended: Effect.Effect<number | null>
  /** Starts it again on the same data. */
  readonly start: Effect.Effect<void>
  /** Runs the command line beside the service, in the test's process. */
  readonly playroom: (...args: ReadonlyArray<string>) => Effect.Effect<CommandResult>
  /** The same in a process of its own: where Node itself reads the environment, or the service may end meanwhile. */
  readonly playroomProcess: (...args: ReadonlyArray<string>) => Effect.Effect<CommandResult>
}

const commandProcess =
  (env: NodeJS.ProcessEnv) =>
  (...args: ReadonlyArray<string>) =>
    Effect.callback<CommandResult>((resume) => {
      execFile(
        process.execPath,
        [...shortLived, inject("serviceProgram"), ...args],
        { env, timeout: 60_000 },
        (error, stdout, stderr) =>
          resume(
            Effect.succeed({
              code: error === null ? 0 : typeof error.code === "number" ? error.code : 1,
              stdout,
              stderr
            })
          )
      )
    })

const database = Effect.fnUntraced(function* (changes: Readonly<Record<string, string>>) {
  const { DATABASE_URL, DATA_DIR, STRIPE_SECRET_KEY } = changes
  if (DATABASE_URL !== undefined) return { DATA_DIR: tmpdir() }
  if (DATA_DIR !== undefined) return { DATA_DIR }
  const live = STRIPE_SECRET_KEY?.startsWith("sk_live_") === true
  if (serverUrl !== undefined) {
    const address = yield* copiedDatabase(serverUrl)
    return { DATABASE_URL: Redacted.value(address), DATA_DIR: tmpdir() }
  }
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-service-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  mkdirSync(folder, { recursive: true })
  // A service that takes real money loads no demo.
  cpSync(inject(live ? "embeddedTemplate" : "demoTemplate"), join(folder, "postgres"), { recursive: true })
  return { DATA_DIR: folder }
})

const answers = (url: string) =>
  Effect.callback<boolean>((resume) => {
    fetch(url).then(
      (response) => resume(Effect.succeed(response.ok)),
      () => resume(Effect.succeed(false))
    )
  })

/** How the system runs a service. */
interface Surroundings {
  /** The most files that it may open. */
  readonly openFiles?: number
  /** A socket that it listens on instead of opening its own, as systemd would give it. */
  readonly socket?: SharedSocket
}

/** A command in these surroundings: a shell sets what the process itself has to have, and becomes it. */
const surrounded = ({ openFiles, socket }: Surroundings, command: ReadonlyArray<string>): ReadonlyArray<string> => [
  "/bin/sh",
  "-c",
  [
    ...(openFiles === undefined ? [] : [`ulimit -n ${openFiles}`]),
    ...(socket === undefined ? [] : [inheritingShell]),
    'exec "$0" "$@"'
  ].join(" && "),
  ...command
]

/** The demo catalogue, into a database that has none. */
export const importDemo = Effect.fnUntraced(function* (playroom: Service["playroom"]) {
  const imported = yield* playroom("catalogue", "import", demo)
  if (imported.code !== 0) return yield* Effect.die(new Error(`The demo was not imported:\n${imported.stderr}`))
})

/**
 * Starts a service for the scope; `changes` are further environment variables. With a `DATABASE_URL` it is another node
 * on that database, whatever is in there; with a `DATA_DIR` it is on the embedded one there, new or not.
 */
export const startService = (changes: Readonly<Record<string, string>> = {}, surroundings: Surroundings = {}) =>
  Effect.gen(function* () {
    const { socket } = surroundings
    const port = socket?.port ?? (yield* freePort)
    const sandboxPort = yield* freePort
    const apiKey = "journey-key-0123456789abcdef0123456789"
    const env: NodeJS.ProcessEnv = {
      PATH: process.env["PATH"],
      PORT: String(port),
      SANDBOX_PORT: String(sandboxPort),
      API_KEY: apiKey,
      RATE_LIMIT_DISABLED: "true",
      LOG_FORMAT: "json",
      NODE_COMPILE_CACHE: compiled,
      ...(yield* database(changes)),
      ...changes
    }
    const playroom = commandsWith(env)
    const baseUrl = `http://127.0.0.1:${port}`
    // Others may answer at a shared address.
    const { MANAGEMENT_PORT } = env
    const ownUrl = MANAGEMENT_PORT === undefined ? baseUrl : `http://127.0.0.1:${MANAGEMENT_PORT}`
    let printed = ""
    let child: ReturnType<typeof spawn> | undefined
    let ended: Promise<number | null> = Promise.resolve(null)

    const start = Effect.gen(function* () {
      const command = [process.execPath, ...shortLived, inject("serviceProgram"), "serve"]
      const [program = "", ...args] = surrounded(surroundings, command)
      const started = spawn(program, args, {
        env,
        stdio: ["ignore", "pipe", "pipe", ...(socket === undefined ? [] : [socket.fd])]
      })
      child = started
      ended = new Promise((done) =>
        started.once("exit", (code) => {
          const told = () => done(code)
          // What it printed last may come after its end.
          setTimeout(told, 5000).unref()
          started.once("close", told)
        })
      )
      started.stdout?.on("data", (data: Buffer) => (printed += data.toString()))
      started.stderr?.on("data", (data: Buffer) => (printed += data.toString()))
      for (let tries = 0; tries < 800; tries++) {
        if (yield* answers(`${ownUrl}/readyz`)) return
        if (started.exitCode !== null) break
        yield* Effect.sleep("50 millis")
      }
      started.kill("SIGKILL")
      return yield* Effect.die(new Error(`The service did not start:\n${printed}`))
    })
    const stop = (signal: NodeJS.Signals = "SIGTERM") =>
      Effect.promise(() => {
        child?.kill(signal)
        return ended
      })

    if (env["DATABASE_URL"] !== undefined && changes["DATABASE_URL"] === undefined) yield* importDemo(playroom)
    yield* Effect.acquireRelease(start, () => Effect.andThen(stop("SIGKILL"), Effect.void))
    const service: Service = {
      baseUrl,
      sandboxUrl: `http://127.0.0.1:${sandboxPort}`,
      apiKey,
      env,
      output: () => printed,
      pid: () => child?.pid ?? 0,
      stop,
      ended: Effect.promise(() => ended),
      start,
      playroom,
      playroomProcess: commandProcess(env)
    }
    return service
  }).pipe(Effect.provide(Reactivity.layer))

/** A client of a running service's database, on a server or embedded; for looking behind the curtain. */
export const databaseOf = ({ env }: Service) => {
  const url = env["DATABASE_URL"]
  const client =
    url === undefined ? joinEmbedded(socketPath(env["DATA_DIR"] ?? "")) : serverClient(Redacted.make(url), 1)
  return Effect.provide(client, Reactivity.layer)
}

/** Waits until each event of the sandbox is delivered and applied: those of a refund come after it. */
export const allApplied = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const left = sql`select 1 from sandbox.delivery where next_attempt_at is not null
    union all select 1 from webhook_event where status = 'received'`
  while ((yield* left).length > 0) yield* Effect.sleep("50 millis")
})

// Commands as they are typed, beside a running service: with its settings and on its database as in a process of their
// own, without one.

/** The words of a line; what stands in double quotes is one. */
const wordsOf = (line: string): ReadonlyArray<string> =>
  (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, "$1"))

/** What a command printed, and the code that its process would have ended with. */
interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `playroom …` with these settings. */
const commandsWith = (env: NodeJS.ProcessEnv) => {
  const settings = Layer.effect(AppConfig, Effect.fromResult(fromEnv(env)))
  const run = cli({
    serve: Effect.void,
    services: Layer.provideMerge(App.commands, settings),
    database: Layer.provideMerge(App.database, settings),
    setup: Layer.provideMerge(App.setup, settings)
  })
  return Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    const printed = { log: "", error: "" }
    const print =
      (to: keyof typeof printed) =>
      (...parts: ReadonlyArray<unknown>) =>
        void (printed[to] += `${parts.map(String).join(" ")}\n`)
    const exit = yield* run(args).pipe(
      Effect.provide(NodeServices.layer),
      Effect.provideService(Console.Console, { ...globalThis.console, log: print("log"), error: print("error") }),
      Effect.exit
    )
    if (Exit.isFailure(exit)) print("error")(`playroom: ${describeCause(exit.cause)}`)
    const result: CommandResult = { code: exitCodeOf(exit, false).code, stdout: printed.log, stderr: printed.error }
    return result
  })
}

/** Types `playroom …` and answers what it printed. `refused` expects a failure, and answers what that says. */
export const typedCommands = ({ playroom }: Pick<Service, "playroom">) => {
  const typed = (line: string) => {
    const [command, ...args] = wordsOf(line)
    assert.strictEqual(command, "playroom")
    return playroom(...args)
  }
  return {
    playroom: (line: string) =>
      Effect.map(typed(line), ({ code, stderr, stdout }) => {
        assert.strictEqual(code, 0, `${line}: ${stderr}`)
        return stdout + stderr
      }),
    refused: (line: string) =>
      Effect.map(typed(line), ({ code, stderr, stdout }) => {
        assert.notStrictEqual(code, 0, `${line}: ${stdout}`)
        return stderr
      })
  }
}
