/** Decodes rows from queries and encodes rows for inserts. */
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"

/** Decodes the rows of a query by `schema`, a schema of the whole list. Rows of another shape are a defect. */
export const decodeRows = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return <E>(rows: Effect.Effect<ReadonlyArray<unknown>, E>): Effect.Effect<A, E> =>
    Effect.flatMap(rows, (found) => Effect.orDie(decode(found)))
}

/**
 * For the transaction: rows are found by their keys. Plans that were made when tables were empty or small read whole
 * tables later. Plans are kept, since each row has a dozen foreign keys to check, and to plan such a check takes longer
 * than to do it. Without keys a plan seems so dear that a server would compile it, which takes longer than to run it.
 */
export const byKeys = (sql: SqlClient.SqlClient) =>
  sql`select ${sql.literal(
    ["enable_seqscan", "enable_hashjoin", "enable_mergejoin", "enable_material", "jit"]
      .map((way) => `set_config('${way}', 'off', true)`)
      .join()
  )}, set_config('max_parallel_workers_per_gather', '0', true)`

/** The columns of a row, for `select` and `returning`; `of` is the table's alias, if the statement needs it. */
export const columnsOf = ({ fields }: { readonly fields: object }, of?: string): string =>
  Object.keys(fields)
    .map((name) => (of === undefined ? name : `${of}.${name}`))
    .join(", ")

/** Encodes a row as JSON, for `jsonb_populate_record`. A row that does not fit its schema is a defect. */
export const encodeRow = <A, I>(schema: Schema.Codec<A, I>) => {
  const encode = Schema.encodeEffect(schema)
  return (row: A): Effect.Effect<string> => Effect.orDie(Effect.map(encode(row), (encoded) => JSON.stringify(encoded)))
}

const wellFormed = (_: string, value: unknown): unknown => (typeof value === "string" ? value.toWellFormed() : value)

/** Values as JSON for the database, which refuses half of a surrogate pair: it becomes the replacement character. */
const jsonOf = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.includes("\\ud") ? JSON.stringify(value, wellFormed) : text
}

/** Values by column. */
export type Row = Readonly<Record<string, unknown>>

/**
 * Values as a table `c` in a statement, with these columns and types. Absent fields are null. A single row, which is
 * usual, has a plan of its own: PostgreSQL knows that it is one.
 */
export const tableOf = (sql: SqlClient.SqlClient, rows: ReadonlyArray<Row>, columns: string): Statement.Fragment =>
  rows.length === 1
    ? sql`jsonb_to_record(${jsonOf(rows[0])}::jsonb) as c (${sql.literal(columns)})`
    : sql`(select * from jsonb_to_recordset(${jsonOf(rows)}::jsonb) as r (${sql.literal(columns)})
        limit ${rows.length}::int) as c`
