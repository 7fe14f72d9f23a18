/** Chooses between a PostgreSQL server and the embedded one. Everything else uses a `SqlClient`. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { inspect } from "node:util"
import { AppConfig } from "../config/AppConfig.ts"
import { addressesOf } from "../config/Addresses.ts"
import { joinEmbedded, ownEmbedded, ownEmbeddedWithProbe } from "./EmbeddedPostgres.ts"
import { refuseUnfitDefaults } from "./DatabaseDefaults.ts"
import { refuseUnfitPooler } from "./Pooler.ts"
import { followPrimary, type PrimaryAddress } from "./PrimaryAddress.ts"
import { ProbeConnection } from "./ProbeConnection.ts"
import { countTransactions } from "./Transactions.ts"

/** The most connections of a process. */
const maxConnections = 16
/** Of these, the most that may wait for locks. The rest is left to reads and to quick single statements. */
const maxTransactions = 10

/** The driver on a PostgreSQL server, or on the primary of several at the time of connecting. */
export const serverClient = (
  server: Redacted.Redacted | PrimaryAddress,
  most = maxConnections,
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
    maxConnections: most,
    // One statement at a time on a connection. If connections could be shared, the pool would fill the one used last before
    // it uses another: four statements of one sender would run one after the other, and a newcomer's behind them.
    multiplexConcurrency: 1,
    connectTimeout: "5 seconds"
  })

/**
 * The longest that a request's statement may take, including its wait for locks. Migrations and commands have no such
 * limit.
 */
const statementSeconds = 5

// PgBouncer accepts such parameters only if `ignore_startup_parameters` lists them.
const refusesParameter = (error: unknown): boolean =>
  /unsupported startup parameter/i.test(inspect(error, { depth: 8 }))

/** Whether any pooler in front of the server accepts these parameters. True if the server does not answer. */
const acceptsParameters = (url: Redacted.Redacted | PrimaryAddress, parameters: Readonly<Record<string, string>>) =>
  Effect.scoped(Effect.flatMap(serverClient(url, 1, parameters), (sql) => sql`select 1`)).pipe(
    Effect.match({ onSuccess: () => true, onFailure: (error) => !refusesParameter(error) })
  )

/**
 * The share of it that may be a wait for a lock: less, so that a rush on one playroom is told from a statement that
 * hangs, and more than a second, after which the server looks for a deadlock (`deadlock_timeout`).
 */
const lockShare = 0.4

/** The bounds of a connection's statements, as startup parameters: none if a pooler refuses them. */
const boundsOf = Effect.fnUntraced(function* (url: Redacted.Redacted | PrimaryAddress, seconds: number) {
  const bounds = { statement_timeout: `${seconds}s`, lock_timeout: `${seconds * lockShare * 1000}ms` }
  if (yield* acceptsParameters(url, bounds)) return bounds
  yield* Effect.logWarning(
    "The connection pooler lets no statement_timeout and lock_timeout through, so a statement that hangs holds its connection. Name both in PgBouncer's ignore_startup_parameters, and set them for the role: alter role … set statement_timeout = '5s'; alter role … set lock_timeout = '2s'"
  )
  return {}
})

/** The driver on a PostgreSQL server, with timeouts for statements of `seconds` and for locks. */
export const boundedClient = (url: Redacted.Redacted | PrimaryAddress, seconds = statementSeconds) =>
  Effect.flatMap(boundsOf(url, seconds), (bounds) => serverClient(url, undefined, bounds))

/**
 * The longest that a statement on the replica may take. Replay waits for conflicting statements (up to
 * `max_standby_streaming_delay`), so ours must not delay it beyond the bound of `ReplicaState.ts`.
 */
const replicaStatementSeconds = 2

/**
 * The driver on a replica. It can't write, even if the server has been promoted. It can be created while the replica is
 * away.
 */
export const replicaClient = Effect.fnUntraced(function* (url: Redacted.Redacted, most = maxConnections) {
  const client = (parameters: Readonly<Record<string, string>>) =>
    serverClient(url, most, parameters, "playroom-replica")
  yield* Effect.catchTag(refuseUnfitPooler(serverClient(url, 1), "DATABASE_REPLICA_URL"), "SqlError", () => Effect.void)
  const parameters = { statement_timeout: `${replicaStatementSeconds}s`, default_transaction_read_only: "on" }
  if (yield* acceptsParameters(url, parameters)) return yield* client(parameters)
  yield* Effect.logWarning(
    "The connection pooler of DATABASE_REPLICA_URL lets no settings through, so a read that hangs holds its connection. Name statement_timeout and default_transaction_read_only in PgBouncer's ignore_startup_parameters, and set them for the role: alter role … set statement_timeout = '2s'"
  )
  return yield* client({})
})

/** Fails with `PoolerUnfit`, `IsolationUnfit` or `LocaleUnfit` if calls over this address would fail at random. */
const fit = (url: Redacted.Redacted | PrimaryAddress) =>
  Effect.andThen(
    Effect.scoped(Effect.flatMap(serverClient(url, 1), (sql) => refuseUnfitDefaults(sql))),
    refuseUnfitPooler(serverClient(url, 1))
  )

/** A single address is used as it is. Of several, the primary is followed. */
const primaryOf = (url: Redacted.Redacted) =>
  addressesOf(Redacted.value(url)).length === 1
    ? Effect.succeed(url)
    : followPrimary(url, (one) => serverClient(one, 1, {}, "playroom-primary"))

/** The client of a service, and that of the checks of `Readiness.ts`. */
const serviceClients = Effect.gen(function* () {
  const { database } = yield* AppConfig
  if (database.kind === "embedded") {
    const { all, probe } = yield* ownEmbeddedWithProbe(database.dataDir)
    return { client: countTransactions(all), probe }
  }
  const server = yield* primaryOf(database.url)
  yield* fit(server)
  const bounds = yield* boundsOf(server, statementSeconds)
  return {
    client: countTransactions(yield* serverClient(server, maxConnections - 1, bounds), maxTransactions),
    probe: yield* serverClient(server, 1, bounds, "playroom-probe")
  }
})

/** The configured database. This process must be the only user of an embedded one. */
export const databaseLayer = Layer.effectContext(
  Effect.gen(function* () {
    const { client, probe } = yield* serviceClients
    return Context.make(PgClient.PgClient, client).pipe(
      Context.add(SqlClient.SqlClient, client),
      Context.add(ProbeConnection, probe)
    )
  })
).pipe(Layer.provide(Reactivity.layer))

/** For commands: as above, but through a running service's socket if that service owns the embedded database. */
export const commandDatabaseLayer = PgClient.layerFrom(
  Effect.gen(function* () {
    const { database } = yield* AppConfig
    if (database.kind === "server") {
      const server = yield* primaryOf(database.url)
      yield* fit(server)
      return countTransactions(yield* serverClient(server))
    }
    const embedded = ownEmbedded(database.dataDir, "command").pipe(
      Effect.catchTag("DataDirectoryInUse", (inUse) => joinEmbedded(inUse.socket))
    )
    return countTransactions(yield* embedded)
  })
)
