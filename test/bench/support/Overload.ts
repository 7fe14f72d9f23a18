/** Callers of many senders from a process of their own: some who wait for each other, or so many a second, come what may. */
import { Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

export const OverloadPlan = Schema.Struct({
  port: Schema.Int,
  seconds: Schema.Finite,
  /** Calls a second; without it each of `connections` calls again once it is answered. */
  rate: Schema.optionalKey(Schema.Finite),
  connections: Schema.Int
})

/** Times in milliseconds from when a call was due. */
export const Overloaded = Schema.Struct({
  offered: Schema.Int,
  good: Schema.Int,
  /** Good answers within a second. */
  inTime: Schema.Int,
  p50: Schema.Finite,
  p99: Schema.Finite,
  /** Refused with a code and when to come again. */
  refused: Schema.Int,
  refused50: Schema.Finite,
  refused99: Schema.Finite,
  /** Neither: no answer, a cut connection, an answer without a code. */
  failed: Schema.Int,
  firstFailure: Schema.optionalKey(Schema.String)
})
export type Overloaded = typeof Overloaded.Type

const script = fileURLToPath(new URL("./overloadProcess.ts", import.meta.url))
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Overloaded))

/** Sends the calls, and says what became of them. */
export const overload = Effect.fnUntraced(function* (plan: typeof OverloadPlan.Type) {
  const text = yield* Effect.callback<string>((resume) => {
    const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] })
    let printed = ""
    child.stdout.on("data", (data: Buffer) => (printed += data.toString()))
    child.once("close", () => resume(Effect.succeed(printed)))
    child.stdin.end(JSON.stringify(plan))
    return Effect.sync(() => child.kill())
  })
  return yield* Effect.orDie(decode(text))
})
