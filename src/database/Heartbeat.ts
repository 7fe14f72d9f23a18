/**
 * How far a replica is behind. A process writes its clock into a row of its own on the primary; a replica that shows that row has
 * replayed all that was committed before it was written. Positions in the log would need no row, but they say nothing where the
 * replica follows another primary since a failover, and poolers and managed servers hide them.
 */
import { Clock, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { makeMigrated } from "./Migrations.ts"

/** Milliseconds of this process's clock that only goes forward. */
export const monotonicMs: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6)

/** What a server that should be a replica says of itself. */
export interface Reading {
  /** Whether it replays another server's log, and takes no writes. */
  readonly standby: boolean
  /** Whether it has all migrations of this release. */
  readonly migrated: boolean
  /** The last beat that it shows, as `monotonicMs` was; undefined where it shows none. */
  readonly beat: number | undefined
}

/** The identifier that a server shares with its physical copies alone; undefined where it does not say. */
export const systemIdentifier = (sql: SqlClient.SqlClient): Effect.Effect<string | undefined> =>
  sql<{ id: string }>`select system_identifier::text as id from pg_control_system()`.pipe(
    Effect.map(([row]) => row?.id),
    Effect.orElseSucceed(() => undefined)
  )

/** A row of a process that has not written for so long is deleted: it has ended without doing so itself. */
const forgottenAfter = "1 hour"

/** A heartbeat of this process, for as long as the scope is open. */
export const makeHeartbeat = Effect.fnUntraced(function* (primary: SqlClient.SqlClient) {
  const first = primary<{ node: string }>`
    with gone as (delete from replica_heartbeat where written_at < now() - ${forgottenAfter}::interval)
    insert into replica_heartbeat (node, beat) values (gen_random_uuid(), ${yield* monotonicMs}::float8) returning node::text as node`
  const [row] = yield* Effect.acquireRelease(first, ([row]) =>
    primary`delete from replica_heartbeat where node = ${row?.node ?? null}::uuid`.pipe(
      Effect.timeout("1 second"),
      Effect.ignore
    )
  )
  const node = row?.node ?? null
  const migrated = yield* makeMigrated

  return {
    /** Writes a beat; it counts from the time before it was sent. */
    write: (beat: number): Effect.Effect<void, SqlError.SqlError> =>
      Effect.asVoid(primary`insert into replica_heartbeat (node, beat) values (${node}::uuid, ${beat}::float8)
        on conflict (node) do update set beat = excluded.beat, written_at = now()`),
    /** Asks a server how much of this it shows. */
    read: Effect.fnUntraced(function* (replica: SqlClient.SqlClient): Effect.fn.Return<Reading, SqlError.SqlError> {
      const [about] = yield* replica<{ standby: boolean; tables: boolean }>`select pg_is_in_recovery() as standby,
        to_regclass('schema_migration') is not null and to_regclass('replica_heartbeat') is not null as tables`
      const standby = about?.standby === true
      if (about?.tables !== true) return { standby, migrated: false, beat: undefined }
      const [shown] = yield* replica<{ beat: number }>`select beat from replica_heartbeat where node = ${node}::uuid`
      return { standby, migrated: yield* migrated(replica), beat: shown?.beat }
    })
  }
})
export type Heartbeat = Effect.Success<ReturnType<typeof makeHeartbeat>>
