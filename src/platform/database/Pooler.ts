/**
 * Checks whether a connection pooler in front of the database keeps prepared statements. In transaction mode a pooler
 * gives each transaction another server connection. If it does not prepare the statements there again, calls fail at
 * random, so the service refuses to start.
 */
import { Deferred, Effect, Fiber, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { inspect } from "node:util"

const DatabaseVariable = Schema.Literals(["DATABASE_URL", "DATABASE_REPLICA_URL"])
/** The setting that holds an address. */
type DatabaseVariable = typeof DatabaseVariable.Type

/** The database's address leads to a pooler that loses prepared statements. */
export class PoolerUnfit extends Schema.TaggedError<PoolerUnfit>()("PoolerUnfit", {
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
    // Outside transactions the driver prepares a lost statement again. Inside, the failure has ended the transaction.
    yield* one.withTransaction(runPrepared(one))
    yield* Deferred.succeed(over, undefined)
    yield* Fiber.join(holding)
  }).pipe(
    Effect.timeoutOrElse({ duration: within, orElse: () => Effect.void }),
    Effect.catchIf(isLost, (cause) => Effect.fail(new PoolerUnfit({ variable, cause }))),
    Effect.scoped
  )
