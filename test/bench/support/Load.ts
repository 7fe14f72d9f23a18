/** Load over HTTP from a process of its own, so that making it is not measured with what answers it. */
import { Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

/** What to send. Connections are kept alive; each has one request under way. */
export const LoadPlan = Schema.Struct({
  url: Schema.String,
  connections: Schema.Int,
  headers: Schema.Record(Schema.String, Schema.String),
  /** Sent in turns. `{{n}}` becomes the request's number, 22 digits long. */
  bodies: Schema.Array(Schema.String),
  firstNumber: Schema.optionalKey(Schema.Int),
  /** Signs each body as the payment provider does. */
  secret: Schema.optionalKey(Schema.String),
  /** What a good answer holds, beside status 200. */
  expect: Schema.String,
  /** So long, or so many requests. */
  seconds: Schema.optionalKey(Schema.Finite),
  requests: Schema.optionalKey(Schema.Int),
  /** Requests a second, due whether the earlier ones are answered or not; without it, as fast as they are answered. */
  rate: Schema.optionalKey(Schema.Finite)
})
export type LoadPlan = typeof LoadPlan.Type

/** Times in milliseconds; with a `rate`, from when a request was due. */
export const Loaded = Schema.Struct({
  answers: Schema.Int,
  perSecond: Schema.Finite,
  p50: Schema.Finite,
  p99: Schema.Finite,
  max: Schema.Finite,
  faults: Schema.Int,
  firstFault: Schema.optionalKey(Schema.String)
})
export type Loaded = typeof Loaded.Type

const script = fileURLToPath(new URL("./loadProcess.ts", import.meta.url))
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Loaded))

/** Runs a plan. Answers that are no good end the bench, as a fast failure is no figure; unless `faults` may be counted. */
export const load = Effect.fnUntraced(function* (plan: LoadPlan, faults: "counted" | "none" = "none") {
  const text = yield* Effect.callback<string>((resume) => {
    const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] })
    let printed = ""
    child.stdout.on("data", (data: Buffer) => (printed += data.toString()))
    child.once("close", (code, signal) =>
      resume(
        code === 0 ? Effect.succeed(printed) : Effect.die(new Error(`The load generator ended with ${signal ?? code}`))
      )
    )
    child.stdin.end(JSON.stringify(plan))
    return Effect.sync(() => child.kill())
  })
  const loaded = yield* Effect.orDie(decode(text))
  if (loaded.faults > 0 && faults === "none") {
    return yield* Effect.die(
      new Error(`${loaded.faults} bad answers from ${plan.url}; the first: ${loaded.firstFault}`)
    )
  }
  return loaded
})
