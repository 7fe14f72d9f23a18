/** What money on its way back does to a booking and its session; in the transactions of `Refunds.ts` and `FailedRefunds.ts`. */
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { BookingRow } from "../../booking/Booking.ts"
import { Bookings } from "../../booking/Bookings.ts"
import type { RefundId } from "../../kernel/Ids.ts"
import { countsForBooking, paymentAfter, type RefundRow } from "./Refund.ts"
import { RefundRecords } from "./RefundRecords.ts"

interface Locked {
  readonly booking: BookingRow
  readonly refund: RefundRow
}

export class RefundMoney extends Context.Service<
  RefundMoney,
  {
    /** The booking and the refund, locked in this order. */
    readonly lock: (refund_id: RefundId) => Effect.Effect<Locked | undefined, SqlError.SqlError>
    /** Money is back with the payer: on the session, and (where it was the booking's) on the booking. */
    readonly back: (booking: BookingRow, refund: RefundRow, detail: string) => Effect.Effect<void, SqlError.SqlError>
    /** Money that was back with the payer is not: it is owed again. */
    readonly lost: (booking: BookingRow, refund: RefundRow, detail: string) => Effect.Effect<void, SqlError.SqlError>
  }
>()("playroom/payment/RefundMoney") {
  static readonly layer = Layer.effect(
    RefundMoney,
    Effect.gen(function* () {
      const bookings = yield* Bookings
      const records = yield* RefundRecords

      const lock = Effect.fnUntraced(function* (refund_id: RefundId) {
        const found = yield* records.find(refund_id)
        if (Option.isNone(found)) return undefined
        const booking = yield* bookings.lock(found.value.booking_id)
        const refund = yield* records.lock(refund_id)
        if (Option.isNone(booking) || Option.isNone(refund)) return undefined
        return { booking: booking.value, refund: refund.value }
      })

      const back = Effect.fnUntraced(function* (booking: BookingRow, refund: RefundRow, detail: string) {
        yield* records.addToSession(refund, refund.amount)
        const all = yield* records.ofBooking(booking)
        if (!countsForBooking(refund, all)) {
          yield* bookings.change(booking, { note: true, event: "duplicate_payment_refunded", detail })
          return
        }
        const refunded = Math.min(refund.amount, booking.paid - booking.refunded)
        const payment = paymentAfter(booking, refund, all, refunded)
        yield* bookings.change(booking, { refunded, ...(payment && { payment }), event: "refunded", detail })
      })

      const lost = Effect.fnUntraced(function* (booking: BookingRow, refund: RefundRow, detail: string) {
        yield* records.addToSession(refund, -refund.amount)
        const counted = countsForBooking(refund, yield* records.ofBooking(booking))
        yield* bookings.change(booking, {
          ...(counted ? { refunded: -Math.min(refund.amount, booking.refunded), payment: "refund_requested" } : {}),
          note: true,
          event: "refund_failed",
          detail
        })
      })

      return RefundMoney.of({ lock, back, lost })
    })
  )
}
