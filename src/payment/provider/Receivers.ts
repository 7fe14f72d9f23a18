/** Where the provider delivers its events, and which kinds it knows. */
import { Schema } from "effect"
import type { Stripe } from "stripe"

/** `platform`: events of our own account. `connected`: of operators' accounts. */
export const Receiver = Schema.Literals(["platform", "connected"])
export type Receiver = typeof Receiver.Type

/** Where the provider delivers, under `BASE_URL`. */
export const receiverPaths: Readonly<Record<Receiver, `/${string}`>> = {
  platform: "/api/PaymentWebhook/Handle",
  connected: "/api/PaymentWebhook/HandleConnected"
}

/** A type of event that the provider knows. */
export type EventName = Stripe.WebhookEndpointCreateParams.EnabledEvent
