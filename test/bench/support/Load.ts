/** Load over HTTP from a process of its own, so that making it is not measured with what answers it. */
import { Effect, Schema } from "effect"
import { foundBy } from "./Callers.ts"

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

/**
 * Times of answers in milliseconds; with a `rate`, from when a request was due. `refused`: asked to come again (429,
 * 503).
 */
export const Loaded = Schema.Struct({
  answers: Schema.Int,
  perSecond: Schema.Finite,
  p50: Schema.Finite,
  p99: Schema.Finite,
  max: Schema.Finite,
  refused: Schema.Int,
  faults: Schema.Int,
  /** Processor time of the callers meanwhile, in seconds. */
  processorSeconds: Schema.Finite,
  firstFault: Schema.optionalKey(Schema.String)
})
export type Loaded = typeof Loaded.Type

/**
 * Runs a plan. Answers that are no good end the bench, as a fast failure is no figure; unless refusals are `counted`.
 */
export const load = Effect.fnUntraced(function* (plan: LoadPlan, refusals: "counted" | "none" = "none") {
  const loaded = yield* foundBy("./loadProcess.ts", plan, Loaded)
  const bad = loaded.faults + (refusals === "none" ? loaded.refused : 0)
  if (bad > 0) {
    return yield* Effect.die(new Error(`${bad} bad answers from ${plan.url}; the first: ${loaded.firstFault}`))
  }
  return loaded
})
