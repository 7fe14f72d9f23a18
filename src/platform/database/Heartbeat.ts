/**
 * Measures how far a replica is behind. A process writes its clock into its own row on the primary. A replica that
 * shows the row has replayed everything committed before. Log positions would need no row, but they say nothing once
 * the replica follows another primary after a failover, and poolers and managed servers hide them.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { monotonicMs } from "../time/Elapsed.ts"
import { makeMigrated } from "./Migrations.ts"

/** What a supposed replica reports. */
export interface Reading {
  /** Whether it replays another server's log and takes no writes. */
  readonly standby: boolean
  /** Whether it has all migrations of this release. */
  readonly migrated: boolean
  /** The latest beat that it shows, in `monotonicMs`; undefined if it shows none. */
  readonly beat: number | undefined
}

/** The identifier that a server shares only with its physical copies; undefined if unavailable. */
export const systemIdentifier = (sql: SqlClient.SqlClient): Effect.Effect<string | undefined> =>
  sql<{ id: string }>`select system_identifier::text as id from pg_control_system()`.pipe(
    Effect.map(([row]) => row?.id),
    Effect.orElseSucceed(() => undefined)
  )

/** Rows of processes that have not written for this long are deleted: they ended without deleting their own. */
const forgottenAfter = "1 hour"

/** This process's heartbeat, while the scope is open. */
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
    /** Writes a beat: the time before it was sent. */
    write: (beat: number): Effect.Effect<void, SqlError.SqlError> =>
      Effect.asVoid(primary`insert into replica_heartbeat (node, beat) values (${node}::uuid, ${beat}::float8)
        on conflict (node) do update set beat = excluded.beat, written_at = now()`),
    /** Asks a server for its state and the beat that it shows. */
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
