/**
 * Checks whether a connection pooler between the service and its database keeps prepared statements. A connection pooler in
 * transaction mode hands each transaction to another server connection; one that does not prepare statements anew there lets calls
 * fail at random, so such a one is refused before the service starts.
 */
import { Deferred, Effect, Fiber, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { inspect } from "node:util"

const DatabaseVariable = Schema.Literals(["DATABASE_URL", "DATABASE_REPLICA_URL"])
/** The setting that an address is from. */
export type DatabaseVariable = typeof DatabaseVariable.Type

/** A database's address leads to a pooler that loses prepared statements. */
export class PoolerUnfit extends Schema.TaggedError<PoolerUnfit>()("PoolerUnfit", {
  variable: DatabaseVariable,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `${this.variable} leads to a connection pooler that loses prepared statements, so that calls would fail at random. Use session pooling (pool_mode = session), or PgBouncer 1.21 or newer with max_prepared_statements = 200 or more, or give the database's own address.`
  }
}

// A name that the server connection does not know, or knows from another client (PostgreSQL's codes, appendix A).
const lost = /\b(26000|42P05)\b|prepared statement .*(does not exist|already exists)/i
const isLost = (error: unknown): boolean => lost.test(inspect(error, { depth: 8 }))

/** With a single server connection one client waits for the other; then no prepared statement can be lost. */
const within = "3 seconds"

/** The same statement twice: the second time by the name that it was prepared under. */
const runPrepared = (sql: SqlClient.SqlClient) => sql`select ${1}::int as kept`

/**
 * Prepares a statement over one connection and runs it again while another connection is inside a transaction: a pooler in
 * transaction mode then has to take a second server connection. `connect` makes clients of one connection each.
 */
export const refuseUnfitPooler = <R>(
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
    // Outside transactions the driver prepares anew what was lost; inside, the failure has ended the transaction.
    yield* one.withTransaction(runPrepared(one))
    yield* Deferred.succeed(over, undefined)
    yield* Fiber.join(holding)
  }).pipe(
    Effect.timeoutOrElse({ duration: within, orElse: () => Effect.void }),
    Effect.catchIf(isLost, (cause) => Effect.fail(new PoolerUnfit({ variable, cause }))),
    Effect.scoped
  )
