/** A Saturday's families, from a process of its own: they search, look at options, some book, most of these pay. */
import { Schema } from "effect"
import { arriving } from "./Arrivals.ts"
import { toldBy } from "./Callers.ts"

export const SaturdayPlan = Schema.Struct({
  port: Schema.Int,
  apiKey: Schema.String,
  /** The days that they ask for, `YYYY-MM-DD`. */
  dates: Schema.Array(Schema.String),
  /** How often a `Step` is told. */
  stepSeconds: Schema.Finite,
  ...arriving
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

/** Its steps, as they are told. */
export const saturday = (plan: typeof SaturdayPlan.Type) => toldBy("./saturdayProcess.ts", plan, Step)
