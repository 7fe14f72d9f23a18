/** Semaphores by key, in this process: work on one key waits for other work on the same key only. */
import { Effect, RcMap, Scope, Semaphore } from "effect"

/** Runs an effect while it holds one of its key's permits. */
type WithPermitOf = <A, E, R>(key: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** At most `permits` effects of a key run at the same time, the others wait in order. Keys that nobody uses take no memory. */
export const makeKeyedSemaphore = Effect.fnUntraced(function* (
  permits: number
): Effect.fn.Return<WithPermitOf, never, Scope.Scope> {
  const semaphores = yield* RcMap.make({ lookup: (_key: string) => Semaphore.make(permits) })
  return (key, effect) =>
    Effect.scopedWith((scope) =>
      Effect.flatMap(Scope.provide(RcMap.get(semaphores, key), scope), (semaphore) => semaphore.withPermit(effect))
    )
})
