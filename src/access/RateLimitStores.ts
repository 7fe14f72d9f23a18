/** Stores of token buckets: in this process, or in PostgreSQL for several nodes. Both drop full buckets. */
import { Clock, Duration, Effect, Layer, Schedule, Schema } from "effect"
import { RateLimiter } from "effect/persistence"
import { SqlClient } from "effect/sql"
import { monotonicMs } from "../kernel/Elapsed.ts"
import { decodeRows } from "../kernel/Rows.ts"

interface Bucket {
  tokens: number
  refilledAt: number
  /** When it is full again and can be dropped. */
  fullAt: number
}

const unsupported = Effect.die(new Error("only token buckets are kept here, and their tokens taken one by one"))
const otherAlgorithms = {
  fixedWindow: () => unsupported,
  adaptiveConsume: () => unsupported,
  adaptiveFeedback: () => unsupported
}

/**
 * Buckets in memory. Effect's own memory store never drops a key. This one drops full buckets as it grows, and the
 * oldest beyond `maxBuckets`.
 */
export const makeMemoryStore = (maxBuckets = 100_000) => {
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

  const store = RateLimiter.RateLimiterStore.of({
    ...otherAlgorithms,
    tokenBucket: ({ allowOverflow, key, limit, refillRate, tokens }) =>
      Effect.map(monotonicMs, (now) => {
        const refillMs = Duration.toMillis(refillRate)
        let bucket = buckets.get(key)
        if (bucket === undefined) {
          if (buckets.size >= sweepAt) sweep(now)
          bucket = { tokens: limit, refilledAt: now, fullAt: now }
          buckets.set(key, bucket)
        }
        const earned = Math.max(0, Math.floor((now - bucket.refilledAt) / refillMs))
        bucket.tokens = Math.min(limit, bucket.tokens + earned)
        bucket.refilledAt = bucket.tokens >= limit ? now : bucket.refilledAt + earned * refillMs
        const remaining = bucket.tokens - tokens
        if (allowOverflow || remaining >= 0) bucket.tokens = remaining
        bucket.fullAt = bucket.refilledAt + (limit - bucket.tokens) * refillMs
        return [remaining, Math.max(0, now - bucket.refilledAt)] as const
      })
  })
  return { store, size: () => buckets.size }
}

export const memoryStore: Layer.Layer<RateLimiter.RateLimiterStore> = Layer.sync(
  RateLimiter.RateLimiterStore,
  () => makeMemoryStore().store
)

const Outcome = Schema.Tuple([
  Schema.Struct({ granted: Schema.Finite, tokens: Schema.Finite, refilledAt: Schema.Finite })
])
const decodeOutcome = decodeRows(Outcome)

const storeError = (cause: unknown) =>
  new RateLimiter.RateLimiterError({
    reason: new RateLimiter.RateLimitStoreError({ message: "the rate limit could not be read", cause })
  })

/** Limits are per minute: a bucket is full long before this, and is removed. */
const keptMs = 600_000

/** Limit of buckets that a node caches as empty. Beyond it the cache is cleared. */
const maxEmptyBuckets = 10_000

/**
 * Buckets in the table `rate_limit`, shared by all nodes: one statement a call, so that concurrent calls can't exceed a
 * limit. Each node caches empty buckets until their next token is due, so a flood of refused calls costs the database
 * nothing. Takes one token at a time.
 */
export const postgresStore: Layer.Layer<RateLimiter.RateLimiterStore, never, SqlClient.SqlClient> = Layer.effect(
  RateLimiter.RateLimiterStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    /** When the next token of each is due; `monotonicMs`. */
    const emptyUntil = new Map<string, number>()

    yield* Effect.flatMap(
      Clock.currentTimeMillis,
      (now) =>
        sql`delete from rate_limit where refilled_at < ${now - keptMs}::float8 or refilled_at > ${now + keptMs}::float8`
    ).pipe(Effect.ignore, Effect.repeat(Schedule.spaced("5 minutes")), Effect.delay("5 minutes"), Effect.forkScoped)

    const take = Effect.fnUntraced(function* (key: string, limit: number, refillMs: number) {
      const now = yield* Clock.currentTimeMillis
      const at = yield* monotonicMs
      const until = emptyUntil.get(key)
      if (until !== undefined) {
        if (at < until) return [-1, Math.max(0, refillMs - (until - at))] as const
        emptyUntil.delete(key)
      }
      // A bucket that was filled later than it can be by nodes' clocks that differ a little, was filled before the clock
      // stepped back: it is a new one. The row stores whether the last call passed, as only the new row can be returned.
      const [{ granted, refilledAt, tokens }] = yield* decodeOutcome(sql`
        insert into rate_limit as r (key, tokens, granted, refilled_at)
        values (${key}, ${limit - 1}::float8, 1, ${now}::float8)
        on conflict (key) do update set (tokens, granted, refilled_at) = (
          select available.tokens - taken.tokens, taken.tokens,
            case when available.tokens >= ${limit}::float8 then ${now}::float8
              else r.refilled_at + refill.earned * ${refillMs}::float8 end
          from (select r.refilled_at > ${now + limit * refillMs}::float8 as back) stepped,
            lateral (select greatest(0, floor((${now}::float8 - r.refilled_at) / ${refillMs}::float8)) as earned) refill,
            lateral (select case when stepped.back then ${limit}::float8 else least(${limit}::float8, r.tokens + refill.earned) end as tokens) available,
            lateral (select least(1, floor(available.tokens)) as tokens) taken)
        returning granted, tokens, refilled_at as "refilledAt"`)
      const elapsedMs = Math.max(0, now - refilledAt)
      if (granted > 0) return [tokens, elapsedMs] as const
      if (emptyUntil.size >= maxEmptyBuckets) emptyUntil.clear()
      // Whole milliseconds: asked a moment too early, the database still decides.
      emptyUntil.set(key, Math.floor(at + refillMs - elapsedMs))
      return [-1, elapsedMs] as const
    })

    return RateLimiter.RateLimiterStore.of({
      ...otherAlgorithms,
      tokenBucket: ({ allowOverflow, key, limit, refillRate, tokens }) =>
        allowOverflow || tokens !== 1
          ? unsupported
          : Effect.mapError(take(key, limit, Duration.toMillis(refillRate)), storeError)
    })
  })
)
