/** The calendars that the catalogue names: an import that changes a playroom calls this. */
import type { SqlClient } from "effect/sql"
import type { Instant } from "../../platform/time/LocalTime.ts"

/**
 * Has the calendars of these playrooms read anew, and forgets those that they name no more, with what they took. Run it
 * in the import's transaction, after closures and resources were written.
 */
export const keepCalendars = (sql: SqlClient.SqlClient, playroom_ids: ReadonlyArray<string>, now: Instant) =>
  sql`select keep_calendar_feeds(${playroom_ids}::text[], ${new Date(now)}::timestamptz)`
