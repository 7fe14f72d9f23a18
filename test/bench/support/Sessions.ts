/** Payment sessions that people could pay at this moment, and the provider's events that say that they did. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Stripe } from "stripe"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { buyer, partyOptions } from "./Parties.ts"
import { seedPlayrooms } from "./Seeds.ts"

const account = "acct_1"

/**
 * `count` held bookings with an open session each, numbered from 1: one made by the service, the others copies of its
 * row.
 */
export const seedSessions = Effect.fnUntraced(function* (count: number) {
  yield* seedPlayrooms(500)
  const option = yield* partyOptions
  const { contact, principal } = buyer(0)
  const { option_id } = option(0)
  const { row: made } = yield* Bookings.use((bookings) => bookings.create(principal, { option_id, contact }))
  const sql = yield* SqlClient.SqlClient
  const request = {
    purpose: "due_now",
    account,
    amount: made.due_now,
    currency: made.currency,
    application_fee: 0,
    reference: made.reference,
    description: "Party",
    success_url: "http://localhost:3000/checkout/return?outcome=success",
    cancel_url: "http://localhost:3000/checkout/return?outcome=cancel",
    expires_at: Math.floor(Date.now() / 1000) + 1920,
    idempotency_key: "bench",
    customer_email: made.contact_email
  }
  yield* sql`
    insert into booking
    select (jsonb_populate_record(b, jsonb_build_object('booking_id', 'booking_01kc' || lpad(n::text, 22, '0'),
      'reference', lpad((n / 10000)::text, 4, '0') || '-' || lpad((n % 10000)::text, 4, '0'), 'retry_key', null,
      'hold_expires_at', now() + interval '1 day', 'awaiting_provider', true))).*
    from booking b cross join generate_series(1, ${count}::int) n where b.booking_id = ${made.booking_id}`
  yield* sql`
    insert into payment_session (payment_session_id, operator_id, booking_id, purpose, status, account, amount, currency,
      provider_session_id, url, request, expires_at, created_at, updated_at)
    select 'payment_01kc' || lpad(n::text, 22, '0'), ${made.operator_id}, 'booking_01kc' || lpad(n::text, 22, '0'), 'due_now', 'open',
      ${account}, ${made.due_now}::int, ${made.currency}, 'cs_test_bench_' || lpad(n::text, 22, '0'), 'http://localhost/pay',
      ${JSON.stringify(request)}::jsonb || jsonb_build_object('payment_session_id', 'payment_01kc' || lpad(n::text, 22, '0'),
        'booking_id', 'booking_01kc' || lpad(n::text, 22, '0')),
      now() + interval '30 minutes', now(), now()
    from generate_series(1, ${count}::int) n`
  yield* sql`analyze booking, payment_session`
  return { amount: made.due_now, currency: made.currency }
})

/**
 * A `checkout.session.completed` event as the provider sends it, with all its members
 * (https://docs.stripe.com/api/checkout/sessions/object), for the load generator: `{{n}}` is its number. `known`: of
 * the n-th seeded session; otherwise of one that nobody knows.
 */
export const paidEvent = (known: boolean, price: { readonly amount: number; readonly currency: string }): string => {
  const seconds = Math.floor(Date.now() / 1000)
  return JSON.stringify({
    id: known ? "evt_bench_known_{{n}}" : "evt_bench_unknown_{{n}}",
    object: "event",
    account,
    api_version: Stripe.API_VERSION,
    created: seconds,
    data: {
      object: {
        id: known ? "cs_test_bench_{{n}}" : "cs_test_foreign_{{n}}",
        object: "checkout.session",
        adaptive_pricing: { enabled: false },
        after_expiration: null,
        allow_promotion_codes: null,
        amount_subtotal: price.amount,
        amount_total: price.amount,
        automatic_tax: { enabled: false, liability: null, provider: null, status: null },
        billing_address_collection: null,
        cancel_url: "http://localhost:3000/checkout/return?outcome=cancel&reference=K7M2-9QXD",
        client_reference_id: known ? "payment_01kc{{n}}" : null,
        client_secret: null,
        collected_information: { business_name: null, individual_name: null, shipping_details: null },
        consent: null,
        consent_collection: null,
        created: seconds - 60,
        currency: price.currency.toLowerCase(),
        currency_conversion: null,
        custom_fields: [],
        custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
        customer: null,
        customer_creation: "if_required",
        customer_details: {
          address: { city: null, country: "GB", line1: null, line2: null, postal_code: "SW4 7AA", state: null },
          email: "ana@example.com",
          name: "Ana Lima",
          phone: null,
          tax_exempt: "none",
          tax_ids: []
        },
        customer_email: "ana@example.com",
        discounts: [],
        expires_at: seconds + 1800,
        invoice: null,
        invoice_creation: { enabled: false, invoice_data: { description: null, footer: null, metadata: {} } },
        livemode: false,
        locale: null,
        metadata: known ? { payment_session_id: "payment_01kc{{n}}", booking_id: "booking_01kc{{n}}" } : {},
        mode: "payment",
        payment_intent: "pi_bench_{{n}}",
        payment_link: null,
        payment_method_collection: "if_required",
        payment_method_configuration_details: null,
        payment_method_options: { card: { request_three_d_secure: "automatic" } },
        payment_method_types: ["card"],
        payment_status: "paid",
        permissions: null,
        phone_number_collection: { enabled: false },
        recovered_from: null,
        setup_intent: null,
        shipping_address_collection: null,
        shipping_cost: null,
        shipping_options: [],
        status: "complete",
        submit_type: "book",
        subscription: null,
        success_url: "http://localhost:3000/checkout/return?outcome=success&reference=K7M2-9QXD",
        total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
        ui_mode: "hosted",
        url: null,
        wallet_options: null
      }
    },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: "checkout.session.completed"
  })
}
