/**
 * A statement for all who ask at about the same time. What arrives while one is under way shares the next one, and so does
 * what comes as long as each turn of the event loop brings more: under load a statement takes many. What arrives alone
 * waits for one turn.
 */
import { type Array, Effect, type Request, RequestResolver, Semaphore } from "effect"

/** A resolver that runs one statement at a time, for at most `most` requests each. `resolveAll` completes each of them. */
export const sharedStatement = <A extends Request.Any>(
  most: number,
  resolveAll: (entries: Array.NonEmptyReadonlyArray<Request.Entry<A>>) => Effect.Effect<void>
): RequestResolver.RequestResolver<A> => {
  const oneStatement = Semaphore.makeUnsafe(1)
  let gathered = 0
  const gather = Effect.gen(function* () {
    gathered = 1
    yield* oneStatement.withPermit(Effect.void)
    for (let before = 0; before < gathered;) {
      before = gathered
      yield* Effect.yieldNow
    }
  })
  return RequestResolver.makeWith<A>({
    batchKey: () => oneStatement,
    delay: gather,
    collectWhile: (entries) => {
      gathered = entries.size
      return gathered < most
    },
    runAll: (entries) => oneStatement.withPermit(resolveAll(entries))
  })
}
