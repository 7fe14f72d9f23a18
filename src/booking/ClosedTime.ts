/**
 * SQL for closed time and the bookings in it. The venue, or an import that is forced, closes around bookings, which keep their places. A closure
 * is over a booking if it overlaps the places of its room, with the time to set up and to clean.
 */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Instant } from "../kernel/LocalTime.ts"

/** A closure that is not made yet. */
export interface PlannedClosure {
  readonly operator_id: string
  readonly playroom_id: string
  readonly start: Instant
  readonly end: Instant
  readonly reason: string
}

/** Closures that are not made yet, in the place of the table. */
export const plannedRows = (sql: SqlClient.SqlClient, planned: ReadonlyArray<PlannedClosure>): Statement.Fragment => {
  const rows = planned.map((one) => ({
    ...one,
    start: new Date(one.start).toISOString(),
    end: new Date(one.end).toISOString()
  }))
  return sql`(select operator_id, playroom_id, tstzrange(start, "end") as during, reason
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x (operator_id text, playroom_id text, start timestamptz, "end" timestamptz, reason text))`
}

/** Whether the closure `c` is over the places `o` of a booking. */
export const closedOver = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`c.playroom_id = o.resource_id and c.during && o.during`

/** Whether the booking `b` is in closed time. False if its places were released. */
export const inClosedTime = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`exists (select from occupancy o join closure c on ${closedOver(sql)} where o.booking_id = b.booking_id)`

/**
 * Gives the closures of these playrooms their places after any of them changed, in the transaction that changed it and has locked
 * the resources. The playrooms get another version, so that whoever decided before by other closures decides again: places that a
 * booking has left in closed time are free, and only the closure tells that they are not for sale.
 */
export const keepClosurePlaces = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  playroom_ids: ReadonlyArray<string>,
  now: Instant
) {
  if (playroom_ids.length === 0) return
  // Planned anew for each room: a plan from before the first would read the places of all rooms again for each of them.
  yield* sql`set local plan_cache_mode = force_custom_plan`
  yield* sql`select keep_closure_places(p, ${new Date(now)}::timestamptz) from unnest(${playroom_ids}::text[]) p order by p`
  yield* sql`set local plan_cache_mode = auto`
  yield* sql`update playroom set capacity = capacity where playroom_id in (
    select playroom_id from playroom where playroom_id = any(${playroom_ids}::text[]) order by playroom_id for no key update)`
})
