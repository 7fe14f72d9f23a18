/** Converts errors of the provider's client into the gateway's errors. */
import { Option, Schema } from "effect"
import { Stripe } from "stripe"
import {
  AccountUnavailable,
  type GatewayError,
  ProviderKeyReused,
  ProviderRefused,
  ProviderUnavailable,
  type UnavailableKind
} from "./PaymentGateway.ts"
import { redactAddresses } from "./ProviderSchema.ts"

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

/** Refusals of our own key: it has expired, lacks rights, or is of the other mode. */
const keyCodes = new Set([
  "api_key_expired",
  "platform_api_key_expired",
  "platform_account_required",
  "secret_key_required",
  "more_permissions_required",
  "more_permissions_required_for_application",
  "livemode_mismatch"
])
const keyMessage = /does not have the required permissions/i

// The standard also allows an HTTP date, but the provider sends seconds; other values are ignored.
const RetryAfter = Schema.decodeUnknownOption(
  Schema.FiniteFromString.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 86_400 })))
)
const Headers = Schema.decodeUnknownOption(Schema.Struct({ "retry-after": Schema.String }))
// https://docs.stripe.com/api/idempotent_requests: the provider stores server errors under the key, too, for a day.
const isReplayed = Schema.is(Schema.Struct({ "idempotent-replayed": Schema.Literal("true") }))

const retryAfter = (headers: unknown): number | undefined =>
  Headers(headers).pipe(
    Option.flatMap((found) => RetryAfter(found["retry-after"])),
    Option.map(Math.ceil),
    Option.getOrUndefined
  )

/** `outage`: the provider as a whole seems to be down; the circuit breaker counts it. */
export interface Failure {
  readonly error: GatewayError
  readonly outage: boolean
}

// A refused key or a rate limit is our own problem, not an outage.
const outages = new Set<UnavailableKind>(["network", "timeout", "failing"])

const unavailable = (operation: string, kind: UnavailableKind, reason: string, seconds?: number): Failure => ({
  error: new ProviderUnavailable({
    operation,
    kind,
    reason: redactAddresses(reason),
    ...(seconds === undefined ? {} : { retry_after_seconds: seconds })
  }),
  outage: outages.has(kind)
})

/** The answer does not match the provider's documentation. It counts as an outage. */
export const unreadableAnswer = (operation: string): Failure =>
  unavailable(operation, "failing", "the provider's answer could not be read")

/** The provider made something else than was asked, and keeps that answer under the call's idempotency key. */
export const contradiction = (operation: string, what: string): ProviderUnavailable =>
  new ProviderUnavailable({
    operation,
    reason: `the provider made something else than was asked: ${redactAddresses(what)}`,
    kept: true
  })

/** The call timed out. */
export const noAnswer = (operation: string): Failure => unavailable(operation, "timeout", "no answer in time")

const Detail = Schema.decodeUnknownOption(
  Schema.Struct({ message: Schema.String, code: Schema.optionalKey(Schema.String) })
)

/** Why the client got no answer. Its message is the same for all causes, so this reads the detail. */
const connectionFailure = (operation: string, thrown: Stripe.errors.StripeError, message: string): Failure => {
  const detail = Option.getOrUndefined(Detail(thrown.detail))
  if (detail?.code === "ETIMEDOUT" || /timeout|timed out/i.test(message)) {
    return unavailable(operation, "timeout", "no answer in time")
  }
  return unavailable(operation, "network", `the provider can't be reached: ${detail?.message ?? message}`)
}

/**
 * The gateway's error for a thrown one. Network failures, timeouts, 5xx, HTML, 429, 401 (our key was revoked or is
 * being rotated: the call works again with a correct key) and 409 (the same idempotency key is in use) are
 * `ProviderUnavailable`, as are codes that refuse our key. A reused key is `ProviderKeyReused`; other 403 and the codes
 * above are `AccountUnavailable`; every other 4xx is `ProviderRefused`. Only what the provider says in an `error` of
 * its own is refused (`StripeAnswers.ts`).
 */
export const failureOf = (operation: string, account: string, thrown: unknown): Failure => {
  if (!(thrown instanceof Stripe.errors.StripeError)) {
    return unavailable(operation, "failing", thrown instanceof Error ? thrown.message : "unknown failure")
  }
  const status = thrown.statusCode
  const message = thrown.message.split("\n")[0] ?? ""
  // The client's own error for an answer that `StripeAnswers.ts` did not let it read.
  if (thrown instanceof Stripe.errors.StripeAPIError && status === undefined) return unreadableAnswer(operation)
  if (thrown instanceof Stripe.errors.StripeConnectionError || status === undefined) {
    return connectionFailure(operation, thrown, message)
  }
  if (thrown instanceof Stripe.errors.StripeIdempotencyError) {
    return { error: new ProviderKeyReused({ operation }), outage: false }
  }
  // Errors of `/v2/` have other classes (https://docs.stripe.com/api-v2-overview): the status tells it of both.
  if (status === 429 || thrown instanceof Stripe.errors.StripeRateLimitError) {
    return unavailable(operation, "rate_limited", "the provider limits our rate", retryAfter(thrown.headers) ?? 1)
  }
  if (status === 401) return unavailable(operation, "key_refused", "the provider does not accept our API key")
  if (status === 409)
    return unavailable(operation, "under_way", "the same call is still under way", retryAfter(thrown.headers) ?? 1)
  if (status >= 500) {
    const reason = `the provider answered ${status}`
    // A replayed answer says nothing about the provider's present state.
    if (isReplayed(thrown.headers)) {
      return { error: new ProviderUnavailable({ operation, kind: "failing", reason, kept: true }), outage: false }
    }
    return unavailable(operation, "failing", reason, retryAfter(thrown.headers))
  }
  const code = redactAddresses(thrown.code ?? thrown.rawType ?? "unknown", 100)
  // Errors reach logs and lists, and the provider repeats refused input, even a payer's e-mail address.
  const words = redactAddresses(message)
  if (keyCodes.has(code) || keyMessage.test(message))
    return unavailable(operation, "key_refused", "the provider does not accept our API key")
  if (status === 403 || accountCodes.has(code) || accountMessage.test(message)) {
    return { error: new AccountUnavailable({ account, reason: words }), outage: false }
  }
  const parameter = thrown.param === undefined ? undefined : redactAddresses(thrown.param, 100)
  return {
    error: new ProviderRefused({ operation, code, message: words, ...(parameter === undefined ? {} : { parameter }) }),
    outage: false
  }
}
