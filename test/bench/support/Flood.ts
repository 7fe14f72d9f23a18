/** Floods of one sender, and newcomers beside them, from processes of their own. */
import { Effect, Schema } from "effect"
import { foundBy, startCallers } from "./Callers.ts"

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

/** Floods until the scope ends; succeeds with its process once it is under way. */
export const startFlood = Effect.fnUntraced(function* (plan: typeof FloodPlan.Type) {
  const child = yield* startCallers("./floodProcess.ts", plan)
  yield* Effect.callback<void>((resume) => {
    child.stdout.once("data", () => resume(Effect.void))
  })
  return child.pid ?? 0
})

/** Sends the newcomers, and says how they fared. */
export const newcomers = (plan: typeof NewcomersPlan.Type) => foundBy("./newcomersProcess.ts", plan, Newcomers)
