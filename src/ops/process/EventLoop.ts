/**
 * Measures the event loop's delay: while it lags, every caller waits. Reported as a metric, and as a warning if the
 * delay is long. The first time that the loop rests, what the start left behind is collected.
 */
import { type Duration, Effect, Layer, Metric } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { unending } from "../../platform/time/LocalTime.ts"
import { makeThrottle } from "../../platform/time/Elapsed.ts"

const reportInterval = "5 seconds"
/** The interval between two samples, in milliseconds; the histogram's values include it. */
const resolution = 20
/** The delay in seconds that is worth a warning, and the shortest interval between two warnings. */
const warnAbove = 0.25
const warnInterval = "1 minute"

/** Delays since the last report, in seconds. */
export interface Delays {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

const gauge = Metric.gauge("event_loop_delay_seconds", {
  description: "How late the event loop ran what was due, over the last five seconds"
})
const gauges = {
  p50: Metric.withAttributes(gauge, { quantile: "0.5" }),
  p99: Metric.withAttributes(gauge, { quantile: "0.99" }),
  max: Metric.withAttributes(gauge, { quantile: "1" })
}

/** Node's own measurement, while the scope is open. */
const measureDelays = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const histogram = monitorEventLoopDelay({ resolution })
      histogram.enable()
      return histogram
    }),
    (histogram) => Effect.sync(() => histogram.disable())
  ),
  (histogram) =>
    Effect.sync((): Delays => {
      const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolution / 1000)
      const delays =
        histogram.count === 0
          ? { p50: 0, p99: 0, max: 0 }
          : {
              p50: seconds(histogram.percentile(50)),
              p99: seconds(histogram.percentile(99)),
              max: seconds(histogram.max)
            }
      histogram.reset()
      return delays
    })
)

/** Reports the delays every few seconds. */
const watch = (delays: Effect.Effect<Delays>, interval: Duration.Input) => {
  const warn = makeThrottle(warnInterval)
  const report = Effect.gen(function* () {
    const { max, p50, p99 } = yield* delays
    yield* Metric.update(gauges.p50, p50)
    yield* Metric.update(gauges.p99, p99)
    yield* Metric.update(gauges.max, max)
    if (max < warnAbove) return
    const shown = Effect.logWarning("The event loop lags: something keeps the process busy, and every caller waits")
    yield* warn(Effect.annotateLogs(shown, { max_seconds: max, p99_seconds: p99 }))
  })
  return Effect.forkScoped(
    unending(Effect.andThen(report, Effect.sleep(interval)), "The delays of the event loop were not reported")
  )
}

/** Watches the event loop of this process, and reports at this interval. */
const layerEvery = (interval: Duration.Input) =>
  Layer.effectDiscard(Effect.flatMap(measureDelays, (delays) => watch(delays, interval)))

export const EventLoop = {
  /** Watches the event loop of this process. */
  layer: layerEvery(reportInterval),
  layerEvery,
  /** Watches given delays, for tests. */
  layerOf: (delays: Effect.Effect<Delays>) => Layer.effectDiscard(watch(delays, reportInterval))
}

/** A service that was busy for no more than this part of a second rests. */
const atRest = 0.1

/** Node has no other way to ask for it than the function that this option adds to contexts made afterwards. */
const collect = (): void => {
  setFlagsFromString("--expose-gc")
  const gc: unknown = runInNewContext("gc")
  setFlagsFromString("--no-expose-gc")
  // Only as a last resort V8 gives the room for new objects back, too.
  if (typeof gc === "function") gc({ type: "major", execution: "sync", flavor: "last-resort" })
}

/**
 * Waits for the first second of rest, and collects what the start left behind. V8 would keep it until it needs the
 * room: 35 MB of 150, most of them for new objects. It takes about a tenth of a second of processor time, in which
 * nobody is answered.
 */
export const collectGarbageWhenIdle = Effect.gen(function* () {
  let before = performance.eventLoopUtilization()
  const busy = Effect.sync(() => {
    const { utilization } = performance.eventLoopUtilization(before)
    before = performance.eventLoopUtilization()
    return utilization > atRest
  })
  while (yield* Effect.delay(busy, "1 second"));
  yield* Effect.sync(collect)
})
