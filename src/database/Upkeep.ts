/**
 * What a server's autovacuum does: without it the embedded database would never reuse the space of deleted rows, nor learn how
 * its tables have grown. A few milliseconds a table at these sizes.
 */
import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../AppConfig.ts"

/**
 * Reclaims space and refreshes the planner's statistics, one table after the other: calls in between wait for one at most. The
 * system's own tables that grow without it are two: `/readyz` renews a row of `pg_class` at each trial, this one `pg_statistic`.
 */
export const vacuum = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`select relname as name from pg_class
    where relkind = 'r' and (relnamespace = 'public'::regnamespace or oid in ('pg_class'::regclass, 'pg_statistic'::regclass))
    order by relname`
  for (const { name } of tables) yield* sql`vacuum (analyze) ${sql(name)}`
})

/** `vacuum` a minute after the start and twice a day, on the embedded database; nothing on a server, which has its own. */
export const Upkeep = {
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
