/** Decides between a PostgreSQL server and the embedded one. Everything else sees a `SqlClient`. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { inspect } from "node:util"
import { AppConfig } from "../config/AppConfig.ts"
import { addressesOf } from "../config/AppConfigRules.ts"
import { joinEmbedded, ownEmbedded } from "./EmbeddedPostgres.ts"
import { refuseUnfitPooler } from "./Pooler.ts"
import { followPrimary, type PrimaryAddress } from "./PrimaryAddress.ts"
import { countTransactions } from "./Transactions.ts"

/** The driver on a PostgreSQL server, or on whichever of several is the primary when it connects. */
export const serverClient = (
  server: Redacted.Redacted | PrimaryAddress,
  maxConnections = 16,
  startupParameters: Readonly<Record<string, string>> = {},
  applicationName = "playroom"
) =>
  PgClient.make({
    // The driver reads it for each connection.
    get url() {
      return Redacted.isRedacted(server) ? server : server.url()
    },
    ...(Redacted.isRedacted(server) ? {} : { stream: server.open }),
    startupParameters,
    applicationName,
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

/** Whether all that lies between here and a server lets these parameters through; also where the server does not answer. */
const letsThrough = (url: Redacted.Redacted | PrimaryAddress, parameters: Readonly<Record<string, string>>) =>
  Effect.scoped(Effect.flatMap(serverClient(url, 1, parameters), (sql) => sql`select 1`)).pipe(
    Effect.match({ onSuccess: () => true, onFailure: (error) => !refusesParameter(error) })
  )

/** The driver on a PostgreSQL server that ends statements that take longer than `seconds`. */
export const boundedClient = Effect.fnUntraced(function* (
  url: Redacted.Redacted | PrimaryAddress,
  seconds = statementSeconds
) {
  const bound = { statement_timeout: `${seconds}s` }
  if (yield* letsThrough(url, bound)) return yield* serverClient(url, undefined, bound)
  yield* Effect.logWarning(
    "The connection pooler lets no statement_timeout through, so a statement that hangs holds its connection. Name statement_timeout in PgBouncer's ignore_startup_parameters, and set it for the role: alter role … set statement_timeout = '5s'"
  )
  return yield* serverClient(url)
})

/**
 * The most that a statement on the replica may take. Replay waits for statements that it is in conflict with (for as long as
 * `max_standby_streaming_delay`): none of ours can hold it up beyond the bound of `ReadReplica.ts`.
 */
const replicaStatementSeconds = 2

/** The driver on a replica: it can't write, also where the server has become one that takes writes. Made while the replica is away, too. */
export const replicaClient = Effect.fnUntraced(function* (url: Redacted.Redacted, maxConnections = 16) {
  const client = (parameters: Readonly<Record<string, string>>) =>
    serverClient(url, maxConnections, parameters, "playroom-replica")
  yield* Effect.catchTag(refuseUnfitPooler(serverClient(url, 1), "DATABASE_REPLICA_URL"), "SqlError", () => Effect.void)
  const parameters = { statement_timeout: `${replicaStatementSeconds}s`, default_transaction_read_only: "on" }
  if (yield* letsThrough(url, parameters)) return yield* client(parameters)
  yield* Effect.logWarning(
    "The connection pooler of DATABASE_REPLICA_URL lets no settings through, so a read that hangs holds its connection. Name statement_timeout and default_transaction_read_only in PgBouncer's ignore_startup_parameters, and set them for the role: alter role … set statement_timeout = '2s'"
  )
  return yield* client({})
})

/** Fails with `PoolerUnfit` where calls over this address would fail at random. */
const fit = (url: Redacted.Redacted | PrimaryAddress) => refuseUnfitPooler(serverClient(url, 1))

/** One address stands for itself, whatever it leads to; of several, the primary is followed. */
const primaryOf = (url: Redacted.Redacted) =>
  addressesOf(Redacted.value(url)).length === 1
    ? Effect.succeed(url)
    : followPrimary(url, (one) => serverClient(one, 1, {}, "playroom-primary"))

/** The database of the settings. Of the embedded one this process must be the only user. */
export const databaseLayer = PgClient.layerFrom(
  Effect.gen(function* () {
    const { database } = yield* AppConfig
    if (database.kind === "embedded") return countTransactions(yield* ownEmbedded(database.dataDir))
    const server = yield* primaryOf(database.url)
    yield* fit(server)
    return countTransactions(yield* boundedClient(server))
  })
)

/** For commands: as above, but where a running service has the embedded database, its socket is used. */
export const commandDatabaseLayer = PgClient.layerFrom(
  Effect.gen(function* () {
    const { database } = yield* AppConfig
    if (database.kind === "server") {
      const server = yield* primaryOf(database.url)
      yield* fit(server)
      return yield* serverClient(server)
    }
    return yield* ownEmbedded(database.dataDir, "command").pipe(
      Effect.catchTag("DataDirectoryInUse", (inUse) => joinEmbedded(inUse.socket))
    )
  })
)
