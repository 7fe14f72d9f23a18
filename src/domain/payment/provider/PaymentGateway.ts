/**
 * The port to the payment provider, with the calls of the running service. Calls with an `account` (directly or in the
 * request) act on that connected account of an operator; the others act on the platform's own. Amounts are integer
 * minor units. Retrying a call with the same `idempotency_key` and parameters never acts twice.
 */
import { Context, Effect, Schema } from "effect"

/** The languages of the provider's payment page (https://docs.stripe.com/api/checkout/sessions/create, `locale`). */
const checkoutLocales = [
  "auto",
  "bg",
  "cs",
  "da",
  "de",
  "el",
  "en",
  "en-GB",
  "es",
  "es-419",
  "et",
  "fi",
  "fil",
  "fr",
  "fr-CA",
  "hr",
  "hu",
  "id",
  "it",
  "ja",
  "ko",
  "lt",
  "lv",
  "ms",
  "mt",
  "nb",
  "nl",
  "pl",
  "pt",
  "pt-BR",
  "ro",
  "ru",
  "sk",
  "sl",
  "sv",
  "th",
  "tr",
  "vi",
  "zh",
  "zh-HK",
  "zh-TW"
] as const
const CheckoutLocale = Schema.Literals(checkoutLocales)
type CheckoutLocale = typeof CheckoutLocale.Type

/**
 * The provider's name of a language (BCP 47), or that of its browser (`auto`) if it does not have it. English is
 * British, as on our pages, but for Americans.
 */
export const checkoutLocale = (tag: string): CheckoutLocale => {
  const wanted = tag.toLowerCase()
  const [language = ""] = wanted.split("-")
  if (language === "en") return wanted === "en-us" ? "en" : "en-GB"
  return (
    checkoutLocales.find((one) => one.toLowerCase() === wanted) ??
    checkoutLocales.find((one) => one === language) ??
    "auto"
  )
}

// An account's own book-keeping at the provider: what changed its balance, and what was paid out to its bank.

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

/** The request for a checkout session. It is stored with the payment session, so that a retry sends the same bytes. */
export const CheckoutRequest = Schema.Struct({
  account: Schema.String,
  idempotency_key: Schema.String,
  payment_session_id: Schema.String,
  /** What it pays: a booking, a gift voucher, or several bookings, by a voucher of an order. */
  booking_id: Schema.optionalKey(Schema.String),
  voucher_id: Schema.optionalKey(Schema.String),
  order_id: Schema.optionalKey(Schema.String),
  reference: Schema.String,
  purpose: Schema.Literals(["due_now", "balance"]),
  amount: Schema.Int,
  currency: Schema.String,
  application_fee: Schema.Int,
  description: Schema.String,
  /** The text above the payment button; absent for a session that was found at the provider. */
  terms: Schema.optionalKey(Schema.String),
  /** Prefilled on the page. Absent if the provider refuses that address: the payer enters one there. */
  customer_email: Schema.optionalKey(Schema.String),
  success_url: Schema.String,
  cancel_url: Schema.String,
  /** Whether the page may offer other currencies. Absent in requests of earlier releases: as the account is set. */
  adaptive_pricing: Schema.optionalKey(Schema.Boolean),
  /** The page's language. Absent if nobody said the payer's: the browser's. */
  locale: Schema.optionalKey(CheckoutLocale),
  /** Seconds since 1970. */
  expires_at: Schema.Int,
  /**
   * The booked option and the API key, to identify the booking after restoring a backup; absent if the person is
   * erased.
   */
  option_id: Schema.optionalKey(Schema.String),
  key_id: Schema.optionalKey(Schema.String)
})
export type CheckoutRequest = typeof CheckoutRequest.Type

/** What a payer paid in a currency of their own (upper case), in its minor units. It is told, and never counted. */
export const PresentedAmount = Schema.Struct({ amount: Schema.Finite, currency: Schema.String })
export type PresentedAmount = typeof PresentedAmount.Type

/**
 * A checkout session as the provider has it now. `status` and `payment_status` may be newer than the values we know.
 */
export const ProviderSession = Schema.Struct({
  id: Schema.String,
  status: Schema.String, // open | complete | expired
  payment_status: Schema.String, // paid | unpaid | no_payment_required
  amount_total: Schema.Int,
  currency: Schema.String, // upper case
  url: Schema.optionalKey(Schema.String), // only while open
  payment_intent_id: Schema.optionalKey(Schema.String),
  /** The currency of the payment (upper case), if the provider told the payment with the session. */
  payment_currency: Schema.optionalKey(Schema.String),
  /** What the payer saw and paid, if that was in another currency. Only told to people: `amount_total` counts. */
  presented: Schema.optionalKey(PresentedAmount),
  /**
   * A delayed payment failed: the payment intent is `requires_payment_method` or `canceled`. The session itself stays
   * complete and unpaid.
   */
  payment_failed: Schema.optionalKey(Schema.Boolean),
  /** The last unsuccessful try to pay: its charge's id, if it has one, and since when (seconds since 1970). */
  failed_attempt: Schema.optionalKey(Schema.Struct({ charge: Schema.String, created: Schema.optionalKey(Schema.Int) })),
  /** Seconds since 1970. */
  expires_at: Schema.Int,
  livemode: Schema.Boolean,
  /** Our own `payment_session_id`, from the metadata. */
  payment_session_id: Schema.optionalKey(Schema.String)
})
export type ProviderSession = typeof ProviderSession.Type

/** A listed session with its payment's description, its payer, and the metadata of this service. */
export const ListedSession = Schema.Struct({
  session: ProviderSession,
  /** Seconds since 1970. */
  created: Schema.Int,
  success_url: Schema.String,
  description: Schema.optionalKey(Schema.String),
  payer_name: Schema.optionalKey(Schema.String),
  payer_email: Schema.optionalKey(Schema.String),
  /** Minor units; 0 before a payment starts. */
  application_fee: Schema.Int,
  /** The metadata of `CheckoutRequest`. The operator's account can change it, too. */
  metadata: Schema.Record(Schema.String, Schema.String)
})
export type ListedSession = typeof ListedSession.Type

export const RefundRequest = Schema.Struct({
  account: Schema.String,
  idempotency_key: Schema.String,
  refund_id: Schema.String,
  booking_id: Schema.optionalKey(Schema.String),
  voucher_id: Schema.optionalKey(Schema.String),
  payment_intent_id: Schema.String,
  amount: Schema.Int,
  /** Give the platform's fee back in proportion. */
  refund_application_fee: Schema.Boolean
})
export type RefundRequest = typeof RefundRequest.Type

export const ProviderRefund = Schema.Struct({
  id: Schema.String,
  status: Schema.String, // pending | requires_action | succeeded | failed | canceled
  amount: Schema.Int,
  currency: Schema.String,
  failure_reason: Schema.optionalKey(Schema.String),
  /** Our own `refund_id`, from the metadata; absent on refunds made in the provider's dashboard. */
  refund_id: Schema.optionalKey(Schema.String)
})
export type ProviderRefund = typeof ProviderRefund.Type

/** A refund in a list over all payments of an account. */
export interface ListedRefund {
  readonly refund: ProviderRefund
  readonly payment_intent_id: string
  /** Seconds since 1970. */
  readonly created: number
}

/** An invoice of the platform's own account to an operator. */
export const ProviderInvoice = Schema.Struct({
  id: Schema.String,
  status: Schema.String, // draft | open | paid | uncollectible | void
  /** The billing customer. */
  customer: Schema.optionalKey(Schema.String),
  subscription: Schema.optionalKey(Schema.String),
  /**
   * When the period of each line ends that pays a subscription, in seconds since 1970: no one-off item, no proration,
   * no credit.
   */
  period_ends: Schema.Array(Schema.Int),
  /** When it was paid, in seconds since 1970. */
  paid_at: Schema.optionalKey(Schema.Int)
})
export type ProviderInvoice = typeof ProviderInvoice.Type

/**
 * Why the provider did not do a call. `network`: it can't be reached; `timeout`: no answer in time; `failing`: a server
 * error or an unreadable answer; `rate_limited`; `key_refused`: it does not accept our API key; `settings_refused`: it
 * does not accept our addresses; `clock_refused`: it does not accept our times; `request_refused`: it does not accept
 * what else we send; `under_way`: it is still working on the same call; `paused`: the circuit breaker is open after
 * several failures.
 */
export const UnavailableKind = Schema.Literals([
  "network",
  "timeout",
  "failing",
  "rate_limited",
  "key_refused",
  "settings_refused",
  "clock_refused",
  "request_refused",
  "under_way",
  "paused"
])
export type UnavailableKind = typeof UnavailableKind.Type

/** Kinds of failures that are faults of ours: each caller meets them until a person puts them right. */
export const ownFaultKinds = [
  "settings_refused",
  "clock_refused",
  "request_refused"
] as const satisfies ReadonlyArray<UnavailableKind>
export const isOwnFault = (kind: UnavailableKind): boolean =>
  kind === "key_refused" || ownFaultKinds.some((own) => own === kind)

/** A payer's dispute of a payment, as the provider has it now. */
export const ProviderDispute = Schema.Struct({
  id: Schema.String,
  status: Schema.String, // needs_response | under_review | won | lost | … ; `Disputes.ts` says what they mean
  amount: Schema.Int,
  currency: Schema.String, // upper case
  reason: Schema.String,
  /** Seconds since 1970; absent if the payer's bank takes no answer. */
  due_by: Schema.optionalKey(Schema.Int)
})
export type ProviderDispute = typeof ProviderDispute.Type

/** A dispute in a list over all payments of an account. */
export interface ListedDispute {
  readonly dispute: ProviderDispute
  readonly payment_intent_id: string
}

/** Some of an account's disputes, newest first. `next`: the id after which the next page begins, if there is one. */
interface DisputePage {
  readonly disputes: ReadonlyArray<ListedDispute>
  readonly next: string | undefined
}

/** The provider can't be reached, or is failing. The call may have had an effect; it is safe to retry. */
export class ProviderUnavailable extends Schema.TaggedError<ProviderUnavailable>()("ProviderUnavailable", {
  operation: Schema.String,
  kind: UnavailableKind.pipe(Schema.withConstructorDefault(Effect.succeed("failing" as const))),
  reason: Schema.String,
  retry_after_seconds: Schema.optionalKey(Schema.Int),
  /** The provider stored this failure under the call's idempotency key: a retry needs a new key. */
  kept: Schema.optionalKey(Schema.Literal(true))
}) {
  override get message(): string {
    return `The payment provider did not do ${this.operation}: ${this.reason}.`
  }
}

/** The provider refused the call for good: retrying it is useless. `code` is the provider's own. */
export class ProviderRefused extends Schema.TaggedError<ProviderRefused>()("ProviderRefused", {
  operation: Schema.String,
  code: Schema.String,
  message: Schema.String,
  /** The refused parameter, in the provider's spelling. */
  parameter: Schema.optionalKey(Schema.String)
}) {}

/**
 * The input that the provider refused. `email`: the payer's address; `success_url`, `cancel_url`: return addresses;
 * `amount`: too small, too large, or not valid in its currency; `currency`, `payment_method`: none that the account
 * takes; `expires_at`: a time by our clock; `other`: anything else that we send.
 */
type RefusedInput =
  | "email"
  | "success_url"
  | "cancel_url"
  | "amount"
  | "currency"
  | "payment_method"
  | "expires_at"
  | "other"

/**
 * Whose fault a refusal is. `ours`: of this service, its settings or its clock; `operator`: of its account or its
 * prices; `family`: of what it entered; `caller`: an argument of the call, if it was given; else ours.
 */
export type Fault = "ours" | "operator" | "family" | "caller"

/** The refusals of a payment page, by whose fault each is. What can't be told is ours: we wrote the request. */
export const faultOf: Readonly<Record<RefusedInput, Fault>> = {
  email: "family",
  success_url: "caller",
  cancel_url: "caller",
  amount: "operator",
  currency: "operator",
  payment_method: "operator",
  expires_at: "ours",
  other: "ours"
}

// Codes of https://docs.stripe.com/error-codes, and one of our own (`StripeGateway.ts`).
const amountCodes = new Set([
  "amount_too_large",
  "amount_too_small",
  "amount_not_expressible",
  "invalid_charge_amount",
  "parameter_invalid_integer"
])

/** Finds the refused input by the parameter, if the provider names one, or by the code. */
export const refusedInput = ({ code, parameter = "" }: Pick<ProviderRefused, "code" | "parameter">): RefusedInput => {
  if (parameter === "success_url" || parameter === "cancel_url" || parameter === "expires_at") return parameter
  if (/(^|\[)(customer|receipt)_email\]?$/.test(parameter)) return "email"
  if (/application_fee/.test(parameter)) return "other"
  if (amountCodes.has(code) && (parameter === "" || /amount|line_items|currency/.test(parameter))) return "amount"
  if (/(^|\[)currency\]?$/.test(parameter)) return "currency"
  if (/(^|\[)payment_method_(types|configuration)/.test(parameter)) return "payment_method"
  return code === "email_invalid" ? "email" : "other"
}

/** The idempotency key was used with other parameters: a bug of ours, or a key older than its row. */
export class ProviderKeyReused extends Schema.TaggedError<ProviderKeyReused>()("ProviderKeyReused", {
  operation: Schema.String
}) {
  override get message(): string {
    return `The payment provider did not do ${this.operation}: the idempotency key was used with other parameters.`
  }
}

/** The operator's account is closed, restricted, or not connected to us. */
export class AccountUnavailable extends Schema.TaggedError<AccountUnavailable>()("AccountUnavailable", {
  account: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `The account ${this.account} can't be used at the payment provider: ${this.reason}`
  }
}

export type GatewayError = ProviderUnavailable | ProviderRefused | ProviderKeyReused | AccountUnavailable
/** Errors after which the same call may succeed later. */
export type RetryableError = ProviderUnavailable | AccountUnavailable

/** The state of an operator's connected account that matters for payments. */
export const ConnectedAccount = Schema.Struct({
  id: Schema.String,
  charges_enabled: Schema.Boolean,
  payouts_enabled: Schema.Boolean,
  details_submitted: Schema.Boolean,
  country: Schema.optionalKey(Schema.String),
  /** The information that the provider still requires, in its own words. */
  currently_due: Schema.Array(Schema.String),
  disabled_reason: Schema.optionalKey(Schema.String)
})
export type ConnectedAccount = typeof ConnectedAccount.Type

/** Objects of the provider that are parts of a payment, by their names there. */
export const PaymentPart = Schema.Literals(["refund", "dispute", "charge"])
export type PaymentPart = typeof PaymentPart.Type

/** The maximum number of listed objects of an account. */
export const maxListed = 10_000

export class PaymentGateway extends Context.Service<
  PaymentGateway,
  {
    /** An operator's connected account as it is now. `AccountUnavailable` if it is not connected to us. */
    readonly account: (id: string) => Effect.Effect<ConnectedAccount, GatewayError>
    readonly createSession: (request: CheckoutRequest) => Effect.Effect<ProviderSession, GatewayError>
    readonly getSession: (account: string, id: string) => Effect.Effect<ProviderSession, GatewayError>
    /** Expires an open session. Returns the session as it is now, also if it was complete or expired already. */
    readonly expireSession: (
      account: string,
      id: string,
      idempotency_key: string
    ) => Effect.Effect<ProviderSession, GatewayError>
    /** An invoice of the platform's own account. */
    readonly getInvoice: (id: string) => Effect.Effect<ProviderInvoice, GatewayError>
    /** The billing customer's paid invoices of the platform's own account, oldest first. Bounded as `listSessions`. */
    readonly paidInvoices: (customer: string) => Effect.Effect<ReadonlyArray<ProviderInvoice>, GatewayError>
    /**
     * Refunds a payment in `currency` (upper case). `ProviderRefused` if the provider has the payment in another one.
     */
    readonly createRefund: (request: RefundRequest, currency: string) => Effect.Effect<ProviderRefund, GatewayError>
    readonly getRefund: (account: string, id: string) => Effect.Effect<ProviderRefund, GatewayError>
    /** All refunds of a payment, ours and the dashboard's, oldest first. */
    readonly listRefunds: (
      account: string,
      payment_intent_id: string
    ) => Effect.Effect<ReadonlyArray<ProviderRefund>, GatewayError>
    /** A session with its payer, description and metadata. */
    readonly describeSession: (account: string, id: string) => Effect.Effect<ListedSession, GatewayError>
    /**
     * The account's checkout sessions created at `since` (seconds since 1970) or later, oldest first, with their
     * payments. Fails with `ProviderRefused` if there are more than `maxListed`.
     */
    readonly listSessions: (account: string, since: number) => Effect.Effect<ReadonlyArray<ListedSession>, GatewayError>
    /** The account's refunds created at `since` or later, as `listSessions`. */
    readonly listRefundsSince: (
      account: string,
      since: number
    ) => Effect.Effect<ReadonlyArray<ListedRefund>, GatewayError>
    /**
     * The payment that a refund, a dispute or a charge is of: its `payment_intent_id`, or "" if it is of none.
     */
    readonly paymentOf: (account: string, kind: PaymentPart, id: string) => Effect.Effect<string, GatewayError>
    /** Our own `payment_session_id` that a payment names; "" if it names none. */
    readonly sessionNamedBy: (account: string, payment_intent_id: string) => Effect.Effect<string, GatewayError>
    /** All disputes of a payment, oldest first. */
    readonly listDisputes: (
      account: string,
      payment_intent_id: string
    ) => Effect.Effect<ReadonlyArray<ProviderDispute>, GatewayError>
    /** A page of all disputes that an account ever had, newest first: the first page, or that after a dispute's id. */
    readonly disputesPage: (account: string, after?: string) => Effect.Effect<DisputePage, GatewayError>
    /** The ids of the account's disputes that events of `since` (seconds since 1970) or later are about. */
    readonly disputesToldSince: (account: string, since: number) => Effect.Effect<ReadonlyArray<string>, GatewayError>
    /** What changed the account's balance during a stretch of time, oldest first. Bounded as `listSessions`. */
    readonly balanceTransactions: (
      account: string,
      stretch: Stretch
    ) => Effect.Effect<ReadonlyArray<BalanceTransaction>, GatewayError>
    /** The account's payouts that were made during a stretch of time, oldest first. Bounded as `listSessions`. */
    readonly payouts: (account: string, stretch: Stretch) => Effect.Effect<ReadonlyArray<ProviderPayout>, GatewayError>
    /** The ids of the transactions that an itemised payout contains. Bounded as `listSessions`. */
    readonly transactionsOfPayout: (
      account: string,
      payout: string
    ) => Effect.Effect<ReadonlyArray<string>, GatewayError>
  }
>()("playroom/payment/provider/PaymentGateway") {}
