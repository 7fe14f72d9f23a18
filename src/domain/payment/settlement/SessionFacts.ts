/** Facts that the provider reports about a payment session, and the session status that follows. Pure. */
import type { ProviderSession } from "../provider/PaymentGateway.ts"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import type { Misfit, PaymentSessionRow, SessionStatus, StoredAttempt } from "../sessions/PaymentSession.ts"

/** A reported fact. `free`: complete, and nothing had to be paid. `unknown`: a value newer than we know. */
export type Fact = "open" | "processing" | "paid" | "free" | "failed" | "expired" | "unknown"

/** The fact in the provider's present state of a session. */
export const factOf = (session: ProviderSession): Fact => {
  if (session.status === "open" || session.status === "expired") return session.status
  if (session.status !== "complete") return "unknown"
  if (session.payment_status === "paid") return "paid"
  if (session.payment_status === "no_payment_required") return "free"
  if (session.payment_status !== "unpaid") return "unknown"
  return session.payment_failed === true ? "failed" : "processing"
}

// Facts arrive in any order, several times, or never. The highest rank wins, so that the order does not matter. Money
// ranks highest; a completed page ranks above a closed one.
const rank: Record<SessionStatus, number> = { creating: 0, open: 1, expired: 2, processing: 3, failed: 4, paid: 5 }

/** The session's status after a fact; undefined if the fact changes nothing. */
export const nextSessionStatus = (status: SessionStatus, fact: Fact): SessionStatus | undefined => {
  if (fact === "unknown") return undefined
  const next = fact === "free" ? "paid" : fact
  return rank[next] > rank[status] ? next : undefined
}

/** The tries on a page whose history tells: each costs a line. */
const maxAttemptsTold = 10

/**
 * The unsuccessful try that an answer tells first, given the session's `next` status; undefined if it tells none, or
 * none that is new. Answers may arrive in any order: the latest try stays.
 */
export const newAttempt = (
  { failed_attempt: before, status }: Pick<PaymentSessionRow, "failed_attempt" | "status">,
  next: SessionStatus | undefined,
  { failed_attempt: told }: ProviderSession,
  now: Instant
): StoredAttempt | undefined => {
  const count = (before?.count ?? 0) + 1
  if (next === "failed") return { at: now, outcome: "failed", of: told?.charge ?? "", count }
  const unpaid = next === undefined ? status === "open" : next === "open" || next === "expired"
  if (!unpaid || told === undefined || count > maxAttemptsTold || told.charge === before?.of) return undefined
  const at = told.created === undefined ? now : told.created * 1000
  return before !== null && at < before.at ? undefined : { at, outcome: "declined", of: told.charge, count }
}

/** Whether the provider's answer changes the session's status. */
export const isNews = ({ status }: PaymentSessionRow, answer: ProviderSession): boolean =>
  nextSessionStatus(status, factOf(answer)) !== undefined

/** Why the provider's session contradicts our request; undefined if it matches. `livemode`: as this service runs. */
export const mismatch = (
  session: PaymentSessionRow,
  fact: Fact,
  answer: ProviderSession,
  livemode: boolean
): string | undefined => {
  if (session.provider_session_id !== null && session.provider_session_id !== answer.id) {
    return `a second provider session, ${answer.id}, names this payment session`
  }
  if (answer.livemode !== livemode) return `livemode is ${answer.livemode}, this service runs with ${livemode}`
  // If nothing had to be paid (the operator gave a full discount), the total may be 0.
  const amountFits = answer.amount_total === session.amount || (fact === "free" && answer.amount_total === 0)
  if (!amountFits || answer.currency !== session.currency) {
    return `asked for ${session.amount} ${session.currency}, the provider says ${answer.amount_total} ${answer.currency}`
  }
  if (answer.payment_currency !== undefined && answer.payment_currency !== session.currency) {
    return `asked for ${session.currency}, the provider has the payment in ${answer.payment_currency}`
  }
  return undefined
}

/** What of a contradicting answer is money of this session; undefined: none is, or it is another session's. */
export const misfitIn = (
  { provider_session_id }: PaymentSessionRow,
  fact: Fact,
  answer: ProviderSession,
  now: Instant
): Misfit | undefined => {
  const money = fact === "paid" || fact === "processing"
  const { currency, payment_currency = currency } = answer
  if (!money || answer.amount_total <= 0 || !/^[A-Z]{3}$/.test(currency)) return undefined
  if (provider_session_id !== null && provider_session_id !== answer.id) return undefined
  return {
    amount: answer.amount_total,
    currency,
    other_currency: payment_currency !== currency,
    livemode: answer.livemode,
    payment_intent_id: answer.payment_intent_id ?? null,
    paid: fact === "paid",
    at: now
  }
}
