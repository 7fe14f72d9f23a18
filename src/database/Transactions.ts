/** How many transactions this process has open, and how many wait for a connection: each needs one to itself. */
import { Effect, Option } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

export interface Transactions {
  readonly open: number
  readonly waiting: number
}

const known = new WeakMap<SqlClient.SqlClient, { open: number; waiting: number }>()

/** The transactions of a client that `countTransactions` made; none of any other client. */
export const transactionsOf = (client: SqlClient.SqlClient): Transactions =>
  known.get(client) ?? { open: 0, waiting: 0 }

/** The same client, whose transactions are counted from now on. A savepoint counts as part of its transaction. */
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
