/**
 * The receivers of the provider's events: where the provider delivers, which types it knows, and the secrets that show an event to be
 * its own (those of the settings, or ones that were made for the sandbox).
 */
import { Clock, Context, Effect, Layer, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import type { Stripe } from "stripe"
import { AppConfig } from "../../config/AppConfig.ts"
import { decodeRows } from "../../kernel/Rows.ts"

/** `platform`: events of our own account. `connected`: of operators' accounts. */
export const Receiver = Schema.Literals(["platform", "connected"])
export type Receiver = typeof Receiver.Type

/** Where the provider delivers, under `BASE_URL`. */
export const receiverPaths: Readonly<Record<Receiver, `/${string}`>> = {
  platform: "/api/PaymentWebhook/Handle",
  connected: "/api/PaymentWebhook/HandleConnected"
}

/** A type of event that the provider knows. */
export type EventName = Stripe.WebhookEndpointCreateParams.EnabledEvent

type Secrets = ReadonlyArray<Redacted.Redacted>

const rows = decodeRows(Schema.Array(Schema.Struct({ secret: Schema.Uint8Array })))
const secretBytes = 32

export class WebhookSecrets extends Context.Service<
  WebhookSecrets,
  {
    /** Each receiver's, at least one; the sandbox signs with the first. */
    readonly platform: Secrets
    readonly connected: Secrets
  }
>()("playroom/payment/WebhookSecrets") {
  /**
   * If the settings give none (the sandbox on this machine), random ones are kept in the database: every node and every command
   * on it has the same, and nobody else.
   */
  static readonly layer: Layer.Layer<
    WebhookSecrets,
    SqlError.SqlError,
    AppConfig | SqlClient.SqlClient | SecureRandom.SecureRandom
  > = Layer.effect(
    WebhookSecrets,
    Effect.gen(function* () {
      const { connectedSecrets, platformSecrets } = yield* AppConfig
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom

      const generatedSecret = Effect.fnUntraced(function* (receiver: Receiver) {
        const name = `webhook_${receiver}`
        const fresh = yield* random.randomBytes(secretBytes)
        const now = new Date(yield* Clock.currentTimeMillis)
        // Of nodes that start together one makes it.
        yield* sql`insert into service_secret (name, secret, created_at) values (${name}, ${fresh}::bytea, ${now}) on conflict do nothing`
        const kept = yield* rows(sql`select secret from service_secret where name = ${name}`)
        return kept.map(({ secret }) =>
          Redacted.make(`whsec_${Buffer.from(secret).toString("base64url")}`, {
            label: `the sandbox's ${receiver} secret`
          })
        )
      })
      return WebhookSecrets.of({
        platform: platformSecrets.length > 0 ? platformSecrets : yield* generatedSecret("platform"),
        connected: connectedSecrets.length > 0 ? connectedSecrets : yield* generatedSecret("connected")
      })
    })
  )
}
