/**
 * What is thrown where nobody catches it: in a callback of a library, or as a rejection that nobody handles. What this
 * process knows may be wrong then, so it ends: it says what happened, lets running work end as a stop does, and exits
 * with an error. Services, their workers and supervisor, and commands all end so.
 */
import { Cause, Deferred, Effect, Exit } from "effect"

/** How many more are told while the process ends: one that returns with each turn must not fill the log. */
const maxFurther = 20

interface Uncaught {
  /** Dies of what was thrown, once something was. */
  readonly awaited: Effect.Effect<never>
  /** Whether something was thrown. */
  readonly happened: () => boolean
  /** Has it told by the loggers of this effect, at once and with its stack. Without it only `awaited` tells. */
  readonly tellByLog: Effect.Effect<void>
}

/** Watches this process. `onFirst` is called at the first one; without it Node would end the process on the spot. */
export const watchUncaught = (onFirst: (cause: Cause.Cause<never>) => void): Uncaught => {
  const first = Deferred.makeUnsafe<never>()
  let tell: ((cause: Cause.Cause<never>) => void) | undefined
  let count = 0
  // Node raises unhandled rejections here, too (https://nodejs.org/api/cli.html#--unhandled-rejectionsmode).
  process.on("uncaughtException", (thrown: unknown) => {
    count += 1
    const cause = Cause.die(thrown)
    if (count <= 1 + maxFurther) tell?.(cause)
    if (count > 1) return
    Deferred.doneUnsafe(first, Exit.failCause(cause))
    onFirst(cause)
  })
  return {
    awaited: Deferred.await(first),
    happened: () => count > 0,
    tellByLog: Effect.map(Effect.context<never>(), (context) => {
      tell = (cause) =>
        Effect.runSyncWith(context)(
          Effect.logError("Something was thrown that nobody caught: this process finishes what runs, and ends", cause)
        )
    })
  }
}
