/** The messages between the supervisor and its workers, over Node's channel. */
import { Schema } from "effect"
import { Series } from "./MetricSeries.ts"

/** From a worker: it listens, or its current metrics, which it also sends when it ends. */
export const FromWorker = Schema.Union([
  Schema.TaggedStruct("Listening", {}),
  Schema.TaggedStruct("Metrics", { series: Schema.Array(Series) })
])
export type FromWorker = typeof FromWorker.Type

/** Why a worker must end: the service stops, or another worker has taken over. */
export const Dismissal = Schema.Literals(["stop", "hand over"])
export type Dismissal = typeof Dismissal.Type

export const ToWorker = Schema.Union([
  Schema.TaggedStruct("Dismissed", { why: Dismissal }),
  /** Asks for its metrics. */
  Schema.TaggedStruct("ReadMetrics", {})
])
export type ToWorker = typeof ToWorker.Type
