/**
 * The port to the provider for the platform's own account: webhook endpoints, and operators' connected accounts. Only
 * commands use it; payments use `PaymentGateway.ts`.
 */
import { Context, type Effect, type Redacted, Schema } from "effect"
import type { EventName, Receiver } from "./Receivers.ts"
import type { ConnectedAccount, GatewayError } from "./PaymentGateway.ts"

/** `snapshot`: events with a copy of their object. `thin`: events that only name it (an event destination). */
export const EventPayload = Schema.Literals(["snapshot", "thin"])
export type EventPayload = typeof EventPayload.Type

/** A webhook endpoint as the provider has it. */
export interface WebhookEndpoint {
  readonly id: string
  readonly url: string
  /** It can't be changed. */
  readonly payload: EventPayload
  /**
   * The API version of its events; undefined: the account's default, or thin events, which have none. It can't be
   * changed.
   */
  readonly api_version: string | undefined
  /** By their names as snapshot events. */
  readonly enabled_events: ReadonlyArray<string>
  readonly enabled: boolean
  /** Seconds since 1970. */
  readonly created: number
  readonly livemode: boolean
  /** Its receiver, if this service created it. */
  readonly receiver: string | undefined
  /** The fingerprint of its secret, if this service created it and could store the fingerprint. */
  readonly secret_fingerprint: string | undefined
}

export interface NewEndpoint {
  readonly receiver: Receiver
  readonly url: string
  readonly payload: EventPayload
  readonly enabled_events: ReadonlyArray<EventName>
}

export interface EndpointChanges {
  readonly enabled_events?: ReadonlyArray<EventName>
  readonly enabled?: boolean
  readonly secret_fingerprint?: string
}

export interface NewAccount {
  readonly operator_id: string
  readonly name: string
  readonly email: string | undefined
  /** ISO 3166-1 alpha-2; fixed once the account exists. */
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
    /** All webhook endpoints of the platform, for events of either kind (the provider allows a few dozen). */
    readonly endpoints: Effect.Effect<ReadonlyArray<WebhookEndpoint>, GatewayError>
    /**
     * Creates an endpoint, for snapshot events at the API version that the client pins. The provider returns its secret
     * only here.
     */
    readonly createEndpoint: (
      endpoint: NewEndpoint
    ) => Effect.Effect<WebhookEndpoint & { readonly secret: Redacted.Redacted }, GatewayError>
    readonly changeEndpoint: (
      endpoint: Pick<WebhookEndpoint, "id" | "payload">,
      changes: EndpointChanges
    ) => Effect.Effect<void, GatewayError>
    readonly createAccount: (account: NewAccount) => Effect.Effect<ConnectedAccount, GatewayError>
    /** Creates a link to the provider's onboarding pages for the operator. It is valid for a few minutes. */
    readonly onboardingLink: (
      account: string,
      addresses: { readonly return_url: string; readonly refresh_url: string }
    ) => Effect.Effect<OnboardingLink, GatewayError>
  }
>()("playroom/payment/provider/PlatformGateway") {}
