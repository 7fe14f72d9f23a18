/**
 * What of a decided refund is still to be sent, what of payments goes back and has not arrived, and a booking's ledger:
 * what came and went back, with the decision behind each.
 */
import type { Instant } from "../../../platform/time/LocalTime.ts"
import type { BookingRow } from "../../booking/Booking.ts"
import { isPaidOnline, type WayWithoutProvider, type PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { type DisputeRow, isUndecided, underDispute } from "./Disputes.ts"
import {
  failedToGoBack,
  isOpen,
  onItsWayBack,
  ownPayments,
  refundableAmount,
  type RefundCause,
  refundedOrPending,
  type RefundRow,
  waitsForAccount
} from "./Refund.ts"

/**
 * Whether a refund is sent only once a payer's bank has decided about a dispute, by what is known here: of a disputed
 * payment, or of another one when it was tried (`stillOwed`).
 */
const waitsForDispute = (
  { payment_session_id, status, waits_for }: RefundRow,
  disputes: ReadonlyArray<DisputeRow>
): boolean =>
  waits_for === null
    ? status === "requested" &&
      disputes.some((one) => one.payment_session_id === payment_session_id && isUndecided(one))
    : waits_for === "dispute"

/**
 * What of these payments goes back by these refunds and has not arrived. `amount`: all that is on its way. Of it, the
 * venue gives back `by_hand`, `disputed` is sent only once the payer's bank has decided, and `blocked` once the
 * operator's account takes payments again (`closed`: it takes none). `failed` is owed besides; `owed`: what a decision
 * owes in all. Minor units.
 */
export const notArrived = (
  sessions: ReadonlyArray<PaymentSessionRow>,
  refunds: ReadonlyArray<RefundRow>,
  disputes: ReadonlyArray<DisputeRow>,
  { closed, owed }: { readonly closed: string | undefined; readonly owed: number | null }
) => {
  const amount = onItsWayBack(sessions, refunds)
  const by_hand = onItsWayBack(
    sessions.filter((one) => !isPaidOnline(one)),
    refunds
  )
  const ids = new Set(sessions.map(({ payment_session_id }) => payment_session_id))
  const waiting = (why: (refund: RefundRow) => boolean, most: number) =>
    Math.min(
      most,
      refunds.filter((one) => ids.has(one.payment_session_id) && why(one)).reduce((sum, one) => sum + one.amount, 0)
    )
  const disputed = waiting((one) => waitsForDispute(one, disputes), amount - by_hand)
  const blocked = waiting(
    (one) => waitsForAccount(one, closed) && !waitsForDispute(one, disputes),
    amount - by_hand - disputed
  )
  return {
    amount,
    by_hand,
    disputed,
    blocked,
    failed: failedToGoBack(sessions, refunds, owed)
  }
}

/** A refund, and all sessions, refunds and disputes of its booking. */
interface RefundContext {
  readonly refund: RefundRow
  readonly sessions: ReadonlyArray<PaymentSessionRow>
  readonly refunds: ReadonlyArray<RefundRow>
  readonly disputes: ReadonlyArray<DisputeRow>
  /** What the decisions so far give back of the booking's own payments (`decided`). */
  readonly decided: number | null
}

/**
 * How much of a decided refund is still owed after the refunds made since; and whether it has to wait for the end of a
 * dispute, because the money may go back that way.
 */
export const stillOwed = ({
  decided,
  disputes,
  refund,
  refunds,
  sessions
}: RefundContext): { amount: number; disputed: boolean } => {
  const session = sessions.find(({ payment_session_id }) => payment_session_id === refund.payment_session_id)
  if (session === undefined) return { amount: 0, disputed: false }
  const except = refund.refund_id
  const held = disputes.some((one) => one.payment_session_id === session.payment_session_id && isUndecided(one))
  const ofPayment = Math.min(refund.amount, refundableAmount(session, refunds, except))
  // Each decision includes all earlier ones, so the highest limits all refunds together, also a failed dashboard refund
  // that is sent again. A decision that found enough on its way made no refund of its own.
  const owed = Math.max(decided ?? -Infinity, ...refunds.map((one) => one.owed ?? -Infinity))
  const own = ownPayments(sessions, refunds)
  const bounded = refund.owed !== null || (refund.cause === "dashboard" && own.includes(session))
  if (!bounded || owed === -Infinity) return { amount: ofPayment, disputed: held }
  const refunded = own.reduce((sum, one) => sum + refundedOrPending(one, refunds, except), 0)
  const refundedOrHeld = own.reduce(
    (sum, one) => sum + Math.min(one.amount, refundedOrPending(one, refunds, except) + underDispute(one, disputes)),
    0
  )
  const amount = Math.max(0, Math.min(ofPayment, owed - refunded))
  return { amount, disputed: held || amount > owed - refundedOrHeld }
}

/** A payment of a booking, or money that went back. `amount` in minor units of `currency`. */
export interface LedgerLine {
  readonly at: Instant
  readonly what: "payment" | "refund" | "refund_on_its_way" | "refund_not_sent"
  /** How a payment was taken without the provider; absent: on its page. */
  readonly way?: WayWithoutProvider
  /** The decision behind a refund. */
  readonly cause?: RefundCause
  readonly amount: number
  /** The booking's, but of money that was not what was asked for. */
  readonly currency: string
}

/**
 * The lines in their order, those that counted for nothing, too; `kept`: what came in the booking's currency less what
 * went or goes back.
 */
export interface Ledger {
  readonly lines: ReadonlyArray<LedgerLine>
  readonly kept: number
}

/**
 * The ledger of a booking. What waits for the end of a dispute is no line: it may go back that way. `closed`: the
 * operator's account, if that takes no payments.
 */
export const ledgerOf = (
  booking: Pick<BookingRow, "currency">,
  sessions: ReadonlyArray<PaymentSessionRow>,
  refunds: ReadonlyArray<RefundRow>,
  disputes: ReadonlyArray<DisputeRow>,
  closed: string | undefined
): Ledger => {
  const lines = [
    ...sessions.flatMap((session): ReadonlyArray<LedgerLine> => {
      const { amount, currency, paid_at, status, way } = session
      const taken = way === "link" || isPaidOnline(session) ? {} : { way }
      return status === "paid" && paid_at !== null ? [{ at: paid_at, what: "payment", amount, currency, ...taken }] : []
    }),
    ...refunds.flatMap((refund): ReadonlyArray<LedgerLine> => {
      const { amount, cause, created_at, currency, succeeded_at } = refund
      if (succeeded_at !== null) return [{ at: succeeded_at, what: "refund", cause, amount, currency }]
      const goes = isOpen(refund) && !waitsForDispute(refund, disputes)
      const what = waitsForAccount(refund, closed) ? "refund_not_sent" : "refund_on_its_way"
      return goes ? [{ at: created_at, what, cause, amount, currency }] : []
    })
  ].toSorted((one, other) => one.at - other.at)
  const own = lines.filter(({ currency }) => currency === booking.currency)
  return { lines, kept: own.reduce((sum, { amount, what }) => sum + (what === "payment" ? amount : -amount), 0) }
}
