/** The messages between the supervisor and its workers, over Node's channel. */
import { Schema } from "effect"
import { Series } from "./MetricSeries.ts"

/** The variable that makes a process a worker: what it has to know before it reads its settings. */
export const workerVariable = "PLAYROOM_WORKER"

/** The open files are numbers of its own. */
export const WorkerStart = Schema.Struct({
  id: Schema.Int,
  service: Schema.Array(Schema.Int),
  sandbox: Schema.Array(Schema.Int)
})

/**
 * From a worker: it listens; its current metrics, which it also sends when it ends; or whether it was ready when it
 * last looked.
 */
export const FromWorker = Schema.Union([
  Schema.TaggedStruct("Listening", {}),
  Schema.TaggedStruct("Metrics", { series: Schema.Array(Series) }),
  /** `hindrance`: why it is not. */
  Schema.TaggedStruct("Ready", { hindrance: Schema.optionalKey(Schema.String) })
])
export type FromWorker = typeof FromWorker.Type

/** Why a worker must end: the service stops, or another worker has taken over. */
export const Dismissal = Schema.Literals(["stop", "hand over"])
export type Dismissal = typeof Dismissal.Type

export const ToWorker = Schema.Union([
  Schema.TaggedStruct("Dismissed", { why: Dismissal }),
  /** Asks for its metrics. */
  Schema.TaggedStruct("ReadMetrics", {}),
  /**
   * Asks whether it is ready. A worker answers at once, whatever the database does: one that does not, hangs. It tells
   * only what was asked: the supervisor may be of an earlier release.
   */
  Schema.TaggedStruct("AskReady", {})
])
export type ToWorker = typeof ToWorker.Type
