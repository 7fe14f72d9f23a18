/** A refund's row, and calculations over the refunds of a booking. Pure. Amounts are in minor units. */
import { Schema } from "effect"
import type { BookingRow, RefundState } from "../../booking/Booking.ts"
import type { PaymentEvent } from "../../booking/Lifecycle.ts"
import type { SentBack } from "../../booking/Standing.ts"
import { BookingId, OperatorId, PaymentSessionId, RefundId } from "../../../platform/ids/Ids.ts"
import { downToStep } from "../../../platform/money/Charge.ts"
import { display } from "../../../platform/money/Money.ts"
import { InstantFromDate } from "../../../platform/time/LocalTime.ts"
import { type ProviderRefund, RefundRequest } from "../provider/PaymentGateway.ts"
import {
  isAtVenue,
  isForBalance,
  isPaidOnline,
  type PaymentSessionRow,
  WayWithoutProvider
} from "../sessions/PaymentSession.ts"

/**
 * Why money goes back. `duplicate_payment`: a second payment for the same purpose; it never counted as the booking's
 * money. `misfit`: it was not what was asked for, and a person sent it back; it never counted either. `late_payment`:
 * the payment came after the booking had lost its places. `dashboard`: the operator refunded it at the provider.
 * `dispute`: the payer won a dispute. `move`: the booking was moved to a cheaper visit, has a smaller party, or paid
 * more than was asked for. `goodwill`: a person gave an amount back, and the booking stands.
 */
export const RefundCause = Schema.Literals([
  "late_payment",
  "cancellation",
  "duplicate_payment",
  "dashboard",
  "dispute",
  "move",
  "goodwill",
  "misfit"
])
export type RefundCause = typeof RefundCause.Type
/** Causes for which the service itself sends a refund. */
export type OwnCause = Exclude<RefundCause, "dashboard" | "dispute">

/**
 * What a refund waits for: money on the operator's account, the end of a dispute, or the venue, which gives back by
 * hand what was paid there. What was paid with a voucher goes back onto it at once, unless that has ended.
 */
export const WaitsFor = Schema.Literals(["balance", "dispute", "venue"])
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
  /** How it was given back without the provider; null: by the provider, or not yet. */
  way: NullOr(WayWithoutProvider),
  /** The refund is not sent before this time. */
  retry_at: NullOr(InstantFromDate),
  /** When it was last sent; null if the provider refused it. */
  sent_at: NullOr(InstantFromDate),
  succeeded_at: NullOr(InstantFromDate),
  created_at: InstantFromDate,
  updated_at: InstantFromDate
})
export type RefundRow = typeof RefundRow.Type
type Refunds = ReadonlyArray<RefundRow>
type Sessions = ReadonlyArray<PaymentSessionRow>

/** `failure` of a refund that the operator made in the provider's dashboard instead: nothing is owed. */
export const settledByDashboard = "settled in the provider's dashboard"
/** `failure` of a refund that a person paid back in another way: the provider has none. */
export const paidBackElsewhere = "paid back in another way"

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

/**
 * Why a refund of the provider's does not count: it is in another currency than its payment; undefined if it is not.
 */
export const inAnotherCurrency = (currency: string, answer: ProviderRefund): string | undefined =>
  answer.currency === currency
    ? undefined
    : `refund ${answer.id} of ${display(answer.amount, answer.currency)} is in ${answer.currency}, the payment is in ${currency}: it is not counted`

/** Failed, and not made in another way: a person has to see that the payer gets it. */
export const isFailedAndOwed = ({ failure, status }: RefundRow): boolean =>
  status === "failed" && failure !== settledByDashboard

/** Failed and not refunded otherwise, pending, or requested with no call under way: a person may have paid it back. */
export const isOwed = (refund: RefundRow): boolean =>
  isFailedAndOwed(refund) || refund.status === "pending" || (refund.status === "requested" && refund.sent_at === null)

/** Requested or pending: not settled yet. */
export const isOpen = ({ status }: RefundRow): boolean => status === "requested" || status === "pending"

/** Whether a refund has still to reach the payer. */
export const isUnsettled = (refund: RefundRow): boolean => isOpen(refund) || isFailedAndOwed(refund)

/** Causes of refunds of payments that never counted for their booking. */
const neverCounted = new Set<RefundCause>(["duplicate_payment", "misfit"])

/**
 * Whether a payment, or a refund of it, counts for the booking. A duplicate or misfit payment and its refunds never do.
 */
export const countsForBooking = (
  { payment_session_id }: Pick<RefundRow, "payment_session_id">,
  all: Refunds
): boolean => !all.some((one) => neverCounted.has(one.cause) && one.payment_session_id === payment_session_id)

/** Whether a payment was not what was asked for, and was sent back. */
export const isSentBack = ({ payment_session_id }: Pick<RefundRow, "payment_session_id">, all: Refunds): boolean =>
  all.some((one) => one.cause === "misfit" && one.payment_session_id === payment_session_id)

/** Whether a refund can't be sent now. `closed`: the operator's account, if that takes no payments. */
export const waitsForAccount = ({ request, status }: RefundRow, closed: string | undefined): boolean =>
  status === "requested" && closed !== undefined && request.account === closed

/**
 * What became of a payment that was not what was asked for and was sent back; undefined if it was not. `closed`: the
 * operator's account, if that takes no payments.
 */
export const sentBackOf = (
  { amount, currency, payment_session_id }: PaymentSessionRow,
  all: Refunds,
  closed: string | undefined
): SentBack | undefined => {
  const back = all.filter((one) => one.payment_session_id === payment_session_id)
  if (!isSentBack({ payment_session_id }, back)) return undefined
  if (back.some((one) => waitsForAccount(one, closed))) return { amount, currency, state: "blocked" }
  const state = back.some(isOpen) ? "going_back" : back.some(isFailedAndOwed) ? "failed" : "went_back"
  return { amount, currency, state }
}

/** Causes of refunds that a decision about the booking makes: it owes so much of the booking's own payments in all. */
const isDecision = (cause: RefundCause): cause is "cancellation" | "move" | "goodwill" =>
  cause === "cancellation" || cause === "move" || cause === "goodwill"

/** Whether a refund for this cause returns a whole payment, which the booking never kept. */
const isReturned = (cause: RefundCause): cause is "duplicate_payment" | "late_payment" | "misfit" =>
  cause === "duplicate_payment" || cause === "late_payment" || cause === "misfit"

/** Whether a payment was returned whole: the booking never kept it. */
export const isReturnedWhole = ({ payment_session_id }: Pick<RefundRow, "payment_session_id">, all: Refunds): boolean =>
  all.some((one) => one.payment_session_id === payment_session_id && isReturned(one.cause))

/** The paid sessions of a booking, without duplicate and late payments. */
export const ownPayments = (sessions: Sessions, refunds: Refunds): Sessions =>
  sessions.filter((session) => session.status === "paid" && !isReturnedWhole(session, refunds))

/**
 * Whether a booking's present balance was paid, regardless of refunds. After a move the payment status does not show
 * this.
 */
export const isBalancePaid = (booking: Pick<BookingRow, "terms">, sessions: Sessions, refunds: Refunds): boolean =>
  ownPayments(sessions, refunds).some((session) => isForBalance(session, booking))

/**
 * How much of a payment has gone back or is on its way, by any sender: never more than the payment, though one refund
 * by hand beside one of ours that waits may come to more. `except` leaves out one refund.
 */
export const refundedOrPending = (session: PaymentSessionRow, refunds: Refunds, except?: RefundId): number =>
  Math.min(
    session.amount,
    refunds
      .filter(
        (refund) =>
          refund.payment_session_id === session.payment_session_id && isOpen(refund) && refund.refund_id !== except
      )
      .reduce((sum, { amount }) => sum + amount, session.refunded)
  )

/** How much of these payments is on its way back: of each, no more than has not gone back already. */
export const onItsWayBack = (sessions: Sessions, refunds: Refunds): number =>
  sessions.reduce((sum, session) => sum + refundedOrPending(session, refunds) - session.refunded, 0)

/**
 * The amount of a payment that can still be refunded, on its currency's charge step: 0 if the provider names no
 * payment, because nothing had to be paid.
 */
export const refundableAmount = (session: PaymentSessionRow, refunds: Refunds, except?: RefundId): number =>
  session.payment_intent_id === null && !isAtVenue(session)
    ? 0
    : downToStep(session.amount - refundedOrPending(session, refunds, except), session.currency)

/**
 * How much of these payments is owed and did not reach the payer, by the answers so far. `owed`: what has to go back of
 * the booking's own payments, in minor units; null: nothing was decided.
 */
export const failedToGoBack = (sessions: Sessions, refunds: Refunds, owed: number | null): number => {
  const own = new Set(ownPayments(sessions, refunds))
  const [counting, returned] = [sessions.filter((one) => own.has(one)), sessions.filter((one) => !own.has(one))]
  const failed = (some: Sessions) =>
    some.reduce((sum, session) => sum + Math.min(failedOf(session, refunds), refundableAmount(session, refunds)), 0)
  const gone = counting.reduce((sum, session) => sum + refundedOrPending(session, refunds), 0)
  return failed(returned) + Math.min(failed(counting), owed === null ? Infinity : Math.max(0, owed - gone))
}

/** The same by currency: what was not what was asked for may be in another one. */
export const failedAmounts = (
  sessions: Sessions,
  refunds: Refunds,
  owed: number | null
): ReadonlyArray<{ readonly amount: number; readonly currency: string }> =>
  [...new Set(sessions.map(({ currency }) => currency))].flatMap((currency) => {
    const of = sessions.filter((one) => one.currency === currency)
    const amount = failedToGoBack(of, refunds, owed)
    return amount === 0 ? [] : [{ amount, currency }]
  })

const failedOf = ({ payment_session_id }: PaymentSessionRow, refunds: Refunds): number =>
  refunds
    .filter((one) => one.payment_session_id === payment_session_id && isFailedAndOwed(one))
    .reduce((sum, { amount }) => sum + amount, 0)

/** What went back of the booking's own payments, and what is left of them. */
export const refundable = (sessions: Sessions, refunds: Refunds): RefundState => {
  const own = ownPayments(sessions, refunds)
  const goodwill_failed = refunds
    .filter((one) => one.cause === "goodwill" && isFailedAndOwed(one))
    .reduce((sum, { amount }) => sum + amount, 0)
  return {
    given_back: own.reduce((sum, session) => sum + refundedOrPending(session, refunds), 0),
    left: own.reduce((sum, session) => sum + refundableAmount(session, refunds), 0),
    ...(goodwill_failed === 0 ? {} : { goodwill_failed })
  }
}

/** What of the booking's own payments failed to go back and is still owed, by the decisions that these refunds name. */
export const failedSoFar = (sessions: Sessions, refunds: Refunds): number => {
  const owed = refunds.flatMap((one) => (one.owed === null ? [] : [one.owed]))
  return failedToGoBack(ownPayments(sessions, refunds), refunds, owed.length === 0 ? null : Math.max(...owed))
}

/**
 * What is owed of the booking's own payments by all decisions so far, in minor units: beside it stands what a person
 * gives back from now on. What a lost dispute took is no part of it, and what it covers is: that may turn. `decided`: as
 * `RefundRecords.decided` has it.
 */
export const owedSoFar = (sessions: Sessions, refunds: Refunds, decided: number | null): number => {
  const byRefunds = refunds.filter(({ cause }) => cause !== "dispute")
  const ours = sessions.map((session) => ({ ...session, refunded: returnedOf(session, byRefunds) }))
  return Math.max(refundable(ours, refunds).given_back + failedSoFar(sessions, refunds), decided ?? 0)
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

/** What of a divided refund the venue gives back by hand, as it was paid there. Minor units. */
export const byHandOf = (parts: ReturnType<typeof splitRefund>): number =>
  parts.reduce((sum, { amount, session }) => (isPaidOnline(session) ? sum : sum + amount), 0)

/** How much of a payment its refunds and lost disputes have returned: never more than the payment. */
export const returnedOf = (session: PaymentSessionRow, refunds: Refunds): number =>
  Math.min(
    session.amount,
    refunds
      .filter(
        ({ payment_session_id, status }) => payment_session_id === session.payment_session_id && status === "succeeded"
      )
      .reduce((sum, { amount }) => sum + amount, 0)
  )

const refunding = new Set<BookingRow["payment_status"]>(["refund_pending", "partially_refunded", "refunded"])

/**
 * What a booking's refunds make of it, whatever their order: the amount that went back, and its payment event. The
 * event is undefined if nothing goes back, and nothing did.
 */
export const refundedSoFar = (
  booking: BookingRow,
  sessions: Sessions,
  refunds: Refunds
): { readonly refunded: number; readonly payment: PaymentEvent | undefined } => {
  const counting = refunds.filter((refund) => countsForBooking(refund, refunds))
  const returned = sessions.reduce((sum, session) => sum + returnedOf(session, counting), 0)
  const refunded = Math.min(booking.paid, returned)
  if (counting.some(isUnsettled)) return { refunded, payment: "refund_requested" }
  if (refunded > 0) return { refunded, payment: refunded >= booking.paid ? "refunded_in_full" : "refunded_in_part" }
  if (!refunding.has(booking.payment_status)) return { refunded, payment: undefined }
  const all = booking.due_now === booking.total || isBalancePaid(booking, sessions, refunds)
  return { refunded, payment: all ? "all_kept" : "deposit_kept" }
}

/** A refund to be made. */
interface MissingRefund {
  readonly session: PaymentSessionRow
  readonly amount: number
  readonly cause: OwnCause
  /** The limit of all refunds of the booking's own payments; absent: the payment is the limit. */
  readonly owed?: number
}

/**
 * What is owed of a booking's payments and neither went back, nor is on its way, nor failed: after the provider has
 * corrected what went back. Late and duplicate payments are owed whole. `owed`: what has to go back of the booking's
 * own payments, in minor units; null: nothing was decided.
 */
export const missingRefunds = (
  { status }: Pick<BookingRow, "status">,
  sessions: Sessions,
  refunds: Refunds,
  owed: number | null
): ReadonlyArray<MissingRefund> => {
  const leftOf = (session: PaymentSessionRow) => refundableAmount(session, refunds) - failedOf(session, refunds)
  const own = ownPayments(sessions, refunds)
  const gone = own.reduce(
    (sum, one) => sum + Math.min(one.amount, refundedOrPending(one, refunds) + failedOf(one, refunds)),
    0
  )
  const parts = splitRefund(
    Math.max(0, (owed ?? 0) - gone),
    own.map((session) => ({ session, left: leftOf(session) }))
  )
  // As the latest decision that sent anything. A booking whose places were released is expired.
  const cause =
    refunds.map((refund) => refund.cause).findLast(isDecision) ?? (status === "confirmed" ? "move" : "cancellation")
  const whole = sessions.flatMap((session): ReadonlyArray<MissingRefund> => {
    const returned = refunds.find(
      ({ cause, payment_session_id }) => payment_session_id === session.payment_session_id && isReturned(cause)
    )
    const amount = leftOf(session)
    return returned === undefined || !isReturned(returned.cause) || session.status !== "paid" || amount <= 0
      ? []
      : [{ session, amount, cause: returned.cause }]
  })
  return [...whole, ...parts.map((part) => ({ ...part, cause, ...(owed === null ? {} : { owed }) }))]
}
