/** An account's own book-keeping at the provider: what changed its balance, and what was paid out to its bank. */
import { Schema } from "effect"

/** Instants in seconds since 1970: from the first on, and before the second. */
export interface Stretch {
  readonly since: number
  readonly before: number
}

/**
 * What a change of the balance was about. `payment_intent_id`: the payment, also that of a refund or a dispute; "" if
 * there is none. `amount` and `currency` are the payer's. `status`, `refund_id` of a refund, `payment_session_id` of a
 * payment: as the provider has them now.
 */
export const BalanceSource = Schema.Struct({
  id: Schema.String,
  payment_intent_id: Schema.String,
  amount: Schema.Finite,
  currency: Schema.String, // upper case
  status: Schema.optionalKey(Schema.String),
  payment_session_id: Schema.optionalKey(Schema.String),
  refund_id: Schema.optionalKey(Schema.String)
})
export type BalanceSource = typeof BalanceSource.Type

/** A change of an account's balance. Amounts are minor units of `currency`; what leaves the balance is negative. */
export const BalanceTransaction = Schema.Struct({
  id: Schema.String,
  /** Seconds since 1970. */
  created: Schema.Int,
  /** https://docs.stripe.com/reports/reporting-categories: charge | refund | dispute | payout | fee | … */
  category: Schema.String,
  amount: Schema.Finite,
  currency: Schema.String, // upper case
  /** The provider's part of it; negative if given back. */
  provider_fee: Schema.Finite,
  /** The platform's part of it; negative if given back. */
  platform_fee: Schema.Finite,
  /** `amount` without both. */
  net: Schema.Finite,
  source: Schema.optionalKey(BalanceSource)
})
export type BalanceTransaction = typeof BalanceTransaction.Type

/** A transfer from an account's balance to its bank. */
export const ProviderPayout = Schema.Struct({
  id: Schema.String,
  /** Seconds since 1970. */
  created: Schema.Int,
  /** The provider knows which transactions it contains: it is automatic, and they are told. */
  itemised: Schema.Boolean
})
export type ProviderPayout = typeof ProviderPayout.Type
