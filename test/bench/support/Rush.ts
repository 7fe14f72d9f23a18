/**
 * Those who want one playroom at once, from a process of their own: what they cost others is the service's part alone.
 */
import { Schema } from "effect"
import { startCallers } from "./Callers.ts"

/** Each call is made again and again, with a pause after its answer. Ends with the scope. */
export const RushPlan = Schema.Struct({
  url: Schema.String,
  headers: Schema.Record(Schema.String, Schema.String),
  calls: Schema.Array(Schema.Struct({ tool: Schema.String, arguments: Schema.Record(Schema.String, Schema.Unknown) })),
  pauseMs: Schema.Finite
})

export const startRush = (plan: typeof RushPlan.Type) => startCallers("./rushProcess.ts", plan)
