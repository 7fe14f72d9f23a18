/**
 * How far the history of bookings is committed: up to which line each one stands, or never will. A line has its number before its
 * transaction ends, so the latest line that can be read says nothing of earlier ones that are still being written.
 */
import { Effect } from "effect"
import { type SqlClient, SqlError } from "effect/sql"

/** How long those who write may take, and how often it is looked whether they are done; milliseconds. */
const longestMs = 5000
const pauseMs = 20

const writesGoOn = new SqlError.SqlError({
  reason: new SqlError.LockTimeoutError({
    cause: new Error(`A transaction that writes history did not end within ${longestMs} ms`),
    message: "A booking is being changed for too long",
    operation: "committedThrough"
  })
})

/**
 * Answers the number of a line once all lines up to it are committed or rolled back: whoever reads after that has seen them, and what is changed later has a
 * later line. Not for use inside a transaction, which might wait for itself.
 */
export const committedThrough = Effect.fn("committedThrough")(function* (sql: SqlClient.SqlClient) {
  // First the number, then who writes: whoever has a number up to it held this lock before.
  const [latest] = yield* sql<{ line: number }>`
    select (case when is_called then last_value else 0 end)::float8 as line from booking_history_seq_seq`
  const writing = (among?: ReadonlyArray<string>) => sql<{ writer: string }>`
    select virtualtransaction as writer from pg_locks
    where locktype = 'relation' and relation = 'booking_history'::regclass and mode = 'RowExclusiveLock' and granted
      and database = (select oid from pg_database where datname = current_database())
      ${among === undefined ? sql`` : sql`and virtualtransaction = any(${among}::text[])`}`
  const writers = (yield* writing()).map(({ writer }) => writer)
  for (let waited = 0; writers.length > 0 && (yield* writing(writers)).length > 0; waited += pauseMs) {
    if (waited >= longestMs) return yield* writesGoOn
    yield* Effect.sleep(pauseMs)
  }
  return latest?.line ?? 0
})
