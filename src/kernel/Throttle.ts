/** Bounds how often something happens, such as a line in the log. */
import { Clock, Duration, Effect } from "effect"

/** Makes a function that runs an effect at most once in an interval, and skips it in between. */
export const makeThrottle = (
  interval: Duration.Input
): (<A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<void, E, R>) => {
  const between = Duration.toMillis(interval)
  let last = Number.NEGATIVE_INFINITY
  return (effect) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (now - last < between) return Effect.void
      last = now
      return Effect.asVoid(effect)
    })
}
