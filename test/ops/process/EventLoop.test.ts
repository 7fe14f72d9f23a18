import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Metric, Ref, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { type Delays, EventLoop } from "../../../src/ops/process/EventLoop.ts"

const calm: Delays = { p50: 0.0001, p99: 0.002, max: 0.01 }
const lagging: Delays = { p50: 0.001, p99: 0.2, max: 1.5 }

const shownDelays = Effect.map(Metric.snapshot, (all) =>
  Object.fromEntries(
    all.flatMap(({ attributes, id, state, type }) =>
      id === "event_loop_delay_seconds" && type === "Gauge" ? [[attributes?.["quantile"], Number(state.value)]] : []
    )
  )
)

it.effect("a lag of the event loop is a metric at once, and a warning once a minute", () =>
  Effect.gen(function* () {
    const now = yield* Ref.make(calm)
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      lines.push(`${logLevel} ${String(message)}`)
    })
    yield* Layer.build(EventLoop.layerOf(Ref.get(now))).pipe(Effect.provide(Logger.layer([logger])))
    yield* TestClock.adjust("1 hour")
    assert.deepStrictEqual(lines, [])
    assert.deepStrictEqual(yield* shownDelays, { "0.5": calm.p50, "0.99": calm.p99, "1": calm.max })
    yield* Ref.set(now, lagging)
    yield* TestClock.adjust("10 minutes")
    assert.isAtMost(lines.length, 11)
    assert.isAtLeast(lines.length, 9)
    assert.match(String(lines[0]), /^Warn The event loop lags/)
    assert.deepStrictEqual(yield* shownDelays, { "0.5": lagging.p50, "0.99": lagging.p99, "1": lagging.max })
    yield* Ref.set(now, calm)
    const told = lines.length
    yield* TestClock.adjust("10 minutes")
    assert.strictEqual(lines.length, told)
  }).pipe(Effect.scoped)
)

it.live("what Node measures is what is told: the loop was held up, and the metric says so", () =>
  Effect.gen(function* () {
    yield* Layer.build(EventLoop.layerEvery("1 second"))
    yield* Effect.sleep("200 millis")
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)
    // A second later it tells of what came after that.
    const longest = Effect.map(shownDelays, (shown) => shown["1"] ?? 0)
    const told = yield* Effect.repeat(longest, {
      until: (seconds) => seconds > 0.2,
      schedule: Schedule.spaced("50 millis"),
      times: 300
    })
    assert.isAbove(told, 0.2)
  }).pipe(Effect.scoped)
)
