/** An invoice of the platform's own account, with the fields that say who paid for how long. */
const seconds = (instant: number): number => Math.floor(instant / 1000)

/** A paid subscription invoice with one line; the paid period is on the line. One-off where `subscription` is undefined. */
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
  amount_due: 4900,
  amount_paid: 4900,
  amount_remaining: 0,
  billing_reason: invoice.subscription === undefined ? "manual" : "subscription_cycle",
  collection_method: "charge_automatically",
  created: seconds(invoice.created),
  currency: "gbp",
  customer: invoice.customer,
  lines: {
    object: "list",
    data: [
      {
        id: invoice.id.replace(/^in_/, "il_"),
        object: "line_item",
        amount: 4900,
        currency: "gbp",
        description: "Subscription to the platform",
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
        quantity: 1
      }
    ],
    has_more: false,
    url: `/v1/invoices/${invoice.id}/lines`
  },
  livemode: false,
  metadata: {},
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
  status: "paid",
  subtotal: 4900,
  total: 4900
})
