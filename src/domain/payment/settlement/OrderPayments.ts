/**
 * One payment for several bookings that were made together. It is the sale of a voucher that nobody is given
 * (`VoucherSales.ts`). From the moment at which it is paid, each booking is paid with it as was asked, in the
 * transaction that makes it. What a booking does not take, because it is over or was paid meanwhile, is left of it, and
 * goes back to the payer; so does what a booking gives back later.
 */
import { Effect, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { BookingId, newId } from "../../../platform/ids/Ids.ts"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import type { BookingRow } from "../../booking/Booking.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { graceMs, type PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import type { Voucher } from "../sessions/Vouchers.ts"
import { Settlement } from "./Settlement.ts"

/** What is asked for each of the bookings, in minor units of the payment's currency. */
export const OrderParts = Schema.Array(Schema.Struct({ booking_id: BookingId, amount: Schema.Int }))
export type OrderParts = typeof OrderParts.Type

/** A part, its booking and all payments of that, locked. */
interface LockedPart {
  readonly amount: number
  readonly booking: BookingRow
  readonly sessions: ReadonlyArray<PaymentSessionRow>
}

/** The bookings of a payment, in the caller's transaction, which locks nothing before. */
export const makeOrderPayments = Effect.gen(function* () {
  const bookings = yield* BookingRecords
  const sessions = yield* PaymentSessions
  const settlement = yield* Settlement
  const random = yield* SecureRandom.SecureRandom

  /** Locks the bookings, always in one order. */
  const lock = Effect.fnUntraced(function* (parts: OrderParts) {
    const locked: Array<LockedPart> = []
    const inOrder = parts.toSorted((a, b) => (a.booking_id < b.booking_id ? -1 : 1))
    for (const { amount, booking_id } of inOrder) {
      const found = yield* bookings.lockWith(booking_id, sessions.lockOfBooking(booking_id))
      if (Option.isSome(found)) locked.push({ amount, booking: found.value[0], sessions: found.value[1] })
    }
    return locked
  })

  /** The page can be paid until `ends`: the places are held a little longer, as for a booking's own page. */
  const hold = Effect.fnUntraced(function* (parts: OrderParts, ends: Instant) {
    for (const { booking } of yield* lock(parts)) {
      const { hold_expires_at, status } = booking
      if (status !== "held") continue
      const until = Math.max(ends + graceMs, hold_expires_at ?? 0)
      yield* bookings.change(booking, {
        hold_expires_at: until,
        awaiting_provider: true,
        note: true,
        event: "payment_session_created"
      })
    }
  })

  /** Pays each booking with the voucher. */
  const pay = Effect.fnUntraced(function* (
    locked: ReadonlyArray<LockedPart>,
    { currency, operator_id, voucher_id }: Pick<Voucher, "currency" | "operator_id" | "voucher_id">,
    paid_at: Instant
  ) {
    const parts = yield* Effect.forEach(locked, ({ amount, booking, sessions: others }) =>
      Effect.gen(function* () {
        const payment_session_id = yield* Effect.provideService(newId.payment, SecureRandom.SecureRandom, random)
        const session = yield* sessions.insertTaken({
          payment_session_id,
          booking_id: booking.booking_id,
          operator_id,
          purpose: "due_now",
          way: "voucher",
          voucher_id,
          together: true,
          amount,
          currency,
          taken_by: undefined,
          now: paid_at
        })
        return { booking, session, others }
      })
    )
    yield* settlement.count(parts)
  })

  return { hold, lock, pay }
})
