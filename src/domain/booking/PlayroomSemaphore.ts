/**
 * One playroom's share of this process's connections: a rush on it, or a lock that somebody keeps, is that playroom's.
 * What waits for its locks (bookings, moves, cancellations, payment pages) waits here first, without a connection. Once
 * one of them has waited for a lock in vain, those behind it fail at once with the same: they would wait for the same
 * lock one after the other. Stock that playrooms share is locked by work of all of them, so it has a share of its own.
 */

import { Context, Effect, Layer, Schema, RcMap, Scope } from "effect"
import type { SqlError } from "effect/sql"
import { acquireWithin, makeKeyedSemaphore } from "../../platform/concurrency/KeyedSemaphore.ts"
import { isLockTimeout } from "../../platform/errors/InvalidArguments.ts"
import { type PlayroomId, BookingId } from "../../platform/ids/Ids.ts"
import { Unbookable } from "../availability/Decision.ts"
import type { Venue } from "../catalogue/Playroom.ts"
import type { Party } from "../catalogue/Pricing.ts"

// In a rush the buyers of one option wait for their turn at its playroom (`PlayroomSemaphore.ts`), and each would look
// at the same full calendar. So a refusal is that of all who had asked before its look began. Each may still have an
// earlier booking.

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

// One move or cancellation of a booking at a time in this process. A second press of a button waits here, without a
// connection, and then finds what the first one did. Otherwise each press would wait for the booking's lock with a
// connection of its own, and a few of them would occupy the pool.

/** Another change of the booking has been under way for longer than a person waits. Nothing was done. */
export class ChangeUnderWay extends Schema.TaggedError<ChangeUnderWay>()("ChangeUnderWay", { booking_id: BookingId }) {
  override get message(): string {
    return `Another change of ${this.booking_id} is under way: look again in a minute.`
  }
}

/** Less than the time that a page may take (`surfaces/web/frame/PageTable.ts`). */
const maxWait = "5 seconds"

export class BookingMutex extends Context.Service<
  BookingMutex,
  {
    /** Runs a change once no other change of the booking is under way in this process. */
    readonly exclusively: <A, E, R>(
      booking_id: BookingId,
      change: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | ChangeUnderWay, R>
  }
>()("playroom/booking/BookingMutex") {
  static readonly layer = Layer.effect(
    BookingMutex,
    Effect.gen(function* () {
      const withPermitOf = yield* makeKeyedSemaphore(1)
      return BookingMutex.of({
        exclusively: (booking_id, change) =>
          acquireWithin(
            change,
            (work) => withPermitOf(booking_id, work),
            maxWait,
            () => new ChangeUnderWay({ booking_id })
          )
      })
    })
  )
}

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
     * two of them never wait for each other: for stock last, so that a rush on one playroom keeps others from none of
     * it. Whose lock it waited for in vain is not known, so those behind it wait for themselves.
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
