/** For what is worth a line in the log, but not one for each time. */
import { Clock, Duration, Effect } from "effect"

/** Runs what it is given at most once in an interval, and leaves it out in between. */
export const sometimes = (
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
