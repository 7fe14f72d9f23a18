/** SQL for the extras of bookings, with their current names in the catalogue. */
import { Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"

/** An extra by name, and its quantity. */
export const Extra = Schema.Struct({ name: Schema.String, quantity: Schema.Int })
export type Extra = typeof Extra.Type

/** A `from` item with a row for each extra of the booking `b`: `u.add_on_id`, `u.quantity`, and the add-on as `a`. */
export const extrasUsed = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`jsonb_to_recordset(b.terms -> 'add_ons_used') as u(add_on_id text, quantity int)
        left join add_on a using (add_on_id)`

/** The extras of the booking `b` as a JSON list of `Extra`. */
export const extrasOf = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`(select coalesce(jsonb_agg(jsonb_build_object('name', coalesce(a.name, u.add_on_id), 'quantity', u.quantity)
          order by a.position, u.add_on_id), '[]') from ${extrasUsed(sql)})`
