/** Refunds that failed, at once or weeks after they had succeeded: money is owed until it is sent again, or paid back in another way. */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { BookingRow } from "../../booking/Booking.ts"
import { Bookings } from "../../booking/Bookings.ts"
import type { RefundId } from "../../kernel/Ids.ts"
import { display } from "../../kernel/Money.ts"
import { faultPoint } from "../../FaultPoint.ts"
import type { ProviderRefund } from "../provider/PaymentGateway.ts"
import { type RefundRow, settledByDashboard } from "./Refund.ts"
import { ProviderTasks } from "../provider/ProviderTasks.ts"
import { RefundMoney } from "./RefundMoney.ts"
import { RefundRecords } from "./RefundRecords.ts"

/** Failed and not made up for, without a result, or put off with no call under way: a person may settle it. */
const isOwed = ({ failure, sent_at, status }: RefundRow): boolean => {
  if (status === "failed") return failure !== settledByDashboard
  return status === "pending" || (status === "requested" && sent_at === null)
}

/** What became of a wish to send a failed refund again. `settled`: the operator made it by hand. */
export type SentAgain = "sent" | "settled" | "not_failed" | "no_payment"

export class FailedRefunds extends Context.Service<
  FailedRefunds,
  {
    /** The payer's bank sent it back, weeks later perhaps: it is owed again. In the caller's transaction, which has the locks. */
    readonly lost: (
      booking: BookingRow,
      refund: RefundRow,
      answer: ProviderRefund
    ) => Effect.Effect<void, SqlError.SqlError>
    /** Sends a refund again that failed for good, under a new idempotency key. */
    readonly again: (refund_id: RefundId) => Effect.Effect<SentAgain, SqlError.SqlError>
    /** A person has paid back, in another way, what a refund could not (yet), or knows that the payer has it; false where it is not owed. */
    readonly paidBack: (refund_id: RefundId) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/payment/FailedRefunds") {
  static readonly layer = Layer.effect(
    FailedRefunds,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* Bookings
      const tasks = yield* ProviderTasks
      const records = yield* RefundRecords
      const money = yield* RefundMoney

      const lost = Effect.fnUntraced(function* (booking: BookingRow, refund: RefundRow, answer: ProviderRefund) {
        const failure = answer.failure_reason ?? `the refund is ${answer.status}`
        yield* Effect.logError("A refund that had succeeded failed; money is owed", {
          refund_id: refund.refund_id,
          failure
        })
        yield* records.update(refund.refund_id, { status: "failed", failure: failure.slice(0, 500) })
        yield* money.lost(booking, refund, failure.slice(0, 200))
        yield* faultPoint("refund lost again, not committed")
      })

      /** The booking and the refund, locked in this order; only where the refund has failed. */
      const lockFailed = Effect.fnUntraced(function* (refund_id: RefundId) {
        const locked = yield* money.lock(refund_id)
        return locked?.refund.status === "failed" ? locked : undefined
      })

      const paidBack = Effect.fn("FailedRefunds.paidBack")(function* (refund_id: RefundId) {
        const locked = yield* money.lock(refund_id)
        if (locked === undefined || !isOwed(locked.refund)) return false
        const { booking, refund } = locked
        yield* records.update(refund_id, { status: "succeeded", elsewhere: true, failure: "paid back in another way" })
        const amount = display(refund.amount, refund.currency)
        yield* money.back(booking, refund, `${amount} was paid back in another way`)
        return true
      }, sql.withTransaction)

      const again = Effect.fn("FailedRefunds.again")(function* (
        refund_id: RefundId
      ): Effect.fn.Return<SentAgain, SqlError.SqlError> {
        const locked = yield* lockFailed(refund_id)
        if (locked === undefined) return "not_failed"
        if (locked.refund.failure === settledByDashboard) return "settled"
        if (locked.refund.request.payment_intent_id === "") return "no_payment"
        const now = yield* Clock.currentTimeMillis
        const key = `${refund_id}_${now}`
        yield* records.again(refund_id, key)
        yield* tasks.offer({ _tag: "refund", refund_id, again: key })
        yield* bookings.change(locked.booking, { note: true, event: "refund_sent_again" })
        yield* faultPoint("refund sent again, not committed")
        return "sent"
      }, sql.withTransaction)

      return FailedRefunds.of({ lost, again, paidBack })
    })
  )
}
