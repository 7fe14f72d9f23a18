/** Calls a minute for each address and each key. Token buckets allow a burst and stop a flood. */
import { Cause, Context, Effect, Exit, Layer, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { SqlClient } from "effect/sql"
import { AppConfig } from "../config/AppConfig.ts"
import { ApiKeyInvalid, RateLimited } from "./ApiKey.ts"
import { type LookUpGuard, unguarded } from "./ApiKeys.ts"
import { bucketOf, senders } from "./ClientAddress.ts"
import { databaseBuckets, makeMemoryBuckets, type TokenBuckets } from "./TokenBuckets.ts"

/** Refuses whoever has to wait so many milliseconds, and nobody who has not. */
const refuse = (per: RateLimited["per"]) => (waitMs: number | undefined) =>
  waitMs === undefined
    ? Effect.void
    : Effect.fail(new RateLimited({ per, retry_after_seconds: Math.max(1, Math.ceil(waitMs / 1000)) }))

/** Counts what senders do within a minute in memory, which costs no statement; a negative number gives back. */
const makeCount = (limit: number) => {
  const { take } = makeMemoryBuckets()
  return (sender: string, tokens: number) => Effect.flatMap(take(sender, limit, tokens), refuse("address"))
}

/**
 * Limits look-ups of unknown keys: in a minute an address may guess wrong as often as it has calls. A guess is counted
 * before its look-up, so that concurrent guesses don't all pass.
 */
const makeGuessGuard = (limit: number) => {
  const count = makeCount(limit)
  return (address: string): LookUpGuard =>
    (lookUp) =>
      Effect.gen(function* () {
        const sender = bucketOf(address)
        yield* count(sender, 1)
        return yield* Effect.onExit(lookUp, (exit) =>
          Exit.isFailure(exit) && Option.exists(Cause.findErrorOption(exit.cause), isInvalidKey)
            ? Effect.void
            : Effect.ignore(count(sender, -1))
        )
      })
}

const isInvalidKey = (error: unknown): boolean => error instanceof ApiKeyInvalid

/** For how long a sender that was refused counts as being over its limit, and of how many that is remembered. */
const overMs = 5000
const maxOver = 10_000

/** Senders that were told to wait a moment ago. */
const makeOverLimit = () => {
  const refusedAt = new Map<string, number>()
  return {
    note: (sender: string): void => {
      // To the end: the first is the oldest.
      refusedAt.delete(sender)
      refusedAt.set(sender, performance.now())
      const [oldest] = refusedAt.keys()
      if (refusedAt.size > maxOver && oldest !== undefined) refusedAt.delete(oldest)
    },
    has: (sender: string): boolean => {
      const at = refusedAt.get(sender)
      if (at === undefined) return false
      if (performance.now() - at < overMs) return true
      refusedAt.delete(sender)
      return false
    }
  }
}

/**
 * Pages that an address may open for each of its calls. Sixty families of a school behind one address open twenty pages
 * each within a minute, at the default of 120 calls.
 */
export const pagesPerCall = 10

/** The limit for one address on the documents of unknown OAuth clients that this service fetches. */
const documentsPerMinute = 10

const make = Effect.fnUntraced(function* (buckets: TokenBuckets) {
  const { rateLimits, trustedProxies } = yield* AppConfig

  const take = (what: string, limit: number, per: RateLimited["per"] = "address"): Effect.Effect<void, RateLimited> =>
    buckets.take(what, limit).pipe(
      // If they can't be read, the service goes on without limits.
      Effect.catch((error) => Effect.as(Effect.logWarning("Rate limits can't be kept", error), undefined)),
      Effect.flatMap(refuse(per))
    )

  const guardGuesses = rateLimits === undefined ? undefined : makeGuessGuard(rateLimits.perAddress)

  const over = { calls: makeOverLimit(), pages: makeOverLimit() }
  const countPage = rateLimits === undefined ? undefined : makeCount(pagesPerCall * rateLimits.perAddress)
  const takeFor = (sender: string, perMinute: number) =>
    Effect.tapError(take(`address ${sender}`, perMinute), () => Effect.sync(() => over.calls.note(sender)))

  return RateLimits.of({
    isOver: (sender, what) => over[what].has(sender),
    guessGuard: (address) => guardGuesses?.(address) ?? unguarded,
    addressOf: senders(trustedProxies),
    takeForAddress: (address) =>
      rateLimits === undefined ? Effect.void : takeFor(bucketOf(address), rateLimits.perAddress),
    takeForPage: (address) => {
      const sender = bucketOf(address)
      // Who opens so many pages waits with calls, too: some pages cost what calls cost.
      const note = Effect.sync(() => Object.values(over).forEach((one) => one.note(sender)))
      return countPage === undefined ? Effect.void : Effect.tapError(countPage(sender, 1), () => note)
    },
    takeForKey: (key_id) => (rateLimits === undefined ? Effect.void : take(`key ${key_id}`, rateLimits.perKey, "key")),
    takeForTokens: (address) =>
      rateLimits === undefined ? Effect.void : take(`tokens ${bucketOf(address)}`, rateLimits.perKey),
    takeForClientDocument: (address) =>
      rateLimits === undefined ? Effect.void : take(`document ${bucketOf(address)}`, documentsPerMinute)
  })
})

export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** The sender's address, from the socket and `X-Forwarded-For`. */
    readonly addressOf: (request: Pick<HttpServerRequest.HttpServerRequest, "headers" | "remoteAddress">) => string
    /** Whether a sender, as `bucketOf` names it, was refused for its address's limit in the last seconds, by this process. */
    readonly isOver: (sender: string, what: "calls" | "pages") => boolean
    /** Guards look-ups of unknown keys from an address: wrong guesses are limited to its calls a minute. */
    readonly guessGuard: (address: string) => LookUpGuard
    /** Counts a call of the address; fails with the seconds to wait if it has none left. */
    readonly takeForAddress: (address: string) => Effect.Effect<void, RateLimited>
    /**
     * Counts a page that a person behind the address opens, in this process; fails with the seconds to wait if it has
     * none left. Pages are counted apart from calls.
     */
    readonly takeForPage: (address: string) => Effect.Effect<void, RateLimited>
    /** Counts a call of the key; fails with the seconds to wait if it has none left. */
    readonly takeForKey: (key_id: string) => Effect.Effect<void, RateLimited>
    /**
     * Counts a call of the address for tokens. A host's server renews those of all its people from few addresses, so it
     * has as many as a key.
     */
    readonly takeForTokens: (address: string) => Effect.Effect<void, RateLimited>
    /** Counts a fetch of a client's metadata document that a request from the address names. */
    readonly takeForClientDocument: (address: string) => Effect.Effect<void, RateLimited>
  }
>()("playroom/access/RateLimits") {
  /** With these buckets. */
  static readonly layerOf = <E, R>(buckets: Effect.Effect<TokenBuckets, E, R>) =>
    Layer.effect(RateLimits, Effect.flatMap(buckets, make))

  /** With buckets in memory. */
  static readonly layerInMemory = RateLimits.layerOf(Effect.sync(() => makeMemoryBuckets()))

  /** Shared through a database server. The embedded database serves one process, so the buckets are in memory. */
  static readonly layer: Layer.Layer<RateLimits, never, AppConfig | SqlClient.SqlClient> = Layer.unwrap(
    AppConfig.use(({ database }) =>
      Effect.succeed(database.kind === "server" ? RateLimits.layerOf(databaseBuckets) : RateLimits.layerInMemory)
    )
  )
}
