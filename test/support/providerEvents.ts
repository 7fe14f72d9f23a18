/** Events as the provider writes them: of a session, and of the money of a payment. */

import { createHmac } from "node:crypto"
import { Stripe } from "stripe"
import type { ProviderSession } from "../../src/domain/payment/provider/PaymentGateway.ts"
import type { PageAction } from "./ScriptedGateway.ts"
import { account } from "./paymentVenues.ts"

export type EventType =
  | "checkout.session.completed"
  | "checkout.session.async_payment_succeeded"
  | "checkout.session.async_payment_failed"
  | "checkout.session.expired"

let events = 0
/** An event of the provider about a session as it is (or was) there. */
export const sessionEvent = (type: EventType, said: ProviderSession, changes: Record<string, unknown> = {}) => ({
  id: `evt_test_${++events}`,
  object: "event",
  type,
  account,
  livemode: false,
  api_version: Stripe.API_VERSION,
  created: 1_795_100_000,
  data: {
    object: {
      id: said.id,
      object: "checkout.session",
      status: said.status,
      payment_status: said.payment_status,
      amount_total: said.amount_total,
      currency: said.currency.toLowerCase(),
      payment_intent: said.payment_intent_id ?? null,
      ...(said.presented === undefined
        ? {}
        : {
            presentment_details: {
              presentment_amount: said.presented.amount,
              presentment_currency: said.presented.currency.toLowerCase()
            }
          }),
      expires_at: said.expires_at,
      livemode: said.livemode,
      client_reference_id: said.payment_session_id ?? null,
      metadata: said.payment_session_id === undefined ? {} : { payment_session_id: said.payment_session_id }
    }
  },
  ...changes
})

export type MoneyEventType =
  | `refund.${"created" | "updated" | "failed"}`
  | "charge.refunded"
  | "charge.refund.updated"
  | `charge.dispute.${"created" | "updated" | "closed" | "funds_withdrawn" | "funds_reinstated"}`

const partOf = (type: MoneyEventType) =>
  type === "charge.refunded" ? "charge" : type.startsWith("charge.dispute") ? "dispute" : "refund"

/** An event of the provider about a refund, a dispute or a charge of a payment, with whatever it says of it. */
export const moneyEvent = (
  type: MoneyEventType,
  id: string,
  payment_intent: string | null,
  said: Record<string, unknown> = {},
  changes: Record<string, unknown> = {}
) => ({
  id: `evt_test_${++events}`,
  object: "event",
  type,
  account,
  livemode: false,
  api_version: Stripe.API_VERSION,
  created: 1_795_100_000,
  data: { object: { id, object: partOf(type), payment_intent, ...said } },
  ...changes
})

/** An event of the provider that an account was changed there, or left us. It is only a notice. */
export const accountEvent = (
  type: "account.updated" | "account.application.deauthorized" = "account.updated",
  changes: Record<string, unknown> = {}
) => ({
  id: `evt_test_${++events}`,
  object: "event",
  type,
  account,
  livemode: false,
  api_version: Stripe.API_VERSION,
  created: 1_795_100_000,
  data: {
    object: type === "account.updated" ? { id: account, object: "account" } : { id: "ca_1", object: "application" }
  },
  ...changes
})

/** The event that the provider sends after an action. */
export const eventTypeOf: Readonly<Record<PageAction, EventType>> = {
  pay: "checkout.session.completed",
  pay_later: "checkout.session.completed",
  free: "checkout.session.completed",
  late_success: "checkout.session.async_payment_succeeded",
  late_failure: "checkout.session.async_payment_failed",
  expire: "checkout.session.expired"
}

/**
 * The provider's signature of an event by its own recipe, written apart from the sandbox
 * (https://docs.stripe.com/webhooks#verify-manually): HMAC-SHA256 over `timestamp.body`, in hexadecimal; `seconds`
 * since 1970.
 */
export const eventHmac = (body: string | Uint8Array, secret: string, seconds: number): string =>
  createHmac("sha256", secret).update(`${seconds}.`).update(body).digest("hex")

/** The header that an event is delivered with. */
export const signatureHeader = (body: string | Uint8Array, secret: string, seconds: number): string =>
  `t=${seconds},v1=${eventHmac(body, secret, seconds)}`
