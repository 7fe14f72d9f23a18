/**
 * What a server's background processes do, for the embedded database, which has none: autovacuum and checkpoints.
 * Without them the space of deleted rows is never reused, the planner does not know how the tables have grown, and the
 * log of changes (WAL) grows until the service ends in order; after a crash all of it is applied again.
 */

import { type Duration, Effect, Layer, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { statfsSync } from "node:fs"
import { AppConfig } from "../config/AppConfig.ts"
import { monotonicMs } from "../time/Elapsed.ts"
import { makeMigrated } from "./Migrations.ts"

// Measures how far a replica is behind. A process writes its clock into its own row on the primary. A replica that
// shows the row has replayed everything committed before. Log positions would need no row, but they say nothing once
// the replica follows another primary after a failover, and poolers and managed servers hide them.

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

/**
 * Reclaims space, one table at a time, so that a call waits for one table at most. Two system tables grow as well: each
 * trial write of `/readyz` updates a row of `pg_class`, and `analyze` updates `pg_statistic`.
 */
export const vacuum = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`select relname as name from pg_class
    where relkind = 'r' and (relnamespace = 'public'::regnamespace or oid in ('pg_class'::regclass, 'pg_statistic'::regclass))
    order by relname`
  for (const { name } of tables) yield* sql`vacuum ${sql(name)}`
})

/**
 * Refreshes the statistics of tables that have changed by more than a tenth and 50 rows since, as a server's autovacuum
 * does: plans that were made for an empty table read all of it once it has grown.
 */
export const analyze = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // A backend counts for itself, and publishes that after a statement, at most once a second.
  yield* sql`select pg_stat_force_next_flush()`
  const tables = yield* sql<{
    name: string
  }>`select s.relname as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    where s.schemaname = 'public' and s.n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0) order by s.relname`
  for (const { name } of tables) yield* sql`analyze ${sql(name)}`
  return tables.map(({ name }) => name)
})

/** In bytes: room for a segment of the log and all that is in memory, twice. */
const roomForCheckpoint = 64 * 1024 * 1024

/** PostgreSQL gives up if a checkpoint finds no room on the disk. */
const checkpoint = (dataDir: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { bavail, bsize } = yield* Effect.sync(() => statfsSync(dataDir))
    if (bavail * bsize < roomForCheckpoint)
      return yield* Effect.logWarning(`${dataDir} has hardly any room left: make some`)
    return yield* sql`checkpoint`
  })

/**
 * On the embedded database runs `vacuum` a minute after the start and then twice a day, `analyze` each minute, and a
 * checkpoint every five, as a server does by default. Does nothing on a server.
 */
export const Maintenance = {
  layer: Layer.effectDiscard(
    Effect.gen(function* () {
      const { database } = yield* AppConfig
      if (database.kind === "server") return
      const regularly = <A, E>(work: Effect.Effect<A, E, SqlClient.SqlClient>, what: string, every: Duration.Input) =>
        work.pipe(
          Effect.catchCause((cause) => Effect.logWarning(`The embedded database was not ${what}`, cause)),
          Effect.repeat(Schedule.spaced(every)),
          Effect.delay("1 minute"),
          Effect.forkScoped
        )
      yield* regularly(vacuum, "vacuumed", "12 hours")
      yield* regularly(analyze, "analyzed", "1 minute")
      yield* regularly(checkpoint(database.dataDir), "written to its files by a checkpoint", "5 minutes")
    })
  )
}
