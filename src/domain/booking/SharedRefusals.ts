/**
 * In a rush the buyers of one option wait for their turn at its playroom (`PlayroomSemaphore.ts`), and each would look at the
 * same full calendar. So a refusal is that of all who had asked before its look began. Each may still have an earlier booking.
 */
import { Effect, RcMap, Scope } from "effect"
import { Unbookable } from "../availability/Decision.ts"

interface Refused {
  /** The number of the look that led to it. */
  readonly look: number
  readonly refusal: Unbookable
}

/** `key`: the option and the version of its catalogue. `inTurn` waits, then runs the attempt. */
export const makeSharedRefusals = Effect.gen(function* () {
  const buyers = yield* RcMap.make({
    lookup: (_key: string) => Effect.sync((): { refused?: Refused } => ({}))
  })
  let looks = 0
  return <A, E, E2, R>(
    key: string,
    inTurn: (work: Effect.Effect<A, E | Unbookable, R>) => Effect.Effect<A, E2, R>,
    attempt: Effect.Effect<A, E, R>
  ) =>
    Effect.scopedWith((scope) =>
      Effect.flatMap(Scope.provide(RcMap.get(buyers, key), scope), (state) => {
        const before = looks
        return inTurn(
          Effect.suspend((): Effect.Effect<A, E | Unbookable, R> => {
            if (state.refused !== undefined && state.refused.look > before) return Effect.fail(state.refused.refusal)
            const look = ++looks
            return Effect.tapError(attempt, (error) =>
              Effect.sync(() => {
                if (error instanceof Unbookable) state.refused = { look, refusal: error }
              })
            )
          })
        )
      })
    )
})
