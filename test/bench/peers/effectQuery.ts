/** The query through `@effect/sql-pg`, as the service has it, for the peers that are made with Effect. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Clock, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { connections, databaseUrl, query, resultOf } from "./query.ts"

export const database = PgClient.layer({
  url: Redacted.make(databaseUrl),
  multiplex: true,
  multiplexConcurrency: 1,
  minConnections: 1,
  maxConnections: connections
})

export const getPlayroom = Effect.fnUntraced(function* (playroomId: string) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  const [row] = yield* sql.unsafe(query, [new Date(now), playroomId])
  return row === undefined ? undefined : resultOf(row)
})
