/** Decides between a PostgreSQL server and the embedded one. Everything else sees a `SqlClient`. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, type Redacted, Result } from "effect"
import { inspect } from "node:util"
import { AppConfig } from "../AppConfig.ts"
import { joinEmbedded, ownEmbedded } from "./EmbeddedPostgres.ts"
import { refuseUnfitPooler } from "./Pooler.ts"
import { countTransactions } from "./Transactions.ts"

/** The driver on a PostgreSQL server. */
export const serverClient = (
  url: Redacted.Redacted,
  maxConnections = 16,
  startupParameters: Readonly<Record<string, string>> = {}
) =>
  PgClient.make({
    url,
    startupParameters,
    applicationName: "playroom",
    multiplex: true,
    minConnections: 1,
    maxConnections,
    // Statements that share a connection run one after the other, commits included: with the driver's 32, inserts that could
    // be written through together wait for each other's disk writes, and a quick read waits for a slow one.
    multiplexConcurrency: 4,
    connectTimeout: "5 seconds"
  })

/** The most that a statement of a request may take, with its wait for locks. Migrations and commands have no such limit. */
export const statementSeconds = 5

// PgBouncer lets such parameters through only where `ignore_startup_parameters` names them.
const refusesParameter = (error: unknown): boolean =>
  /unsupported startup parameter/i.test(inspect(error, { depth: 8 }))

/** The driver on a PostgreSQL server that ends statements that take longer than `seconds`. */
export const boundedClient = Effect.fnUntraced(function* (url: Redacted.Redacted, seconds = statementSeconds) {
  const bound = { statement_timeout: `${seconds}s` }
  const probe = yield* Effect.result(Effect.scoped(Effect.flatMap(serverClient(url, 1, bound), (sql) => sql`select 1`)))
  if (Result.isSuccess(probe) || !refusesParameter(probe.failure)) return yield* serverClient(url, undefined, bound)
  yield* Effect.logWarning(
    "The connection pooler lets no statement_timeout through, so a statement that hangs holds its connection. Name statement_timeout in PgBouncer's ignore_startup_parameters, and set it for the role: alter role … set statement_timeout = '5s'"
  )
  return yield* serverClient(url)
})

/** Fails with `PoolerUnfit` where calls over this address would fail at random. */
const fit = (url: Redacted.Redacted) => refuseUnfitPooler(serverClient(url, 1))

/** The database of the settings. Of the embedded one this process must be the only user. */
export const databaseLayer = PgClient.layerFrom(
  Effect.gen(function* () {
    const { database } = yield* AppConfig
    if (database.kind === "embedded") return countTransactions(yield* ownEmbedded(database.dataDir))
    yield* fit(database.url)
    return countTransactions(yield* boundedClient(database.url))
  })
)

/** For commands: as above, but where a running service has the embedded database, its socket is used. */
export const commandDatabaseLayer = PgClient.layerFrom(
  Effect.gen(function* () {
    const { database } = yield* AppConfig
    if (database.kind === "server") {
      yield* fit(database.url)
      return yield* serverClient(database.url)
    }
    return yield* ownEmbedded(database.dataDir, "command").pipe(
      Effect.catchTag("DataDirectoryInUse", (inUse) => joinEmbedded(inUse.socket))
    )
  })
)
