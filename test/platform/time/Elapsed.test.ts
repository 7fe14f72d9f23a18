import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import {
  cachedFor,
  monotonicMs,
  onDatedClock,
  onSteadyClock,
  makeThrottle
} from "../../../src/platform/time/Elapsed.ts"
import { dayMs } from "../../../src/platform/time/LocalTime.ts"
import { ManualClock, onClock } from "../../support/ManualClock.ts"

const stepping = (test: (clock: ManualClock) => Effect.Effect<void>) => () => {
  const clock = new ManualClock()
  return onClock(clock)(test(clock))
}

describe("a machine's clock that steps back or forth", () => {
  const steps = [-dayMs, dayMs]

  it.effect(
    "changes no time that passes inside the process",
    stepping((clock) =>
      Effect.gen(function* () {
        const start = yield* monotonicMs
        for (const step of steps) clock.step(step)
        clock.pass(250)
        assert.strictEqual((yield* monotonicMs) - start, 250)
      })
    )
  )

  it.effect(
    "keeps no result for longer, and asks not sooner; what is asked knows the date",
    stepping((clock) =>
      Effect.gen(function* () {
        const dates: Array<number> = []
        const asked = yield* cachedFor(
          Effect.map(Clock.currentTimeMillis, (date) => dates.push(date)),
          () => "5 seconds"
        )
        assert.strictEqual(yield* asked, 1)
        for (const [n, step] of steps.entries()) {
          clock.step(step)
          clock.pass(4999)
          assert.strictEqual(yield* asked, n + 1)
          clock.pass(1)
          assert.strictEqual(yield* asked, n + 2)
        }
        assert.deepStrictEqual(
          dates.map((date) => date - (dates[0] ?? 0)),
          [0, 5000 - dayMs, 10_000]
        )
        const date = yield* Clock.currentTimeMillis
        assert.strictEqual(yield* onSteadyClock(onDatedClock(Clock.currentTimeMillis)), date)
        assert.strictEqual(yield* onDatedClock(Clock.currentTimeMillis), date)
      })
    )
  )

  it.effect(
    "silences no line of the log, and repeats none",
    stepping((clock) =>
      Effect.gen(function* () {
        let lines = 0
        const log = makeThrottle("1 minute")(Effect.sync(() => void lines++))
        yield* log
        for (const step of steps) {
          clock.step(step)
          clock.pass(59_000)
          const before = lines
          yield* log
          assert.strictEqual(lines, before)
          clock.pass(1000)
          yield* log
          assert.strictEqual(lines, before + 1)
        }
      })
    )
  )
})
