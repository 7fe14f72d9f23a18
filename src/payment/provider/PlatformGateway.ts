/**
 * The port to what the provider does for the platform's own account: webhook endpoints, and operators' connected accounts. Only
 * commands use it; payments have a port of their own (`PaymentGateway.ts`).
 */
import { Context, type Effect, type Redacted, Schema } from "effect"
import type { EventName, Receiver } from "./Receivers.ts"
import type { GatewayError } from "./PaymentGateway.ts"

/** A webhook endpoint as the provider has it. */
export interface WebhookEndpoint {
  readonly id: string
  readonly url: string
  /** The release in which it renders events; undefined: the account's own. It can't be changed. */
  readonly api_version: string | undefined
  readonly enabled_events: ReadonlyArray<string>
  readonly enabled: boolean
  /** Seconds since 1970. */
  readonly created: number
  readonly livemode: boolean
  /** Which receiver it was made for, where this service made it. */
  readonly receiver: string | undefined
  /** The fingerprint of its secret, where this service made it and lived to write it down. */
  readonly secret_fingerprint: string | undefined
}

export interface NewEndpoint {
  readonly receiver: Receiver
  readonly url: string
  readonly enabled_events: ReadonlyArray<EventName>
}

export interface EndpointChanges {
  readonly enabled_events?: ReadonlyArray<EventName>
  readonly enabled?: boolean
  readonly secret_fingerprint?: string
}

/** An operator's connected account, as far as taking payments goes. */
export const ConnectedAccount = Schema.Struct({
  id: Schema.String,
  charges_enabled: Schema.Boolean,
  payouts_enabled: Schema.Boolean,
  details_submitted: Schema.Boolean,
  country: Schema.optionalKey(Schema.String),
  /** What the provider still wants to know, in its own words. */
  currently_due: Schema.Array(Schema.String),
  disabled_reason: Schema.optionalKey(Schema.String)
})
export type ConnectedAccount = typeof ConnectedAccount.Type

export interface NewAccount {
  readonly operator_id: string
  readonly name: string
  readonly email: string | undefined
  /** ISO 3166-1 alpha-2; the provider never changes it. */
  readonly country: string
  readonly idempotency_key: string
}

export interface OnboardingLink {
  readonly url: string
  /** Seconds since 1970. */
  readonly expires_at: number
}

export class PlatformGateway extends Context.Service<
  PlatformGateway,
  {
    /** All of the platform's webhook endpoints (the provider allows a few dozen at most). */
    readonly endpoints: Effect.Effect<ReadonlyArray<WebhookEndpoint>, GatewayError>
    /** Makes one at the release of the API that the client pins. The provider tells its secret this once. */
    readonly createEndpoint: (
      endpoint: NewEndpoint
    ) => Effect.Effect<WebhookEndpoint & { readonly secret: Redacted.Redacted }, GatewayError>
    readonly changeEndpoint: (id: string, changes: EndpointChanges) => Effect.Effect<WebhookEndpoint, GatewayError>
    readonly account: (id: string) => Effect.Effect<ConnectedAccount, GatewayError>
    readonly createAccount: (account: NewAccount) => Effect.Effect<ConnectedAccount, GatewayError>
    /** A link to the provider's own pages, on which the operator makes the account ready; each time a new one, for minutes. */
    readonly onboardingLink: (
      account: string,
      addresses: { readonly return_url: string; readonly refresh_url: string }
    ) => Effect.Effect<OnboardingLink, GatewayError>
  }
>()("playroom/payment/PlatformGateway") {}
