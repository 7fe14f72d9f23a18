/**
 * What a server's background processes do, for the embedded database, which has none: autovacuum and checkpoints. Without
 * them the space of deleted rows is never reused, the planner does not know how the tables have grown, and the log of
 * changes (WAL) grows until the service ends in order; after a crash all of it is applied again.
 */
import { type Duration, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { statfsSync } from "node:fs"
import { AppConfig } from "../config/AppConfig.ts"

/**
 * Reclaims space and refreshes the planner's statistics, one table at a time, so that a call waits for one table at
 * most. Two system tables grow as well: each trial write of `/readyz` updates a row of `pg_class`, and this function
 * updates `pg_statistic`.
 */
export const vacuum = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`select relname as name from pg_class
    where relkind = 'r' and (relnamespace = 'public'::regnamespace or oid in ('pg_class'::regclass, 'pg_statistic'::regclass))
    order by relname`
  for (const { name } of tables) yield* sql`vacuum (analyze) ${sql(name)}`
})

/**
 * Refreshes the statistics of tables that have changed by more than a tenth and 50 rows since, as a server's autovacuum does:
 * plans that were made for an empty table read all of it once it has grown.
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
