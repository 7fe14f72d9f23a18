/**
 * Autovacuum for the embedded database, which has none. Without it the space of deleted rows is never reused, and the
 * planner does not know how the tables have grown. It takes a few milliseconds a table.
 */
import { type Duration, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
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

/**
 * On the embedded database runs `vacuum` a minute after the start and then twice a day, and `analyze` each minute. Does
 * nothing on a server, which has its own.
 */
export const Autovacuum = {
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
    })
  )
}
