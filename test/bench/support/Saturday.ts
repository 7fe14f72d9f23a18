/** A Saturday's families, from a process of its own: they search, look at options, some book, most of these pay. */
import { Cause, Effect, Queue, Schema, Stream } from "effect"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

export const SaturdayPlan = Schema.Struct({
  port: Schema.Int,
  apiKey: Schema.String,
  /** The days that they ask for, `YYYY-MM-DD`. */
  dates: Schema.Array(Schema.String),
  seconds: Schema.Finite,
  /** How often a `Step` is told. */
  stepSeconds: Schema.Finite,
  /** Families that come a second, whatever became of the earlier ones; without it, so many come one after the other. */
  rate: Schema.optionalKey(Schema.Finite),
  together: Schema.Int
})

/** What became of their calls since the last step; times in milliseconds. */
export const Step = Schema.Struct({
  families: Schema.Int,
  calls: Schema.Int,
  p50: Schema.Finite,
  p99: Schema.Finite,
  /** Refused with a code. */
  refused: Schema.Int,
  failed: Schema.Int,
  booked: Schema.Int,
  paid: Schema.Int,
  firstFailure: Schema.optionalKey(Schema.String)
})
export type Step = typeof Step.Type

const script = fileURLToPath(new URL("./saturdayProcess.ts", import.meta.url))
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Step))

/** Its steps, as they are told. */
export const saturday = (plan: typeof SaturdayPlan.Type) =>
  Stream.callback<string>((queue) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] })
        createInterface({ input: child.stdout }).on("line", (line) => void Queue.offerUnsafe(queue, line))
        child.once("close", (code) => {
          if (code === 0) Queue.endUnsafe(queue)
          else Queue.failCauseUnsafe(queue, Cause.die(new Error("The load generator failed")))
        })
        child.stdin.end(JSON.stringify(plan))
        return child
      }),
      (child) => Effect.sync(() => child.kill())
    )
  ).pipe(Stream.mapEffect((line) => Effect.orDie(decode(line))))
