/** Removes what nobody needs any more, a little at a time, so that tables do not grow with the years. Every node runs it. */
import { Clock, Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { dayMs, hourMs } from "../../kernel/LocalTime.ts"
import { EventRecords } from "../events/EventRecords.ts"

/** Events that were applied, or were not ours, are kept this long. Dead and rejected ones stay: a person has to see them. */
export const eventsForMs = 90 * dayMs
/** Idempotency keys are remembered this long; callers may count on a day. */
export const keysForMs = 48 * hourMs
/** Rows a statement, so that none holds the database for long. */
const batch = 500

export interface Removed {
  readonly events: number
  readonly keys: number
}

export class Housekeeping extends Context.Service<
  Housekeeping,
  {
    /** Removes all that is too old; answers how much. */
    readonly tidy: Effect.Effect<Removed, SqlError.SqlError>
  }
>()("playroom/payment/Housekeeping") {
  static readonly layer = Layer.effect(
    Housekeeping,
    Effect.gen(function* () {
      const events = yield* EventRecords
      const bookings = yield* BookingRecords

      const all = Effect.fnUntraced(function* (some: Effect.Effect<number, SqlError.SqlError>) {
        let removed = 0
        for (let gone = batch; gone === batch; removed += gone) gone = yield* some
        return removed
      })

      const tidy = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const removed = yield* all(events.purge(now - eventsForMs, batch))
        const keys = yield* all(bookings.forgetKeys(now - keysForMs, batch))
        return { events: removed, keys }
      }).pipe(Effect.withSpan("Housekeeping.tidy"))

      return Housekeeping.of({ tidy })
    })
  )

  /** Soon after the start and every hour, for as long as the layer lives. */
  static readonly worker = Layer.effectDiscard(
    Effect.gen(function* () {
      const { tidy } = yield* Housekeeping
      yield* tidy.pipe(
        Effect.catchCause((cause) => Effect.logWarning("Housekeeping failed; it runs again in an hour", cause)),
        Effect.andThen(Effect.sleep("1 hour")),
        Effect.forever,
        Effect.delay("5 minutes"),
        Effect.forkScoped
      )
    })
  )
}
