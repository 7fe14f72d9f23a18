/** Chooses between a PostgreSQL server and the embedded one. Everything else uses a `SqlClient`. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { inspect } from "node:util"
import { AppConfig } from "../config/AppConfig.ts"
import { addressesOf } from "../config/AppConfigRules.ts"
import { joinEmbedded, ownEmbedded } from "./EmbeddedPostgres.ts"
import { refuseUnfitPooler } from "./Pooler.ts"
import { followPrimary, type PrimaryAddress } from "./PrimaryAddress.ts"
import { countTransactions } from "./Transactions.ts"

/** The driver on a PostgreSQL server, or on the primary of several at the time of connecting. */
export const serverClient = (
  server: Redacted.Redacted | PrimaryAddress,
  maxConnections = 16,
  startupParameters: Readonly<Record<string, string>> = {},
  applicationName = "playroom"
) =>
  PgClient.make({
    // The driver reads this for each connection.
    get url() {
      return Redacted.isRedacted(server) ? server : server.url()
    },
    ...(Redacted.isRedacted(server) ? {} : { stream: server.open }),
    startupParameters,
    applicationName,
    multiplex: true,
    minConnections: 1,
    maxConnections,
    // Statements that share a connection run one after the other, commits included. With the driver's default of 32,
    // inserts that could share a disk write wait for each other's, and a quick read waits for a slow one.
    multiplexConcurrency: 4,
    connectTimeout: "5 seconds"
  })

/**
 * The longest that a request's statement may take, including its wait for locks. Migrations and commands have no such
 * limit.
 */
export const statementSeconds = 5

// PgBouncer accepts such parameters only if `ignore_startup_parameters` lists them.
const refusesParameter = (error: unknown): boolean =>
  /unsupported startup parameter/i.test(inspect(error, { depth: 8 }))

/** Whether any pooler in front of the server accepts these parameters. True if the server does not answer. */
const acceptsParameters = (url: Redacted.Redacted | PrimaryAddress, parameters: Readonly<Record<string, string>>) =>
  Effect.scoped(Effect.flatMap(serverClient(url, 1, parameters), (sql) => sql`select 1`)).pipe(
    Effect.match({ onSuccess: () => true, onFailure: (error) => !refusesParameter(error) })
  )

/** The driver on a PostgreSQL server, with a statement timeout of `seconds`. */
export const boundedClient = Effect.fnUntraced(function* (
  url: Redacted.Redacted | PrimaryAddress,
  seconds = statementSeconds
) {
  const bound = { statement_timeout: `${seconds}s` }
  if (yield* acceptsParameters(url, bound)) return yield* serverClient(url, undefined, bound)
  yield* Effect.logWarning(
    "The connection pooler lets no statement_timeout through, so a statement that hangs holds its connection. Name statement_timeout in PgBouncer's ignore_startup_parameters, and set it for the role: alter role … set statement_timeout = '5s'"
  )
  return yield* serverClient(url)
})

/**
 * The longest that a statement on the replica may take. Replay waits for conflicting statements (up to
 * `max_standby_streaming_delay`), so ours must not delay it beyond the bound of `ReplicaState.ts`.
 */
const replicaStatementSeconds = 2

/**
 * The driver on a replica. It can't write, even if the server has been promoted. It can be created while the replica is
 * away.
 */
export const replicaClient = Effect.fnUntraced(function* (url: Redacted.Redacted, maxConnections = 16) {
  const client = (parameters: Readonly<Record<string, string>>) =>
    serverClient(url, maxConnections, parameters, "playroom-replica")
  yield* Effect.catchTag(refuseUnfitPooler(serverClient(url, 1), "DATABASE_REPLICA_URL"), "SqlError", () => Effect.void)
  const parameters = { statement_timeout: `${replicaStatementSeconds}s`, default_transaction_read_only: "on" }
  if (yield* acceptsParameters(url, parameters)) return yield* client(parameters)
  yield* Effect.logWarning(
    "The connection pooler of DATABASE_REPLICA_URL lets no settings through, so a read that hangs holds its connection. Name statement_timeout and default_transaction_read_only in PgBouncer's ignore_startup_parameters, and set them for the role: alter role … set statement_timeout = '2s'"
  )
  return yield* client({})
})

/** Fails with `PoolerUnfit` if calls over this address would fail at random. */
const fit = (url: Redacted.Redacted | PrimaryAddress) => refuseUnfitPooler(serverClient(url, 1))

/** A single address is used as it is. Of several, the primary is followed. */
const primaryOf = (url: Redacted.Redacted) =>
  addressesOf(Redacted.value(url)).length === 1
    ? Effect.succeed(url)
    : followPrimary(url, (one) => serverClient(one, 1, {}, "playroom-primary"))

/** The configured database. This process must be the only user of an embedded one. */
export const databaseLayer = PgClient.layerFrom(
  Effect.gen(function* () {
    const { database } = yield* AppConfig
    if (database.kind === "embedded") return countTransactions(yield* ownEmbedded(database.dataDir))
    const server = yield* primaryOf(database.url)
    yield* fit(server)
    return countTransactions(yield* boundedClient(server))
  })
)

/** For commands: as above, but through a running service's socket if that service owns the embedded database. */
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
