/**
 * Refunds and their effect on a booking. A transaction decides a refund (`request`), `ProviderRefunds.ts` sends it, and
 * the provider's answer settles it, now or later. Each payment has at most one refund per cause. Every transaction
 * locks the booking first, then the refund.
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

/** The result of sending a failed refund again. `settled`: the operator made it in the provider's dashboard. */
export type ResendResult = "sent" | "settled" | "not_failed" | "no_payment"

type Done<A> = Effect.Effect<A, SqlError.SqlError>

export class Refunds extends Context.Service<
  Refunds,
  {
    /**
     * Decides a refund of `amount` (minor units) of a session, in the caller's transaction: stores the row and the task
     * to send it. None if the payment already has a refund for this cause. `owed`: the limit of all refunds of the
     * booking's own payments, including this and earlier ones; without it, the payment is the limit.
     */
    readonly request: (
      session: PaymentSessionRow,
      amount: number,
      cause: OwnCause,
      owed?: number
    ) => Done<Option.Option<RefundRow>>
    /** Locks the booking, then the refund, in the caller's transaction. */
    readonly lock: (refund_id: RefundId) => Done<Locked | undefined>
    /** Stores the provider's state of one of our refunds, and updates the booking's money. */
    readonly settle: (refund_id: RefundId, answer: ProviderRefund) => Done<void>
    /** The provider refused the refund for good. */
    readonly fail: (refund_id: RefundId, failure: string) => Done<void>
    /**
     * Compares the provider's refunds of a session with our rows. Records refunds that this service did not make, and
     * refunds that failed after they had succeeded. Returns the newly recorded amount of the first kind, in minor
     * units.
     */
    readonly reconcile: (session: PaymentSessionRow, answers: ReadonlyArray<ProviderRefund>) => Done<number>
    /**
     * Records a refund that this service did not make, in the caller's transaction, which holds the booking's lock.
     * False if it was recorded before. `detail` is the sentence in the history.
     */
    readonly recordForeign: (
      booking: BookingRow,
      session: PaymentSessionRow,
      refund: ForeignRefund,
      detail: string
    ) => Done<boolean>
    /** Sends a finally failed refund again, under a new idempotency key. */
    readonly requestAgain: (refund_id: RefundId) => Done<ResendResult>
    /** A person has paid it back in another way, or knows that the payer has the money. False if it is not owed. */
    readonly markPaidBack: (refund_id: RefundId) => Done<boolean>
  }
>()("playroom/payment/refunds/Refunds") {
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

      /** Like `lock`, if the refund is not settled yet. */
      const lockOpen = Effect.fnUntraced(function* (refund_id: RefundId) {
        const locked = yield* lock(refund_id)
        return locked !== undefined && isOpen(locked.refund) ? locked : undefined
      })

      /** Counts a succeeded refund on the session and, if it counts for the booking, on the booking. */
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

      /** The payer's bank returned a refund, perhaps weeks later: it is owed again. */
      const reopenReturned = Effect.fnUntraced(function* (
        booking: BookingRow,
        refund: RefundRow,
        answer: ProviderRefund
      ) {
        const failure = answer.failure_reason ?? `the refund is ${answer.status}`
        yield* Effect.logError("A refund that had succeeded failed; money is owed", {
          refund_id: refund.refund_id,
          failure
        })
        yield* records.update(refund.refund_id, { status: "failed", failure: failure.slice(0, 500) })
        yield* records.addToSession(refund, -refund.amount)
        const counts = countsForBooking(refund, yield* records.ofBooking(booking))
        yield* bookings.change(booking, {
          ...(counts ? { refunded: -Math.min(refund.amount, booking.refunded), payment: "refund_requested" } : {}),
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
          // A refund that the provider refused us is no longer owed if the payer has the money.
          yield* records.settleCovered(session)
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
          // Our refunds are settled by their own row. Without a row (after restoring a backup), they count as foreign.
          if (answer.refund_id !== undefined && status !== "failed" && ours.has(answer.refund_id)) continue
          const locked = yield* bookings.lockWith(session.booking_id, records.lockByProviderId(answer.id))
          if (Option.isNone(locked)) continue
          const [booking, known] = locked.value
          if (status === "failed") {
            if (Option.isSome(known) && known.value.status === "succeeded") {
              yield* reopenReturned(booking, known.value, answer)
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
          // The decision behind it is lost as well: the booking still has its older state.
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
