/** What can go wrong with a call of the scripted gateway, and what the service is answered then. */
import {
  AccountUnavailable,
  type GatewayError,
  ProviderKeyReused,
  ProviderRefused,
  ProviderUnavailable
} from "../../src/domain/payment/provider/PaymentGateway.ts"

/**
 * What goes wrong with the next call of an operation.
 * `away`: the call does not reach the provider; `unanswered`: the provider acts, and its answer is lost; `slow`: it answers after five seconds.
 * `failing_kept`: a server error that the provider keeps under the idempotency key; `acted_kept`: the same, after it has acted.
 * `refused`, `…_refused`: the provider refuses the call, a part of it, or our API key. `charged_back`: a refund of a disputed payment.
 */
export type Fault =
  | "key_refused"
  | "amount_refused"
  | "success_url_refused"
  | "expires_at_refused"
  | "currency_refused"
  | "payment_method_refused"
  | "fee_refused"
  | "away"
  | "unanswered"
  | "refused"
  | "charged_back"
  | "account_closed"
  | "key_reused"
  | "slow"
  | "failing_kept"
  | "acted_kept"

/** What the service is answered where a fault has no answer of its own. */
export const noAnswer = (operation: string): GatewayError =>
  new ProviderUnavailable({ operation, reason: "the test has no answer" })

/** A refusal, with the provider's own code. */
export const refused = (operation: string, code: string, message: string, parameter?: string): GatewayError =>
  new ProviderRefused({ operation, code, message, ...(parameter === undefined ? {} : { parameter }) })

/** The answer to a call that goes wrong. */
export const errors: Readonly<Record<Fault, (operation: string, account: string) => GatewayError>> = {
  away: noAnswer,
  unanswered: noAnswer,
  slow: noAnswer,
  failing_kept: noAnswer,
  acted_kept: noAnswer,
  refused: (operation) => refused(operation, "test_refused", "refused by the test"),
  amount_refused: (operation) =>
    refused(operation, "amount_too_small", "The Checkout Session's total amount due must add up to at least £0.30 gbp"),
  success_url_refused: (operation) => refused(operation, "url_invalid", "Not a valid URL", "success_url"),
  expires_at_refused: (operation) =>
    refused(
      operation,
      "parameter_invalid",
      "must be at least 30 minutes from Checkout Session creation.",
      "expires_at"
    ),
  currency_refused: (operation) =>
    refused(operation, "invalid_request_error", "Invalid currency", "line_items[0][price_data][currency]"),
  payment_method_refused: (operation) =>
    refused(operation, "invalid_request_error", "No valid payment method types", "payment_method_types"),
  fee_refused: (operation) =>
    refused(operation, "parameter_invalid_integer", "Too large", "payment_intent_data[application_fee_amount]"),
  charged_back: (operation) => refused(operation, "charge_disputed", "has been charged back"),
  key_refused: (operation) =>
    new ProviderUnavailable({ operation, kind: "key_refused", reason: "the provider does not accept our API key" }),
  account_closed: (_, account) => new AccountUnavailable({ account, reason: "closed by the test" }),
  key_reused: (operation) => new ProviderKeyReused({ operation })
}
