/** Which payments of a booking are its own, and how much of each is gone: the one calculation for previews, cancellations and sending. */
import type { DisputeRow } from "./Disputes.ts"
import { underDispute } from "./Disputes.ts"
import type { PaymentSessionRow, RefundRow } from "../sessions/PaymentSession.ts"
import type { RefundId } from "../../kernel/Ids.ts"

/** Decided or on its way, and not settled yet. */
const isOpen = ({ status }: RefundRow): boolean => status === "requested" || status === "pending"

/** The paid sessions of a booking, but for second payments of what was paid already and payments that came too late. */
export const ownPayments = (
  sessions: ReadonlyArray<PaymentSessionRow>,
  refunds: ReadonlyArray<RefundRow>
): ReadonlyArray<PaymentSessionRow> => {
  const returned = new Set(
    refunds
      .filter(({ cause }) => cause === "duplicate_payment" || cause === "late_payment")
      .map(({ payment_session_id }) => payment_session_id)
  )
  return sessions.filter(({ payment_session_id, status }) => status === "paid" && !returned.has(payment_session_id))
}

/** How much of a payment has gone back or is on its way, whoever sent it, in minor units; one refund may be left out. */
export const goneOf = (session: PaymentSessionRow, refunds: ReadonlyArray<RefundRow>, except?: RefundId): number =>
  refunds
    .filter(
      (refund) =>
        refund.payment_session_id === session.payment_session_id && isOpen(refund) && refund.refund_id !== except
    )
    .reduce((sum, { amount }) => sum + amount, session.refunded)

/** What is left of a payment: nothing where the provider names none, for then nothing had to be paid. */
export const leftOf = (session: PaymentSessionRow, refunds: ReadonlyArray<RefundRow>, except?: RefundId): number =>
  session.payment_intent_id === null ? 0 : Math.max(0, session.amount - goneOf(session, refunds, except))

/** The same of all of a booking's own payments together. */
export const goneOfAll = (
  sessions: ReadonlyArray<PaymentSessionRow>,
  refunds: ReadonlyArray<RefundRow>
): { readonly given_back: number; readonly left: number } => {
  const own = ownPayments(sessions, refunds)
  return {
    given_back: own.reduce((sum, session) => sum + goneOf(session, refunds), 0),
    left: own.reduce((sum, session) => sum + leftOf(session, refunds), 0)
  }
}

export interface Standing {
  readonly refund: RefundRow
  readonly sessions: ReadonlyArray<PaymentSessionRow>
  readonly refunds: ReadonlyArray<RefundRow>
  readonly disputes: ReadonlyArray<DisputeRow>
}

/**
 * How much of a refund that is decided is owed still, by what went back since; and whether it has to wait for the end of a
 * dispute, because the money may go back that way.
 */
export const stillOwed = ({ disputes, refund, refunds, sessions }: Standing): { amount: number; disputed: boolean } => {
  const session = sessions.find(({ payment_session_id }) => payment_session_id === refund.payment_session_id)
  if (session === undefined) return { amount: 0, disputed: false }
  const except = refund.refund_id
  const held = underDispute(session, disputes) > 0
  const ofPayment = Math.min(refund.amount, leftOf(session, refunds, except))
  // A dashboard refund that failed and is sent again stays inside what a cancellation decided.
  const decided = refunds.flatMap(({ owed }) => (owed === null ? [] : [owed]))
  const own = ownPayments(sessions, refunds)
  const owed = refund.owed ?? (refund.cause === "dashboard" && own.includes(session) ? Math.max(...decided) : -Infinity)
  if (owed === -Infinity) return { amount: ofPayment, disputed: held }
  // Of one payment no more can be gone than was paid, whatever is still on its way.
  const gone = own.reduce((sum, one) => sum + Math.min(one.amount, goneOf(one, refunds, except)), 0)
  const goneOrHeld = own.reduce(
    (sum, one) => sum + Math.min(one.amount, goneOf(one, refunds, except) + underDispute(one, disputes)),
    0
  )
  const amount = Math.max(0, Math.min(ofPayment, owed - gone))
  return { amount, disputed: held || amount > owed - goneOrHeld }
}
