/** Measures how long requests wait for the event loop, a connection and the database, for `Admission.ts`. */
import { Clock, Context, Effect } from "effect"
import type { Admission } from "./Admission.ts"

/** A statement that does nothing, on the way that requests take; its failure says nothing. By default there is none. */
export const IdleStatement = Context.Reference<Effect.Effect<void>>("playroom/api/IdleStatement", {
  defaultValue: () => Effect.void
})

/** The pause after each statement: short beside what it finds out, long beside what it costs. */
const pause = "10 millis"

/** Sends the statement again and again while much is under way. Never ends. */
export const watchQueue = Effect.fnUntraced(function* (admission: Admission) {
  const statement = yield* IdleStatement
  const busy = Effect.callback<void>((resume) => {
    const leave = admission.whenBusy(() => resume(Effect.void))
    return Effect.sync(leave)
  })
  const measured = Effect.gen(function* () {
    yield* busy
    admission.sent()
    yield* Effect.ensuring(
      statement,
      Effect.sync(() => admission.returned())
    )
    yield* Effect.sleep(pause)
  })
  // Requests wait by the real clock, whatever clock a test provides.
  return yield* Effect.provideService(Effect.forever(measured), Clock.Clock, Clock.Clock.defaultValue())
})
