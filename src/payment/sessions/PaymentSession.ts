/** One attempt to pay a booking on the provider's hosted page: its row, its states, and how the tools show it. */
import { Schema } from "effect"
import type { BookingRow, PaymentSessionView } from "../../booking/Booking.ts"
import { BookingId, OperatorId, PaymentSessionId } from "../../kernel/Ids.ts"
import { dayMs, format, hourMs, type Instant, InstantFromDate, minuteMs, until } from "../../kernel/LocalTime.ts"
import { money } from "../../kernel/Money.ts"
import { CheckoutRequest } from "../provider/PaymentGateway.ts"

/** The provider refuses a session shorter than this (https://docs.stripe.com/api/checkout/sessions/create, `expires_at`). */
export const shortestSessionMs = 30 * minuteMs
/** What we ask for: the shortest, and a margin for clocks and retries. */
export const sessionMs = shortestSessionMs + 2 * minuteMs
/** How long a hold outlives its session: the provider may need that time to say how the session ended. */
export const graceMs = 5 * minuteMs
/** A page that closed so long ago, and of which the provider has not said how it ended, needs a person. */
export const unansweredMs = hourMs
/**
 * A hold gets at most this many payment pages for what is due now. When the last one closes unpaid, the hold ends, so that nobody
 * keeps places by asking for pages again and again. A hold never outlives the start of the visit (`BookingRecords.ts`).
 */
export const mostPages = 3
/** Where the provider makes no page, calls for one keep a hold alive for at most this long after the booking was made. */
export const longestHoldWithoutPageMs = 2 * hourMs
/**
 * The provider is asked about refunds that the operator makes in its dashboard, about disputes, and about refunds of ours that fail
 * after they had succeeded: this long after a payment or a refund, then each time after as long again, but at least this often.
 */
export const firstRefundCheckMs = 6 * hourMs
export const refundCheckEveryMs = 7 * dayMs
/** It is asked for this long after the last change, and for this long after the visit: payers may dispute a payment for about 120 days. */
export const refundChecksForMs = 60 * dayMs
export const refundWindowMs = 120 * dayMs
export const Purpose = Schema.Literals(["due_now", "balance"])
export type Purpose = typeof Purpose.Type

/** `creating`: asked for, no answer yet; its page's address has not left us, so nobody can have paid it. */
export const SessionStatus = Schema.Literals(["creating", "open", "processing", "paid", "failed", "expired"])
export type SessionStatus = typeof SessionStatus.Type

const NullOr = Schema.NullOr

/** A row of the `payment_session` table. Instants are milliseconds, money is minor units of `currency`. */
export const PaymentSessionRow = Schema.Struct({
  payment_session_id: PaymentSessionId,
  operator_id: OperatorId,
  booking_id: BookingId,
  purpose: Purpose,
  status: SessionStatus,
  account: Schema.String,
  amount: Schema.Int,
  currency: Schema.String,
  application_fee: Schema.Int,
  provider_session_id: NullOr(Schema.String),
  payment_intent_id: NullOr(Schema.String),
  url: NullOr(Schema.String),
  request: CheckoutRequest,
  refunded: Schema.Int,
  /** Why its money is not accounted for; null where it is, or a person has dealt with it. */
  flagged: NullOr(Schema.String),
  expires_at: InstantFromDate,
  paid_at: NullOr(InstantFromDate),
  checked_at: NullOr(InstantFromDate),
  /** Since when the payment is processing, where it ever was. */
  processing_since: NullOr(InstantFromDate),
  /** Since when the provider does not answer for it: its account is closed to us, or the session unknown there. */
  unresponsive_since: NullOr(InstantFromDate),
  created_at: InstantFromDate
})
export type PaymentSessionRow = typeof PaymentSessionRow.Type

/** Whether a session could still be paid on: of a booking and purpose at most one can. */
export const isLive = ({ status }: PaymentSessionRow): boolean =>
  status === "creating" || status === "open" || status === "processing"

/** Whether a session is for the balance as the booking has it now: a move counts those that were paid before as part of what was due. */
export const isForBalance = (
  { payment_session_id, purpose }: Pick<PaymentSessionRow, "payment_session_id" | "purpose">,
  { terms }: Pick<BookingRow, "terms">
): boolean => purpose === "balance" && terms.settled_sessions?.includes(payment_session_id) !== true

/** Whether a booking may not have another page for what is due now: all that it may have were made. */
export const pagesUsedUp = (sessions: ReadonlyArray<PaymentSessionRow>): boolean =>
  sessions.filter(({ provider_session_id, purpose }) => purpose === "due_now" && provider_session_id !== null).length >=
  mostPages

/**
 * Until when a page can be paid on and the booking has what it pays for: a page for what is due now closes for us with the hold,
 * which never outlives the visit's start.
 */
export const payableUntil = (
  { expires_at, purpose }: Pick<PaymentSessionRow, "expires_at" | "purpose">,
  { hold_expires_at }: Pick<BookingRow, "hold_expires_at">
): Instant => (purpose === "due_now" ? Math.min(expires_at, hold_expires_at ?? expires_at) : expires_at)

/** The session as the tools show it at `now`; undefined before the provider has answered. */
export const sessionView = (
  row: PaymentSessionRow,
  booking: Pick<BookingRow, "hold_expires_at" | "terms">,
  now: Instant
): PaymentSessionView | undefined => {
  if (row.status === "creating" || row.provider_session_id === null) return undefined
  const end = payableUntil(row, booking)
  return {
    payment_session_id: row.payment_session_id,
    booking_id: row.booking_id,
    purpose: row.purpose,
    status: row.status,
    url: row.url ?? "",
    amount: money(row.amount, row.currency),
    expires_at: format(booking.terms.time_zone, end),
    ...(row.status === "open" && now < end ? { expires_in: until(end, now) } : {})
  }
}

/** Whether anyone may have the page's address. Of a page that closed before the provider's answer came, nobody has. */
export const wasGivenOut = ({ provider_session_id, status, url }: PaymentSessionRow): boolean =>
  provider_session_id !== null && ((url ?? "") !== "" || (status !== "expired" && status !== "failed"))
