/** Runs the service in several processes, as `Supervision.ts` decides. */
import { Effect, Layer, Metric, Queue, type Scope } from "effect"
import { AppConfig } from "../config/AppConfig.ts"
import { management } from "../api/Management.ts"
import { monotonicMs } from "../kernel/Elapsed.ts"
import { handOverSeconds, stopSeconds } from "./StopTimes.ts"
import { prometheusText } from "./MetricSeries.ts"
import { begin, initially, type Order, step, type Supervision } from "./Supervision.ts"
import { WorkerProcesses } from "./WorkerProcesses.ts"

/** Milliseconds between a worker's own limit for stopping and its kill. */
const graceMs = 2000

const workers = Metric.gauge("workers", { description: "Processes that share the port: wanted, and listening" })
const wanted = Metric.withAttributes(workers, { state: "wanted" })
const listening = Metric.withAttributes(workers, { state: "listening" })
const failures = Metric.counter("worker_failures_total", {
  description: "Workers that ended by themselves, or were killed because they did not answer"
})
const endedByThemselves = Metric.withAttributes(failures, { how: "ended" })
const wereSilent = Metric.withAttributes(failures, { how: "silent" })

/** Updates the workers' metrics. `before`: the state at the last update. */
export const updateMetrics = Effect.fnUntraced(function* (now: Supervision, before: Supervision) {
  yield* Metric.update(wanted, now.wanted)
  yield* Metric.update(listening, [...now.workers.values()].filter(({ stage }) => stage === "listening").length)
  yield* Metric.update(endedByThemselves, now.allFailures - before.allFailures)
  yield* Metric.update(wereSilent, now.allSilent - before.allSilent)
})

/** Runs the workers until all have ended. Succeeds with the exit code. */
export const supervise: Effect.Effect<number, never, AppConfig | WorkerProcesses | Scope.Scope> = Effect.gen(
  function* () {
    const processes = yield* WorkerProcesses
    const settings = yield* AppConfig
    const start = initially({
      wanted: settings.workers,
      endsWithinMs: {
        stop: stopSeconds(settings.drainSeconds) * 1000 + graceMs,
        "hand over": handOverSeconds * 1000 + graceMs
      }
    })
    const execute = Effect.fnUntraced(function* (order: Exclude<Order, { readonly _tag: "End" }>) {
      switch (order._tag) {
        case "Start":
          return yield* processes.start(order.worker)
        case "Dismiss":
          return yield* processes.dismiss(order.worker, order.why)
        case "Kill":
          return yield* processes.kill(order.worker)
        case "Log":
          return yield* Effect.logWithLevel(order.level)(order.text, order.fields)
        case "Wake":
          yield* Effect.forkScoped(Effect.delay(Queue.offer(processes.events, order.event), order.afterMs))
      }
    })

    let { next, orders } = begin(start, yield* monotonicMs)
    yield* updateMetrics(next, next)
    while (true) {
      for (const order of orders) {
        if (order._tag === "End") return order.code
        yield* execute(order)
      }
      const event = yield* Queue.take(processes.events)
      const before = next
      ;({ next, orders } = step(before, event, yield* monotonicMs))
      yield* updateMetrics(next, before)
    }
  }
)

/** Serves the metrics of all workers as one service's, and whether one is ready, if `MANAGEMENT_PORT` is set. */
export const managementOfAll = Layer.unwrap(
  WorkerProcesses.use(({ hindrance, metrics }) =>
    Effect.succeed(
      management({
        text: Effect.map(metrics, prometheusText),
        hindrance: Effect.succeed(hindrance)
      })
    )
  )
)
