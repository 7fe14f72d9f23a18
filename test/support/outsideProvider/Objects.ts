/** The provider's objects as its API shows them, by its reference (https://docs.stripe.com/api). */
import type { Dispute, Invoice, Refund, Session } from "./ProviderState.ts"

export const intentObject = (session: Session): object => ({
  id: session.payment_intent,
  object: "payment_intent",
  amount: session.amount,
  amount_received: session.payment_status === "paid" ? session.amount : 0,
  application_fee_amount: session.fee === 0 ? null : session.fee,
  currency: session.currency,
  created: session.created,
  latest_charge: session.payment_status === "paid" ? (session.payment_intent ?? "").replace("pi_", "ch_") : null,
  livemode: false,
  metadata: session.metadata,
  status: session.intent_status
})

export const sessionObject = (session: Session, page: string, expand = false): object => ({
  id: session.id,
  object: "checkout.session",
  amount_subtotal: session.amount,
  amount_total: session.amount,
  cancel_url: session.cancel_url,
  client_reference_id: session.client_reference_id,
  created: session.created,
  currency: session.currency,
  customer: null,
  customer_email: session.customer_email,
  expires_at: session.expires_at,
  livemode: false,
  metadata: session.metadata,
  mode: "payment",
  payment_intent: expand && session.payment_intent !== null ? intentObject(session) : session.payment_intent,
  payment_method_types: ["card"],
  payment_status: session.payment_status,
  status: session.status,
  success_url: session.success_url,
  ui_mode: "hosted_page",
  url: session.status === "open" ? page : null
})

export const refundObject = (refund: Refund): object => ({
  id: refund.id,
  object: "refund",
  amount: refund.amount,
  balance_transaction: null,
  charge: refund.payment_intent.replace("pi_", "ch_"),
  created: refund.created,
  currency: refund.currency,
  metadata: refund.metadata,
  payment_intent: refund.payment_intent,
  reason: refund.by === "dashboard" ? "requested_by_customer" : null,
  receipt_number: null,
  status: refund.status,
  ...(refund.failure_reason === null ? {} : { failure_reason: refund.failure_reason })
})

export const disputeObject = (dispute: Dispute): object => ({
  id: dispute.id,
  object: "dispute",
  amount: dispute.amount,
  charge: dispute.payment_intent.replace("pi_", "ch_"),
  created: dispute.created,
  currency: dispute.currency,
  evidence_details: { due_by: dispute.created + 7 * 86_400, has_evidence: false, past_due: false, submission_count: 0 },
  is_charge_refundable: false,
  livemode: false,
  metadata: {},
  payment_intent: dispute.payment_intent,
  reason: "fraudulent",
  status: dispute.status
})

export const invoiceObject = (invoice: Invoice): object => ({
  id: invoice.id,
  object: "invoice",
  created: invoice.paid_at,
  currency: "gbp",
  customer: invoice.customer,
  lines: {
    object: "list",
    data: [
      {
        id: `il_${invoice.id}`,
        object: "line_item",
        period: { start: invoice.paid_at, end: invoice.period_end },
        parent: {
          type: "subscription_item_details",
          subscription_item_details: { subscription: invoice.subscription, proration: false }
        }
      }
    ],
    has_more: false,
    url: `/v1/invoices/${invoice.id}/lines`
  },
  livemode: false,
  parent: {
    type: "subscription_details",
    quote_details: null,
    subscription_details: { metadata: {}, subscription: invoice.subscription }
  },
  status: "paid",
  status_transitions: {
    finalized_at: invoice.paid_at,
    marked_uncollectible_at: null,
    paid_at: invoice.paid_at,
    voided_at: null
  },
  total: 4900
})
