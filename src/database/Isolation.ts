/**
 * Checks that transactions see what others commit after they have begun (`read committed`, PostgreSQL's own default). What is decided
 * under a lock is read after the wait for it. In the stricter levels that read would show the time before the wait, and calls that meet
 * would fail at random, so the service refuses to start.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { decodeRows } from "../kernel/Rows.ts"

/** The database, or the role, has another level of isolation. */
export class IsolationUnfit extends Schema.TaggedError<IsolationUnfit>()("IsolationUnfit", {
  isolation: Schema.String
}) {
  override get message(): string {
    return `DATABASE_URL leads to a database whose transactions are "${this.isolation}" by default, so that calls that meet would fail at random. Give it, or this role, PostgreSQL's own default: alter database … set default_transaction_isolation = 'read committed', or alter role … set the same.`
  }
}

const levels = decodeRows(Schema.Tuple([Schema.Struct({ isolation: Schema.String })]))

/** Fails with `IsolationUnfit` if transactions of this client are not `read committed` by themselves. */
export const refuseOtherIsolation = (
  sql: SqlClient.SqlClient
): Effect.Effect<void, IsolationUnfit | SqlError.SqlError> =>
  Effect.flatMap(levels(sql`select current_setting('default_transaction_isolation') as isolation`), ([{ isolation }]) =>
    isolation === "read committed" ? Effect.void : Effect.fail(new IsolationUnfit({ isolation }))
  )
