/** Calls a minute for each address and each key. Token buckets allow a burst and stop a flood. */
import { Cause, Context, Effect, Exit, Layer, Option, Clock, Schema, type Scope } from "effect"
import type { HttpServerRequest } from "effect/http"
import { SqlClient } from "effect/sql"
import { sharedStatement } from "../concurrency/SharedReads.ts"
import { AppConfig } from "../config/AppConfig.ts"
import { decodeRows } from "../database/Rows.ts"
import { monotonicMs } from "../time/Elapsed.ts"
import { minuteMs, forkRecurring } from "../time/LocalTime.ts"
import { ApiKeyInvalid, RateLimited, type LookUpGuard, unguarded } from "./ApiKeys.ts"
import { bucketOf, senders, siteOf } from "./ClientAddress.ts"

// Token buckets, in this process, or in PostgreSQL for several nodes. Both drop full buckets.

/** Buckets by key. Each holds `limit` tokens and earns as many a minute. */
export interface TokenBuckets {
  /** Takes a token. Without one, tells in how many milliseconds the next is due; fails if the buckets can't be read. */
  readonly take: (key: string, limit: number) => Effect.Effect<number | undefined, TokensUnknown>
}

interface Bucket {
  tokens: number
  refilledAt: number
  /** When it is full again and can be dropped. */
  fullAt: number
}

/**
 * Buckets in memory. As they grow, full ones are dropped, and the oldest beyond `maxBuckets`. A negative number of
 * tokens gives back.
 */
export const makeMemoryBuckets = (maxBuckets = 100_000) => {
  const buckets = new Map<string, Bucket>()
  let sweepAt = 1024

  const sweep = (now: number): void => {
    for (const [key, bucket] of buckets) if (bucket.fullAt <= now) buckets.delete(key)
    for (const key of buckets.keys()) {
      if (buckets.size <= maxBuckets * 0.9) break
      buckets.delete(key)
    }
    sweepAt = Math.min(maxBuckets, Math.max(1024, buckets.size * 2))
  }

  const take = (key: string, limit: number, tokens = 1): Effect.Effect<number | undefined> =>
    Effect.map(monotonicMs, (now) => {
      const refillMs = minuteMs / limit
      let bucket = buckets.get(key)
      if (bucket === undefined) {
        if (buckets.size >= sweepAt) sweep(now)
        bucket = { tokens: limit, refilledAt: now, fullAt: now }
        buckets.set(key, bucket)
      }
      const earned = Math.max(0, Math.floor((now - bucket.refilledAt) / refillMs))
      bucket.tokens = Math.min(limit, bucket.tokens + earned)
      bucket.refilledAt = bucket.tokens >= limit ? now : bucket.refilledAt + earned * refillMs
      const left = bucket.tokens - tokens
      if (left >= 0) bucket.tokens = left
      bucket.fullAt = bucket.refilledAt + (limit - bucket.tokens) * refillMs
      return left >= 0 ? undefined : refillMs * -left - Math.max(0, now - bucket.refilledAt)
    })
  return { take, size: () => buckets.size }
}

const decodeOutcomes = decodeRows(
  Schema.Array(Schema.Struct({ key: Schema.String, granted: Schema.Finite, refilledAt: Schema.Finite }))
)

/** Why the buckets of the database can't be read. */
type TokensUnknown = Effect.Error<ReturnType<typeof decodeOutcomes>>

/** A call that needs a token. */
interface Taker {
  readonly key: string
  readonly limit: number
}

/** Tokens that one statement takes. */
const maxTaken = 64

/** Limits are per minute: a bucket is full long before this, and is removed. */
const keptMs = 600_000

/** Limit of buckets that a node remembers. Beyond it they are forgotten. */
const maxRemembered = 10_000

/** Tokens that a node took ahead of the calls that will use them. */
interface Ahead {
  left: number
  /** Calls since they were taken, with those that they were taken with. */
  calls: number
  /** Until when they may be used, `monotonicMs`. Then they are lost. */
  readonly until: number
}

/**
 * Tokens taken ahead may be used for so long. A bucket of up to 600 a minute earns no more meanwhile than the token that
 * was taken with them, so it can't be full again before they are used: nobody gets more than without them.
 */
const aheadMs = 100

/** The most that is taken ahead is such a part of a bucket: so much may be lost each time. */
const aheadShare = 1 / 200

/**
 * Buckets in the table `rate_limit`, shared by all nodes: a statement takes the tokens of all calls that came while the
 * one before ran, so that calls can't exceed a limit however they fall together. For a sender who calls again within
 * `aheadMs` it takes as many ahead as the sender has just used. Each node caches empty buckets until their next token
 * is due, so a flood of refused calls costs the database nothing.
 */
export const databaseBuckets: Effect.Effect<TokenBuckets, never, SqlClient.SqlClient | Scope.Scope> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    /** When the next token of each is due; `monotonicMs`. */
    const emptyUntil = new Map<string, number>()
    const takenAhead = new Map<string, Ahead>()

    const removeFull = Effect.flatMap(
      Clock.currentTimeMillis,
      (now) =>
        sql`delete from rate_limit where refilled_at < ${now - keptMs}::float8 or refilled_at > ${now + keptMs}::float8`
    )
    yield* forkRecurring(removeFull, {
      delay: "5 minutes",
      every: "5 minutes",
      failed: "Full buckets of rate limits were not removed"
    })

    const takeAll = Effect.fnUntraced(function* (takers: ReadonlyArray<Taker>) {
      const now = yield* Clock.currentTimeMillis
      const at = yield* monotonicMs
      const byKey = Map.groupBy(takers, ({ key }) => key)
      const keys = [...byKey.keys()]
      const limits = keys.map((key) => byKey.get(key)?.[0]?.limit ?? 0)
      // Who came while the statement before was under way uses what that took ahead, and nobody else does now.
      const before = keys.map((key) => {
        const ahead = takenAhead.get(key)
        takenAhead.delete(key)
        return ahead === undefined || ahead.until <= at ? { left: 0, calls: 0 } : ahead
      })
      const wanted = before.map(({ calls, left }, i) => {
        const ahead = Math.min(calls, Math.floor((limits[i] ?? 0) * aheadShare))
        return Math.max(0, (byKey.get(keys[i] ?? "")?.length ?? 0) + ahead - left)
      })
      const left = new Map(keys.map((key, i) => [key, before[i]?.left ?? 0]))
      // In order, so that two nodes with the same keys don't deadlock. A bucket that was filled later than it can be by
      // nodes' clocks that differ a little, was filled before the clock stepped back: it is a new one. The row stores
      // how many were granted, as only the new row can be returned. The row that is excluded has what a full bucket
      // would grant and have left: together its limit.
      const outcomes = yield* decodeOutcomes(sql`
        insert into rate_limit as r (key, tokens, granted, refilled_at)
        select key, size - least(size, wanted), least(size, wanted), ${now}::float8
        from unnest(${keys}::text[], ${limits}::float8[], ${wanted}::float8[]) as bucket (key, size, wanted)
        order by key collate "C"
        on conflict (key) do update set (tokens, granted, refilled_at) = (
          select available.tokens - taken.tokens, taken.tokens,
            case when available.tokens >= bucket.size then ${now}::float8 else r.refilled_at + refill.earned * bucket.refill_ms end
          from (select excluded.tokens + excluded.granted as size, excluded.granted as wanted,
              ${minuteMs}::float8 / (excluded.tokens + excluded.granted) as refill_ms) bucket,
            lateral (select r.refilled_at > ${now + minuteMs}::float8 as back) stepped,
            lateral (select greatest(0, floor((${now}::float8 - r.refilled_at) / bucket.refill_ms)) as earned) refill,
            lateral (select case when stepped.back then bucket.size else least(bucket.size, r.tokens + refill.earned) end as tokens) available,
            lateral (select least(bucket.wanted, floor(available.tokens)) as tokens) taken)
        returning key, granted, refilled_at as "refilledAt"`)
      const waits = new Map<Taker, number | undefined>()
      for (const { granted, key, refilledAt } of outcomes) {
        const ofKey = byKey.get(key) ?? []
        const waitMs = minuteMs / (ofKey[0]?.limit ?? 1) - Math.max(0, now - refilledAt)
        const has = granted + (left.get(key) ?? 0)
        for (const [n, taker] of ofKey.entries()) waits.set(taker, n < has ? undefined : waitMs)
        if (ofKey.length <= has) {
          if (takenAhead.size >= maxRemembered) takenAhead.clear()
          takenAhead.set(key, { left: has - ofKey.length, calls: ofKey.length, until: at + aheadMs })
          continue
        }
        if (emptyUntil.size >= maxRemembered) emptyUntil.clear()
        // Whole milliseconds: asked a moment too early, the database still decides.
        emptyUntil.set(key, Math.floor(at + waitMs))
      }
      return takers.map((taker) => Exit.succeed(waits.get(taker)))
    })

    const takeShared = sharedStatement({ name: "RateLimits.take", most: maxTaken, sql }, takeAll)

    const take = Effect.fnUntraced(function* (key: string, limit: number) {
      const [until, ahead] = [emptyUntil.get(key), takenAhead.get(key)]
      if (until === undefined && ahead === undefined) return yield* takeShared({ key, limit })
      const at = yield* monotonicMs
      if (until !== undefined) {
        if (at < until) return until - at
        emptyUntil.delete(key)
      }
      if (ahead !== undefined && ahead.left > 0 && at < ahead.until) {
        ahead.left--
        ahead.calls++
        return undefined
      }
      return yield* takeShared({ key, limit })
    })
    return { take }
  }
)

/** Refuses whoever has to wait so many milliseconds, and nobody who has not. */
const refuse = (per: RateLimited["per"]) => (waitMs: number | undefined) =>
  waitMs === undefined
    ? Effect.void
    : Effect.fail(new RateLimited({ per, retry_after_seconds: Math.max(1, Math.ceil(waitMs / 1000)) }))

/** A /48 of IPv6 has the shares of so many of its /64s: who was given a /48 has thousands of them. */
const sharesOfSite = 3

/** Takes what an address does from its own share, and if it has some left, from that of its /48. */
const taking =
  <E>(take: (key: string, limit: number) => Effect.Effect<void, E>) =>
  (address: string, limit: number): Effect.Effect<void, E> => {
    const [sender, site] = [bucketOf(address), siteOf(address)]
    const own = take(sender, limit)
    return site === sender ? own : Effect.andThen(own, take(site, sharesOfSite * limit))
  }

/** Counts what addresses do within a minute in memory, which costs no statement; a negative number gives back. */
const makeCount = (limit: number) => {
  const { take } = makeMemoryBuckets()
  return (address: string, tokens: number) =>
    taking((key, most) => Effect.flatMap(take(key, most, tokens), refuse("address")))(address, limit)
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
        yield* count(address, 1)
        return yield* Effect.onExit(lookUp, (exit) =>
          Exit.isFailure(exit) && Option.exists(Cause.findErrorOption(exit.cause), isInvalidKey)
            ? Effect.void
            : Effect.ignore(count(address, -1))
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

/** So many wrong codes for a lower price a sender may give: each of them is looked for, and none after these. */
const wrongCodesPerMinute = 10

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

  const guardCodes = rateLimits === undefined ? undefined : makeGuessGuard(wrongCodesPerMinute)

  const over = { calls: makeOverLimit(), pages: makeOverLimit() }
  const countPage = rateLimits === undefined ? undefined : makeCount(pagesPerCall * rateLimits.perAddress)
  const takeAs = (what: string, address: string, perMinute: number) =>
    taking((key, limit) => take(`${what} ${key}`, limit))(address, perMinute)

  return RateLimits.of({
    isOver: (sender, what) => over[what].has(sender),
    guessGuard: (address) => guardGuesses?.(address) ?? unguarded,
    codeGuard: (sender) => guardCodes?.(sender) ?? unguarded,
    addressOf: senders(trustedProxies),
    takeForAddress: (address) =>
      rateLimits === undefined
        ? Effect.void
        : Effect.tapError(takeAs("address", address, rateLimits.perAddress), () =>
            Effect.sync(() => over.calls.note(bucketOf(address)))
          ),
    takeForPage: (address) => {
      const sender = bucketOf(address)
      // Who opens so many pages waits with calls, too: some pages cost what calls cost.
      const note = Effect.sync(() => Object.values(over).forEach((one) => one.note(sender)))
      return countPage === undefined ? Effect.void : Effect.tapError(countPage(address, 1), () => note)
    },
    takeForKey: (key_id) => (rateLimits === undefined ? Effect.void : take(`key ${key_id}`, rateLimits.perKey, "key")),
    takeForTokens: (address) => (rateLimits === undefined ? Effect.void : takeAs("tokens", address, rateLimits.perKey)),
    takeForClientDocument: (address) =>
      rateLimits === undefined ? Effect.void : takeAs("document", address, documentsPerMinute)
  })
})

export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** The sender's address, from the socket and `X-Forwarded-For`. */
    readonly addressOf: (request: Pick<HttpServerRequest.HttpServerRequest, "headers" | "remoteAddress">) => string
    /**
     * Whether a sender, as `bucketOf` names it, was refused for its address's limit in the last seconds, by this
     * process.
     */
    readonly isOver: (sender: string, what: "calls" | "pages") => boolean
    /** Guards look-ups of unknown keys from an address: wrong guesses are limited to its calls a minute. */
    readonly guessGuard: (address: string) => LookUpGuard
    /** The same of codes for a lower price, from an address or a key. They are counted apart. */
    readonly codeGuard: (sender: string) => LookUpGuard
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
