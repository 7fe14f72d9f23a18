/** Recurring background work of a node. */
import { type Duration, Effect, Schedule, type Scope } from "effect"

/**
 * Forks `work` into the scope and repeats it: first after `delay` (none by default), then at the interval `every`.
 * Jitter of a fifth keeps nodes that started together apart. A failure is logged as `failed`, and the work runs again.
 */
export const forkRecurring = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  {
    delay = 0,
    every,
    failed
  }: { readonly delay?: Duration.Input; readonly every: Duration.Input; readonly failed: string }
): Effect.Effect<void, never, R | Scope.Scope> =>
  work.pipe(
    Effect.catchCause((cause) => Effect.logWarning(failed, cause)),
    Effect.repeat(Schedule.jittered(Schedule.spaced(every))),
    Effect.delay(delay),
    Effect.forkScoped,
    Effect.asVoid
  )
