/** What a supervisor and its workers say to each other, over the channel that Node makes between them. */
import { Schema } from "effect"
import { Series } from "./MetricSeries.ts"

/** From a worker: it listens, or its metrics as they are now; the last ones when it ends. */
export const FromWorker = Schema.Union([
  Schema.TaggedStruct("Listening", {}),
  Schema.TaggedStruct("Metrics", { series: Schema.Array(Series) })
])
export type FromWorker = typeof FromWorker.Type

/** Why a worker is to end: the service stops, or another worker has taken its place. */
export const Dismissal = Schema.Literals(["stop", "hand over"])
export type Dismissal = typeof Dismissal.Type

export const ToWorker = Schema.Union([
  Schema.TaggedStruct("Dismissed", { why: Dismissal }),
  /** Asks for its metrics. */
  Schema.TaggedStruct("ReadMetrics", {})
])
export type ToWorker = typeof ToWorker.Type
