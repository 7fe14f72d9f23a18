/** Where token buckets are kept: in this process, or in PostgreSQL for several nodes. Full buckets are forgotten in both. */
import { Clock, Duration, Effect, Layer, Schedule, Schema } from "effect"
import { RateLimiter } from "effect/persistence"
import { SqlClient, type SqlError } from "effect/sql"
import { leaseCountsMs, makeLeases, type SharedBuckets, shareAhead } from "./RateLimitLeases.ts"
import { decodeRows } from "../kernel/Rows.ts"

interface Bucket {
  tokens: number
  refilledAt: number
  /** When it is full again, so that forgetting it changes nothing. */
  fullAt: number
}

const unused = Effect.die(new Error("only token buckets are kept here, and their tokens taken one by one"))
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

const Outcome = Schema.Tuple([
  Schema.Struct({
    granted: Schema.Finite,
    round: Schema.Int,
    tokens: Schema.Finite,
    refilledAt: Schema.Finite
  })
])
const outcomeOf = decodeRows(Outcome)

const failed = (cause: unknown) =>
  new RateLimiter.RateLimiterError({
    reason: new RateLimiter.RateLimitStoreError({ message: "the rate limit could not be read", cause })
  })

/** Buckets in the table `rate_limit`: one statement a question, so that nodes never count past each other. */
export const sharedBuckets = (sql: SqlClient.SqlClient): SharedBuckets<SqlError.SqlError> => ({
  take: Effect.fnUntraced(function* ({ ahead, before, key, limit, now, refillMs, wanted }) {
    const first = Math.min(limit, wanted + Math.min(ahead, Math.floor(limit * shareAhead)))
    const leased = Math.max(0, first - wanted)
    const until = now + leaseCountsMs
    const [given] = yield* outcomeOf(sql`
      insert into rate_limit as r (key, tokens, granted, refilled_at, leased, leased_until)
      values (${key}, ${limit - first}::float8, ${first}::float8, ${now}::float8, ${leased}::float8, ${until}::float8)
      on conflict (key) do update set (tokens, granted, refilled_at, leased, leased_until, lease_round) = (
        select has.tokens - given.tokens, given.tokens,
          case when has.tokens >= ${limit}::float8 - others.leased then ${now}::float8
            else r.refilled_at + since.earned * ${refillMs}::float8 end,
          others.leased + greatest(0, given.tokens - ${wanted}::float8),
          case when given.tokens > ${wanted}::float8 then greatest(r.leased_until, ${until}::float8) else r.leased_until end,
          r.lease_round + since.over::integer
        from (select r.leased > 0 and r.leased_until <= ${now}::float8 as over,
            r.lease_round = ${before.round}::integer as known,
            greatest(0, floor((${now}::float8 - r.refilled_at) / ${refillMs}::float8)) as earned) since,
          lateral (select case when since.over then 0
            else greatest(0, r.leased - case when since.known then ${before.size}::float8 else 0 end) end as leased) others,
          lateral (select greatest(0, least(${limit}::float8 - others.leased,
            r.tokens + since.earned + case when since.known then ${before.left}::float8 else 0 end)) as tokens) has,
          lateral (select least(floor(has.tokens),
            ${wanted}::float8 + least(${ahead}::float8, floor(has.tokens * ${shareAhead}::float8))) as tokens) given)
      returning granted, lease_round as round, tokens, refilled_at as "refilledAt"`)
    return given
  }),
  giveBack: (key, { left, round, size }) =>
    Effect.asVoid(sql`update rate_limit set tokens = tokens + ${left}::float8, leased = greatest(0, leased - ${size}::float8)
      where key = ${key} and lease_round = ${round}::integer`)
})

/** Buckets that the nodes on one database share, with leases on them. Tokens are taken one by one. */
export const postgresStore: Layer.Layer<RateLimiter.RateLimiterStore, never, SqlClient.SqlClient> = Layer.effect(
  RateLimiter.RateLimiterStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    // Limits are per minute, so a bucket that nobody touched for ten is full.
    yield* Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => sql`delete from rate_limit where refilled_at < ${now - 600_000}::float8`
    ).pipe(Effect.ignore, Effect.repeat(Schedule.spaced("5 minutes")), Effect.delay("5 minutes"), Effect.forkScoped)

    const leases = yield* makeLeases(sharedBuckets(sql))
    return RateLimiter.RateLimiterStore.of({
      ...others,
      tokenBucket: ({ allowOverflow, key, limit, refillRate, tokens }) =>
        allowOverflow || tokens !== 1
          ? unused
          : Effect.mapError(leases.take({ key, limit, refillMs: Duration.toMillis(refillRate) }), failed)
    })
  })
)
