/** Every row of every table as text, for tests that look for what must not be there. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

const Names = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ name: Schema.String })))
const Rows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ row: Schema.String })))

export const everyRow = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = Names(
    yield* sql`select table_schema || '.' || table_name as name from information_schema.tables
      where table_schema in ('public', 'sandbox') and table_type = 'BASE TABLE'`
  )
  const rows = yield* Effect.forEach(tables, ({ name }) =>
    Effect.map(sql`select ${name}::text || ' ' || t::text as row from ${sql.literal(name)} t`, Rows)
  )
  return rows.flat().map(({ row }) => row)
})
