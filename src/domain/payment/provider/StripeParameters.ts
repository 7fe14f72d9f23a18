/**
 * Encodes the parameters of our calls. Field names and meanings are the provider's
 * (https://docs.stripe.com/api/checkout/sessions/create, https://docs.stripe.com/api/refunds/create).
 */
import { Effect } from "effect"
import type { Stripe } from "stripe"
import { toProviderAmount, toProviderFee } from "../../../platform/money/Charge.ts"
import { type CheckoutRequest, type ProviderSession, ProviderRefused, type RefundRequest } from "./PaymentGateway.ts"

/** The parameters for creating a session. The same request always gives the same bytes. */
export const sessionParameters = (
  request: CheckoutRequest
): Effect.Effect<Stripe.Checkout.SessionCreateParams, ProviderRefused> => {
  const amount = toProviderAmount(request.amount, request.currency)
  if (amount === undefined) {
    return Effect.fail(
      new ProviderRefused({
        operation: "createSession",
        code: "amount_not_expressible",
        message: `The provider can't take ${request.amount} minor units of ${request.currency}.`
      })
    )
  }
  const fee = toProviderFee(request.application_fee, request.currency)
  const metadata = {
    payment_session_id: request.payment_session_id,
    booking_id: request.booking_id,
    reference: request.reference,
    purpose: request.purpose,
    ...(request.option_id === undefined ? {} : { option_id: request.option_id }),
    ...(request.key_id === undefined ? {} : { key_id: request.key_id })
  }
  return Effect.succeed({
    mode: "payment",
    client_reference_id: request.payment_session_id,
    ...(request.customer_email === undefined ? {} : { customer_email: request.customer_email }),
    expires_at: request.expires_at,
    success_url: request.success_url,
    cancel_url: request.cancel_url,
    ...(request.adaptive_pricing === undefined ? {} : { adaptive_pricing: { enabled: request.adaptive_pricing } }),
    ...(request.locale === undefined ? {} : { locale: request.locale }),
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: request.currency.toLowerCase(),
          unit_amount: amount,
          // The provider limits a product's name to 250 characters. Our names are shorter, and only shown.
          product_data: { name: request.description.slice(0, 250) }
        }
      }
    ],
    ...(request.terms === undefined ? {} : { custom_text: { submit: { message: request.terms } } }),
    metadata,
    payment_intent_data: {
      description: `${request.description} (${request.reference})`.slice(0, 1000),
      ...(request.customer_email === undefined ? {} : { receipt_email: request.customer_email }),
      metadata,
      ...(fee === 0 ? {} : { application_fee_amount: fee })
    }
  })
}

/** How many seconds from the time that was asked a page may end. The provider takes the time as it is. */
const maxEndDiffers = 60

/**
 * What of a new page is not as it was asked, in words; undefined if all is. `livemode`: whether our key is for real
 * money.
 */
export const otherThanAsked = (
  asked: CheckoutRequest,
  made: ProviderSession,
  livemode: boolean
): string | undefined => {
  if (made.payment_session_id !== asked.payment_session_id) {
    return `asked for ${asked.payment_session_id}, it is for ${made.payment_session_id ?? "nothing of ours"}`
  }
  if (made.amount_total !== asked.amount || made.currency !== asked.currency) {
    return `asked for ${asked.amount} ${asked.currency}, it takes ${made.amount_total} ${made.currency}`
  }
  if (made.livemode !== livemode) return `our key's livemode is ${livemode}, its own is ${made.livemode}`
  if (made.status !== "open" || made.url === undefined) return `a new page is ${made.status}, or has no address`
  if (Math.abs(made.expires_at - asked.expires_at) > maxEndDiffers) {
    return `asked for a page until ${asked.expires_at}, it ends at ${made.expires_at} (seconds since 1970)`
  }
  return undefined
}

/** The parameters of a refund; `amount` in the provider's minor units. */
export const refundParameters = (request: RefundRequest, amount: number): Stripe.RefundCreateParams => ({
  payment_intent: request.payment_intent_id,
  amount,
  // The provider refuses this for payments without a fee.
  ...(request.refund_application_fee ? { refund_application_fee: true } : {}),
  metadata: { refund_id: request.refund_id, booking_id: request.booking_id }
})
