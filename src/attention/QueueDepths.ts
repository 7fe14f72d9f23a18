/**
 * How many rows wait in the payment tables, and how many were given up. Metrics ask for it while the service is busy, so each count
 * ends at `mostCounted`.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { InstantFromDate } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { settledByDashboard } from "../payment/refunds/Refund.ts"

/** No count goes further: beyond it, how much more there is changes nothing. */
export const mostCounted = 10_000

/** Counts of rows, each to `mostCounted`. */
export const QueueDepths = Schema.Struct({
  events_waiting: Schema.Int,
  /** When the oldest event that waits was received, in milliseconds. */
  oldest_event: Schema.NullOr(InstantFromDate),
  events_rejected: Schema.Int,
  events_dead: Schema.Int,
  refunds_waiting: Schema.Int,
  refunds_failed: Schema.Int,
  tasks_dead: Schema.Int
})
export type QueueDepths = typeof QueueDepths.Type

const rowsOf = decodeRows(Schema.Tuple([QueueDepths]))

/** Reads how deep the queues are now. */
export const readQueueDepths = (sql: SqlClient.SqlClient): Effect.Effect<QueueDepths, SqlError.SqlError> => {
  const most = sql.literal(String(mostCounted))
  return Effect.map(
    rowsOf(sql`
      with waiting as (select received_at from webhook_event where status = 'received' order by next_attempt_at limit ${most}),
        given_up as (select status from webhook_event where status in ('rejected', 'dead') limit ${most})
      select (select count(*)::int from waiting) as events_waiting,
        (select min(received_at) from waiting) as oldest_event,
        (select count(*)::int from given_up where status = 'rejected') as events_rejected,
        (select count(*)::int from given_up where status = 'dead') as events_dead,
        (select count(*)::int from (select 1 from refund where status in ('requested', 'pending') limit ${most}) r) as refunds_waiting,
        (select count(*)::int from (select 1 from refund
          where status = 'failed' and failure is distinct from ${settledByDashboard} limit ${most}) r) as refunds_failed,
        (select count(*)::int from (select 1 from provider_task where state = 'failed' limit ${most}) t) as tasks_dead`),
    ([row]) => row
  )
}
