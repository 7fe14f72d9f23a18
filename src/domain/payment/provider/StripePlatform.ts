/**
 * `PlatformGateway` over the provider's official client. All calls use the platform's own account, so none sends an
 * account header (https://docs.stripe.com/api/webhook_endpoints,
 * https://docs.stripe.com/api/v2/core/event_destinations, https://docs.stripe.com/api/accounts,
 * https://docs.stripe.com/api/account_links).
 */
import { Effect, Option, Redacted, Schema } from "effect"
import { Stripe } from "stripe"
import type { GatewayError } from "./PaymentGateway.ts"
import {
  type EndpointChanges,
  type NewAccount,
  type NewEndpoint,
  PlatformGateway,
  type WebhookEndpoint
} from "./PlatformGateway.ts"
import { ofKind, ProviderCode, ProviderId, ProviderUrl, readAccount, readObject } from "./StripeMessages.ts"
import { type Receiver, snapshotType, thinType } from "./Receivers.ts"
import type { Lists } from "./StripeCalls.ts"

/** Makes one call of the client: its name, the account for errors, the call, and the reader of its answer. */
type Call = <A>(
  operation: string,
  account: string,
  run: () => Promise<unknown>,
  read: (answer: unknown) => Option.Option<A>,
  timeoutMs?: number
) => Effect.Effect<A, GatewayError>

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
  Option.map(ofKind("webhook_endpoint", Endpoint)(answer), ({ api_version, metadata, secret, status, ...rest }) => ({
    ...rest,
    payload: "snapshot",
    api_version: api_version ?? undefined,
    enabled: status === "enabled",
    receiver: metadata?.[receiverKey],
    secret_fingerprint: metadata?.[fingerprintKey],
    secret: secret === undefined ? undefined : Redacted.make(secret)
  }))

// The address and the secret are told if they are asked for, the secret only at the creation.
const destination = "v2.core.event_destination"
const Destination = Schema.decodeUnknownOption(
  Schema.Struct({
    id: ProviderId,
    enabled_events: Schema.Array(ProviderCode),
    status: ProviderCode,
    created: ProviderCode,
    livemode: Schema.Boolean,
    metadata: Schema.optionalKey(NullOr(Metadata)),
    webhook_endpoint: Schema.Struct({
      url: Schema.optionalKey(NullOr(ProviderUrl)),
      signing_secret: Schema.optionalKey(NullOr(Schema.String))
    })
  })
)

const readDestination: typeof readEndpoint = (answer) =>
  Option.map(
    ofKind(destination, Destination)(answer),
    ({ created, enabled_events, id, livemode, metadata, status, webhook_endpoint }) => ({
      id,
      url: webhook_endpoint.url ?? "",
      payload: "thin",
      api_version: undefined,
      enabled_events: enabled_events.map(snapshotType),
      enabled: status === "enabled",
      created: Math.floor(Date.parse(created) / 1000),
      livemode,
      receiver: metadata?.[receiverKey],
      secret_fingerprint: metadata?.[fingerprintKey],
      secret:
        typeof webhook_endpoint.signing_secret === "string" ? Redacted.make(webhook_endpoint.signing_secret) : undefined
    })
  )

const Kind = Schema.decodeUnknownOption(Schema.Struct({ event_payload: ProviderCode, type: ProviderCode }))

/** Reads what may be another destination than an endpoint for thin events: then it is none of these. */
const readThin = (answer: unknown): Option.Option<ReadonlyArray<WebhookEndpoint>> =>
  Option.flatMap(Kind(answer), ({ event_payload, type }) =>
    event_payload === "thin" && type === "webhook_endpoint"
      ? Option.map(readDestination(answer), (endpoint) => [endpoint])
      : Option.some([])
  )

const withSecret = (read: typeof readEndpoint) => (answer: unknown) =>
  Option.flatMap(read(answer), ({ secret, ...endpoint }) =>
    secret === undefined ? Option.none() : Option.some({ ...endpoint, secret })
  )

const readLink = Schema.decodeUnknownOption(
  Schema.Struct({ object: Schema.Literal("account_link"), url: ProviderUrl, expires_at: Schema.Int })
)

const describe = (receiver: Receiver): string =>
  receiver === "connected" ? "payments of connected accounts" : "subscriptions of operators"

const endpointParameters = ({ enabled_events, receiver, url }: NewEndpoint): Stripe.WebhookEndpointCreateParams => ({
  url,
  connect: receiver === "connected",
  api_version: Stripe.API_VERSION,
  enabled_events: [...enabled_events],
  description: `playroom-booking: ${describe(receiver)}`,
  metadata: { [receiverKey]: receiver }
})

/** An event destination: an endpoint for thin events (https://docs.stripe.com/event-destinations). */
const destinationParameters = ({
  enabled_events,
  receiver,
  url
}: NewEndpoint): Stripe.V2.Core.EventDestinationCreateParams => ({
  name: `playroom-booking: ${describe(receiver)}`,
  type: "webhook_endpoint",
  event_payload: "thin",
  events_from: [receiver === "connected" ? "@accounts" : "@self"],
  enabled_events: enabled_events.map(thinType),
  webhook_endpoint: { url },
  include: ["webhook_endpoint.signing_secret", "webhook_endpoint.url"],
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

/** Builds the port from a client, its `call`, and what reads its lists. */
export const platformGateway = (
  stripe: Stripe,
  call: Call,
  { listAll, listAllOfV2 }: Lists
): PlatformGateway["Service"] => {
  const { eventDestinations } = stripe.v2.core

  /** An event destination is changed, and switched on or off, by calls of their own. */
  const destinationCalls = (id: string, { enabled, enabled_events, secret_fingerprint }: EndpointChanges) => {
    const changes = {
      ...(enabled_events === undefined ? {} : { enabled_events: enabled_events.map(thinType) }),
      ...(secret_fingerprint === undefined ? {} : { metadata: { [fingerprintKey]: secret_fingerprint } })
    }
    return [
      ...(Object.keys(changes).length === 0 ? [] : [() => eventDestinations.update(id, changes)]),
      ...(enabled === undefined ? [] : [() => (enabled ? eventDestinations.enable(id) : eventDestinations.disable(id))])
    ]
  }

  return PlatformGateway.of({
    endpoints: Effect.gen(function* () {
      const snapshot = yield* listAll("listEndpoints", "", readEndpoint, (page) => stripe.webhookEndpoints.list(page))
      // The list of event destinations may have endpoints for snapshot events, too.
      const thin = yield* listAllOfV2(
        "listEventDestinations",
        "/v2/core/event_destinations",
        readThin,
        (page) => eventDestinations.list({ ...page, include: ["webhook_endpoint.url"] }),
        (address) => stripe.rawRequest("GET", address)
      )
      return [...snapshot.toReversed(), ...thin.flat()]
    }).pipe(Effect.withSpan("PlatformGateway.endpoints")),

    createEndpoint: Effect.fn("PlatformGateway.createEndpoint")((endpoint: NewEndpoint) =>
      endpoint.payload === "thin"
        ? call(
            "createEventDestination",
            "",
            () => eventDestinations.create(destinationParameters(endpoint)),
            withSecret(readDestination)
          )
        : call(
            "createEndpoint",
            "",
            () => stripe.webhookEndpoints.create(endpointParameters(endpoint)),
            withSecret(readEndpoint)
          )
    ),

    changeEndpoint: Effect.fn("PlatformGateway.changeEndpoint")(
      ({ id, payload }: Pick<WebhookEndpoint, "id" | "payload">, changes: EndpointChanges) =>
        payload === "thin"
          ? Effect.forEach(
              destinationCalls(id, changes),
              (run) => call("changeEventDestination", "", run, readObject(destination, id)),
              {
                discard: true
              }
            )
          : call(
              "changeEndpoint",
              "",
              () => stripe.webhookEndpoints.update(id, endpointChanges(changes)),
              readObject("webhook_endpoint", id)
            ).pipe(Effect.asVoid)
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
}
