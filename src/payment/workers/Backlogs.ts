/** How much waits in the payment tables, and how much was set aside: read when metrics are asked for, so each count has an end. */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Instant, InstantFromDate } from "../../kernel/LocalTime.ts"
import { decoded } from "../../kernel/Rows.ts"
import { settledByDashboard } from "../refunds/Refund.ts"

/** No count goes further: beyond it, how much more there is changes nothing. */
export const mostCounted = 10_000

const Row = Schema.Struct({
  events_waiting: Schema.Int,
  oldest_event: Schema.NullOr(InstantFromDate),
  events_rejected: Schema.Int,
  events_dead: Schema.Int,
  refunds_waiting: Schema.Int,
  refunds_failed: Schema.Int,
  tasks_dead: Schema.Int
})

export interface Backlog extends Omit<typeof Row.Type, "oldest_event"> {
  /** When the oldest event that waits was received. */
  readonly oldest_event: Instant | null
}

export class Backlogs extends Context.Service<Backlogs, { readonly now: Effect.Effect<Backlog, SqlError.SqlError> }>()(
  "playroom/payment/Backlogs"
) {
  static readonly layer = Layer.effect(
    Backlogs,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rowsOf = decoded(Schema.Tuple([Row]))
      const most = sql.literal(String(mostCounted))
      const now = Effect.map(
        rowsOf(sql`
          with waiting as (select received_at from webhook_event where status = 'received' order by next_attempt_at limit ${most}),
            aside as (select status from webhook_event where status in ('rejected', 'dead') limit ${most})
          select (select count(*)::int from waiting) as events_waiting,
            (select min(received_at) from waiting) as oldest_event,
            (select count(*)::int from aside where status = 'rejected') as events_rejected,
            (select count(*)::int from aside where status = 'dead') as events_dead,
            (select count(*)::int from (select 1 from refund where status in ('requested', 'pending') limit ${most}) r) as refunds_waiting,
            (select count(*)::int from (select 1 from refund
              where status = 'failed' and failure is distinct from ${settledByDashboard} limit ${most}) r) as refunds_failed,
            (select count(*)::int from (select 1 from provider_task where state = 'failed' limit ${most}) t) as tasks_dead`),
        ([row]): Backlog => row
      )
      return Backlogs.of({ now })
    })
  )
}
