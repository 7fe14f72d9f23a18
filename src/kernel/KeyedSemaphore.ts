/** Semaphores by key, in this process: work waits only for other work on the same key. */
import { Effect, RcMap, Scope, Semaphore } from "effect"

/** Runs an effect with one of its key's permits. */
type WithPermitOf = <A, E, R>(key: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** At most `permits` effects of a key run at the same time; the others wait in order. Idle keys take no memory. */
export const makeKeyedSemaphore = Effect.fnUntraced(function* (
  permits: number
): Effect.fn.Return<WithPermitOf, never, Scope.Scope> {
  const semaphores = yield* RcMap.make({ lookup: (_key: string) => Semaphore.make(permits) })
  return (key, effect) =>
    Effect.scopedWith((scope) =>
      Effect.flatMap(Scope.provide(RcMap.get(semaphores, key), scope), (semaphore) => semaphore.withPermit(effect))
    )
})
