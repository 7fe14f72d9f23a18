/** Turns whatever the provider's client throws into one of the gateway's errors. */
import { Option, Schema } from "effect"
import { Stripe } from "stripe"
import {
  AccountUnavailable,
  type GatewayError,
  ProviderKeyReused,
  ProviderRefused,
  ProviderUnavailable
} from "./PaymentGateway.ts"

/**
 * Codes and messages of https://docs.stripe.com/error-codes that say the connected account can't take payments: closed,
 * deauthorised, not activated, or lacking the capability.
 */
const accountCodes = new Set([
  "account_closed",
  "account_invalid",
  "account_restricted",
  "charge_not_allowed",
  "capability_not_enabled",
  "insufficient_capabilities_for_transfer",
  "not_allowed_on_standard_account",
  "payouts_not_allowed",
  "testmode_charges_only"
])
const accountMessage =
  /cannot currently make (live )?charges|account .*(has been|is) (closed|rejected|deactivated|restricted)|does not have access to account/i

// HTTP-date is allowed by the standard; the provider sends seconds, and anything else is left out.
const RetryAfter = Schema.decodeUnknownOption(
  Schema.FiniteFromString.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 86_400 })))
)
const Headers = Schema.decodeUnknownOption(Schema.Struct({ "retry-after": Schema.String }))

const retryAfter = (headers: unknown): number | undefined =>
  Headers(headers).pipe(
    Option.flatMap((found) => RetryAfter(found["retry-after"])),
    Option.map(Math.ceil),
    Option.getOrUndefined
  )

/** `outage`: the provider as a whole looks ill, so the circuit breaker counts it. */
export interface Failure {
  readonly error: GatewayError
  readonly outage: boolean
}

const unavailable = (operation: string, reason: string, outage: boolean, seconds?: number): Failure => ({
  error: new ProviderUnavailable({
    operation,
    reason,
    ...(seconds === undefined ? {} : { retry_after_seconds: seconds })
  }),
  outage
})

/** An answer of the provider that is not what it documents: half an outage, and nothing to act on. */
export const unreadableAnswer = (operation: string): Failure =>
  unavailable(operation, "the provider's answer could not be read", true)

/**
 * Network, time-out, 5xx, HTML and 429 are `ProviderUnavailable`; so is 401 (our key was revoked or is being rotated: the
 * call is good, and works again once the key is put right), and 409 (the same key is still being worked on). A used key is
 * `ProviderKeyReused`; 403 and the codes above are `AccountUnavailable`; every other 4xx is `ProviderRefused`.
 */
export const failureOf = (operation: string, account: string, thrown: unknown): Failure => {
  if (!(thrown instanceof Stripe.errors.StripeError)) {
    return unavailable(operation, thrown instanceof Error ? thrown.message : "unknown failure", true)
  }
  const status = thrown.statusCode
  const message = thrown.message.split("\n")[0] ?? ""
  if (thrown instanceof Stripe.errors.StripeConnectionError || status === undefined) {
    return unavailable(operation, message, true)
  }
  if (thrown instanceof Stripe.errors.StripeIdempotencyError) {
    return { error: new ProviderKeyReused({ operation }), outage: false }
  }
  if (thrown instanceof Stripe.errors.StripeRateLimitError) {
    return unavailable(operation, "the provider limits our rate", false, retryAfter(thrown.headers) ?? 1)
  }
  if (status === 401) return unavailable(operation, "the provider does not accept our key", false)
  if (status === 409)
    return unavailable(operation, "the same call is still under way", false, retryAfter(thrown.headers) ?? 1)
  if (status >= 500) return unavailable(operation, `the provider answered ${status}`, true, retryAfter(thrown.headers))
  const code = thrown.code ?? thrown.rawType ?? "unknown"
  if (status === 403 || accountCodes.has(code) || accountMessage.test(message)) {
    return { error: new AccountUnavailable({ account, reason: message }), outage: false }
  }
  return { error: new ProviderRefused({ operation, code, message }), outage: false }
}
