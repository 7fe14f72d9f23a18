/** Where token buckets are kept: in this process, or in PostgreSQL for several nodes. Full buckets are forgotten in both. */
import { Clock, Duration, Effect, Layer, Schedule, Schema } from "effect"
import { RateLimiter } from "effect/persistence"
import { SqlClient } from "effect/sql"

interface Bucket {
  tokens: number
  refilledAt: number
  /** When it is full again, so that forgetting it changes nothing. */
  fullAt: number
}

const unused = Effect.die(new Error("only token buckets are kept here"))
const others = { fixedWindow: () => unused, adaptiveConsume: () => unused, adaptiveFeedback: () => unused }

/**
 * Buckets in memory. Effect's own memory store keeps a bucket for every key that it ever saw; this one sweeps out full ones
 * as it grows, and beyond `most` forgets the oldest.
 */
export const makeMemoryStore = (most = 100_000) => {
  const buckets = new Map<string, Bucket>()
  let sweepAt = 1024

  const sweep = (now: number): void => {
    for (const [key, bucket] of buckets) if (bucket.fullAt <= now) buckets.delete(key)
    for (const key of buckets.keys()) {
      if (buckets.size <= most * 0.9) break
      buckets.delete(key)
    }
    sweepAt = Math.min(most, Math.max(1024, buckets.size * 2))
  }

  const store = RateLimiter.RateLimiterStore.of({
    ...others,
    tokenBucket: ({ allowOverflow, key, limit, refillRate, tokens }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
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

const Outcome = Schema.Tuple([Schema.Struct({ remaining: Schema.Finite, refilled_at: Schema.Finite })])
const decodeOutcome = Schema.decodeUnknownEffect(Outcome)

const failed = (cause: unknown) =>
  new RateLimiter.RateLimiterError({
    reason: new RateLimiter.RateLimitStoreError({ message: "the rate limit could not be read", cause })
  })

/** Buckets in the table `rate_limit`: one statement a call, so that nodes never count past each other. */
export const postgresStore: Layer.Layer<RateLimiter.RateLimiterStore, never, SqlClient.SqlClient> = Layer.effect(
  RateLimiter.RateLimiterStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    // Limits are per minute, so a bucket that nobody touched for ten is full.
    yield* Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => sql`delete from rate_limit where refilled_at < ${now - 600_000}::float8`
    ).pipe(Effect.ignore, Effect.repeat(Schedule.spaced("5 minutes")), Effect.delay("5 minutes"), Effect.forkScoped)

    return RateLimiter.RateLimiterStore.of({
      ...others,
      tokenBucket: ({ allowOverflow, key, limit, refillRate, tokens }) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const refillMs = Duration.toMillis(refillRate)
          const earned = sql`greatest(0, floor((${now}::float8 - r.refilled_at) / ${refillMs}::float8))`
          const full = sql`least(${limit}::float8, r.tokens + ${earned})`
          const left = sql`${full} - ${tokens}::float8`
          const rows = yield* sql`
            insert into rate_limit as r (key, tokens, remaining, refilled_at)
            values (${key}, ${limit - tokens}::float8, ${limit - tokens}::float8, ${now}::float8)
            on conflict (key) do update set
              tokens = case when ${allowOverflow}::boolean or ${left} >= 0 then ${left} else ${full} end,
              remaining = ${left},
              refilled_at = case when ${full} >= ${limit}::float8 then ${now}::float8
                else r.refilled_at + ${earned} * ${refillMs}::float8 end
            returning remaining, refilled_at`
          const [{ refilled_at, remaining }] = yield* Effect.orDie(decodeOutcome(rows))
          return [remaining, Math.max(0, now - refilled_at)] as const
        }).pipe(Effect.mapError(failed))
    })
  })
)
