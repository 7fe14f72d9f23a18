/**
 * Autovacuum for the embedded database, which has none. Without it the space of deleted rows is never reused, and the
 * planner does not know how the tables have grown. It takes a few milliseconds a table.
 */
import { Effect, Layer, Schedule } from "effect"
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
 * Runs `vacuum` on the embedded database a minute after the start and then twice a day. Does nothing on a server, which
 * has its own.
 */
export const Autovacuum = {
  layer: Layer.effectDiscard(
    Effect.gen(function* () {
      const { database } = yield* AppConfig
      if (database.kind === "server") return
      yield* vacuum.pipe(
        Effect.catchCause((cause) => Effect.logWarning("The embedded database was not vacuumed", cause)),
        Effect.repeat(Schedule.spaced("12 hours")),
        Effect.delay("1 minute"),
        Effect.forkScoped
      )
    })
  )
}
