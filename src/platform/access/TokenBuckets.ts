/** Token buckets, in this process, or in PostgreSQL for several nodes. Both drop full buckets. */
import { Clock, Effect, Exit, Schema, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { monotonicMs } from "../time/Elapsed.ts"
import { minuteMs } from "../time/LocalTime.ts"
import { forkRecurring } from "../time/Recurring.ts"
import { decodeRows } from "../database/Rows.ts"
import { sharedStatement } from "../concurrency/SharedStatement.ts"

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
 * Buckets in memory. As they grow, full ones are dropped, and the oldest beyond `maxBuckets`. A negative number of tokens
 * gives back.
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

/** Limit of buckets that a node caches as empty. Beyond it the cache is cleared. */
const maxEmptyBuckets = 10_000

/**
 * Buckets in the table `rate_limit`, shared by all nodes: a statement takes the tokens of all calls that came while the one
 * before ran, so that calls can't exceed a limit however they fall together. Each node caches empty buckets until their
 * next token is due, so a flood of refused calls costs the database nothing.
 */
export const databaseBuckets: Effect.Effect<TokenBuckets, never, SqlClient.SqlClient | Scope.Scope> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    /** When the next token of each is due; `monotonicMs`. */
    const emptyUntil = new Map<string, number>()

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
      const wanted = keys.map((key) => byKey.get(key)?.length ?? 0)
      // In order, so that two nodes with the same keys don't deadlock.
      // A bucket that was filled later than it can be by nodes' clocks that differ a little, was filled before the clock
      // stepped back: it is a new one. The row stores how many were granted, as only the new row can be returned. The row
      // that is excluded has what a full bucket would grant and have left: together its limit.
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
        for (const [n, taker] of ofKey.entries()) waits.set(taker, n < granted ? undefined : waitMs)
        if (ofKey.length <= granted) continue
        if (emptyUntil.size >= maxEmptyBuckets) emptyUntil.clear()
        // Whole milliseconds: asked a moment too early, the database still decides.
        emptyUntil.set(key, Math.floor(at + waitMs))
      }
      return takers.map((taker) => Exit.succeed(waits.get(taker)))
    })

    const takeShared = sharedStatement({ name: "RateLimits.take", most: maxTaken, sql }, takeAll)

    const take = Effect.fnUntraced(function* (key: string, limit: number) {
      const until = emptyUntil.get(key)
      if (until !== undefined) {
        const at = yield* monotonicMs
        if (at < until) return until - at
        emptyUntil.delete(key)
      }
      return yield* takeShared({ key, limit })
    })
    return { take }
  }
)
