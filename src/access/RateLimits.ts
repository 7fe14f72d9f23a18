/** How many calls one address and one key may make in a minute: token buckets, so that a burst passes and a flood does not. */
import { Context, Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import type { SqlClient } from "effect/sql"
import { AppConfig } from "../AppConfig.ts"
import { RateLimited } from "./ApiKey.ts"
import { bucketOf, clientAddress, networks } from "./ClientAddress.ts"
import { memoryStore, postgresStore } from "./RateLimitStores.ts"

const make = Effect.gen(function* () {
  const { rateLimits, trustedProxies } = yield* AppConfig
  const limiter = yield* RateLimiter.RateLimiter
  const trusted = networks(trustedProxies)

  const take = (key: string, limit: number): Effect.Effect<void, RateLimited> =>
    limiter.consume({ algorithm: "token-bucket", window: "1 minute", limit, key }).pipe(
      Effect.catch(({ reason }) =>
        reason._tag === "RateLimitExceeded"
          ? Effect.fail(
              new RateLimited({ retry_after_seconds: Math.max(1, Math.ceil(Duration.toSeconds(reason.retryAfter))) })
            )
          : // Better to serve without a limit than not at all.
            Effect.logWarning("Rate limits can't be kept", reason)
      ),
      Effect.asVoid
    )

  return RateLimits.of({
    addressOf: (socket, forwardedFor) => clientAddress(socket, forwardedFor, trusted),
    takeForAddress: (address) =>
      rateLimits === undefined ? Effect.void : take(`address ${bucketOf(address)}`, rateLimits.perAddress),
    takeForKey: (key_id) => (rateLimits === undefined ? Effect.void : take(`key ${key_id}`, rateLimits.perKey))
  })
})

export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** The sender's address, from the socket's and from `X-Forwarded-For`. */
    readonly addressOf: (socket: string | undefined, forwardedFor: string | undefined) => string
    readonly takeForAddress: (address: string) => Effect.Effect<void, RateLimited>
    readonly takeForKey: (key_id: string) => Effect.Effect<void, RateLimited>
  }
>()("playroom/access/RateLimits") {
  /** On a `RateLimiter` of one's choice. */
  static readonly layerLimiter: Layer.Layer<RateLimits, never, AppConfig | RateLimiter.RateLimiter> = Layer.effect(
    RateLimits,
    make
  )

  /** Shared through the database where that is a server; the embedded one has one process only, so memory will do. */
  static readonly layer: Layer.Layer<RateLimits, never, AppConfig | SqlClient.SqlClient> = RateLimits.layerLimiter.pipe(
    Layer.provide(RateLimiter.layer),
    Layer.provide(
      Layer.unwrap(
        AppConfig.use(({ database }) => Effect.succeed(database.kind === "server" ? postgresStore : memoryStore))
      )
    )
  )
}
