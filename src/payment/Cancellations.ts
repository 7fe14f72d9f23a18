/** An operator cancels a booking: its places become free, and what its terms give back is refunded, once. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BookingCancelled, BookingNotFound, type BookingRow, HoldExpired } from "../booking/Booking.ts"
import { Bookings } from "../booking/Bookings.ts"
import { refundDue } from "../booking/Cancellation.ts"
import { display, type Money, money } from "../kernel/Money.ts"
import { faultPoint } from "./FaultPoint.ts"
import type { PaymentSessionRow, RefundRow } from "./PaymentSession.ts"
import { PaymentSessions } from "./PaymentSessions.ts"
import { ProviderTasks } from "./ProviderTasks.ts"
import { Refunds } from "./Refunds.ts"

/** What a cancellation does, or would do: the booking after it (before it, where previewed), and what is refunded. */
export interface Cancellation {
  readonly booking: BookingRow
  readonly refund_percent: number
  readonly refund: Money
}

/** How much of which session goes back: the latest payment first, never more than is left of it. */
export const spread = (
  amount: number,
  paid: ReadonlyArray<{ readonly session: PaymentSessionRow; readonly left: number }>
): ReadonlyArray<{ readonly session: PaymentSessionRow; readonly amount: number }> => {
  let rest = amount
  return paid.toReversed().flatMap(({ left, session }) => {
    const part = Math.min(rest, Math.max(0, left))
    rest -= part
    return part === 0 ? [] : [{ session, amount: part }]
  })
}

const unsettled = (refund: RefundRow) => refund.status === "requested" || refund.status === "pending"
const sum = (refunds: ReadonlyArray<RefundRow>) => refunds.reduce((total, { amount }) => total + amount, 0)

export class Cancellations extends Context.Service<
  Cancellations,
  {
    /** With `preview`, says what would be refunded now, and changes nothing. `booking_id` may also be a reference. */
    readonly cancel: (
      booking_id: string,
      options: { readonly preview: boolean; readonly reason?: string }
    ) => Effect.Effect<Cancellation, BookingNotFound | BookingCancelled | HoldExpired | SqlError.SqlError>
  }
>()("playroom/payment/Cancellations") {
  static readonly layer = Layer.effect(
    Cancellations,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* Bookings
      const sessions = yield* PaymentSessions
      const refunds = yield* Refunds
      const tasks = yield* ProviderTasks

      /** The booking's own payments, oldest first, and what is left of each; second payments of the same thing are not its own. */
      const paymentsOf = Effect.fnUntraced(function* (booking: BookingRow) {
        const given = yield* refunds.ofBooking(booking)
        const all = yield* sessions.ofBooking(booking.booking_id)
        const returned = new Set(
          given
            .filter(({ cause }) => cause === "duplicate_payment" || cause === "late_payment")
            .map(({ payment_session_id }) => payment_session_id)
        )
        const paid = all
          .filter(({ payment_session_id, status }) => status === "paid" && !returned.has(payment_session_id))
          .map((session) => {
            const open = given.filter(
              (refund) => refund.payment_session_id === session.payment_session_id && unsettled(refund)
            )
            // Nothing can go back of what the provider names no payment for: nothing had to be paid.
            const left = session.payment_intent_id === null ? 0 : session.amount - session.refunded - sum(open)
            return { session, left }
          })
        const pending = sum(given.filter((refund) => unsettled(refund) && !returned.has(refund.payment_session_id)))
        return { all, paid, pending }
      })

      const decide = Effect.fnUntraced(function* (booking: BookingRow) {
        if (booking.status === "cancelled") return yield* new BookingCancelled({ booking_id: booking.booking_id })
        if (booking.status === "expired") return yield* new HoldExpired({ booking_id: booking.booking_id })
        const now = yield* Clock.currentTimeMillis
        const { all, paid, pending } = yield* paymentsOf(booking)
        const due = refundDue({
          cancellation: booking.terms.cancellation,
          non_refundable: booking.terms.non_refundable,
          paid: booking.paid,
          refunded: booking.refunded + pending,
          starts_at: booking.starts_at,
          now
        })
        const parts = spread(due.amount, paid)
        const amount = parts.reduce((total, part) => total + part.amount, 0)
        return { all, parts, amount, refund_percent: due.refund_percent }
      })

      const answer = (
        booking: BookingRow,
        decided: { readonly refund_percent: number; readonly amount: number }
      ): Cancellation => ({
        booking,
        refund_percent: decided.refund_percent,
        refund: money(decided.amount, booking.currency)
      })

      const perform = Effect.fnUntraced(function* (booking_id: string, reason: string | undefined) {
        const booking = yield* Effect.flatMap(
          bookings.lock(booking_id),
          Option.match({ onNone: () => Effect.fail(new BookingNotFound()), onSome: Effect.succeed })
        )
        const decided = yield* decide(booking)
        const back =
          decided.amount > 0 ? `${display(decided.amount, booking.currency)} will be refunded` : "nothing is refunded"
        const cancelled = yield* bookings.change(booking, {
          status: "cancelled",
          ...(decided.amount > 0 ? { payment: "refund_requested" } : {}),
          awaiting_provider: false,
          event: "cancelled",
          detail: reason === undefined ? back : `${reason}; ${back}`
        })
        for (const part of decided.parts) yield* refunds.request(part.session, part.amount, "cancellation")
        // Whoever still has a page open should not pay on it; who does all the same is refunded in full.
        for (const { payment_session_id, status } of decided.all) {
          if (status === "open") yield* tasks.offer({ _tag: "expire_session", payment_session_id })
        }
        yield* faultPoint("cancellation decided, not committed")
        return answer(cancelled, decided)
      }, sql.withTransaction)

      const cancel = Effect.fn("Cancellations.cancel")(function* (
        booking_id: string,
        { preview, reason }: { readonly preview: boolean; readonly reason?: string }
      ) {
        const booking = yield* bookings.get(booking_id)
        if (preview) return answer(booking, yield* decide(booking))
        return yield* perform(booking.booking_id, reason)
      })

      return Cancellations.of({ cancel })
    })
  )
}
