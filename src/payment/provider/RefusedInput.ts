/** What of a request the provider refuses, and so who can do something about it. */
import type { ProviderRefused } from "./PaymentGateway.ts"

/**
 * `email`: the payer's address; `success_url`, `cancel_url`: where the payer comes back to; `amount`: too small, too large, or not one
 * of its currency; `other`: anything else.
 */
export type RefusedInput = "email" | "success_url" | "cancel_url" | "amount" | "other"

// Codes of https://docs.stripe.com/error-codes, and one of our own (`StripeMessages.ts`).
const amountCodes = new Set([
  "amount_too_large",
  "amount_too_small",
  "amount_not_expressible",
  "invalid_charge_amount",
  "parameter_invalid_integer"
])

/** By the refused parameter where the provider names one, else by its code. */
export const refusedInput = ({ code, parameter = "" }: Pick<ProviderRefused, "code" | "parameter">): RefusedInput => {
  if (parameter === "success_url" || parameter === "cancel_url") return parameter
  if (/(^|\[)(customer|receipt)_email\]?$/.test(parameter)) return "email"
  if (amountCodes.has(code) && (parameter === "" || /amount|line_items|currency/.test(parameter))) return "amount"
  return code === "email_invalid" ? "email" : "other"
}
