/**
 * A database whose rows move to another takes no writes from then on, whoever asks, so that nothing is written that the
 * other one does not get. A row of `database_move` tells that, and a trigger on each table does it: it needs no more
 * rights than to own the tables, and holds for sessions that are there already, also through a pooler.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { inUtc, InstantFromDate } from "../time/LocalTime.ts"
import { decodeRows } from "./Rows.ts"

const Move = Schema.Struct({
  /** The server with the database's name, or a folder. */
  target: Schema.String,
  since: InstantFromDate,
  finished: Schema.Boolean
})
type Move = typeof Move.Type
const movesOf = decodeRows(Schema.Array(Move))
const existsOf = decodeRows(Schema.Tuple([Schema.Struct({ exists: Schema.Boolean })]))

/** The rows of the database have moved to another, or are on their way there. */
export class DatabaseMoved extends Schema.TaggedError<DatabaseMoved>()("DatabaseMoved", Move.fields) {
  override get message(): string {
    return this.finished
      ? `This database moved to ${this.target} at ${inUtc(this.since)}: that is for DATABASE_URL (a folder: for DATA_DIR) now. To use this one again all the same: playroom database reopen.`
      : `This database is on its way to ${this.target} since ${inUtc(this.since)}, and takes nothing new meanwhile. If that was cut off, repeat playroom database copy --move, or use this one again: playroom database reopen.`
  }
}

/** Where the rows have moved, or are on their way; undefined for a database in use. */
export const moveOf = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<Move | undefined, SqlError.SqlError> {
  const [{ exists }] = yield* existsOf(sql`select to_regclass('database_move') is not null as exists`)
  if (!exists) return undefined
  const [move] = yield* movesOf(
    sql`select target, began_at as since, finished_at is not null as finished from database_move`
  )
  return move
})

/** Fails with `DatabaseMoved` unless the database is in use. */
export const refuseMoved = (sql: SqlClient.SqlClient) =>
  Effect.flatMap(moveOf(sql), (move) => (move === undefined ? Effect.void : Effect.fail(new DatabaseMoved(move))))

/** How long a table may be written by a transaction that began before. A request's statement takes 5 seconds at most. */
const waitsFor = "30s"

const trigger = "database_moved"

/**
 * Ends all writes to these tables. Each is closed for itself, so that nobody waits in a circle: a transaction that meets
 * one that is closed fails as a whole, and what was committed before is there when all are closed. `mine` is called if nobody
 * had begun with it.
 */
export const closeForMove = Effect.fn("DatabaseMove.close")(function* (
  sql: SqlClient.SqlClient,
  tables: ReadonlyArray<string>,
  target: string,
  mine: () => void
) {
  const [first] = yield* sql`insert into database_move (target, began_at) values (${target}, now())
    on conflict do nothing returning 1 as first`
  if (first !== undefined) mine()
  for (const table of tables)
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`select set_config('lock_timeout', ${waitsFor}, true)`
        yield* sql.unsafe(`create or replace trigger ${trigger} before insert or update or delete or truncate on ${table}
          for each statement execute function refuse_moved()`)
      })
    )
})

/** Everything is at the target. */
export const finishMove = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(sql`update database_move set finished_at = now() where finished_at is null`)

const triggersOf = decodeRows(Schema.Array(Schema.Struct({ name: Schema.String })))

/** Takes the database into use again. False: it is in use. */
export const reopen = Effect.fn("DatabaseMove.reopen")(function* (sql: SqlClient.SqlClient) {
  if ((yield* moveOf(sql)) === undefined) return false
  const closed = yield* triggersOf(
    sql`select tgrelid::regclass::text as name from pg_trigger where tgname = ${trigger} and not tgisinternal order by 1`
  )
  for (const { name } of closed) yield* sql.unsafe(`drop trigger if exists ${trigger} on ${name}`)
  yield* sql`delete from database_move`
  return true
})
