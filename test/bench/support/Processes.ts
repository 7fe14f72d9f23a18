/** Servers under measurement: processes of their own, ended with the scope. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { compileCache } from "../../../src/ops/process/Bundle.ts"
import { nodeEnvironment, nodeOptions } from "../../../src/ops/process/NodeOptions.ts"
import { freePort, inheritingShell, type SharedSocket } from "../../support/freePort.ts"
import { timed } from "./Figures.ts"

const answers = (url: string) =>
  Effect.callback<boolean>((resume) => {
    fetch(url).then(
      // Any answer will do but one that asks to come again.
      (response) => resume(Effect.succeed(response.status < 500)),
      () => resume(Effect.succeed(false))
    )
  })

export interface Running {
  readonly baseUrl: string
  /** From the start of the process to its first good answer. */
  readonly startMs: number
  readonly pid: number
  readonly stop: Effect.Effect<void>
}

/**
 * Starts a script and waits until `health` answers. It is told its PORT. What it logs is thrown away, after it was
 * written.
 */
export const startProcess = Effect.fnUntraced(function* (
  script: string,
  options: {
    readonly args?: ReadonlyArray<string>
    readonly nodeArgs?: ReadonlyArray<string>
    readonly env?: Readonly<Record<string, string>>
    readonly health: string
    /** The socket that it listens on, instead of opening one. */
    readonly socket?: SharedSocket | undefined
  }
) {
  const { socket } = options
  const port = socket?.port ?? (yield* freePort)
  const baseUrl = `http://127.0.0.1:${port}`
  const start = Effect.gen(function* () {
    const command = [process.execPath, ...(options.nodeArgs ?? []), script, ...(options.args ?? [])]
    const inherit = socket === undefined ? ":" : inheritingShell
    const child = spawn("/bin/sh", ["-c", `${inherit} && exec "$0" "$@"`, ...command], {
      env: { PATH: process.env["PATH"], PORT: String(port), ...options.env },
      stdio: ["ignore", "ignore", "pipe", ...(socket === undefined ? [] : [socket.fd])]
    })
    let complaints = ""
    child.stderr?.on("data", (data: Buffer) => (complaints = (complaints + data.toString()).slice(-4000)))
    const ended = new Promise<void>((done) => child.once("exit", () => done()))
    for (let tries = 0; tries < 3000; tries++) {
      if (yield* answers(`${baseUrl}${options.health}`)) return { child, ended }
      if (child.exitCode !== null) break
      yield* Effect.sleep("10 millis")
    }
    child.kill("SIGKILL")
    return yield* Effect.die(new Error(`${script} did not start:\n${complaints}`))
  })
  const [startMs, { child, ended }] = yield* timed(start)
  const stop = Effect.promise(() => {
    child.kill("SIGTERM")
    const force = setTimeout(() => child.kill("SIGKILL"), 5000)
    return ended.finally(() => clearTimeout(force))
  })
  yield* Effect.addFinalizer(() => stop)
  const running: Running = { baseUrl, startMs, pid: child.pid ?? 0, stop }
  return running
})

const main = fileURLToPath(new URL("../../../src/main.ts", import.meta.url))

/** The service as `npm start` starts it, but with no limit on rates unless `env` says otherwise. */
export const startService = Effect.fnUntraced(function* (
  env: Readonly<Record<string, string>>,
  nodeArgs: ReadonlyArray<string> = nodeOptions,
  socket?: SharedSocket
) {
  const sandboxPort = yield* freePort
  return yield* startProcess(main, {
    args: ["serve"],
    nodeArgs,
    socket,
    health: "/readyz",
    env: {
      SANDBOX_PORT: String(sandboxPort),
      API_KEY: "bench-key-0123456789abcdef0123456789",
      RATE_LIMIT_DISABLED: "true",
      LOG_FORMAT: "json",
      ...nodeEnvironment,
      NODE_COMPILE_CACHE: compileCache() ?? "",
      ...env
    }
  })
})

const mbIn = (file: string, name: string): number => {
  try {
    const kb = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(file, "utf8"))?.[1]
    return kb === undefined ? Number.NaN : Number(kb) / 1024
  } catch {
    return Number.NaN
  }
}

/** Resident memory in MB; not a number where the system does not tell. */
export const residentMb = (pid: number): number => mbIn(`/proc/${pid}/status`, "VmRSS")

/** The same, but of what several processes share (Node itself), only its part. */
export const proportionalMb = (pid: number): number => mbIn(`/proc/${pid}/smaps_rollup`, "Pss")
