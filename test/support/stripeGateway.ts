/** The real gateway with the official client, pointed at a server on this machine, and requests to send through it. */
import { Layer, Redacted } from "effect"
import type { CheckoutRequest, RefundRequest } from "../../src/domain/payment/provider/PaymentGateway.ts"
import { ProviderHealth } from "../../src/domain/payment/provider/ProviderHealth.ts"
import { StripeGateway, type StripeOptions } from "../../src/domain/payment/provider/StripeGateway.ts"

/** The gateway whose provider listens on a port of this machine; how its calls end is written to `ProviderHealth`. */
export const watchedGatewayAt = (port: number, options: Partial<StripeOptions> = {}) =>
  StripeGateway.layer({
    secretKey: Redacted.make("sk_test_123"),
    host: "127.0.0.1",
    port,
    protocol: "http",
    timeout: 2_000,
    ...options
  })

/** The same; how calls end is written nowhere. */
export const stripeGatewayAt = (port: number, options: Partial<StripeOptions> = {}) =>
  watchedGatewayAt(port, options).pipe(Layer.provide(ProviderHealth.layerWithoutDatabase))

/** The connected account that is paid. */
export const account = "acct_1PgafTB7WZ01zgkW"

/** Asks for a checkout session of £240. */
export const checkoutRequest = (changes: Partial<CheckoutRequest> = {}): CheckoutRequest => ({
  account,
  idempotency_key: "payment_01h4:create",
  payment_session_id: "payment_01h4",
  booking_id: "booking_01h4",
  reference: "K7M2-9QXD",
  purpose: "due_now",
  amount: 24_000,
  currency: "GBP",
  application_fee: 1_200,
  description: "Pirate party at Jolly Rogers, Saturday 5 December 2026 14:00",
  terms: "£50.00 deposit, not refunded. Of the rest: all back until 14 days before, then nothing.",
  customer_email: "sam+party@example.com",
  success_url: "https://example.com/return?session={CHECKOUT_SESSION_ID}&a=b",
  cancel_url: "https://example.com/cancel",
  expires_at: 1_795_190_400,
  ...changes
})

/** Asks for a refund of half of it, with the platform's fee in proportion. */
export const refundRequest = (changes: Partial<RefundRequest> = {}): RefundRequest => ({
  account,
  idempotency_key: "refund_01h4:create",
  refund_id: "refund_01h4",
  booking_id: "booking_01h4",
  payment_intent_id: "pi_1",
  amount: 12_000,
  refund_application_fee: true,
  ...changes
})
