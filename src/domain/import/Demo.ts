/** The demo of a new database. The first catalogue of an owner's own removes it; its bookings stay. */
import { Clock, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { lockingInOrder } from "../availability/Occupancy.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import demo from "./demo.json" with { type: "json" }
import type { IdentifiedCatalogue } from "./CatalogueIds.ts"

const operators = new Set(demo.operators.map(({ operator_id }) => operator_id))
/** Its playrooms, by id. */
export const demoPlayrooms: ReadonlyArray<string> = demo.playrooms.map(({ playroom_id }) => playroom_id)

/** The number of demo playrooms removed, and of those only unlisted because they have bookings. */
export const DemoRemoved = Schema.Struct({ removed: Schema.Int, unlisted: Schema.Int })
export type DemoRemoved = typeof DemoRemoved.Type

const idRows = decodeRows(Schema.Array(Schema.Struct({ id: Schema.String })))

/** Whether a start may load the demo: the database is empty, and nobody removed the demo. */
export const mayLoadDemo = (sql: SqlClient.SqlClient) =>
  Effect.map(sql`select 1 from operator union all select 1 from demo_removal limit 1`, (some) => some.length === 0)

/** Lets starts load the demo again. */
export const forgetDemoRemoval = (sql: SqlClient.SqlClient) => sql`delete from demo_removal`

/** Whether this is the first import of an operator outside the demo. Call it before the import writes operators. */
export const isFirstOwnCatalogue = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  catalogue: IdentifiedCatalogue
) {
  if (catalogue.operators.every(({ operator_id }) => operators.has(operator_id))) return false
  const others = yield* sql`select 1 from operator where not operator_id = any(${[...operators]}::text[]) limit 1`
  return others.length === 0
})

/** Locks what can be booked of the demo, all with one statement: from here on nobody can book there. */
export const lockDemo = (sql: SqlClient.SqlClient) =>
  sql`select 1 from resource where playroom_id = any(${demoPlayrooms}::text[]) ${sql.literal(lockingInOrder)}`

/**
 * Removes the demo's playrooms and operators in the caller's transaction, except those in `kept`. A playroom with
 * bookings is unlisted: it sells nothing more, and its bookings stay unchanged.
 */
export const removeDemo = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  kept: IdentifiedCatalogue = { operators: [], playrooms: [] }
) {
  const now = yield* Clock.currentTimeMillis
  const named = new Set<string>(kept.playrooms.map(({ playroom_id }) => playroom_id))
  const gone = demoPlayrooms.filter((playroom_id) => !named.has(playroom_id))
  yield* sql`insert into demo_removal (removed_at) values (${new Date(now)}) on conflict (only_one) do nothing`
  yield* lockDemo(sql)
  const unlisted = yield* idRows(sql`update playroom p set listed = false, updated_at = ${new Date(now)}::timestamptz
    where p.playroom_id = any(${gone}::text[]) and p.listed and exists (select from booking b where b.playroom_id = p.playroom_id)
    returning p.playroom_id as id`)
  const removed = yield* idRows(sql`select playroom_id as id from playroom p where p.playroom_id = any(${gone}::text[])
    and not exists (select from booking b where b.playroom_id = p.playroom_id)`)
  const ids = removed.map(({ id }) => id)
  yield* sql`delete from slug where parent_id = any(${ids}::text[]) or id = any(${ids}::text[])`
  yield* sql`delete from occupancy o using resource r where o.resource_id = r.resource_id and r.playroom_id = any(${ids}::text[])`
  yield* sql`delete from closure where playroom_id = any(${ids}::text[])`
  yield* sql`delete from resource where playroom_id = any(${ids}::text[])`
  yield* sql`delete from search_visit where playroom_id = any(${ids}::text[])`
  yield* sql`delete from add_on where playroom_id = any(${ids}::text[])`
  yield* sql`delete from package where playroom_id = any(${ids}::text[])`
  yield* sql`delete from playroom where playroom_id = any(${ids}::text[])`
  const stays = new Set<string>(kept.operators.map(({ operator_id }) => operator_id))
  const idle = yield* idRows(sql`select operator_id as id from operator o
    where o.operator_id = any(${[...operators].filter((operator_id) => !stays.has(operator_id))}::text[])
      and not exists (select from playroom p where p.operator_id = o.operator_id)
      and not exists (select from api_key k where k.operator_id = o.operator_id)`)
  const idleIds = idle.map(({ id }) => id)
  yield* sql`delete from operator_history where operator_id = any(${idleIds}::text[])`
  yield* sql`delete from operator where operator_id = any(${idleIds}::text[])`
  const found: DemoRemoved = { removed: ids.length, unlisted: unlisted.length }
  return found
})
