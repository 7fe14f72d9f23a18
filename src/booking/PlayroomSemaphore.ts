/**
 * One playroom's share of this process's connections: a rush on it, or a lock that somebody keeps, is that playroom's.
 * What waits for its locks (bookings, moves, cancellations, payment pages) waits here first, without a connection. Once
 * one of them has waited for a lock in vain, those behind it fail at once with the same: they would wait for the same
 * lock one after the other.
 */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { PlayroomId } from "../kernel/Ids.ts"
import { makeKeyedSemaphore } from "../kernel/KeyedSemaphore.ts"
import { isLockTimeout } from "../kernel/LockTimeout.ts"

/** So many connections are a playroom's at once. Less than half of what may wait for locks (`Database.ts`). */
const maxAtOnce = 4

export class PlayroomSemaphore extends Context.Service<
  PlayroomSemaphore,
  {
    /** Runs work that locks rows of a playroom or of its bookings. The work must not use this service again. */
    readonly withPermit: <A, E, R>(
      playroom_id: PlayroomId,
      work: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | SqlError.SqlError, R>
    /**
     * The same for work on several playrooms, which waits in the order of their ids, so that two of them never wait for
     * each other. Which playroom's lock it waited for in vain is not known, so those behind it wait for themselves.
     */
    readonly withPermits: <A, E, R>(
      playroom_ids: ReadonlyArray<PlayroomId>,
      work: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | SqlError.SqlError, R>
  }
>()("playroom/booking/PlayroomSemaphore") {
  static readonly layer = Layer.effect(
    PlayroomSemaphore,
    Effect.map(makeKeyedSemaphore(maxAtOnce, isLockTimeout), (withPermit) =>
      PlayroomSemaphore.of({
        withPermit,
        withPermits: <A, E, R>(playroom_ids: ReadonlyArray<PlayroomId>, work: Effect.Effect<A, E, R>) => {
          const [first, ...others] = [...new Set(playroom_ids)].sort()
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
