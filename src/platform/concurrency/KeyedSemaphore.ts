/** Semaphores by key, in this process: work waits only for other work on the same key. */
import { Effect, RcMap, Scope, Semaphore, Deferred, type Duration } from "effect"

// Waiting for one's turn, but not for ever.

/**
 * Runs work by `inTurn`, which lets it begin at its turn. If it has not begun within `longest`, it never does, and
 * fails with `late`. Work that has begun goes on, however long it takes.
 */
export const acquireWithin = Effect.fnUntraced(function* <A, E, R, E2, R2, Late>(
  work: Effect.Effect<A, E, R>,
  inTurn: (work: Effect.Effect<A, E, R>) => Effect.Effect<A, E2, R2>,
  longest: Duration.Input,
  late: () => Late
): Effect.fn.Return<A, E2 | Late, R2> {
  const begun = yield* Deferred.make<void>()
  const waitedTooLong = Effect.sleep(longest).pipe(
    Effect.andThen(Deferred.isDone(begun)),
    Effect.flatMap((done) => (done ? Effect.never : Effect.fail(late())))
  )
  return yield* Effect.raceFirst(inTurn(Effect.andThen(Deferred.succeed(begun, undefined), work)), waitedTooLong)
})

/** Runs an effect with one of its key's permits. */
type WithPermitOf<Vain> = <A, E, R>(key: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Vain, R>

/**
 * At most `permits` effects of a key run at the same time; the others wait in order. Idle keys take no memory. `isVain`
 * names failures that those who wait behind would meet, too: they fail with the same at once.
 */
export const makeKeyedSemaphore = Effect.fnUntraced(function* <Vain = never>(
  permits: number,
  isVain: (error: unknown) => error is Vain = (_error): _error is Vain => false
): Effect.fn.Return<WithPermitOf<Vain>, never, Scope.Scope> {
  const semaphores = yield* RcMap.make({
    lookup: (_key: string) =>
      Effect.map(Semaphore.make(permits), (semaphore): { readonly semaphore: Semaphore.Semaphore; vain?: [Vain] } => ({
        semaphore
      }))
  })
  return <A, E, R>(key: string, effect: Effect.Effect<A, E, R>) =>
    Effect.scopedWith((scope) =>
      Effect.flatMap(Scope.provide(RcMap.get(semaphores, key), scope), (state) => {
        const { semaphore, vain: before } = state
        const noted = Effect.tapError(effect, (error) =>
          Effect.sync(() => {
            if (isVain(error)) state.vain = [error]
          })
        )
        return semaphore.withPermit(
          Effect.suspend((): Effect.Effect<A, E | Vain, R> =>
            state.vain === undefined || state.vain === before ? noted : Effect.fail(state.vain[0])
          )
        )
      })
    )
})
