/**
 * One move or cancellation of a booking at a time in this process. A second press of a button waits here, without a
 * connection, and then finds what the first one did. Otherwise each press would wait for the booking's lock with a
 * connection of its own, and a few of them would occupy the pool.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { beginWithin } from "../../platform/concurrency/BoundedWait.ts"
import { BookingId } from "../../platform/ids/Ids.ts"
import { makeKeyedSemaphore } from "../../platform/concurrency/KeyedSemaphore.ts"

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
          beginWithin(
            change,
            (work) => withPermitOf(booking_id, work),
            maxWait,
            () => new ChangeUnderWay({ booking_id })
          )
      })
    })
  )
}
