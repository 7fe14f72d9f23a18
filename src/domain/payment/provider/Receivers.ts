/**
 * The receivers of the provider's events: their paths, the types of events, and the secrets that verify signatures
 * (from the settings, or generated for the sandbox).
 */
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient, SqlError } from "effect/sql"
import type { Stripe } from "stripe"
import { makeServiceSecret } from "../../../platform/access/LinkTokens.ts"
import { AppConfig } from "../../../platform/config/AppConfig.ts"

/** `platform`: events of our own account. `connected`: of operators' accounts. */
export const Receiver = Schema.Literals(["platform", "connected"])
export type Receiver = typeof Receiver.Type

/** Paths under `BASE_URL` to which the provider delivers. */
export const receiverPaths: Readonly<Record<Receiver, `/${string}`>> = {
  platform: "/api/PaymentWebhook/Handle",
  connected: "/api/PaymentWebhook/HandleConnected"
}

/** A type of event that the provider knows. */
export type EventName = Stripe.WebhookEndpointCreateParams.EnabledEvent

/** The name that snapshot events have for a type of events: thin ones have it behind `v1.`. */
export const snapshotType = (type: string): string => type.replace(/^v1\./, "")
/** The name that thin events have for it. */
export const thinType = (type: EventName): string => `v1.${type}`

type Secrets = ReadonlyArray<Redacted.Redacted>

export class WebhookSecrets extends Context.Service<
  WebhookSecrets,
  {
    /** At least one secret per receiver. The sandbox signs with the first. */
    readonly platform: Secrets
    readonly connected: Secrets
  }
>()("playroom/payment/provider/WebhookSecrets") {
  /**
   * If the settings have none (the sandbox on this machine), random ones are stored in the database, shared by its
   * nodes and commands.
   */
  static readonly layer: Layer.Layer<
    WebhookSecrets,
    SqlError.SqlError,
    AppConfig | SqlClient.SqlClient | SecureRandom.SecureRandom
  > = Layer.effect(
    WebhookSecrets,
    Effect.gen(function* () {
      const { connectedSecrets, platformSecrets } = yield* AppConfig
      const generatedSecret = Effect.fnUntraced(function* (receiver: Receiver) {
        const secret = yield* yield* makeServiceSecret(`webhook_${receiver}`)
        return [
          Redacted.make(`whsec_${Buffer.from(secret).toString("base64url")}`, {
            label: `the sandbox's ${receiver} secret`
          })
        ]
      })
      return WebhookSecrets.of({
        platform: platformSecrets.length > 0 ? platformSecrets : yield* generatedSecret("platform"),
        connected: connectedSecrets.length > 0 ? connectedSecrets : yield* generatedSecret("connected")
      })
    })
  )
}
