/**
 * The transactions of a service's client: how many are open and waiting for a connection (each needs its own), how many
 * there may be at once, what belongs to one, what one fails with when its connection breaks, and how often one is
 * repeated.
 */
import { Cause, Effect, type Exit, Option, Semaphore } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { acquireWithin } from "../concurrency/KeyedSemaphore.ts"
import { connectionGone } from "../errors/InvalidArguments.ts"

interface Transactions {
  readonly open: number
  readonly waiting: number
}

/** Runs a transaction by `run`, counted and in its turn. */
type Counted = <A, E, R, E2>(
  self: Effect.Effect<A, E, R>,
  run: (self: Effect.Effect<A, E, R>) => Effect.Effect<A, E2, R>
) => Effect.Effect<A, E2 | SqlError.SqlError, R>

interface Known {
  readonly now: Transactions
  readonly counted: Counted
  /** A transaction, or a savepoint in one. */
  readonly whole: SqlClient.SqlClient["withTransaction"]
}

const known = new WeakMap<SqlClient.SqlClient, Known>()

/** The transactions of a client made by `countTransactions`; none for any other client. */
export const transactionsOf = (client: SqlClient.SqlClient): Transactions =>
  known.get(client)?.now ?? { open: 0, waiting: 0 }

/** The lost connection for which a transaction died: its rollback, or the end of its savepoint, could not be sent. */
const lostIn = (cause: Cause.Cause<unknown>): SqlError.SqlError | undefined =>
  cause.reasons.flatMap((reason) =>
    Cause.isDieReason(reason) && SqlError.isSqlError(reason.defect) && connectionGone(reason.defect)
      ? [reason.defect]
      : []
  )[0]

/**
 * The same `withTransaction`, but a lost connection is a failure and no defect. The server rolls back what has lost its
 * connection, so the transaction fails with what ended it.
 */
const failingIfLost =
  (plain: SqlClient.SqlClient["withTransaction"]): SqlClient.SqlClient["withTransaction"] =>
  <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      let failed: Exit.Failure<A, E> | undefined
      const noted = Effect.onExit(self, (exit) =>
        Effect.sync(() => {
          failed = exit._tag === "Failure" ? exit : undefined
        })
      )
      return Effect.catchCause(plain(noted), (cause): Effect.Effect<A, E | SqlError.SqlError> => {
        const lost = lostIn(cause)
        return lost === undefined ? Effect.failCause(cause) : (failed ?? Effect.fail(lost))
      })
    })

/** Why transactions and savepoints can't be committed: a part of them failed. */
const failedParts = new WeakMap<object, Cause.Cause<unknown>>()

/**
 * The same `withTransaction`, but a transaction whose nested transaction failed is rolled back, even if the caller
 * caught the error.
 */
const failingWithParts =
  ({ transactionService }: SqlClient.SqlClient, plain: SqlClient.SqlClient["withTransaction"]) =>
  <A, E, R>(self: Effect.Effect<A, E, R>) =>
    plain(
      Effect.flatMap(Effect.serviceOption(transactionService), (mine) =>
        Effect.tap(self, () => {
          const cause = Option.isSome(mine) ? failedParts.get(mine.value) : undefined
          return cause === undefined
            ? Effect.void
            : Effect.die(
                new Error("A part of this transaction failed, so it can't be committed", { cause: Cause.squash(cause) })
              )
        })
      )
    )

/** The longest wait of a transaction for its part of the connections: as long as a statement may take. */
const longestWait = "5 seconds"

const waitedTooLong = () =>
  new SqlError.SqlError({
    reason: new SqlError.LockTimeoutError({
      cause: new Error(`No transaction ended within ${longestWait}`),
      message: "Too many transactions wait for locks",
      operation: "transaction"
    })
  })

/** Whether the server ended a transaction because it and others waited for each other, or changed the same. */
const endedForOthers = (error: unknown): boolean =>
  SqlError.isSqlError(error) && (error.reason._tag === "DeadlockError" || error.reason._tag === "SerializationError")

/**
 * So often a transaction is repeated that the server ended for the sake of others. Locks have one order, so this is
 * rare.
 */
const maxRepeats = 3

/**
 * Runs a single statement that may wait for locks. Outside a transaction it is one, and takes part in its client's
 * limit.
 */
export const locking = <A, E, R>(
  sql: SqlClient.SqlClient,
  statement: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.flatMap(Effect.serviceOption(sql.transactionService), (outer) =>
    Option.isSome(outer) ? statement : (known.get(sql)?.counted(statement, (self) => self) ?? statement)
  )

/**
 * Runs a part of a transaction that may fail without it: what it did is undone, and the transaction goes on. Outside,
 * it is a transaction. A savepoint has none within it: PostgreSQL lets who waits for a lock of a released one wait for
 * the whole transaction, also if the outer one is rolled back.
 */
export const savepoint =
  (sql: SqlClient.SqlClient): SqlClient.SqlClient["withTransaction"] =>
  (self) =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (outer) => {
      if (Option.isNone(outer)) return sql.withTransaction(self)
      const [, depth] = outer.value
      if (depth > 0) return Effect.die(new Error("A savepoint has none within it"))
      return (known.get(sql)?.whole ?? sql.withTransaction)(self)
    })

/**
 * The same client, with its transactions counted, and at most so many at once: others wait, and fail after a while as
 * if for a lock. Transactions may wait for locks, and must not take the connections of what does not. Inside a
 * transaction, `withTransaction` is a part of it, and no savepoint. What the server ends for a deadlock is repeated
 * from its beginning: nothing of it has happened. So a transaction changes nothing but the database, or does it
 * `afterCommit`.
 */
export const countTransactions = <Client extends SqlClient.SqlClient>(client: Client, most?: number): Client => {
  const now = { open: 0, waiting: 0 }
  const whole = failingWithParts(client, failingIfLost(client.withTransaction))
  const turns = most === undefined ? undefined : Semaphore.makeUnsafe(most)
  const inTurn = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    turns === undefined
      ? work
      : Effect.flatMap(turns.withPermitsIfAvailable(1)(work), (done) =>
          Option.isSome(done)
            ? Effect.succeed(done.value)
            : acquireWithin(work, (later) => turns.withPermit(later), longestWait, waitedTooLong)
        )
  const counted: Counted = (self, run) =>
    Effect.suspend(() => {
      let at: "waiting" | "open" = "waiting"
      now.waiting++
      const opened = Effect.suspend(() => {
        if (at === "waiting") {
          now.waiting--
          now.open++
          at = "open"
        }
        return self
      })
      return Effect.ensuring(
        inTurn(Effect.retry(run(opened), { times: maxRepeats, while: endedForOthers })),
        Effect.sync(() => {
          now[at]--
        })
      )
    })
  known.set(client, { now, counted, whole })
  const withTransaction: SqlClient.SqlClient["withTransaction"] = (self) =>
    Effect.flatMap(Effect.serviceOption(client.transactionService), (outer) =>
      Option.isSome(outer)
        ? Effect.onError(self, (cause) => Effect.sync(() => failedParts.set(outer.value, cause)))
        : counted(self, whole)
    )
  return Object.assign(client, { withTransaction })
}
