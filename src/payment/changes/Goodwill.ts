/**
 * Gives an amount back at a person's word, without a cancellation: the booking stands, or has ended before. What was paid
 * by link goes back by the provider, what was paid at the venue by hand. Never more than what was paid and has not gone
 * back. Before that, the provider is asked for earlier refunds, and they are counted.
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BookingNotFound, type BookingRow } from "../../booking/Booking.ts"
import { BookingMutex, type ChangeUnderWay } from "../../booking/BookingMutex.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { Bookings } from "../../booking/Bookings.ts"
import { type ChangedSinceShown, requireAsShown } from "../../booking/ShownState.ts"
import { Disputes } from "../refunds/Disputes.ts"
import { providerTimeout, ProviderRefunds } from "../refunds/ProviderRefunds.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import { Refunds } from "../refunds/Refunds.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import {
  type GivenBack,
  givenBackOf,
  makeRefundDecisions,
  refundInHistory,
  refundOutcome,
  type RefundTooLarge
} from "./CancellationRefund.ts"

interface GoodwillOptions {
  /** Minor units. */
  readonly amount: number
  /** Kept in the booking's history. */
  readonly reason: string
  readonly preview: boolean
  readonly shown?: string
  /** Who gives it, for the history. */
  readonly done_by?: string
}

export class Goodwill extends Context.Service<
  Goodwill,
  {
    /**
     * Gives an amount back, or previews that without a change. `booking_id` may also be a reference. With `shown`, it
     * does what that preview showed, or nothing.
     */
    readonly give: (
      booking_id: string,
      options: GoodwillOptions
    ) => Effect.Effect<
      GivenBack,
      BookingNotFound | RefundTooLarge | ChangedSinceShown | ChangeUnderWay | SqlError.SqlError
    >
  }
>()("playroom/payment/changes/Goodwill") {
  static readonly layer = Layer.effect(
    Goodwill,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* Bookings
      const records = yield* BookingRecords
      const { decide, request } = yield* makeRefundDecisions
      const providerRefunds = yield* ProviderRefunds
      const { exclusively } = yield* BookingMutex

      const perform = Effect.fnUntraced(function* (
        { booking_id }: BookingRow,
        { amount, done_by, reason, shown }: GoodwillOptions,
        not_asked: string | undefined
      ) {
        const found = yield* records.lock(booking_id)
        if (Option.isNone(found)) return yield* new BookingNotFound()
        const booking = found.value
        const decided = yield* decide(booking, { amount })
        yield* requireAsShown(booking, refundOutcome(decided), shown)
        const after = yield* records.change(booking, {
          payment: "refund_requested",
          note: true,
          ...(done_by === undefined ? {} : { done_by }),
          event: "goodwill",
          detail: refundInHistory(booking, decided, { amount }, reason)
        })
        yield* request(booking, decided, "goodwill")
        return givenBackOf(after, decided, not_asked, booking)
      }, sql.withTransaction)

      const give = Effect.fn("Goodwill.give")(function* (id: string, options: GoodwillOptions) {
        const found = yield* bookings.get(id)
        const ask = providerRefunds.tryCheckBooking(found.booking_id, providerTimeout.operator)
        if (!options.preview) {
          return yield* exclusively(
            found.booking_id,
            Effect.flatMap(ask, (not_asked) => perform(found, options, not_asked))
          )
        }
        const not_asked = yield* ask
        const booking = yield* bookings.get(found.booking_id)
        return givenBackOf(booking, yield* decide(booking, { amount: options.amount }), not_asked)
      })

      return Goodwill.of({ give })
    })
  ).pipe(
    Layer.provide([
      BookingRecords.layer,
      Bookings.layer,
      BookingMutex.layer,
      Disputes.layer,
      PaymentSessions.layer,
      ProviderRefunds.layer,
      RefundRecords.layer,
      Refunds.layer
    ])
  )
}
