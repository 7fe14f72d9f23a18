/** How many calls one address and one key may make in a minute. Token buckets let a burst pass and stop a flood. */
import { Cause, Context, Duration, Effect, Exit, Layer, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { RateLimiter } from "effect/persistence"
import type { SqlClient } from "effect/sql"
import { AppConfig } from "../config/AppConfig.ts"
import { minuteMs } from "../kernel/LocalTime.ts"
import { ApiKeyInvalid, RateLimited } from "./ApiKey.ts"
import { type LookUpGuard, unguarded } from "./ApiKeys.ts"
import { bucketOf, clientAddress, networks } from "./ClientAddress.ts"
import { makeMemoryStore, memoryStore, postgresStore } from "./RateLimitStores.ts"

/**
 * Bounds the look-ups of keys that this node does not know: in a minute an address may guess wrong as often as it has calls. A guess is
 * counted before its look-up, so that many at once are not all let through, and the count is kept in memory, so that it costs no
 * statement.
 */
const makeGuessGuard = (limit: number) => {
  const { store } = makeMemoryStore()
  const bucket = (address: string, tokens: number) =>
    store.tokenBucket({
      key: bucketOf(address),
      tokens,
      limit,
      refillRate: Duration.millis(minuteMs / limit),
      allowOverflow: false
    })
  return (address: string): LookUpGuard =>
    (lookUp) =>
      Effect.gen(function* () {
        const [left, elapsedMs] = yield* Effect.orDie(bucket(address, 1))
        if (left < 0) {
          const waitMs = (minuteMs / limit) * -left - elapsedMs
          return yield* new RateLimited({ retry_after_seconds: Math.max(1, Math.ceil(waitMs / 1000)) })
        }
        return yield* Effect.onExit(lookUp, (exit) =>
          Exit.isFailure(exit) && Option.exists(Cause.findErrorOption(exit.cause), isWrongKey)
            ? Effect.void
            : Effect.orDie(bucket(address, -1))
        )
      })
}

const isWrongKey = (error: unknown): boolean => error instanceof ApiKeyInvalid

/** What one address may make this service keep or fetch for OAuth clients that nobody knows. */
const registrationsPerMinute = 10
const documentsPerMinute = 10

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
          : // Without the store the service goes on, without limits.
            Effect.logWarning("Rate limits can't be kept", reason)
      ),
      Effect.asVoid
    )

  const guardGuesses = rateLimits === undefined ? undefined : makeGuessGuard(rateLimits.perAddress)

  return RateLimits.of({
    guessGuard: (address) => guardGuesses?.(address) ?? unguarded,
    addressOf: ({ headers, remoteAddress }) =>
      clientAddress(Option.getOrUndefined(remoteAddress), headers["x-forwarded-for"], trusted),
    takeForAddress: (address) =>
      rateLimits === undefined ? Effect.void : take(`address ${bucketOf(address)}`, rateLimits.perAddress),
    takeForKey: (key_id) => (rateLimits === undefined ? Effect.void : take(`key ${key_id}`, rateLimits.perKey)),
    takeForRegistration: (address) =>
      rateLimits === undefined ? Effect.void : take(`registration ${bucketOf(address)}`, registrationsPerMinute),
    takeForClientDocument: (address) =>
      rateLimits === undefined ? Effect.void : take(`document ${bucketOf(address)}`, documentsPerMinute)
  })
})

export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** The sender's address, from the socket's and from `X-Forwarded-For`. */
    readonly addressOf: (request: Pick<HttpServerRequest.HttpServerRequest, "headers" | "remoteAddress">) => string
    /** The guard of look-ups of unknown keys from that address: in a minute as many of them may be wrong as it has calls. */
    readonly guessGuard: (address: string) => LookUpGuard
    /** Takes a token of the address; fails with the seconds to wait where it has none left. */
    readonly takeForAddress: (address: string) => Effect.Effect<void, RateLimited>
    /** Takes a token of the key; fails with the seconds to wait where it has none left. */
    readonly takeForKey: (key_id: string) => Effect.Effect<void, RateLimited>
    /** Before an OAuth client is registered for that address. */
    readonly takeForRegistration: (address: string) => Effect.Effect<void, RateLimited>
    /** Before a document is fetched that a request from that address names. */
    readonly takeForClientDocument: (address: string) => Effect.Effect<void, RateLimited>
  }
>()("playroom/access/RateLimits") {
  /** On the `RateLimiter` that is provided. */
  static readonly layerLimiter: Layer.Layer<RateLimits, never, AppConfig | RateLimiter.RateLimiter> = Layer.effect(
    RateLimits,
    make
  )

  /** Shared through the database where that is a server. The embedded one serves one process, so the buckets are in its memory. */
  static readonly layer: Layer.Layer<RateLimits, never, AppConfig | SqlClient.SqlClient> = RateLimits.layerLimiter.pipe(
    Layer.provide(RateLimiter.layer),
    Layer.provide(
      Layer.unwrap(
        AppConfig.use(({ database }) => Effect.succeed(database.kind === "server" ? postgresStore : memoryStore))
      )
    )
  )
}
