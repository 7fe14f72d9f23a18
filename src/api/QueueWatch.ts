/** Measures how long requests wait for the event loop, a connection and the database, for `Admission.ts`. */
import { Clock, Context, Effect, Exit } from "effect"
import { unending } from "../kernel/Recurring.ts"
import type { Admission } from "./Admission.ts"

/** A statement that does nothing, on the way that requests take. By default there is none. */
export const IdleStatement = Context.Reference<Effect.Effect<unknown, unknown>>("playroom/api/IdleStatement", {
  defaultValue: () => Effect.void
})

/** The pause after each statement: short beside what it finds out, long beside what it costs. */
const pause = "10 millis"

/** How often it is sent while little is under way, to know the way to the database. */
const calmPause = "1 second"

/** Sends the statement again and again, often while much is under way. Never ends. */
export const watchQueue = Effect.fnUntraced(function* (admission: Admission) {
  const statement = yield* IdleStatement
  const busy = Effect.callback<void>((resume) => {
    const leave = admission.whenBusy(() => resume(Effect.void))
    return Effect.sync(leave)
  })
  const measured = Effect.gen(function* () {
    admission.sent()
    const done = (exit: Exit.Exit<unknown, unknown>) => Effect.sync(() => admission.returned(Exit.isFailure(exit)))
    yield* Effect.ignoreCause(Effect.onExit(statement, done))
    yield* Effect.sleep(pause)
    yield* Effect.raceFirst(busy, Effect.sleep(calmPause))
  })
  // Requests wait by the real clock, whatever clock a test provides.
  return yield* Effect.provideService(
    unending(measured, "The wait for the database was not measured"),
    Clock.Clock,
    Clock.Clock.defaultValue()
  )
})
