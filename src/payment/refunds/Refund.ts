/** A refund's row, and calculations over the refunds of a booking. Pure. Amounts are in minor units. */
import { Schema } from "effect"
import type { BookingRow } from "../../booking/Booking.ts"
import { BookingId, OperatorId, PaymentSessionId, RefundId } from "../../kernel/Ids.ts"
import { InstantFromDate } from "../../kernel/LocalTime.ts"
import { type ProviderRefund, RefundRequest } from "../provider/PaymentGateway.ts"
import { isForBalance, type PaymentSessionRow } from "../sessions/PaymentSession.ts"

/**
 * Why money goes back. `duplicate_payment`: a second payment for the same purpose; it never counted as the booking's
 * money. `late_payment`: the payment came after the booking had lost its places. `dashboard`: the operator refunded it
 * at the provider. `dispute`: the payer won a dispute. `move`: the booking was moved to a cheaper visit.
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

/** What a refund waits for: money on the operator's account, or the end of a dispute. */
export const WaitsFor = Schema.Literals(["balance", "dispute"])
export type WaitsFor = typeof WaitsFor.Type

const NullOr = Schema.NullOr

/** A row of the `refund` table. `request` is the provider's request; retries send it unchanged. */
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
  /**
   * The limit of all refunds of the booking's own payments, by its terms or by a person's decision; null: the payment
   * is the limit.
   */
  owed: NullOr(Schema.Int),
  waits_for: NullOr(WaitsFor),
  waits_since: NullOr(InstantFromDate),
  /** The refund is not sent before this time. */
  retry_at: NullOr(InstantFromDate),
  /** When it was last sent; null if the provider refused it. */
  sent_at: NullOr(InstantFromDate),
  created_at: InstantFromDate,
  updated_at: InstantFromDate
})
export type RefundRow = typeof RefundRow.Type
type Refunds = ReadonlyArray<RefundRow>
type Sessions = ReadonlyArray<PaymentSessionRow>

/** `failure` of a refund that the operator made in the provider's dashboard instead: nothing is owed. */
export const settledByDashboard = "settled in the provider's dashboard"

/** The provider's request for a refund of a session. */
export const requestOf = (session: PaymentSessionRow, refund_id: RefundId, amount: number): RefundRequest => ({
  account: session.account,
  idempotency_key: refund_id,
  refund_id,
  booking_id: session.booking_id,
  payment_intent_id: session.payment_intent_id ?? "",
  amount,
  // The provider refuses to refund a fee that it never took.
  refund_application_fee: session.application_fee > 0
})

/** Our status for a refund of the provider's. */
export const statusOf = ({ status }: ProviderRefund): "pending" | "succeeded" | "failed" => {
  if (status === "succeeded") return "succeeded"
  return status === "failed" || status === "canceled" ? "failed" : "pending"
}

/** Failed and not refunded otherwise, pending, or requested with no call under way: a person may have paid it back. */
export const isOwed = ({ failure, sent_at, status }: RefundRow): boolean => {
  if (status === "failed") return failure !== settledByDashboard
  return status === "pending" || (status === "requested" && sent_at === null)
}

/** Requested or pending: not settled yet. */
export const isOpen = ({ status }: RefundRow): boolean => status === "requested" || status === "pending"

/** Whether a refund counts for the booking. A duplicate payment and its refund never do. */
export const countsForBooking = (refund: RefundRow, all: Refunds): boolean =>
  !all.some((other) => other.cause === "duplicate_payment" && other.payment_session_id === refund.payment_session_id)

/**
 * The booking event when this refund is settled and `more` has gone back; undefined while another refund is open.
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

/** The paid sessions of a booking, without duplicate and late payments. */
export const ownPayments = (sessions: Sessions, refunds: Refunds): Sessions => {
  const returned = new Set(
    refunds
      .filter(({ cause }) => cause === "duplicate_payment" || cause === "late_payment")
      .map(({ payment_session_id }) => payment_session_id)
  )
  return sessions.filter(({ payment_session_id, status }) => status === "paid" && !returned.has(payment_session_id))
}

/**
 * Whether a booking's present balance was paid, regardless of refunds. After a move the payment status does not show
 * this.
 */
export const isBalancePaid = (booking: Pick<BookingRow, "terms">, sessions: Sessions, refunds: Refunds): boolean =>
  ownPayments(sessions, refunds).some((session) => isForBalance(session, booking))

/** How much of a payment has gone back or is on its way, by any sender; `except` leaves out one refund. */
export const refundedOrPending = (session: PaymentSessionRow, refunds: Refunds, except?: RefundId): number =>
  refunds
    .filter(
      (refund) =>
        refund.payment_session_id === session.payment_session_id && isOpen(refund) && refund.refund_id !== except
    )
    .reduce((sum, { amount }) => sum + amount, session.refunded)

/**
 * The amount of a payment that can still be refunded: 0 if the provider names no payment, because nothing had to be
 * paid.
 */
export const refundableAmount = (session: PaymentSessionRow, refunds: Refunds, except?: RefundId): number =>
  session.payment_intent_id === null ? 0 : Math.max(0, session.amount - refundedOrPending(session, refunds, except))

/** Both amounts, summed over the booking's own payments. */
export const refundable = (
  sessions: Sessions,
  refunds: Refunds
): { readonly given_back: number; readonly left: number } => {
  const own = ownPayments(sessions, refunds)
  return {
    given_back: own.reduce((sum, session) => sum + refundedOrPending(session, refunds), 0),
    left: own.reduce((sum, session) => sum + refundableAmount(session, refunds), 0)
  }
}

/** Divides a refund (minor units) over payments, latest first, each up to its rest. */
export const splitRefund = (
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

/** Divides a refund over the booking's own payments. `sessions`: oldest first. */
export const refundParts = (amount: number, sessions: Sessions, refunds: Refunds): ReturnType<typeof splitRefund> =>
  splitRefund(
    amount,
    ownPayments(sessions, refunds).map((session) => ({ session, left: refundableAmount(session, refunds) }))
  )
