/** Counts the open transactions of this process and those waiting for a connection: each needs its own. */
import { Effect, Option } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

export interface Transactions {
  readonly open: number
  readonly waiting: number
}

const known = new WeakMap<SqlClient.SqlClient, { open: number; waiting: number }>()

/** The transactions of a client made by `countTransactions`; none for any other client. */
export const transactionsOf = (client: SqlClient.SqlClient): Transactions =>
  known.get(client) ?? { open: 0, waiting: 0 }

/** The same client, with its transactions counted. A savepoint is part of its transaction. */
export const countTransactions = <Client extends SqlClient.SqlClient>(client: Client): Client => {
  const now = { open: 0, waiting: 0 }
  known.set(client, now)
  const plain = client.withTransaction
  const countedTransaction = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.suspend(() => {
      let at: "waiting" | "open" = "waiting"
      now.waiting++
      const opened = Effect.suspend(() => {
        now.waiting--
        now.open++
        at = "open"
        return self
      })
      return Effect.ensuring(
        plain(opened),
        Effect.sync(() => {
          now[at]--
        })
      )
    })
  const withTransaction: SqlClient.SqlClient["withTransaction"] = (self) =>
    Effect.flatMap(Effect.serviceOption(client.transactionService), (outer) =>
      Option.isSome(outer) ? plain(self) : countedTransaction(self)
    )
  return Object.assign(client, { withTransaction })
}
