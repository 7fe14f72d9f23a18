/** What a booking's payments say of a change: whether it can be made now, and what was settled before. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { BookingRow } from "../../booking/Booking.ts"
import {
  type ChangeKind,
  type ChangeProblem,
  changeRefusal,
  type VisitChangeRequest,
  type Settled
} from "../../booking/VisitChange.ts"
import type { Instant } from "../../kernel/LocalTime.ts"
import {
  byHandOf,
  countsForBooking,
  isBalancePaid,
  isUnsettled,
  ownPayments,
  refundable,
  refundParts,
  type RefundRow
} from "../refunds/Refund.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import { isLive, type PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { PaymentInquiry } from "../settlement/PaymentInquiry.ts"

/** A booking's payments and refunds. */
export interface Paid {
  readonly all: ReadonlyArray<PaymentSessionRow>
  readonly known: ReadonlyArray<RefundRow>
}

/** The paid amounts of a booking, before it changes. */
export const settledOf = (booking: BookingRow, { all, known }: Paid): Settled => {
  return {
    ...refundable(all, known),
    settled: isBalancePaid(booking, all, known) ? booking.total : booking.due_now,
    sessions: ownPayments(all, known).map(({ payment_session_id }) => payment_session_id),
    byHand: (refund) => byHandOf(refundParts(refund, all, known))
  }
}

/** Whether a page for the balance can still be paid. */
export const isLiveBalance = (session: PaymentSessionRow): boolean => session.purpose === "balance" && isLive(session)

/**
 * Why a booking can't be changed in this way now, whatever the visit; undefined if it can, once open payment pages are
 * closed.
 */
export const refusalOf = (
  booking: BookingRow,
  { all, known }: Paid,
  kind: ChangeKind,
  by: VisitChangeRequest["by"],
  now: Instant
): ChangeProblem | undefined => {
  const refusal = changeRefusal(booking, kind, by, now)
  if (refusal !== undefined) return refusal
  if (all.some((session) => session.misfit !== null || (isLiveBalance(session) && session.status === "processing")))
    return "payment_processing"
  return known.some((refund) => isUnsettled(refund) && countsForBooking(refund, known)) ? "refund_pending" : undefined
}

/**
 * `paymentsOf`: a booking's payments. `closeBalancePages` closes the pages on which its balance can be paid. A page that
 * the provider can't close now stays open.
 */
export const changingPayments = Effect.gen(function* () {
  const sessions = yield* PaymentSessions
  const refunds = yield* RefundRecords
  const inquiry = yield* PaymentInquiry

  const paymentsOf = (booking: BookingRow): Effect.Effect<Paid, SqlError.SqlError> =>
    Effect.all({ all: sessions.ofBooking(booking.booking_id), known: refunds.ofBooking(booking) })

  const closeBalancePages = Effect.fnUntraced(function* (
    { booking_id }: BookingRow,
    within: "4 seconds" | "6 seconds"
  ) {
    const all = yield* sessions.ofBooking(booking_id)
    const open = all.filter(({ purpose, status }) => purpose === "balance" && status === "open")
    for (const session of open) {
      yield* inquiry.expire(session).pipe(
        Effect.timeoutOrElse({ duration: within, orElse: () => Effect.void }),
        Effect.catchTag(["ProviderUnavailable", "AccountUnavailable"], (error) =>
          Effect.logWarning("A payment page stays open, and its booking is not changed", {
            payment_session_id: session.payment_session_id,
            reason: error.reason
          })
        )
      )
    }
  })

  return { closeBalancePages, paymentsOf }
})
