/** What arrives while a statement is under way shares the next one. What arrives alone does not wait. */
import { type Array, Effect, type Request, RequestResolver, Semaphore } from "effect"

/** A resolver that runs one statement at a time, for at most `most` requests each. `resolveAll` completes each of them. */
export const sharedStatement = <A extends Request.Any>(
  most: number,
  resolveAll: (entries: Array.NonEmptyReadonlyArray<Request.Entry<A>>) => Effect.Effect<void>
): RequestResolver.RequestResolver<A> => {
  const oneStatement = Semaphore.makeUnsafe(1)
  return RequestResolver.make<A>((entries) => oneStatement.withPermit(resolveAll(entries))).pipe(
    RequestResolver.setDelayEffect(Effect.andThen(Effect.yieldNow, oneStatement.withPermit(Effect.void))),
    RequestResolver.batchN(most)
  )
}
