/** Floods of one sender, and newcomers beside them, from processes of their own. */
import { Effect, Schema } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

export const floods = ["idle", "pipelined", "burst", "slow", "beyond", "pages"] as const
export type Flood = (typeof floods)[number]

export const FloodPlan = Schema.Struct({ port: Schema.Int, flood: Schema.Literals(floods) })

/** Newcomers, `rate` a second for so many seconds: each with an address, a connection and a search of its own. */
export const NewcomersPlan = Schema.Struct({ port: Schema.Int, rate: Schema.Finite, seconds: Schema.Finite })

/** Times in milliseconds from when a newcomer was due. */
export const Newcomers = Schema.Struct({
  calls: Schema.Int,
  p50: Schema.Finite,
  p99: Schema.Finite,
  failures: Schema.Int,
  firstFailure: Schema.optionalKey(Schema.String),
  probe99: Schema.Finite
})
export type Newcomers = typeof Newcomers.Type

const run = (script: string, plan: unknown): ChildProcess => {
  const child = spawn(process.execPath, [fileURLToPath(new URL(script, import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  child.stdin.end(JSON.stringify(plan))
  return child
}

/** Floods until the scope ends; succeeds with its process once it is under way. */
export const startFlood = Effect.fnUntraced(function* (plan: typeof FloodPlan.Type) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => run("./floodProcess.ts", plan)),
    (child) =>
      Effect.callback<void>((resume) => {
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  )
  yield* Effect.callback<void>((resume) => {
    child.stdout?.once("data", () => resume(Effect.void))
  })
  return child.pid ?? 0
})

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Newcomers))

/** Sends the newcomers, and says how they fared. */
export const newcomers = Effect.fnUntraced(function* (plan: typeof NewcomersPlan.Type) {
  const text = yield* Effect.callback<string>((resume) => {
    const child = run("./newcomersProcess.ts", plan)
    let printed = ""
    child.stdout?.on("data", (data: Buffer) => (printed += data.toString()))
    child.once("close", () => resume(Effect.succeed(printed)))
    return Effect.sync(() => child.kill())
  })
  return yield* Effect.orDie(decode(text))
})
