/** A clock whose date steps when a test says so, as someone corrects a machine's clock. Sleeping is real. */
import { Clock, Effect } from "effect"
import { renameSync, writeFileSync } from "node:fs"
import { vi } from "vitest"

export class ManualClock implements Clock.Clock {
  #date = Date.UTC(2026, 10, 20)
  #sinceStart = 0n
  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())
  readonly sleep = Clock.Clock.defaultValue().sleep.bind(Clock.Clock.defaultValue())

  currentTimeMillisUnsafe(): number {
    return this.#date
  }
  currentTimeNanosUnsafe(): bigint {
    return BigInt(this.#date) * 1_000_000n
  }
  monotonicTimeNanosUnsafe(): bigint {
    return this.#sinceStart
  }
  /** So much time passes. */
  pass(ms: number): void {
    this.#date += ms
    this.#sinceStart += BigInt(ms) * 1_000_000n
  }
  /** The date changes, and no time passes. */
  step(ms: number): void {
    this.#date += ms
  }
}

/** Runs an effect on such a clock. */
export const onClock =
  (clock: ManualClock) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Clock.Clock, clock)

// A clock that is ahead of the machine's, for this process and, by `clockOffset.ts`, for others.

/** Ahead by so many milliseconds; it sleeps in real time. */
export const clockAhead = (ahead: () => number): Clock.Clock => {
  const real = Clock.Clock.defaultValue()
  const now = (): number => Date.now() + ahead()
  const nanos = (): bigint => BigInt(now()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration)
  }
}

/**
 * Writes the file for `CLOCK_OFFSET_FILE`, beside and moved, so that nobody reads half a number. `wrong`: of these
 * milliseconds, those that have not passed.
 */
export const writeAhead = (file: string, ms: number, wrong = 0): void => {
  writeFileSync(`${file}.new`, `${ms} ${wrong}`)
  renameSync(`${file}.new`, file)
}

// The date of this process, for code that goes by `Date` and not by `Clock`.

/** Moves the date by some milliseconds, for the scope; timers go on as they are. */
export const later = (ms: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      vi.useFakeTimers({ toFake: ["Date"] })
      vi.setSystemTime(Date.now() + ms)
    }),
    () => Effect.sync(() => vi.useRealTimers())
  )
