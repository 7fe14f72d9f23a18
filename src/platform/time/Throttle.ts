/** Rate limit for effects such as log lines. */
import { Duration, Effect } from "effect"
import { monotonicMs } from "./Elapsed.ts"

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
