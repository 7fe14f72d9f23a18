/**
 * Money on its way back, and what becomes of it. A refund is decided in a transaction (`request`), sent by `ProviderWorker.ts`, and
 * settled by what the provider says of it, now or later. At most one a payment and cause.
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Bookings } from "../../booking/Bookings.ts"
import { newId, type RefundId } from "../../kernel/Ids.ts"
import { SecureRandom } from "effect/crypto"
import { display } from "../../kernel/Money.ts"
import type { ProviderRefund } from "../provider/PaymentGateway.ts"
import { FailedRefunds } from "./FailedRefunds.ts"
import { faultPoint } from "../../FaultPoint.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { ProviderTasks } from "../provider/ProviderTasks.ts"
import {
  countsForBooking,
  isOpen,
  type OwnCause,
  paymentAfter,
  type RefundRow,
  requestOf,
  settledByDashboard,
  statusOf
} from "./Refund.ts"
import { RefundMoney } from "./RefundMoney.ts"
import { RefundRecords } from "./RefundRecords.ts"

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
    ) => Effect.Effect<Option.Option<RefundRow>, SqlError.SqlError>
    /** Writes down what the provider says of one of our refunds, and moves the booking's money along. */
    readonly settle: (refund_id: RefundId, answer: ProviderRefund) => Effect.Effect<void, SqlError.SqlError>
    /** The provider refused the refund for good. */
    readonly fail: (refund_id: RefundId, failure: string) => Effect.Effect<void, SqlError.SqlError>
    /**
     * Takes note of refunds of a session that were not made by us, and of those that failed after they had succeeded; answers
     * how much of the first kind is new, in minor units.
     */
    readonly notice: (
      session: PaymentSessionRow,
      answers: ReadonlyArray<ProviderRefund>
    ) => Effect.Effect<number, SqlError.SqlError>
    readonly find: RefundRecords["Service"]["find"]
    readonly ofBooking: RefundRecords["Service"]["ofBooking"]
    readonly waiting: RefundRecords["Service"]["waiting"]
    readonly retryOneNow: RefundRecords["Service"]["retryOneNow"]
    readonly claim: RefundRecords["Service"]["claim"]
    readonly failed: RefundRecords["Service"]["failed"]
    readonly pendingSince: RefundRecords["Service"]["pendingSince"]
    readonly unsentSince: RefundRecords["Service"]["unsentSince"]
  }
>()("playroom/payment/Refunds") {
  static readonly layer = Layer.effect(
    Refunds,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* Bookings
      const tasks = yield* ProviderTasks
      const random = yield* SecureRandom.SecureRandom
      const records = yield* RefundRecords
      const money = yield* RefundMoney
      const failedRefunds = yield* FailedRefunds
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

      /** The booking and the refund, locked; only where the refund is not settled yet. */
      const lockUnsettled = Effect.fnUntraced(function* (refund_id: RefundId) {
        const locked = yield* money.lock(refund_id)
        return locked !== undefined && isOpen(locked.refund) ? locked : undefined
      })

      const fail = Effect.fn("Refunds.fail")(function* (refund_id: RefundId, failure: string) {
        const locked = yield* lockUnsettled(refund_id)
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
        const locked = yield* lockUnsettled(refund_id)
        if (locked === undefined) return
        const status = statusOf(answer)
        if (status === "failed")
          return yield* fail(refund_id, answer.failure_reason ?? `the refund is ${answer.status}`)
        yield* records.update(refund_id, { status, provider_refund_id: answer.id, amount: answer.amount })
        if (status === "succeeded") {
          const { booking } = locked
          const refund = { ...locked.refund, amount: answer.amount }
          yield* money.back(booking, refund, `${display(refund.amount, refund.currency)} went back to the payer`)
        }
        yield* faultPoint("refund settled, not committed")
      }, sql.withTransaction)

      const notice = Effect.fn("Refunds.notice")(function* (
        session: PaymentSessionRow,
        answers: ReadonlyArray<ProviderRefund>
      ) {
        let noticed = 0
        const ours = new Set<string>((yield* records.ofBooking(session)).map(({ refund_id }) => refund_id))
        for (const answer of answers) {
          const failed = statusOf(answer) === "failed"
          // Ours are settled by their own row; one that has no row, as after a restored backup, counts like any other.
          if (answer.refund_id !== undefined && !failed && ours.has(answer.refund_id)) continue
          const booking = yield* bookings.lock(session.booking_id)
          const known = yield* records.lockByProviderId(answer.id)
          if (Option.isNone(booking)) continue
          if (failed) {
            if (Option.isSome(known) && known.value.status === "succeeded") {
              yield* failedRefunds.lost(booking.value, known.value, answer)
            }
            continue
          }
          if (Option.isNone(known)) {
            const inserted = yield* records.insertForeign(session, {
              cause: "dashboard",
              status: statusOf(answer),
              amount: answer.amount,
              provider_refund_id: answer.id
            })
            if (Option.isNone(inserted) || answer.status !== "succeeded") continue
            noticed += answer.amount
            yield* money.back(
              booking.value,
              inserted.value,
              `${display(answer.amount, session.currency)} by the operator`
            )
            // What the provider had refused us, and the operator has made up for since, is not owed any more.
            yield* records.settleMadeUp(session)
          }
        }
        return noticed
      }, sql.withTransaction)

      const { claim, failed, find, ofBooking, pendingSince, retryOneNow, unsentSince, waiting } = records
      return Refunds.of({
        request,
        settle,
        fail,
        notice,
        find,
        ofBooking,
        claim,
        failed,
        pendingSince,
        unsentSince,
        waiting,
        retryOneNow
      })
    })
  )
}
