/** Background work that a node repeats for as long as it runs. */
import { type Duration, Effect, Schedule, type Scope } from "effect"

/**
 * Forks `work` into the scope and repeats it for as long as that lives: first after `delay` (at once without one), then `every` so
 * often. Pauses vary by a fifth, so that nodes which were started together do not all work at the same moment. A failure is logged
 * as `failed`, and the work runs again.
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
