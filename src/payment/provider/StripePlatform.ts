/**
 * `PlatformGateway` over the provider's official client. All calls use the platform's own account, so none sends an
 * account header (https://docs.stripe.com/api/webhook_endpoints, https://docs.stripe.com/api/accounts,
 * https://docs.stripe.com/api/account_links).
 */
import { Effect, Option, Redacted, Schema } from "effect"
import { Stripe } from "stripe"
import type { GatewayError } from "./PaymentGateway.ts"
import {
  type ConnectedAccount,
  type EndpointChanges,
  type NewAccount,
  type NewEndpoint,
  PlatformGateway,
  type WebhookEndpoint
} from "./PlatformGateway.ts"
import { ProviderId, ProviderMessage, ProviderUrl, ProviderCode } from "./ProviderSchema.ts"
import { readList } from "./StripeMessages.ts"

/** Makes one call of the client: its name, the account for errors, the call, and the reader of its answer. */
export type Call = <A>(
  operation: string,
  account: string,
  run: () => Promise<unknown>,
  read: (answer: unknown) => Option.Option<A>,
  timeoutMs?: number
) => Effect.Effect<A, GatewayError>

/** A person waits for this lookup, and can continue without it. */
const accountTimeoutMs = 8_000

const NullOr = Schema.NullOr
const Metadata = Schema.Record(Schema.String, Schema.String)

// Metadata keys by which the service recognises its own objects.
const receiverKey = "playroom_receiver"
const fingerprintKey = "playroom_secret_fingerprint"
const operatorKey = "operator_id"

const Endpoint = Schema.decodeUnknownOption(
  Schema.Struct({
    id: ProviderId,
    url: ProviderUrl,
    api_version: NullOr(ProviderCode),
    enabled_events: Schema.Array(ProviderCode),
    status: ProviderCode,
    created: Schema.Int,
    livemode: Schema.Boolean,
    metadata: Schema.optionalKey(NullOr(Metadata)),
    secret: Schema.optionalKey(Schema.String)
  })
)

const readEndpoint = (
  answer: unknown
): Option.Option<WebhookEndpoint & { readonly secret: Redacted.Redacted | undefined }> =>
  Option.map(Endpoint(answer), ({ api_version, metadata, secret, status, ...rest }) => ({
    ...rest,
    api_version: api_version ?? undefined,
    enabled: status === "enabled",
    receiver: metadata?.[receiverKey],
    secret_fingerprint: metadata?.[fingerprintKey],
    secret: secret === undefined ? undefined : Redacted.make(secret)
  }))

const readNewEndpoint = (answer: unknown) =>
  Option.flatMap(readEndpoint(answer), ({ secret, ...endpoint }) =>
    secret === undefined ? Option.none() : Option.some({ ...endpoint, secret })
  )

const Account = Schema.decodeUnknownOption(
  Schema.Struct({
    id: ProviderId,
    charges_enabled: Schema.Boolean,
    payouts_enabled: Schema.Boolean,
    details_submitted: Schema.Boolean,
    country: Schema.optionalKey(NullOr(ProviderCode)),
    requirements: Schema.optionalKey(
      NullOr(
        Schema.Struct({
          currently_due: Schema.optionalKey(NullOr(Schema.Array(ProviderCode))),
          disabled_reason: Schema.optionalKey(NullOr(ProviderMessage))
        })
      )
    )
  })
)

const readAccount = (answer: unknown): Option.Option<ConnectedAccount> =>
  Option.map(Account(answer), ({ country, requirements, ...account }) => {
    const disabled_reason = requirements?.disabled_reason ?? undefined
    return {
      ...account,
      ...(typeof country === "string" ? { country } : {}),
      currently_due: requirements?.currently_due ?? [],
      ...(disabled_reason === undefined ? {} : { disabled_reason })
    }
  })

const readLink = Schema.decodeUnknownOption(Schema.Struct({ url: ProviderUrl, expires_at: Schema.Int }))

const endpointParameters = ({ enabled_events, receiver, url }: NewEndpoint): Stripe.WebhookEndpointCreateParams => ({
  url,
  connect: receiver === "connected",
  api_version: Stripe.API_VERSION,
  enabled_events: [...enabled_events],
  description: `playroom-booking: ${receiver === "connected" ? "payments of connected accounts" : "subscriptions of operators"}`,
  metadata: { [receiverKey]: receiver }
})

const endpointChanges = (changes: EndpointChanges): Stripe.WebhookEndpointUpdateParams => ({
  ...(changes.enabled_events === undefined ? {} : { enabled_events: [...changes.enabled_events] }),
  ...(changes.enabled === undefined ? {} : { disabled: !changes.enabled }),
  ...(changes.secret_fingerprint === undefined ? {} : { metadata: { [fingerprintKey]: changes.secret_fingerprint } })
})

/**
 * The account is the operator's own, as direct charges require: full dashboard; the provider collects requirements,
 * takes its fees from the account, and is liable for losses
 * (https://docs.stripe.com/connect/migrate-to-controller-properties).
 */
const accountParameters = ({ country, email, name, operator_id }: NewAccount): Stripe.AccountCreateParams => ({
  country,
  ...(email === undefined ? {} : { email }),
  business_profile: { name },
  controller: {
    fees: { payer: "account" },
    losses: { payments: "stripe" },
    requirement_collection: "stripe",
    stripe_dashboard: { type: "full" }
  },
  metadata: { [operatorKey]: operator_id }
})

/** Builds the port from a client and its `call`. */
export const platformGateway = (stripe: Stripe, call: Call): PlatformGateway["Service"] =>
  PlatformGateway.of({
    endpoints: call(
      "listEndpoints",
      "",
      () => stripe.webhookEndpoints.list({ limit: 100 }).autoPagingToArray({ limit: 1000 }),
      readList(readEndpoint)
    ).pipe(Effect.withSpan("PlatformGateway.endpoints")),

    createEndpoint: Effect.fn("PlatformGateway.createEndpoint")((endpoint: NewEndpoint) =>
      call("createEndpoint", "", () => stripe.webhookEndpoints.create(endpointParameters(endpoint)), readNewEndpoint)
    ),

    changeEndpoint: Effect.fn("PlatformGateway.changeEndpoint")((id: string, changes: EndpointChanges) =>
      call("changeEndpoint", "", () => stripe.webhookEndpoints.update(id, endpointChanges(changes)), readEndpoint)
    ),

    account: Effect.fn("PlatformGateway.account")((id: string) =>
      call("getAccount", id, () => stripe.accounts.retrieve(id), readAccount, accountTimeoutMs)
    ),

    createAccount: Effect.fn("PlatformGateway.createAccount")((account: NewAccount) =>
      call(
        "createAccount",
        "",
        () => stripe.accounts.create(accountParameters(account), { idempotencyKey: account.idempotency_key }),
        readAccount
      )
    ),

    onboardingLink: Effect.fn("PlatformGateway.onboardingLink")((account: string, addresses) =>
      call(
        "createAccountLink",
        account,
        () => stripe.accountLinks.create({ account, type: "account_onboarding", ...addresses }),
        readLink
      )
    )
  })
