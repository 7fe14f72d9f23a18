/** Chooses between a PostgreSQL server and the embedded one. Everything else uses a `SqlClient`. */

import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer, Redacted, Schema, Deferred, Fiber } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import { inspect } from "node:util"
import { AppConfig } from "../config/AppConfig.ts"
import { addressesOf, driverAddress } from "../config/Variables.ts"
import { joinEmbedded, ownEmbedded, ownEmbeddedWithProbe } from "./EmbeddedPostgres.ts"
import { ProbeConnection } from "./Migrations.ts"
import { followPrimary, type PrimaryAddress } from "./PrimaryAddress.ts"
import { decodeRows } from "./Rows.ts"
import { countTransactions } from "./Transactions.ts"

// Checks whether a connection pooler in front of the database keeps prepared statements. In transaction mode a pooler
// gives each transaction another server connection. If it does not prepare the statements there again, calls fail at
// random, so the service refuses to start.

const DatabaseVariable = Schema.Literals(["DATABASE_URL", "DATABASE_REPLICA_URL"])
/** The setting that holds an address. */
type DatabaseVariable = typeof DatabaseVariable.Type

/** The database's address leads to a pooler that loses prepared statements. */
class PoolerUnfit extends Schema.TaggedError<PoolerUnfit>()("PoolerUnfit", {
  variable: DatabaseVariable,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `${this.variable} leads to a connection pooler that loses prepared statements, so that calls would fail at random. Use session pooling (pool_mode = session), or PgBouncer 1.21 or newer with max_prepared_statements = 200 or more, or give the database's own address.`
  }
}

// The server connection does not know the name, or knows it from another client (PostgreSQL's error codes, appendix A).
const lost = /\b(26000|42P05)\b|prepared statement .*(does not exist|already exists)/i
const isLost = (error: unknown): boolean => lost.test(inspect(error, { depth: 8 }))

/** With a single server connection one client waits for the other, and no prepared statement can be lost. */
const within = "3 seconds"

/** Runs the same statement twice: the second time under its prepared name. */
const runPrepared = (sql: SqlClient.SqlClient) => sql`select ${1}::int as kept`

/**
 * Prepares a statement over one connection and runs it again while another connection is inside a transaction, so that
 * a pooler in transaction mode must use a second server connection. `connect` makes clients of one connection each.
 */
const refuseUnfitPooler = <R>(
  connect: Effect.Effect<SqlClient.SqlClient, SqlError.SqlError, R>,
  variable: DatabaseVariable = "DATABASE_URL"
) =>
  Effect.gen(function* () {
    const one = yield* connect
    const other = yield* connect
    const inside = yield* Deferred.make<void>()
    const over = yield* Deferred.make<void>()
    yield* runPrepared(one)
    const holding = yield* Effect.forkChild(
      other.withTransaction(
        Effect.andThen(runPrepared(other), Effect.andThen(Deferred.succeed(inside, undefined), Deferred.await(over)))
      )
    )
    yield* Effect.raceFirst(Deferred.await(inside), Fiber.join(holding))
    // Outside transactions the driver prepares a lost statement again. Inside, the failure has ended the transaction.
    yield* one.withTransaction(runPrepared(one))
    yield* Deferred.succeed(over, undefined)
    yield* Fiber.join(holding)
  }).pipe(
    Effect.timeoutOrElse({ duration: within, orElse: () => Effect.void }),
    Effect.catchIf(isLost, (cause) => Effect.fail(new PoolerUnfit({ variable, cause }))),
    Effect.scoped
  )

// Checks what a database was made with, or given, and what the service counts on.
//
// Isolation: transactions see what others commit after they have begun (`read committed`, PostgreSQL's own default).
// What is decided under a lock is read after the wait for it. In the stricter levels that read would show the time
// before the wait, and calls that meet would fail at random.
//
// Letters: names, e-mail addresses and words of searches are compared in lower case, by the database's own locale: in a
// Turkish or Azeri one `I` is not the capital of `i`, so IRIS@example.com and iris@example.com are two persons. With
// the locale `C`, that holds for É and é, in ICU's Lithuanian for Í and í: who makes a database is told, and what has
// been in use so far goes on.

/** The database, or the role, has another level of isolation. */
class IsolationUnfit extends Schema.TaggedError<IsolationUnfit>()("IsolationUnfit", {
  isolation: Schema.String
}) {
  override get message(): string {
    return `DATABASE_URL leads to a database whose transactions are "${this.isolation}" by default, so that calls that meet would fail at random. Give it, or this role, PostgreSQL's own default: alter database … set default_transaction_isolation = 'read committed', or alter role … set the same.`
  }
}

/** The database has another encoding, or a locale with other pairs of capitals and small letters. */
class LocaleUnfit extends Schema.TaggedError<LocaleUnfit>()("LocaleUnfit", {
  why: Schema.String,
  used: Schema.Boolean
}) {
  override get message(): string {
    const how = `create database playroom template template0 encoding 'UTF8' locale 'C.UTF-8' (or another that this server has, as 'en_US.UTF-8')`
    const bring = this.used ? " What is in this one comes along by pg_dump and pg_restore." : ""
    return `DATABASE_URL leads to a database ${this.why}. That can't be changed later, so make another: ${how}.${bring}`
  }
}

const Defaults = Schema.Struct({
  isolation: Schema.String,
  encoding: Schema.String,
  /** The locale's name, as far as it has one. */
  locale: Schema.String,
  /** Whether `lower` and the text search know the small letters of English, and of the rest. */
  english: Schema.Boolean,
  others: Schema.Boolean,
  /** Whether the service has been here before. */
  used: Schema.Boolean
})
const defaultsOf = decodeRows(Schema.Tuple([Defaults]))

const readDefaults = (sql: SqlClient.SqlClient) =>
  defaultsOf(sql`select
    current_setting('default_transaction_isolation') as isolation, current_setting('server_encoding') as encoding,
    d.datctype::text as locale,
    lower('I' collate "default") = 'i' and to_tsvector('simple'::regconfig, 'IRIS')::text = '''iris'':1' as english,
    lower('ÉÍ' collate "default") = 'éí' and to_tsvector('simple'::regconfig, 'ÉCOLE')::text = '''école'':1' as others,
    to_regclass('schema_migration') is not null as used
    from pg_database d where d.datname = current_database()`)

const localeFault = ({ encoding, english, locale, others }: typeof Defaults.Type): string | undefined => {
  if (encoding !== "UTF8") return `with the encoding ${encoding}, where names and texts need UTF8`
  if (!english)
    return `whose locale (${locale}, or that of its ICU) does not take "i" for the small letter of "I", as the Turkish does, so that one person's e-mail address in capitals would be another person's`
  if (!others)
    return `whose locale (${locale}, or that of its ICU) does not take "é" and "í" for the small letters of "É" and "Í", so that one person's two spellings of a name would be two persons`
  return undefined
}

/**
 * Fails where the service would go wrong with a client's database. A locale that knows English alone is refused for a
 * new database, and warned of in one that is in use.
 */
const refuseUnfitDefaults = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<void, IsolationUnfit | LocaleUnfit | SqlError.SqlError> {
  const [defaults] = yield* readDefaults(sql)
  const { encoding, english, isolation, used } = defaults
  if (isolation !== "read committed") return yield* new IsolationUnfit({ isolation })
  const why = localeFault(defaults)
  if (why === undefined) return undefined
  const unfit = new LocaleUnfit({ why, used })
  if (used && english && encoding === "UTF8") return yield* Effect.logWarning(unfit.message)
  return yield* unfit
})

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
) => {
  const now = () =>
    driverAddress(addressesOf(Redacted.value(Redacted.isRedacted(server) ? server : server.url()))[0] ?? "")
  return PgClient.make({
    // The driver reads this for each connection. All servers of an address have its parameters.
    get url() {
      return Redacted.make(now().url)
    },
    ssl: now().ssl,
    ...(Redacted.isRedacted(server) ? {} : { stream: server.open }),
    startupParameters,
    applicationName,
    multiplex: true,
    minConnections: 1,
    maxConnections: most,
    // One statement at a time on a connection. If connections could be shared, the pool would fill the one used last
    // before it uses another: four statements of one sender would run one after the other, and a newcomer's behind
    // them.
    multiplexConcurrency: 1
  })
}

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
 * `max_standby_streaming_delay`), so ours must not delay it beyond the bound of `ReadReplica.ts`.
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

/** A server's database, for a command: its statements take as long as they need. */
export const serverForCommand = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const server = yield* primaryOf(url)
  yield* fit(server)
  return countTransactions(yield* serverClient(server))
})

/** Whether a service answers calls from the same embedded database, where all wait while one has a transaction. */
export const DatabaseIsShared = Context.Reference<boolean>("playroom/database/DatabaseIsShared", {
  defaultValue: () => false
})

/** For commands: as above, but through a running service's socket if that service owns the embedded database. */
export const commandDatabaseLayer = Layer.effectContext(
  Effect.gen(function* () {
    const { database } = yield* AppConfig
    const contextOf = (client: PgClient.PgClient, shared: boolean) =>
      Context.make(PgClient.PgClient, client).pipe(
        Context.add(SqlClient.SqlClient, client),
        Context.add(DatabaseIsShared, shared)
      )
    if (database.kind === "server") return contextOf(yield* serverForCommand(database.url), false)
    return yield* ownEmbedded(database.dataDir, "command").pipe(
      Effect.map((client) => contextOf(countTransactions(client), false)),
      Effect.catchTag("DataDirectoryInUse", (inUse) =>
        Effect.map(joinEmbedded(inUse.socket), (client) => contextOf(countTransactions(client), true))
      )
    )
  })
).pipe(Layer.provide(Reactivity.layer))
