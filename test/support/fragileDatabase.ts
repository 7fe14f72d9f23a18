/** A database whose connections can be cut, and refused until it is back: embedded, or on the server that the tests run on. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { createConnection } from "node:net"
import { Duplex } from "node:stream"
import { BackendSessions } from "../../src/platform/database/BackendSessions.ts"
import { countTransactions } from "../../src/platform/database/Transactions.ts"
import { ownBackend } from "./EmbeddedDatabases.ts"
import { copiedDatabase, serverUrl } from "./TestDatabase.ts"

/** A database, and how to connect to it. */
const database = Effect.gen(function* () {
  if (serverUrl === undefined) {
    const sessions = new BackendSessions(yield* ownBackend)
    return { username: "postgres", password: "", name: "postgres", connect: (): Duplex => sessions.open() }
  }
  const { hostname, password, pathname, port, username } = new URL(Redacted.value(yield* copiedDatabase(serverUrl)))
  const connect = (): Duplex => createConnection({ host: hostname, port: Number(port || 5432) })
  return { username, password, name: pathname.slice(1), connect }
})

/**
 * `cut` breaks what is connected, `go` refuses newcomers as well, until `comeBack`. The client is a service's, with one
 * connection.
 */
export const fragileDatabase = Effect.gen(function* () {
  const { connect, name, password, username } = yield* database
  const open = new Set<Duplex>()
  let away = false
  const dead = () => {
    const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
    setImmediate(() => stream.destroy(new Error("connect ECONNREFUSED")))
    return stream
  }
  const stream = () => {
    if (away) return dead()
    const session = connect()
    session.on("error", () => {})
    open.add(session)
    session.once("close", () => open.delete(session))
    return session
  }
  const cut = () => {
    for (const session of open) session.destroy(new Error("read ECONNRESET"))
  }
  const go = () => {
    away = true
    cut()
  }
  const client = PgClient.layerFrom(
    Effect.map(
      PgClient.make({
        username,
        ...(password === "" ? {} : { password: Redacted.make(password) }),
        database: name,
        stream,
        minConnections: 1,
        maxConnections: 1,
        multiplex: true,
        connectTimeout: "1 second"
      }),
      countTransactions
    )
  )
  return { client, cut, go, comeBack: () => void (away = false) }
})
