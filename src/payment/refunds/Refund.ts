/** A refund: its row, and what the refunds of a booking say of its money. Everything here is pure. Amounts are in minor units. */
import { Schema } from "effect"
import type { BookingRow } from "../../booking/Booking.ts"
import { BookingId, OperatorId, PaymentSessionId, RefundId } from "../../kernel/Ids.ts"
import { InstantFromDate } from "../../kernel/LocalTime.ts"
import { type ProviderRefund, RefundRequest } from "../provider/PaymentGateway.ts"
import { isForBalance, type PaymentSessionRow } from "../sessions/PaymentSession.ts"

/**
 * Why money goes back. `duplicate_payment`: a second payment of what was paid already; it never counted as the booking's own.
 * `late_payment`: paid for a booking that had no places any more. `dashboard`: the operator refunded it at the provider.
 * `dispute`: the payer disputed the payment and has the money back. `move`: the booking was moved to a visit that costs less.
 */
export const RefundCause = Schema.Literals([
  "late_payment",
  "cancellation",
  "duplicate_payment",
  "dashboard",
  "dispute",
  "move"
])
export type RefundCause = typeof RefundCause.Type
/** Causes for which the service itself sends a refund. */
export type OwnCause = Exclude<RefundCause, "dashboard" | "dispute">

/** What a refund may wait for: money on the operator's account, or the end of a dispute of the payment. */
export const WaitsFor = Schema.Literals(["balance", "dispute"])
export type WaitsFor = typeof WaitsFor.Type

const NullOr = Schema.NullOr

/** A row of the `refund` table. `request` is what is sent to the provider, every time the same. */
export const RefundRow = Schema.Struct({
  refund_id: RefundId,
  operator_id: OperatorId,
  booking_id: BookingId,
  payment_session_id: PaymentSessionId,
  cause: RefundCause,
  status: Schema.Literals(["requested", "pending", "succeeded", "failed"]),
  amount: Schema.Int,
  currency: Schema.String,
  provider_refund_id: NullOr(Schema.String),
  request: RefundRequest,
  failure: NullOr(Schema.String),
  /** All that may go back of the booking's own payments, by its terms or by what a person decided; null: the payment itself is the bound. */
  owed: NullOr(Schema.Int),
  waits_for: NullOr(WaitsFor),
  waits_since: NullOr(InstantFromDate),
  /** Not sent before. */
  retry_at: NullOr(InstantFromDate),
  /** When the provider was last asked to make it, and did not refuse. */
  sent_at: NullOr(InstantFromDate),
  created_at: InstantFromDate,
  updated_at: InstantFromDate
})
export type RefundRow = typeof RefundRow.Type
type Refunds = ReadonlyArray<RefundRow>
type Sessions = ReadonlyArray<PaymentSessionRow>

/** `failure` of a refund that the operator has made at the provider in our stead: nothing is owed any more. */
export const settledByDashboard = "settled in the provider's dashboard"

/** What is sent to the provider for a refund of a session. */
export const requestOf = (session: PaymentSessionRow, refund_id: RefundId, amount: number): RefundRequest => ({
  account: session.account,
  idempotency_key: refund_id,
  refund_id,
  booking_id: session.booking_id,
  payment_intent_id: session.payment_intent_id ?? "",
  amount,
  // The provider refuses to give back a fee that was never taken.
  refund_application_fee: session.application_fee > 0
})

/** The status of our row for a refund as the provider has it now. */
export const statusOf = ({ status }: ProviderRefund): "pending" | "succeeded" | "failed" => {
  if (status === "succeeded") return "succeeded"
  return status === "failed" || status === "canceled" ? "failed" : "pending"
}

/** Failed and not made up for, without a result, or postponed with no call under way: a person may have paid it back. */
export const isOwed = ({ failure, sent_at, status }: RefundRow): boolean => {
  if (status === "failed") return failure !== settledByDashboard
  return status === "pending" || (status === "requested" && sent_at === null)
}

/** Decided or on its way, and not settled yet. */
export const isOpen = ({ status }: RefundRow): boolean => status === "requested" || status === "pending"

/** A second payment of what was paid already never counted as the booking's money, nor does a refund of it. */
export const countsForBooking = (refund: RefundRow, all: Refunds): boolean =>
  !all.some((other) => other.cause === "duplicate_payment" && other.payment_session_id === refund.payment_session_id)

/**
 * What the booking's payment becomes when `more` has gone back and this refund is settled; undefined, so that it stays as it is, while
 * another refund is on its way.
 */
export const paymentAfter = (
  booking: BookingRow,
  refund: RefundRow,
  all: Refunds,
  more: number
): "refunded_in_full" | "refunded_in_part" | undefined => {
  const another = all.some(
    (other) => other.refund_id !== refund.refund_id && isOpen(other) && countsForBooking(other, all)
  )
  if (another) return undefined
  return booking.refunded + more >= booking.paid ? "refunded_in_full" : "refunded_in_part"
}

/** The paid sessions of a booking, but for second payments of what was paid already and payments that came too late. */
export const ownPayments = (sessions: Sessions, refunds: Refunds): Sessions => {
  const returned = new Set(
    refunds
      .filter(({ cause }) => cause === "duplicate_payment" || cause === "late_payment")
      .map(({ payment_session_id }) => payment_session_id)
  )
  return sessions.filter(({ payment_session_id, status }) => status === "paid" && !returned.has(payment_session_id))
}

/** Whether the balance that a booking has now is paid, whatever went back since. Of one that was moved, no payment status tells. */
export const isBalancePaid = (booking: Pick<BookingRow, "terms">, sessions: Sessions, refunds: Refunds): boolean =>
  ownPayments(sessions, refunds).some((session) => isForBalance(session, booking))

/** How much of a payment has gone back or is on its way, whoever sent it; one refund may be left out. */
export const givenBackOf = (session: PaymentSessionRow, refunds: Refunds, except?: RefundId): number =>
  refunds
    .filter(
      (refund) =>
        refund.payment_session_id === session.payment_session_id && isOpen(refund) && refund.refund_id !== except
    )
    .reduce((sum, { amount }) => sum + amount, session.refunded)

/** What is left of a payment: nothing where the provider names none, for then nothing had to be paid. */
export const leftOf = (session: PaymentSessionRow, refunds: Refunds, except?: RefundId): number =>
  session.payment_intent_id === null ? 0 : Math.max(0, session.amount - givenBackOf(session, refunds, except))

/** Both amounts, of all of a booking's own payments together. */
export const refundable = (
  sessions: Sessions,
  refunds: Refunds
): { readonly given_back: number; readonly left: number } => {
  const own = ownPayments(sessions, refunds)
  return {
    given_back: own.reduce((sum, session) => sum + givenBackOf(session, refunds), 0),
    left: own.reduce((sum, session) => sum + leftOf(session, refunds), 0)
  }
}
