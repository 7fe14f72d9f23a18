/**
 * SQL for bookings in closed time. An import that is forced closes around bookings, which keep their places. A closure
 * is over a booking if it overlaps the places of its room, with the time to set up and to clean.
 */
import type { SqlClient, Statement } from "effect/sql"

/** Whether the closure `c` is over the places `o` of a booking. */
export const closedOver = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`c.playroom_id = o.resource_id and c.during && o.during`

/** Whether the booking `b` is in closed time. False if its places were released. */
export const inClosedTime = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`exists (select from occupancy o join closure c on ${closedOver(sql)} where o.booking_id = b.booking_id)`
