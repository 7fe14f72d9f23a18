/**
 * How long something takes or lasts inside this process, by a clock that never steps. The date
 * (`Clock.currentTimeMillis`) is for what people see and what is stored: it steps when someone corrects the machine's
 * clock.
 */

import { Clock, Effect, Duration, type Exit } from "effect"

/** `monotonicMs` by a clock at hand, for code that is no effect. */
export const monotonicMsOf = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

/** This process's monotonic clock, in milliseconds. Only differences between two of its times mean something. */
export const monotonicMs: Effect.Effect<number> = Clock.clockWith((clock) => Effect.sync(() => monotonicMsOf(clock)))

/** A clock that tells the monotonic time as the date, for libraries that measure by the date. */
class MonotonicClock implements Clock.Clock {
  readonly dated: Clock.Clock
  readonly currentTimeMillis: Effect.Effect<number>
  readonly currentTimeNanos: Effect.Effect<bigint>
  readonly monotonicTimeNanos: Effect.Effect<bigint>

  constructor(dated: Clock.Clock) {
    this.dated = dated
    this.currentTimeMillis = Effect.sync(() => monotonicMsOf(dated))
    this.currentTimeNanos = dated.currentTimeNanos
    this.monotonicTimeNanos = dated.monotonicTimeNanos
  }
  currentTimeMillisUnsafe(): number {
    return monotonicMsOf(this.dated)
  }
  // Spans take their dates from here.
  currentTimeNanosUnsafe(): bigint {
    return this.dated.currentTimeNanosUnsafe()
  }
  monotonicTimeNanosUnsafe(): bigint {
    return this.dated.monotonicTimeNanosUnsafe()
  }
  sleep(duration: Duration.Duration): Effect.Effect<void> {
    return this.dated.sleep(duration)
  }
}

/** Runs an effect that measures by `Clock.currentTimeMillis` on the monotonic clock. */
export const onSteadyClock = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Clock.clockWith((clock) => Effect.provideService(effect, Clock.Clock, new MonotonicClock(clock)))

/** Gives the date back to what an effect on the steady clock runs. */
export const onDatedClock = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Clock.clockWith((clock) =>
    clock instanceof MonotonicClock ? Effect.provideService(effect, Clock.Clock, clock.dated) : effect
  )

/** As `Effect.cachedWithTTL`: the result is kept for a time, which no step of the machine's clock makes longer. */
export const cachedFor = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  time: (exit: Exit.Exit<A, E>) => Duration.Input
): Effect.Effect<Effect.Effect<A, E, R>> => Effect.map(Effect.cachedWithTTL(onDatedClock(effect), time), onSteadyClock)

// Rate limit for effects such as log lines.

/** A function that runs an effect at most once in an interval and skips it otherwise. */
export const makeThrottle = (
  interval: Duration.Input
): (<A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<void, E, R>) => {
  const intervalMs = Duration.toMillis(interval)
  let last = Number.NEGATIVE_INFINITY
  return (effect) =>
    Effect.flatMap(monotonicMs, (now) => {
      if (now - last < intervalMs) return Effect.void
      last = now
      return Effect.asVoid(effect)
    })
}
