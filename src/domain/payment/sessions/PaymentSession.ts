/**
 * A payment session: one attempt to pay a booking on the provider's hosted page, or a payment that was taken at the
 * venue. Its row, its states and its view.
 */
import { Schema } from "effect"
import type { BookingRow, PaymentSessionView } from "../../booking/Booking.ts"
import type { Presentment } from "../../booking/BookingViews.ts"
import { BookingId, OperatorId, PaymentSessionId, VoucherId } from "../../../platform/ids/Ids.ts"
import {
  dayMs,
  format,
  hourMs,
  type Instant,
  InstantFromDate,
  minuteMs,
  until
} from "../../../platform/time/LocalTime.ts"
import { money } from "../../../platform/money/Money.ts"
import { CheckoutRequest, PresentedAmount } from "../provider/PaymentGateway.ts"

/**
 * The provider refuses a session shorter than this (https://docs.stripe.com/api/checkout/sessions/create,
 * `expires_at`).
 */
export const minSessionMs = 30 * minuteMs
/** The duration we ask for: the minimum, and a margin for clocks and retries. */
export const sessionMs = minSessionMs + 2 * minuteMs

/** When a new page ends, in seconds since 1970, by the clock of the provider (milliseconds). */
export const pageEnd = (provider_now: Instant): number => Math.ceil((provider_now + sessionMs) / 1000)

/** How long a hold outlives its session, so that the provider can report how the session ended. */
export const graceMs = 5 * minuteMs
/** How often the provider is asked about a payment that is processing. */
export const processingCheckMs = 10 * minuteMs
/**
 * The maximum time that a payment may be processing. The slowest payment method is a direct debit: it takes up to 14
 * business days (https://docs.stripe.com/payments/sepa-debit), about 20 days.
 */
export const processingForMs = 21 * dayMs
/** A closed page needs a person if the provider has not reported its end after this time. */
export const unansweredMs = hourMs
/**
 * The maximum number of payment pages of a hold. When the last one closes unpaid, the hold ends, so that nobody can
 * keep places by requesting pages forever. A hold never outlives the start of the visit (`BookingRecords.ts`).
 */
export const maxPages = 3
/**
 * While the provider creates no page, requests for one extend a hold to at most this long after the booking was made.
 */
export const maxHoldWithoutPageMs = 2 * hourMs
/**
 * Refund checks ask the provider about dashboard refunds, disputes, and our refunds that failed after they had
 * succeeded. An event makes one due at once (`events/Events.ts`). Without events, the first comes
 * `firstRefundCheckMs` after a payment, a refund or a change of a dispute. Each later one waits for as long as has
 * passed since then, up to `maxRefundCheckIntervalMs` (`PaymentSessions.ts`).
 */
export const firstRefundCheckMs = 6 * hourMs
export const maxRefundCheckIntervalMs = 7 * dayMs
/** Events of refunds and disputes make a check due at once, but a payment is asked about only so often. */
export const minRefundCheckIntervalMs = minuteMs
/** The delay of another check if the provider did not answer, or the node died. */
export const refundCheckRetryMs = 10 * minuteMs
/**
 * Refund checks go on for this long after the last change and after the visit: payers can dispute a payment for about
 * 120 days. While a dispute is undecided, they do not end.
 */
export const refundChecksForMs = 60 * dayMs
export const refundWindowMs = 120 * dayMs
export const Purpose = Schema.Literals(["due_now", "balance"])
export type Purpose = typeof Purpose.Type

/** `creating`: requested, not yet answered. Nobody has the page's address, so nobody can have paid. */
export const SessionStatus = Schema.Literals(["creating", "open", "processing", "paid", "failed", "expired"])
export type SessionStatus = typeof SessionStatus.Type

/** How money is taken, or given back, at the venue. */
export const OfflinePaymentMethod = Schema.Literals(["cash", "card", "transfer"])
export type OfflinePaymentMethod = typeof OfflinePaymentMethod.Type

/** How a payment is made, or given back, without the provider: at the venue, or with a gift voucher. */
export const WayWithoutProvider = Schema.Literals([...OfflinePaymentMethod.literals, "voucher"])
export type WayWithoutProvider = typeof WayWithoutProvider.Type

/** The same in words. */
export const wayInWords: Record<WayWithoutProvider, string> = {
  cash: "in cash",
  card: "by card at the venue",
  transfer: "by transfer",
  voucher: "by voucher"
}

const NullOr = Schema.NullOr

/**
 * An unsuccessful try to pay, as it is stored. `of`: the provider's id of the charge, if there was one. `count`: of how
 * many tries it is the last.
 */
export const StoredAttempt = Schema.Struct({
  at: Schema.Int,
  outcome: Schema.Literals(["declined", "failed"]),
  of: Schema.String,
  count: Schema.Int
})
export type StoredAttempt = typeof StoredAttempt.Type

/**
 * What the provider has of a payment that is not what was asked for. `amount` in minor units of `currency` (upper
 * case);
 * `paid`: it has arrived; otherwise it is being processed. `at`: since when it is known, in milliseconds.
 */
export const Misfit = Schema.Struct({
  amount: Schema.Int,
  currency: Schema.String,
  /** The provider has the payment in another currency than its own page. */
  other_currency: Schema.Boolean,
  livemode: Schema.Boolean,
  payment_intent_id: NullOr(Schema.String),
  paid: Schema.Boolean,
  at: Schema.Int
})
export type Misfit = typeof Misfit.Type

/** A row of the `payment_session` table. Instants are milliseconds, money is minor units of `currency`. */
export const PaymentSessionRow = Schema.Struct({
  payment_session_id: PaymentSessionId,
  operator_id: OperatorId,
  booking_id: BookingId,
  purpose: Purpose,
  status: SessionStatus,
  /** `link`: on the provider's page. The provider knows nothing of the others. */
  way: Schema.Literals(["link", ...WayWithoutProvider.literals]),
  /** The voucher that it was paid with. */
  voucher_id: NullOr(VoucherId),
  /** It is a part of one payment for several bookings (`OrderPayments.ts`), of which the provider has the whole. */
  together: Schema.Boolean,
  /** Who took it at the venue. */
  taken_by: NullOr(Schema.String),
  /** When it was undone, because it was recorded by mistake, and by whom. It is `failed` then. */
  undone_at: NullOr(InstantFromDate),
  undone_by: NullOr(Schema.String),
  /** The operator's account at the provider; empty for a payment at the venue. */
  account: Schema.String,
  amount: Schema.Int,
  currency: Schema.String,
  application_fee: Schema.Int,
  provider_session_id: NullOr(Schema.String),
  payment_intent_id: NullOr(Schema.String),
  url: NullOr(Schema.String),
  /** Null for a payment at the venue. */
  request: NullOr(CheckoutRequest),
  refunded: Schema.Int,
  /** What the payer paid in a currency of their own; null: the session's amount. */
  presented: NullOr(PresentedAmount),
  /** Why its money is not accounted for; null if it is, or a person has dealt with it. */
  flagged: NullOr(Schema.String),
  /** Its money is not what was asked for, and a person has to decide about it (`Settlement.ts`). */
  misfit: NullOr(Misfit),
  /** The payer's last unsuccessful try on its page. */
  failed_attempt: NullOr(StoredAttempt),
  expires_at: InstantFromDate,
  paid_at: NullOr(InstantFromDate),
  checked_at: NullOr(InstantFromDate),
  /** When the payment began processing, if it ever did. */
  processing_since: NullOr(InstantFromDate),
  /** Since when the provider does not answer for it: its account is closed to us, or the session is unknown there. */
  unresponsive_since: NullOr(InstantFromDate),
  created_at: InstantFromDate
})
export type PaymentSessionRow = typeof PaymentSessionRow.Type

/** Whether it was taken at the venue, or with a voucher: no part of it goes to the provider, nor back by it. */
export const isAtVenue = ({ way }: Pick<PaymentSessionRow, "way">): boolean => way !== "link"

/** Whether its payer paid it at the provider, with others or alone, and gets back there what goes back. */
export const isPaidOnline = ({ together, way }: Pick<PaymentSessionRow, "together" | "way">): boolean =>
  together || way === "link"

/** Whether a session can still be paid. A booking has at most one such session per purpose. */
export const isLive = ({ status }: PaymentSessionRow): boolean =>
  status === "creating" || status === "open" || status === "processing"

/**
 * Whether it is not known yet what a session brings: its payment is processed, or a person has to decide about its
 * money.
 */
export const isUnresolved = ({ misfit, status }: PaymentSessionRow): boolean =>
  status === "processing" || misfit !== null

/** The session of a booking whose money is not what was asked for, and of which a person has still to decide. */
export const misfitOf = (
  sessions: ReadonlyArray<PaymentSessionRow>
): { readonly session: PaymentSessionRow; readonly misfit: Misfit } | undefined => {
  const found = sessions.findLast(({ misfit }) => misfit !== null)
  return found === undefined || found.misfit === null ? undefined : { session: found, misfit: found.misfit }
}

/** Whether a session is for the booking's current balance. A move counts earlier payments towards the amount due. */
export const isForBalance = (
  { payment_session_id, purpose }: Pick<PaymentSessionRow, "payment_session_id" | "purpose">,
  { terms }: Pick<BookingRow, "terms">
): boolean => purpose === "balance" && terms.settled_sessions?.includes(payment_session_id) !== true

/** Whether a booking has used all its payment pages for the amount due now. */
export const pagesUsedUp = (sessions: ReadonlyArray<PaymentSessionRow>): boolean =>
  sessions.filter(({ provider_session_id, purpose }) => purpose === "due_now" && provider_session_id !== null).length >=
  maxPages

/**
 * Until when a page can be paid. A page for the amount due now ends with the hold at the latest.
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
  const payable = row.status === "open" && now < end
  return {
    payment_session_id: row.payment_session_id,
    booking_id: row.booking_id,
    purpose: row.purpose,
    status: row.status,
    ...(payable && row.url ? { url: row.url } : {}),
    amount: money(row.amount, row.currency),
    ...(payable ? { expires_at: format(booking.terms.time_zone, end), expires_in: until(end, now) } : {})
  }
}

/** The last unsuccessful try on these pages; undefined if a payment of one of them is under way or made. */
export const lastAttempt = (sessions: ReadonlyArray<PaymentSessionRow>): StoredAttempt | undefined => {
  if (sessions.some(({ status }) => status === "processing" || status === "paid")) return undefined
  const attempts = sessions.flatMap(({ failed_attempt }) => (failed_attempt === null ? [] : [failed_attempt]))
  return attempts.toSorted((a, b) => a.at - b.at).at(-1)
}

/** What the payer of a paid session paid in a currency of their own; undefined if it was the session's. */
export const presentedBy = ({ amount: paid, presented, status }: PaymentSessionRow): Presentment | undefined =>
  status === "paid" && presented !== null ? { ...presented, paid } : undefined

/** Whether anyone may have the page's address. If the page closed before the provider answered, nobody has it. */
export const wasGivenOut = ({ provider_session_id, status, url }: PaymentSessionRow): boolean =>
  provider_session_id !== null && ((url ?? "") !== "" || (status !== "expired" && status !== "failed"))
