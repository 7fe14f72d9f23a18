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
  }
>()("playroom/booking/PlayroomSemaphore") {
  static readonly layer = Layer.effect(
    PlayroomSemaphore,
    Effect.map(makeKeyedSemaphore(maxAtOnce, isLockTimeout), (withPermit) => PlayroomSemaphore.of({ withPermit }))
  )
}
