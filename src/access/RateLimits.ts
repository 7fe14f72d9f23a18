/** Calls a minute for each address and each key. Token buckets allow a burst and stop a flood. */
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
 * Limits look-ups of unknown keys: in a minute an address may guess wrong as often as it has calls. A guess is counted
 * before its look-up, so that concurrent guesses don't all pass. The count is in memory and costs no statement.
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
        const [remaining, elapsedMs] = yield* Effect.orDie(bucket(address, 1))
        if (remaining < 0) {
          const waitMs = (minuteMs / limit) * -remaining - elapsedMs
          return yield* new RateLimited({ retry_after_seconds: Math.max(1, Math.ceil(waitMs / 1000)) })
        }
        return yield* Effect.onExit(lookUp, (exit) =>
          Exit.isFailure(exit) && Option.exists(Cause.findErrorOption(exit.cause), isInvalidKey)
            ? Effect.void
            : Effect.orDie(bucket(address, -1))
        )
      })
}

const isInvalidKey = (error: unknown): boolean => error instanceof ApiKeyInvalid

/** Limits for one address on what unknown OAuth clients make this service store or fetch. */
const registrationsPerMinute = 10
const documentsPerMinute = 10

const make = Effect.gen(function* () {
  const { rateLimits, trustedProxies } = yield* AppConfig
  const limiter = yield* RateLimiter.RateLimiter
  const trusted = networks(trustedProxies)

  const take = (key: string, limit: number): Effect.Effect<void, RateLimited> =>
    limiter.consume({ algorithm: "token-bucket", window: "1 minute", limit, key }).pipe(
      Effect.catchReason(
        "RateLimiterError",
        "RateLimitExceeded",
        ({ retryAfter }) =>
          Effect.fail(new RateLimited({ retry_after_seconds: Math.max(1, Math.ceil(Duration.toSeconds(retryAfter))) })),
        // Without its store the service goes on without limits.
        (reason) => Effect.logWarning("Rate limits can't be kept", reason)
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
    /** The sender's address, from the socket and `X-Forwarded-For`. */
    readonly addressOf: (request: Pick<HttpServerRequest.HttpServerRequest, "headers" | "remoteAddress">) => string
    /** Guards look-ups of unknown keys from an address: wrong guesses are limited to its calls a minute. */
    readonly guessGuard: (address: string) => LookUpGuard
    /** Counts a call of the address; fails with the seconds to wait if it has none left. */
    readonly takeForAddress: (address: string) => Effect.Effect<void, RateLimited>
    /** Counts a call of the key; fails with the seconds to wait if it has none left. */
    readonly takeForKey: (key_id: string) => Effect.Effect<void, RateLimited>
    /** Counts a registration of an OAuth client from the address. */
    readonly takeForRegistration: (address: string) => Effect.Effect<void, RateLimited>
    /** Counts a fetch of a client's metadata document that a request from the address names. */
    readonly takeForClientDocument: (address: string) => Effect.Effect<void, RateLimited>
  }
>()("playroom/access/RateLimits") {
  /** With the `RateLimiter` of the context. */
  static readonly layerLimiter: Layer.Layer<RateLimits, never, AppConfig | RateLimiter.RateLimiter> = Layer.effect(
    RateLimits,
    make
  )

  /** Shared through a database server. The embedded database serves one process, so the buckets are in memory. */
  static readonly layer: Layer.Layer<RateLimits, never, AppConfig | SqlClient.SqlClient> = RateLimits.layerLimiter.pipe(
    Layer.provide(RateLimiter.layer),
    Layer.provide(
      Layer.unwrap(
        AppConfig.use(({ database }) => Effect.succeed(database.kind === "server" ? postgresStore : memoryStore))
      )
    )
  )
}
