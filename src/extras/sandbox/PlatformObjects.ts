/** The platform's own webhook endpoints, connected accounts and paid invoices as the provider's objects. */
import { Schema } from "effect"
import { InstantFromDate } from "../../platform/time/LocalTime.ts"
import { Metadata, seconds } from "./Objects.ts"

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
