/** A clock whose date steps when a test says so, as someone corrects a machine's clock. Sleeping is real. */
import { Clock, Effect } from "effect"

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
