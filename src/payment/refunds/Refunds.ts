/**
 * Refunds and what they do to a booking. A refund is decided in a transaction (`request`), sent by `ProviderRefunds.ts`, and settled by
 * what the provider says of it, now or later. There is at most one for each payment and cause. Every transaction locks the booking
 * first, then the refund.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import type { BookingRow } from "../../booking/Booking.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { faultPoint } from "../../kernel/FaultPoint.ts"
import { newId, type RefundId } from "../../kernel/Ids.ts"
import { display } from "../../kernel/Money.ts"
import type { ProviderRefund } from "../provider/PaymentGateway.ts"
import { ProviderTasks } from "../provider/ProviderTasks.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"
import {
  countsForBooking,
  isOpen,
  isOwed,
  type OwnCause,
  paymentAfter,
  type RefundRow,
  requestOf,
  settledByDashboard,
  statusOf
} from "./Refund.ts"
import { type ForeignRefund, RefundRecords } from "./RefundRecords.ts"

interface Locked {
  readonly booking: BookingRow
  readonly refund: RefundRow
}

/** What a call to send a failed refund again did. `settled`: the operator made it in the provider's dashboard. */
export type ResendResult = "sent" | "settled" | "not_failed" | "no_payment"

type Done<A> = Effect.Effect<A, SqlError.SqlError>

export class Refunds extends Context.Service<
  Refunds,
  {
    /**
     * Decides a refund of `amount` of a session's money, in the caller's transaction: the row and the task to send it. None
     * where that payment was refunded for that cause before. `owed`: all that may go back of the booking's own payments, this and
     * what went back before included; without it, the payment itself is the bound.
     */
    readonly request: (
      session: PaymentSessionRow,
      amount: number,
      cause: OwnCause,
      owed?: number
    ) => Done<Option.Option<RefundRow>>
    /** The booking and the refund, locked in this order in the caller's transaction. */
    readonly lock: (refund_id: RefundId) => Done<Locked | undefined>
    /** Writes down what the provider says of one of our refunds, and changes the booking's money with it. */
    readonly settle: (refund_id: RefundId, answer: ProviderRefund) => Done<void>
    /** The provider refused the refund for good. */
    readonly fail: (refund_id: RefundId, failure: string) => Done<void>
    /**
     * Compares the provider's refunds of a session with our rows: writes down those that were not made by us, and those that failed
     * after they had succeeded. Answers how much of the first kind is new, in minor units.
     */
    readonly reconcile: (session: PaymentSessionRow, answers: ReadonlyArray<ProviderRefund>) => Done<number>
    /**
     * Writes down money that went back without our doing, in the caller's transaction, which has the booking's lock. False where it
     * was written down before. `detail` is the history's sentence.
     */
    readonly recordForeign: (
      booking: BookingRow,
      session: PaymentSessionRow,
      refund: ForeignRefund,
      detail: string
    ) => Done<boolean>
    /** Has a refund that failed for good sent again, under a new idempotency key. */
    readonly requestAgain: (refund_id: RefundId) => Done<ResendResult>
    /** A person has paid it back in another way, or knows that the payer has the money; false where it is not owed. */
    readonly markPaidBack: (refund_id: RefundId) => Done<boolean>
  }
>()("playroom/payment/Refunds") {
  static readonly layer = Layer.effect(
    Refunds,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* BookingRecords
      const tasks = yield* ProviderTasks
      const random = yield* SecureRandom.SecureRandom
      const records = yield* RefundRecords
      const newRefundId = Effect.provideService(newId.refund, SecureRandom.SecureRandom, random)

      const request = Effect.fn("Refunds.request")(function* (
        session: PaymentSessionRow,
        amount: number,
        cause: OwnCause,
        owed?: number
      ) {
        const refund_id = yield* newRefundId
        const known = session.payment_intent_id !== null
        const inserted = yield* records.insert({
          refund_id,
          session,
          cause,
          amount,
          ...(owed === undefined ? {} : { owed }),
          request: requestOf(session, refund_id, amount),
          ...(known
            ? { status: "requested" }
            : { status: "failed", failure: "the provider named no payment to refund" })
        })
        if (Option.isSome(inserted) && known) yield* tasks.offer({ _tag: "refund", refund_id })
        return inserted
      })

      const lock = Effect.fnUntraced(function* (refund_id: RefundId) {
        const found = yield* records.find(refund_id)
        if (Option.isNone(found)) return undefined
        const locked = yield* bookings.lockWith(found.value.booking_id, records.lock(refund_id))
        if (Option.isNone(locked)) return undefined
        const [booking, refund] = locked.value
        return Option.isNone(refund) ? undefined : { booking, refund: refund.value }
      })

      /** The same, only where the refund is not settled yet. */
      const lockOpen = Effect.fnUntraced(function* (refund_id: RefundId) {
        const locked = yield* lock(refund_id)
        return locked !== undefined && isOpen(locked.refund) ? locked : undefined
      })

      /** Money is back with the payer: counts it on the session, and (where it was the booking's) on the booking. */
      const addRefunded = Effect.fnUntraced(function* (booking: BookingRow, refund: RefundRow, detail: string) {
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

      /** The payer's bank sent a refund back, weeks later perhaps: it is owed again. */
      const takeBack = Effect.fnUntraced(function* (booking: BookingRow, refund: RefundRow, answer: ProviderRefund) {
        const failure = answer.failure_reason ?? `the refund is ${answer.status}`
        yield* Effect.logError("A refund that had succeeded failed; money is owed", {
          refund_id: refund.refund_id,
          failure
        })
        yield* records.update(refund.refund_id, { status: "failed", failure: failure.slice(0, 500) })
        yield* records.addToSession(refund, -refund.amount)
        const counted = countsForBooking(refund, yield* records.ofBooking(booking))
        yield* bookings.change(booking, {
          ...(counted ? { refunded: -Math.min(refund.amount, booking.refunded), payment: "refund_requested" } : {}),
          note: true,
          event: "refund_failed",
          detail: failure.slice(0, 200)
        })
        yield* faultPoint("refund lost again, not committed")
      })

      const fail = Effect.fn("Refunds.fail")(function* (refund_id: RefundId, failure: string) {
        const locked = yield* lockOpen(refund_id)
        if (locked === undefined) return
        yield* records.update(refund_id, { status: "failed", failure: failure.slice(0, 500) })
        if (failure === settledByDashboard) {
          const all = yield* records.ofBooking(locked.booking)
          const payment = countsForBooking(locked.refund, all) && paymentAfter(locked.booking, locked.refund, all, 0)
          if (payment) yield* bookings.change(locked.booking, { payment, event: "refunded", detail: failure })
          return
        }
        yield* Effect.logError("A refund failed; money is owed", { refund_id, failure })
        yield* bookings.change(locked.booking, { note: true, event: "refund_failed", detail: failure.slice(0, 200) })
      }, sql.withTransaction)

      const settle = Effect.fn("Refunds.settle")(function* (refund_id: RefundId, answer: ProviderRefund) {
        const locked = yield* lockOpen(refund_id)
        if (locked === undefined) return
        const status = statusOf(answer)
        if (status === "failed")
          return yield* fail(refund_id, answer.failure_reason ?? `the refund is ${answer.status}`)
        yield* records.update(refund_id, { status, provider_refund_id: answer.id, amount: answer.amount })
        if (status === "succeeded") {
          const { booking } = locked
          const refund = { ...locked.refund, amount: answer.amount }
          yield* addRefunded(booking, refund, `${display(refund.amount, refund.currency)} went back to the payer`)
        }
        yield* faultPoint("refund settled, not committed")
      }, sql.withTransaction)

      const recordForeign = Effect.fnUntraced(function* (
        booking: BookingRow,
        session: PaymentSessionRow,
        refund: ForeignRefund,
        detail: string
      ) {
        const inserted = yield* records.insertForeign(session, refund)
        if (Option.isNone(inserted)) return false
        if (refund.status === "succeeded") {
          yield* addRefunded(booking, inserted.value, detail)
          // What the provider had refused us, and the payer has all the same, is not owed any more.
          yield* records.settleMadeUp(session)
        }
        return true
      })

      const reconcile = Effect.fn("Refunds.reconcile")(function* (
        session: PaymentSessionRow,
        answers: ReadonlyArray<ProviderRefund>
      ) {
        let added = 0
        const ours = new Set<string>((yield* records.ofBooking(session)).map(({ refund_id }) => refund_id))
        for (const answer of answers) {
          const status = statusOf(answer)
          // Ours are settled by their own row; one that has no row, as after a restored backup, counts like any other.
          if (answer.refund_id !== undefined && status !== "failed" && ours.has(answer.refund_id)) continue
          const locked = yield* bookings.lockWith(session.booking_id, records.lockByProviderId(answer.id))
          if (Option.isNone(locked)) continue
          const [booking, known] = locked.value
          if (status === "failed") {
            if (Option.isSome(known) && known.value.status === "succeeded") {
              yield* takeBack(booking, known.value, answer)
            }
            continue
          }
          if (Option.isSome(known)) continue
          const { amount, id: provider_refund_id } = answer
          const shown = display(amount, session.currency)
          const forgotten = answer.refund_id !== undefined
          const recorded = yield* recordForeign(
            booking,
            session,
            { cause: "dashboard", status, amount, provider_refund_id },
            forgotten ? `${shown}, by a decision of this service that is not stored here` : `${shown} by the operator`
          )
          // What was decided with it is lost as well: the booking stands as it stood before.
          if (recorded && forgotten) {
            const why = `${shown} went back (${provider_refund_id}) by a decision of this service that is not stored here: cancelled or moved after the backup?`
            yield* bookings.flag(session.booking_id, why)
          }
          if (recorded && status === "succeeded") added += amount
        }
        return added
      }, sql.withTransaction)

      const markPaidBack = Effect.fn("Refunds.markPaidBack")(function* (refund_id: RefundId) {
        const locked = yield* lock(refund_id)
        if (locked === undefined || !isOwed(locked.refund)) return false
        const { booking, refund } = locked
        yield* records.update(refund_id, { status: "succeeded", elsewhere: true, failure: "paid back in another way" })
        const amount = display(refund.amount, refund.currency)
        yield* addRefunded(booking, refund, `${amount} was paid back in another way`)
        return true
      }, sql.withTransaction)

      const requestAgain = Effect.fn("Refunds.requestAgain")(function* (
        refund_id: RefundId
      ): Effect.fn.Return<ResendResult, SqlError.SqlError> {
        const locked = yield* lock(refund_id)
        if (locked?.refund.status !== "failed") return "not_failed"
        if (locked.refund.failure === settledByDashboard) return "settled"
        if (locked.refund.request.payment_intent_id === "") return "no_payment"
        const now = yield* Clock.currentTimeMillis
        const key = `${refund_id}_${now}`
        yield* records.requestAgain(refund_id, key)
        yield* tasks.offer({ _tag: "refund", refund_id, again: key })
        yield* bookings.change(locked.booking, { note: true, event: "refund_sent_again" })
        yield* faultPoint("refund sent again, not committed")
        return "sent"
      }, sql.withTransaction)

      return Refunds.of({ request, lock, settle, fail, reconcile, recordForeign, requestAgain, markPaidBack })
    })
  ).pipe(Layer.provide([BookingRecords.layer, ProviderTasks.layer, RefundRecords.layer]))
}
