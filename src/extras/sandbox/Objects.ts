/** The sandbox's rows as the provider's objects, complete at the API version that the client pins. */

import { Effect, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Stripe } from "stripe"
import { InstantFromDate } from "../../platform/time/LocalTime.ts"

export const apiVersion = Stripe.API_VERSION

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/** An id in the provider's style: a prefix and random letters and digits. */
export const newId = (prefix: string, length: number): Effect.Effect<string, never, SecureRandom.SecureRandom> =>
  Effect.map(
    SecureRandom.SecureRandom.use((random) => random.randomBytes(length)),
    (bytes) => prefix + Array.from(bytes, (byte) => alphabet.charAt(byte % alphabet.length)).join("")
  )

/** The charge of a payment: the sandbox has one each, named after it. */
export const chargeId = (payment_intent_id: string): string => payment_intent_id.replace(/^pi_/, "ch_")

export const Metadata = Schema.Record(Schema.String, Schema.String)

export const SessionRow = Schema.Struct({
  session_id: Schema.String,
  account: Schema.String,
  status: Schema.Literals(["open", "complete", "expired"]),
  payment_status: Schema.Literals(["paid", "unpaid"]),
  amount: Schema.Int,
  currency: Schema.String,
  application_fee: Schema.Int,
  product_name: Schema.String,
  submit_text: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  customer_email: Schema.NullOr(Schema.String),
  receipt_email: Schema.NullOr(Schema.String),
  client_reference_id: Schema.NullOr(Schema.String),
  metadata: Metadata,
  intent_metadata: Metadata,
  success_url: Schema.String,
  cancel_url: Schema.NullOr(Schema.String),
  payment_intent_id: Schema.NullOr(Schema.String),
  adaptive_pricing: Schema.Boolean,
  locale: Schema.NullOr(Schema.String),
  excluded_methods: Schema.Array(Schema.String),
  presented: Schema.NullOr(Schema.Struct({ amount: Schema.Int, currency: Schema.String })),
  /** How many tries to pay were declined, and when the last one was. */
  declined: Schema.Int,
  declined_at: Schema.NullOr(InstantFromDate),
  settles_at: Schema.NullOr(InstantFromDate),
  settles_as: Schema.NullOr(Schema.Literals(["paid", "failed"])),
  expires_at: InstantFromDate,
  created_at: InstantFromDate
})
export type SessionRow = typeof SessionRow.Type

/** Every status of a refund (https://docs.stripe.com/api/refunds/object). */
export const RefundStatus = Schema.Literals(["pending", "requires_action", "succeeded", "failed", "canceled"])

/** A refund, with its payment's id and currency. */
export const SandboxRefund = Schema.Struct({
  refund_id: Schema.String,
  account: Schema.String,
  payment_intent_id: Schema.String,
  currency: Schema.String,
  status: RefundStatus,
  amount: Schema.Int,
  reason: Schema.NullOr(Schema.String),
  metadata: Metadata,
  created_at: InstantFromDate
})
export type SandboxRefund = typeof SandboxRefund.Type

/** An instant as the provider writes it: in seconds since 1970. */
export const seconds = (instant: number): number => Math.floor(instant / 1000)

/** What the payer paid in a currency of their own. */
const presentmentOf = ({ presented }: SessionRow): object =>
  presented === null
    ? {}
    : { presentment_details: { presentment_amount: presented.amount, presentment_currency: presented.currency } }

/** What of a session's payment is expanded. */
export type Expanded = "nothing" | "payment_intent" | "payment_intent.latest_charge"

/** `url` is where the hosted page of this session is. */
export const sessionObject = (row: SessionRow, url: string, expand: Expanded = "nothing"): object => ({
  id: row.session_id,
  object: "checkout.session",
  adaptive_pricing: { enabled: row.adaptive_pricing },
  after_expiration: null,
  allow_promotion_codes: null,
  allowed_payment_method_types: null,
  amount_subtotal: row.amount,
  amount_total: row.amount,
  automatic_tax: { enabled: false, liability: null, provider: null, status: null },
  billing_address_collection: null,
  cancel_url: row.cancel_url,
  client_reference_id: row.client_reference_id,
  client_secret: null,
  collected_information: null,
  consent: null,
  consent_collection: null,
  created: seconds(row.created_at),
  currency: row.currency,
  currency_conversion: null,
  custom_fields: [],
  custom_text: {
    after_submit: null,
    shipping_address: null,
    submit: row.submit_text === null ? null : { message: row.submit_text },
    terms_of_service_acceptance: null
  },
  customer: null,
  customer_account: null,
  customer_creation: "if_required",
  customer_details:
    row.customer_email === null && row.status !== "complete"
      ? null
      : {
          address: null,
          business_name: null,
          email: row.customer_email,
          individual_name: null,
          name: null,
          phone: null,
          tax_exempt: "none",
          tax_ids: null
        },
  customer_email: row.customer_email,
  discounts: [],
  expires_at: seconds(row.expires_at),
  integration_identifier: null,
  invoice: null,
  invoice_creation: {
    enabled: false,
    invoice_data: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: null,
      metadata: {},
      rendering_options: null
    }
  },
  livemode: false,
  locale: row.locale,
  managed_payments: null,
  metadata: row.metadata,
  mode: "payment",
  origin_context: null,
  payment_intent:
    expand === "nothing" || row.payment_intent_id === null
      ? row.payment_intent_id
      : intentObject(row, row.payment_intent_id, expand === "payment_intent.latest_charge"),
  payment_link: null,
  payment_method_collection: "if_required",
  payment_method_configuration_details: null,
  payment_method_options: { card: { request_three_d_secure: "automatic" } },
  payment_method_types: ["card"],
  payment_status: row.payment_status,
  permissions: null,
  phone_number_collection: { enabled: false },
  ...presentmentOf(row),
  recovered_from: null,
  saved_payment_method_options: null,
  setup_intent: null,
  shipping_address_collection: null,
  shipping_cost: null,
  shipping_options: [],
  status: row.status,
  submit_type: null,
  subscription: null,
  success_url: row.success_url,
  total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
  ui_mode: "hosted_page",
  url: row.status === "open" ? url : null,
  wallet_options: null
})

/** The charge of the last try on an open page, which was declined. */
const declinedCharge = (row: SessionRow, payment_intent: string) => ({
  id: `${chargeId(payment_intent)}_${row.declined}`,
  object: "charge",
  amount: row.amount,
  amount_captured: 0,
  amount_refunded: 0,
  captured: false,
  created: seconds(row.declined_at ?? row.created_at),
  currency: row.currency,
  failure_code: "card_declined",
  failure_message: "Your card was declined.",
  livemode: false,
  metadata: row.intent_metadata,
  paid: false,
  payment_intent,
  refunded: false,
  status: "failed"
})

/**
 * The payment of a session that was completed, or on which a try was declined. Fields that this service has no use for
 * are left out. `expand`: with its latest charge.
 */
export const intentObject = (row: SessionRow, id: string, expand = false): object => {
  const declined = row.declined > 0 && row.status !== "complete" ? declinedCharge(row, id) : undefined
  const status =
    row.payment_status === "paid" ? "succeeded" : row.settles_at === null ? "requires_payment_method" : "processing"
  return {
    id,
    object: "payment_intent",
    amount: row.amount,
    amount_capturable: 0,
    amount_received: row.payment_status === "paid" ? row.amount : 0,
    application: null,
    application_fee_amount: row.application_fee === 0 ? null : row.application_fee,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: "automatic_async",
    confirmation_method: "automatic",
    created: seconds(row.created_at),
    currency: row.currency,
    customer: null,
    description: row.description,
    last_payment_error:
      declined === undefined
        ? null
        : {
            type: "card_error",
            charge: declined.id,
            code: "card_declined",
            decline_code: "generic_decline",
            message: "Your card was declined."
          },
    latest_charge:
      declined === undefined ? (row.payment_status === "paid" ? chargeId(id) : null) : expand ? declined : declined.id,
    livemode: false,
    metadata: row.intent_metadata,
    payment_method_types: ["card"],
    receipt_email: row.receipt_email,
    status
  }
}

/** The charge of a paid session, with what went back of it. Fields that this service has no use for are left out. */
export const chargeObject = (row: SessionRow, payment_intent: string, refunded: number): object => ({
  id: chargeId(payment_intent),
  object: "charge",
  amount: row.amount,
  amount_captured: row.amount,
  amount_refunded: refunded,
  application_fee_amount: row.application_fee === 0 ? null : row.application_fee,
  captured: true,
  created: seconds(row.created_at),
  currency: row.currency,
  customer: null,
  disputed: false,
  livemode: false,
  metadata: row.intent_metadata,
  paid: true,
  payment_intent,
  refunded: refunded >= row.amount,
  status: "succeeded"
})

export const refundObject = (row: SandboxRefund): object => ({
  id: row.refund_id,
  object: "refund",
  amount: row.amount,
  balance_transaction: null,
  charge: chargeId(row.payment_intent_id),
  created: seconds(row.created_at),
  currency: row.currency,
  customer: null,
  customer_account: null,
  ...(row.status === "failed" ? { failure_reason: "expired_or_canceled_card" } : {}),
  metadata: row.metadata,
  payment_intent: row.payment_intent_id,
  payment_method: null,
  ...(row.status === "pending" ? { pending_reason: "processing" } : {}),
  reason: row.reason,
  receipt_number: null,
  source_transfer_reversal: null,
  status: row.status,
  transfer_reversal: null
})

/** A snapshot event; `account` only if a connected account's object changed. */
export const eventObject = (event: {
  readonly id: string
  readonly type: string
  readonly created: number
  readonly account?: string
  readonly object: object
}): object => ({
  id: event.id,
  object: "event",
  ...(event.account === undefined ? {} : { account: event.account }),
  api_version: apiVersion,
  created: seconds(event.created),
  data: { object: event.object },
  livemode: false,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type: event.type
})

const related = Schema.decodeUnknownOption(Schema.Struct({ id: Schema.String, object: Schema.String }))

/**
 * A thin event: it names its object, and how to fetch it. `context`: the connected account whose object changed.
 * `snapshot_event`: the snapshot event of the same fact, if there is one.
 */
export const thinEventObject = (event: Parameters<typeof eventObject>[0] & { readonly snapshot?: string }): object => ({
  id: event.id,
  object: "v2.core.event",
  context: event.account ?? null,
  created: new Date(event.created).toISOString(),
  livemode: false,
  reason: null,
  related_object: Option.match(related(event.object), {
    onNone: () => null,
    onSome: ({ id, object }) => ({ id, type: object, url: `/v1/${object.replaceAll(".", "/")}s/${id}` })
  }),
  ...(event.snapshot === undefined ? {} : { snapshot_event: event.snapshot }),
  type: `v1.${event.type}`
})

// The platform's own webhook endpoints, connected accounts and paid invoices as the provider's objects.

export const EndpointRow = Schema.Struct({
  endpoint_id: Schema.String,
  url: Schema.String,
  connect: Schema.Boolean,
  api_version: Schema.NullOr(Schema.String),
  enabled_events: Schema.Array(Schema.String),
  description: Schema.NullOr(Schema.String),
  metadata: Metadata,
  disabled: Schema.Boolean,
  /** It was made as an event destination, and gets thin events. */
  thin: Schema.Boolean,
  created_at: InstantFromDate
})
export type EndpointRow = typeof EndpointRow.Type

export const AccountRow = Schema.Struct({
  account_id: Schema.String,
  country: Schema.String,
  email: Schema.NullOr(Schema.String),
  business_name: Schema.NullOr(Schema.String),
  metadata: Metadata,
  ready: Schema.Boolean,
  return_url: Schema.NullOr(Schema.String),
  refresh_url: Schema.NullOr(Schema.String),
  link_expires_at: Schema.NullOr(InstantFromDate),
  created_at: InstantFromDate
})
export type AccountRow = typeof AccountRow.Type

export const endpointObject = (row: EndpointRow): object => ({
  id: row.endpoint_id,
  object: "webhook_endpoint",
  api_version: row.api_version,
  application: null,
  created: seconds(row.created_at),
  description: row.description,
  enabled_events: row.enabled_events,
  livemode: false,
  metadata: row.metadata,
  status: row.disabled ? "disabled" : "enabled",
  url: row.url
})

const controller = {
  fees: { payer: "account" },
  is_controller: true,
  losses: { payments: "stripe" },
  requirement_collection: "stripe",
  stripe_dashboard: { type: "full" },
  type: "application"
}

const requirements = ["business_type", "external_account", "tos_acceptance.date", "tos_acceptance.ip"]

/** Without the fields that this service doesn't use. */
export const accountObject = (row: AccountRow): object => ({
  id: row.account_id,
  object: "account",
  business_profile: {
    mcc: null,
    minority_owned_business_designation: null,
    name: row.business_name,
    specified_commercial_transactions_act_url: null,
    support_address: null,
    support_email: null,
    support_phone: null,
    support_url: null,
    url: null
  },
  business_type: null,
  capabilities: row.ready ? { card_payments: "active", transfers: "active" } : {},
  charges_enabled: row.ready,
  controller,
  country: row.country,
  created: seconds(row.created_at),
  default_currency: "gbp",
  details_submitted: row.ready,
  email: row.email,
  metadata: row.metadata,
  payouts_enabled: row.ready,
  requirements: {
    alternatives: [],
    current_deadline: null,
    currently_due: row.ready ? [] : requirements,
    disabled_reason: row.ready ? null : "requirements.past_due",
    errors: [],
    eventually_due: row.ready ? [] : requirements,
    past_due: row.ready ? [] : requirements,
    pending_verification: []
  },
  type: "standard"
})

/**
 * A paid subscription invoice with one line; the paid period is on the line. One-off if `subscription` is undefined.
 */
export const invoiceObject = (invoice: {
  readonly id: string
  readonly customer: string
  readonly subscription: string | undefined
  readonly periodStart: number
  readonly periodEnd: number
  readonly created: number
}): object => ({
  id: invoice.id,
  object: "invoice",
  account_country: "GB",
  account_name: "Platform",
  account_tax_ids: null,
  amount_due: 4900,
  amount_overpaid: 0,
  amount_paid: 4900,
  amount_remaining: 0,
  amount_shipping: 0,
  application: null,
  attempt_count: 1,
  attempted: true,
  automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
  automatically_finalizes_at: null,
  billing_reason: invoice.subscription === undefined ? "manual" : "subscription_cycle",
  collection_method: "charge_automatically",
  created: seconds(invoice.created),
  currency: "gbp",
  custom_fields: null,
  customer: invoice.customer,
  customer_account: null,
  customer_address: null,
  customer_email: null,
  customer_name: null,
  customer_phone: null,
  customer_shipping: null,
  customer_tax_exempt: "none",
  default_payment_method: null,
  default_source: null,
  default_tax_rates: [],
  description: null,
  discounts: [],
  due_date: null,
  effective_at: seconds(invoice.created),
  ending_balance: 0,
  footer: null,
  from_invoice: null,
  issuer: { type: "self" },
  last_finalization_error: null,
  latest_revision: null,
  lines: {
    object: "list",
    data: [
      {
        id: invoice.id.replace(/^in_/, "il_"),
        object: "line_item",
        amount: 4900,
        currency: "gbp",
        description: "Subscription to the platform",
        discount_amounts: [],
        discountable: true,
        discounts: [],
        invoice: invoice.id,
        livemode: false,
        metadata: {},
        parent:
          invoice.subscription === undefined
            ? null
            : {
                type: "subscription_item_details",
                invoice_item_details: null,
                subscription_item_details: {
                  invoice_item: null,
                  proration: false,
                  proration_details: { credited_items: null },
                  subscription: invoice.subscription,
                  subscription_item: invoice.subscription.replace(/^sub_/, "si_")
                }
              },
        period: { start: seconds(invoice.periodStart), end: seconds(invoice.periodEnd) },
        pretax_credit_amounts: [],
        pricing: null,
        quantity: 1,
        quantity_decimal: "1",
        subscription: invoice.subscription ?? null,
        subtotal: 4900,
        taxes: []
      }
    ],
    has_more: false,
    url: `/v1/invoices/${invoice.id}/lines`
  },
  livemode: false,
  metadata: {},
  next_payment_attempt: null,
  number: null,
  on_behalf_of: null,
  parent:
    invoice.subscription === undefined
      ? null
      : {
          type: "subscription_details",
          quote_details: null,
          subscription_details: { metadata: {}, subscription: invoice.subscription }
        },
  period_end: seconds(invoice.periodStart),
  period_start: seconds(invoice.periodStart),
  payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
  post_payment_credit_notes_amount: 0,
  pre_payment_credit_notes_amount: 0,
  receipt_number: null,
  rendering: null,
  shipping_cost: null,
  shipping_details: null,
  starting_balance: 0,
  statement_descriptor: null,
  status: "paid",
  status_transitions: {
    finalized_at: seconds(invoice.created),
    marked_uncollectible_at: null,
    paid_at: seconds(invoice.created),
    voided_at: null
  },
  subtotal: 4900,
  subtotal_excluding_tax: 4900,
  test_clock: null,
  total: 4900,
  total_discount_amounts: [],
  total_excluding_tax: 4900,
  total_pretax_credit_amounts: [],
  total_taxes: [],
  webhooks_delivered_at: null
})
