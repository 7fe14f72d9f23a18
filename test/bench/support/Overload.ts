/**
 * Callers of many senders from a process of their own: some who wait for each other, or so many a second, come what
 * may.
 */
import { Schema } from "effect"
import { arriving } from "./Arrivals.ts"
import { foundBy } from "./Callers.ts"

export const OverloadPlan = Schema.Struct({ port: Schema.Int, ...arriving })

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
  /** How much later than due a call was sent: what is above is that much the sender's own. */
  late99: Schema.Finite,
  firstFailure: Schema.optionalKey(Schema.String)
})
export type Overloaded = typeof Overloaded.Type

/** Sends the calls, and says what became of them. */
export const overload = (plan: typeof OverloadPlan.Type) => foundBy("./overloadProcess.ts", plan, Overloaded)
