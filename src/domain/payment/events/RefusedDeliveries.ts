/**
 * Deliveries that a receiver refused, in a row: since it last took one. Nothing else of them is stored. Anybody may
 * post to a receiver, so a row of them without a valid signature says only that something may be wrong; one with a
 * valid signature that is too old, or that lies ahead, is the provider's, and then a clock is wrong.
 */
import { Clock, Effect, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { monotonicMs } from "../../../platform/time/Elapsed.ts"
import { dayMs, type Instant, InstantFromDate, minuteMs } from "../../../platform/time/LocalTime.ts"
import { decodeRows } from "../../../platform/database/Rows.ts"
import { Receiver } from "../provider/Receivers.ts"
import { SignatureStale, type SignatureError } from "./WebhookSignature.ts"

/** So many in a row need a person. */
const minRefusedInARow = 5
/** A row that ended so long ago, without a further delivery of either kind, is over. */
const forgottenMs = 7 * dayMs
/** The first ones are stored at once, the others so often. Each node counts for itself until then. */
const writeIntervalMs = 10_000
const writeTimeout = "1 second"

const reasons = ["signature_missing", "signature_invalid", "signature_stale", "event_malformed"] as const

/**
 * Refused deliveries of a receiver, in a row. `seconds_ahead`: the last one's signature, as seconds ahead of our clock.
 */
export const RefusedInARow = Schema.Struct({
  receiver: Receiver,
  reason: Schema.Literals(reasons),
  count: Schema.Int,
  seconds_ahead: Schema.NullOr(Schema.Int),
  since: InstantFromDate,
  last_at: InstantFromDate
})
export type RefusedInARow = typeof RefusedInARow.Type

/** Those that need a person, for a count. */
export const refusedInARow = (sql: SqlClient.SqlClient, now: Instant): Statement.Fragment =>
  sql`refused_delivery where count >= ${sql.literal(String(minRefusedInARow))} and last_at > ${new Date(now - forgottenMs)}`

/** What this process has not stored yet. */
interface Unstored {
  readonly count: number
  readonly first_at: Instant
  readonly stored_at: number
  readonly in_a_row: number
}

const rows = decodeRows(Schema.Array(RefusedInARow))

/** Those that need a person. */
export const deliveriesRefused = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* rows(sql`select receiver, reason, count, seconds_ahead, since, last_at
    from ${refusedInARow(sql, yield* Clock.currentTimeMillis)} order by receiver, reason`)
})

/**
 * Makes what counts deliveries. `refused`: a receiver refused one; `accepted`: it took one, so its row of refused ones
 * is over. Neither fails, and both seldom write.
 */
export const makeRefusedDeliveries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const unstored = new Map<string, Unstored>()
  /** When this process last said that a receiver's row is over (`monotonicMs`). */
  const overAt = new Map<Receiver, number>()

  const bestEffort = (write: Effect.Effect<unknown, SqlError.SqlError>) =>
    write.pipe(
      Effect.timeout(writeTimeout),
      Effect.catch((error) => Effect.logDebug("A refused delivery was not counted", error)),
      Effect.asVoid
    )

  const refused = Effect.fnUntraced(function* (receiver: Receiver, error: SignatureError) {
    const key = `${receiver} ${error.code}`
    const now = yield* Clock.currentTimeMillis
    const at = yield* monotonicMs
    const before = unstored.get(key)
    const count = (before?.count ?? 0) + 1
    const in_a_row = (before?.in_a_row ?? 0) + 1
    const first_at = before === undefined || before.count === 0 ? now : before.first_at
    const stored_at = before?.stored_at ?? Number.NEGATIVE_INFINITY
    overAt.delete(receiver)
    if (in_a_row > minRefusedInARow && at - stored_at < writeIntervalMs)
      return void unstored.set(key, { count, first_at, in_a_row, stored_at })
    unstored.set(key, { count: 0, first_at: now, in_a_row, stored_at: at })
    const ahead = error instanceof SignatureStale ? error.seconds_ahead : null
    return yield* bestEffort(sql`insert into refused_delivery as r (receiver, reason, count, seconds_ahead, since, last_at)
          values (${receiver}, ${error.code}, ${count}::int, ${ahead}::int, ${new Date(first_at)}, ${new Date(now)})
          on conflict (receiver, reason) do update set count = least(r.count::bigint + excluded.count, 1000000000)::int,
            seconds_ahead = excluded.seconds_ahead, last_at = excluded.last_at`)
  })

  const accepted = Effect.fnUntraced(function* (receiver: Receiver) {
    const at = yield* monotonicMs
    if (at - (overAt.get(receiver) ?? Number.NEGATIVE_INFINITY) < minuteMs) return
    for (const reason of reasons) unstored.delete(`${receiver} ${reason}`)
    // One that the database was too busy for is left to the next delivery.
    yield* bestEffort(
      Effect.tap(sql`delete from refused_delivery where receiver = ${receiver}`, () =>
        Effect.sync(() => overAt.set(receiver, at))
      )
    )
  })

  return { accepted, refused }
})
