/** Waiting for one's turn, but not for ever. */
import { Deferred, type Duration, Effect } from "effect"

/**
 * Runs work by `inTurn`, which lets it begin at its turn. If it has not begun within `longest`, it never does, and fails
 * with `late`. Work that has begun goes on, however long it takes.
 */
export const beginWithin = Effect.fnUntraced(function* <A, E, R, E2, R2, Late>(
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
