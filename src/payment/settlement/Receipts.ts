/** Money that has arrived: it pays the booking, brings an expired one back, or goes back itself. Inside Settlement's transaction. */
import { Clock, Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { BookingRow } from "../../booking/Booking.ts"
import { Bookings } from "../../booking/Bookings.ts"
import { display } from "../../kernel/Money.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import { Refunds } from "../refunds/Refunds.ts"

/** Payment statuses of a booking whose due amount has not been paid, and from which it can be. */
const payable = new Set<BookingRow["payment_status"]>(["unpaid", "processing", "failed"])

export class Receipts extends Context.Service<
  Receipts,
  {
    /**
     * Counts `amount` (minor units; 0 where nothing had to be paid) of a session that has just become paid. The booking and its
     * sessions, of which `others` are the other ones, are locked by the caller. Answers what was done, in words.
     */
    readonly receive: (
      booking: BookingRow,
      session: PaymentSessionRow,
      others: ReadonlyArray<PaymentSessionRow>,
      amount: number
    ) => Effect.Effect<string, SqlError.SqlError>
  }
>()("playroom/payment/Receipts") {
  static readonly layer = Layer.effect(
    Receipts,
    Effect.gen(function* () {
      const bookings = yield* Bookings
      const refunds = yield* Refunds
      const refundRecords = yield* RefundRecords

      /** Whether another session has paid for the same purpose, with money that stayed. */
      const paidBefore = Effect.fnUntraced(function* (
        session: PaymentSessionRow,
        others: ReadonlyArray<PaymentSessionRow>
      ) {
        const paid = others.filter(({ purpose, status }) => purpose === session.purpose && status === "paid")
        if (paid.length === 0) return false
        const returned = yield* refundRecords.ofBooking(session)
        return paid.some(
          (other) =>
            !returned.some(
              (refund) =>
                refund.payment_session_id === other.payment_session_id &&
                (refund.cause === "duplicate_payment" || refund.cause === "late_payment")
            )
        )
      })

      /** The booking can't be had any more: the money is counted as the booking's, and goes back in full. */
      const sendBack = Effect.fnUntraced(function* (
        booking: BookingRow,
        session: PaymentSessionRow,
        amount: number,
        why: string
      ) {
        if (amount === 0) {
          yield* bookings.change(booking, { note: true, event: "paid_late", detail: why })
          return `${why}; nothing was paid`
        }
        yield* bookings.change(booking, {
          paid: amount,
          payment: "refund_requested",
          event: "paid_late",
          detail: `${why}: ${display(amount, session.currency)} goes back to the payer`
        })
        yield* refunds.request(session, amount, "late_payment")
        return `${why}; refund requested`
      })

      /** What the booking calls the money that pays this session's purpose. */
      const paymentOf = (booking: BookingRow, session: PaymentSessionRow) =>
        session.purpose === "balance" || booking.due_now === booking.total ? "all_paid" : "deposit_paid"

      const receive = Effect.fn("Receipts.receive")(function* (
        booking: BookingRow,
        session: PaymentSessionRow,
        others: ReadonlyArray<PaymentSessionRow>,
        amount: number
      ) {
        const detail = display(amount, session.currency)
        if (booking.status === "cancelled") {
          return yield* sendBack(booking, session, amount, "paid after the booking was cancelled")
        }
        if (yield* paidBefore(session, others)) {
          // Not counted as the booking's money: the booking stays paid as it is.
          yield* bookings.change(booking, {
            note: true,
            event: "duplicate_payment",
            detail: `${detail} goes back to the payer`
          })
          if (amount > 0) yield* refunds.request(session, amount, "duplicate_payment")
          return "paid before; refund requested"
        }
        if (booking.status === "expired") {
          const now = yield* Clock.currentTimeMillis
          const revivable = payable.has(booking.payment_status) && booking.starts_at > now
          if (!revivable || session.purpose === "balance" || !(yield* bookings.retake(booking))) {
            return yield* sendBack(booking, session, amount, "paid after the hold had ended and the places were gone")
          }
          yield* bookings.change(booking, {
            status: "paid_late_places_free",
            payment: paymentOf(booking, session),
            paid: amount,
            awaiting_provider: false,
            event: "paid_late",
            detail: `${detail}, after the hold had ended; the places were still free`
          })
          return "paid late, the places were still free: confirmed"
        }
        // Where nothing had to be paid and all is back, all stays back.
        const unchanged = amount === 0 && booking.payment_status === "refunded"
        yield* bookings.change(booking, {
          ...(session.purpose === "due_now" ? { status: "due_paid", awaiting_provider: false } : {}),
          ...(unchanged ? {} : { payment: paymentOf(booking, session) }),
          paid: amount,
          event: session.purpose === "due_now" ? "paid" : "balance_paid",
          detail
        })
        return session.purpose === "due_now" ? "paid: confirmed" : "the balance is paid"
      })

      return Receipts.of({ receive })
    })
  )
}
