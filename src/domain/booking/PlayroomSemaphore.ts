/**
 * One playroom's share of this process's connections: a rush on it, or a lock that somebody keeps, is that playroom's.
 * What waits for its locks (bookings, moves, cancellations, payment pages) waits here first, without a connection. Once
 * one of them has waited for a lock in vain, those behind it fail at once with the same: they would wait for the same
 * lock one after the other. Stock that playrooms share is locked by work of all of them, so it has a share of its own.
 */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { Venue } from "../catalogue/Playroom.ts"
import type { Party } from "../catalogue/Price.ts"
import type { PlayroomId } from "../../platform/ids/Ids.ts"
import { makeKeyedSemaphore } from "../../platform/concurrency/KeyedSemaphore.ts"
import { isLockTimeout } from "../../platform/errors/TemporaryFailure.ts"

/** So many connections are a playroom's at once. Less than half of what may wait for locks (`Database.ts`). */
const maxAtOnce = 4

/** What the work on a visit locks: its playroom, and stock that it shares with others. */
export const keysOf = ({
  party,
  venue
}: {
  readonly party: Party
  readonly venue: Pick<Venue, "add_ons" | "playroom">
}): ReadonlyArray<string> => [
  venue.playroom.playroom_id,
  ...party.add_ons.flatMap(({ add_on_id }) => venue.add_ons.find((one) => one.add_on_id === add_on_id)?.uses ?? [])
]

export class PlayroomSemaphore extends Context.Service<
  PlayroomSemaphore,
  {
    /** Runs work that locks rows of a playroom or of its bookings. The work must not use this service again. */
    readonly withPermit: <A, E, R>(
      playroom_id: PlayroomId,
      work: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | SqlError.SqlError, R>
    /**
     * The same for work on several playrooms and on stock that they share (`keysOf`), which waits in one order, so that
     * two of them never wait for each other: for stock last, so that a rush on one playroom keeps others from none of it.
     * Whose lock it waited for in vain is not known, so those behind it wait for themselves.
     */
    readonly withPermits: <A, E, R>(
      keys: ReadonlyArray<string>,
      work: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | SqlError.SqlError, R>
  }
>()("playroom/booking/PlayroomSemaphore") {
  static readonly layer = Layer.effect(
    PlayroomSemaphore,
    Effect.map(makeKeyedSemaphore(maxAtOnce, isLockTimeout), (withPermit) =>
      PlayroomSemaphore.of({
        withPermit,
        withPermits: <A, E, R>(keys: ReadonlyArray<string>, work: Effect.Effect<A, E, R>) => {
          // Ids of shared stock sort before those of playrooms.
          const [first, ...others] = [...new Set(keys)].sort().reverse()
          if (first === undefined) return work
          if (others.length === 0) return withPermit(first, work)
          return [first, ...others].reduceRight(
            (inner: Effect.Effect<A, E | SqlError.SqlError, R>, id) =>
              Effect.flatten(withPermit(id, Effect.exit(inner))),
            work
          )
        }
      })
    )
  )
}
