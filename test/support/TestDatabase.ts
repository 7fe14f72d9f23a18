/**
 * A fresh, migrated, empty database for a test file: embedded by default, on a server where TEST_DATABASE_URL names
 * one.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Clock, Effect, Redacted, Schema } from "effect"
import { inject } from "vitest"
import { embeddedClient } from "../../src/platform/database/EmbeddedPostgres.ts"
import { countTransactions } from "../../src/platform/database/Transactions.ts"
import { embeddedBackend } from "./EmbeddedDatabases.ts"
import { SqlClient } from "effect/sql"

/** The server that tests run on; undefined: the embedded database. */
export const serverUrl: string | undefined = process.env["TEST_DATABASE_URL"] || undefined

let copies = 0

const embedded = Effect.flatMap(embeddedBackend, embeddedClient)

/**
 * A statement to the server itself, over a connection of its own. A pool that is kept for the end is no use there: by
 * then its connection has idled away, and a scope that is closing lets it make no other.
 */
const tellServer = (url: string, statement: string) =>
  Effect.scoped(
    Effect.flatMap(PgClient.make({ url: Redacted.make(url), maxConnections: 1 }), (server) => server.unsafe(statement))
  )

/**
 * A new database on the server, copied from the migrated template or another; dropped with the scope. Answers its
 * address.
 */
export const copiedDatabase = (url: string, of?: string) =>
  // Suspended, so that a layer that is built twice has two databases, and the benches, which copy none, need no Vitest.
  Effect.suspend(() => {
    const template = of ?? inject("templateDatabase")
    const name = `playroom_test_${process.pid}_${++copies}`
    return Effect.acquireRelease(
      Effect.as(
        tellServer(url, `create database ${name} template ${template}`),
        Redacted.make(Object.assign(new URL(url), { pathname: `/${name}` }).href)
      ),
      () => Effect.orDie(tellServer(url, `drop database if exists ${name} with (force)`))
    )
  })

const onServer = (url: string) =>
  Effect.flatMap(copiedDatabase(url), (address) =>
    // As in production: a statement that waits for a lock has its connection for itself.
    PgClient.make({ url: address, multiplex: true, multiplexConcurrency: 1, minConnections: 1, maxConnections: 12 })
  )

/** The pool's own timers keep real time: a test that jumps years ahead would wait for each of their ticks. */
const inRealTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(effect, Clock.Clock, Clock.Clock.defaultValue())

export const TestDatabase = {
  /** `SqlClient` (and `PgClient`) on a database of its own, with transactions as in production. */
  layer: PgClient.layerFrom(
    Effect.map(inRealTime(Effect.orDie(serverUrl === undefined ? embedded : onServer(serverUrl))), (client) =>
      countTransactions(client)
    )
  )
}

// Every row of every table as text, for tests that look for what must not be there.

const Names = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ name: Schema.String })))
const Rows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ row: Schema.String })))

export const everyRow = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = Names(
    yield* sql`select table_schema || '.' || table_name as name from information_schema.tables
      where table_schema in ('public', 'sandbox') and table_type = 'BASE TABLE'`
  )
  const rows = yield* Effect.forEach(tables, ({ name }) =>
    Effect.map(sql`select ${name}::text || ' ' || t::text as row from ${sql.literal(name)} t`, Rows)
  )
  return rows.flat().map(({ row }) => row)
})
