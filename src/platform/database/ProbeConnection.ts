/**
 * The connection of the checks whether the database can be used. It is their own, so they wait behind nobody's
 * statements: a busy service is ready, too.
 */
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Undefined where the checks use the `SqlClient` of all. */
export const ProbeConnection = Context.Reference<SqlClient.SqlClient | undefined>("playroom/database/ProbeConnection", {
  defaultValue: () => undefined
})

/** The client that checks use. */
export const probeClient = Effect.flatMap(ProbeConnection, (own) =>
  own === undefined ? SqlClient.SqlClient : Effect.succeed(own)
)
