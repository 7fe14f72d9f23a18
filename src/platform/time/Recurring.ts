/** Recurring background work of a node. */
import { type Duration, Effect, Schedule, type Scope } from "effect"
import { makeThrottle } from "./Throttle.ts"

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

/** The pause after a failure, so that what fails at once does not keep the processor busy. */
const pauseAfterFailure = "1 second"

/**
 * Runs `work`, which has its own pauses or waits, again and again, and never ends. The runtime says nothing of a fiber
 * that dies: here a failure of any kind is logged as `failed`, at most once a minute, and the work goes on after a
 * second.
 */
export const unending = <A, E, R>(work: Effect.Effect<A, E, R>, failed: string): Effect.Effect<never, never, R> =>
  Effect.suspend(() => {
    const warn = makeThrottle("1 minute")
    return Effect.forever(
      Effect.catchCause(work, (cause) =>
        Effect.andThen(warn(Effect.logWarning(failed, cause)), Effect.sleep(pauseAfterFailure))
      )
    )
  })
