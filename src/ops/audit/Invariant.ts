/** What an invariant of the stored data is: one named query over a page of a table's rows. */
import type { SqlClient, Statement } from "effect/sql"
import type { Instant } from "../../platform/time/LocalTime.ts"

/** The tables that are walked, with their primary keys. */
export const keysOf = {
  add_on: ["add_on_id"],
  booking: ["booking_id"],
  closure: ["closure_id"],
  dispute: ["dispute_id"],
  idempotency: ["key_id", "operation", "idempotency_key"],
  payment_session: ["payment_session_id"],
  playroom: ["playroom_id"],
  refund: ["refund_id"],
  webhook_event: ["event_id"]
} as const
type AuditedTable = keyof typeof keysOf

/** What holds of every row of a table, at every commit. */
export interface Invariant {
  /** What is wrong if it does not hold: a code of the troubleshooting table. */
  readonly what: string
  readonly table: AuditedTable
  /**
   * A query for the faults of a page's rows: `id` and `detail`, both text. `page` has the primary keys of the rows. It
   * reads what the page names by indexes, so that its cost follows the page.
   */
  readonly faults: (sql: SqlClient.SqlClient, now: Instant) => Statement.Fragment
  /** What to do about it. */
  readonly fix: (id: string) => string
}

/** What to do about a booking that only a person can put right. */
export const compareBooking = (booking_id: string): string =>
  `no path of the service leaves it so: see playroom booking show ${booking_id}, find out what wrote to the database beside the service, and put it right`
