/** Where token buckets are kept: in this process, or in PostgreSQL for several nodes. Both forget full buckets. */
import { Clock, Duration, Effect, Layer, Schedule, Schema } from "effect"
import { RateLimiter } from "effect/persistence"
import { SqlClient } from "effect/sql"
import { decodeRows } from "../kernel/Rows.ts"

interface Bucket {
  tokens: number
  refilledAt: number
  /** When it is full again, so that forgetting it changes nothing. */
  fullAt: number
}

const unsupported = Effect.die(new Error("only token buckets are kept here, and their tokens taken one by one"))
const otherAlgorithms = {
  fixedWindow: () => unsupported,
  adaptiveConsume: () => unsupported,
  adaptiveFeedback: () => unsupported
}

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
    ...otherAlgorithms,
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

const Outcome = Schema.Tuple([
  Schema.Struct({ granted: Schema.Finite, tokens: Schema.Finite, refilledAt: Schema.Finite })
])
const outcomeOf = decodeRows(Outcome)

const storeError = (cause: unknown) =>
  new RateLimiter.RateLimiterError({
    reason: new RateLimiter.RateLimitStoreError({ message: "the rate limit could not be read", cause })
  })

/** Most buckets that a node remembers as empty; then it forgets them all, and asks the database again. */
const mostEmpty = 10_000

/**
 * Buckets in the table `rate_limit`, which the nodes on one database share: one statement a call, so that nodes never count past each
 * other. A bucket that was found empty stays so until its next token is due, whichever node asks: until then no statement is sent, so
 * a flood of refused calls costs the database nothing. Tokens are taken one by one.
 */
export const postgresStore: Layer.Layer<RateLimiter.RateLimiterStore, never, SqlClient.SqlClient> = Layer.effect(
  RateLimiter.RateLimiterStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const emptySince = new Map<string, number>()

    // Limits are per minute, so a bucket that nobody touched for ten is full.
    yield* Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => sql`delete from rate_limit where refilled_at < ${now - 600_000}::float8`
    ).pipe(Effect.ignore, Effect.repeat(Schedule.spaced("5 minutes")), Effect.delay("5 minutes"), Effect.forkScoped)

    const take = Effect.fnUntraced(function* (key: string, limit: number, refillMs: number) {
      const now = yield* Clock.currentTimeMillis
      const since = emptySince.get(key)
      if (since !== undefined) {
        if (now < since + refillMs) return [-1, Math.max(0, now - since)] as const
        emptySince.delete(key)
      }
      // The row keeps whether the last call passed, since only the new row can be returned.
      const [{ granted, refilledAt, tokens }] = yield* outcomeOf(sql`
        insert into rate_limit as r (key, tokens, granted, refilled_at)
        values (${key}, ${limit - 1}::float8, 1, ${now}::float8)
        on conflict (key) do update set (tokens, granted, refilled_at) = (
          select has.tokens - given.tokens, given.tokens,
            case when has.tokens >= ${limit}::float8 then ${now}::float8
              else r.refilled_at + since.earned * ${refillMs}::float8 end
          from (select greatest(0, floor((${now}::float8 - r.refilled_at) / ${refillMs}::float8)) as earned) since,
            lateral (select least(${limit}::float8, r.tokens + since.earned) as tokens) has,
            lateral (select least(1, floor(has.tokens)) as tokens) given)
        returning granted, tokens, refilled_at as "refilledAt"`)
      const elapsedMs = Math.max(0, now - refilledAt)
      if (granted > 0) return [tokens, elapsedMs] as const
      if (emptySince.size >= mostEmpty) emptySince.clear()
      emptySince.set(key, refilledAt)
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
