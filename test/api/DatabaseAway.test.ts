import * as PgClient from "@effect/sql-pg/PgClient"
import { PGlite } from "@electric-sql/pglite"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { createConnection } from "node:net"
import { Duplex } from "node:stream"
import { BackendSessions } from "../../src/database/BackendSessions.ts"
import { embeddedOptions } from "../../src/database/EmbeddedPostgres.ts"
import { startReceivers } from "../support/receiversOverDatabase.ts"
import { copiedCluster } from "../support/EmbeddedDatabases.ts"
import { copiedDatabase, serverUrl } from "../support/TestDatabase.ts"

/** A database, and how to connect to it: embedded, or on the server that the tests run on. */
const database = Effect.gen(function* () {
  if (serverUrl === undefined) {
    const folder = yield* copiedCluster
    const backend = yield* Effect.acquireRelease(
      Effect.promise(() => PGlite.create(embeddedOptions(folder))),
      (made) => Effect.promise(() => made.close())
    )
    const sessions = new BackendSessions(backend)
    return { username: "postgres", password: "", name: "postgres", connect: (): Duplex => sessions.open() }
  }
  const { hostname, password, pathname, port, username } = new URL(Redacted.value(yield* copiedDatabase(serverUrl)))
  const connect = (): Duplex => createConnection({ host: hostname, port: Number(port || 5432) })
  return { username, password, name: pathname.slice(1), connect }
})

/** A database whose connections can be cut, and refused until it is back. */
const fragile = Effect.gen(function* () {
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
  const client = PgClient.layer({
    username,
    ...(password === "" ? {} : { password: Redacted.make(password) }),
    database: name,
    stream,
    minConnections: 1,
    maxConnections: 1,
    multiplex: true,
    connectTimeout: "1 second"
  })
  return { client, go, comeBack: () => void (away = false) }
})

it.live(
  "an event that comes while the database is away is asked for again with 503, and taken when it is back",
  () =>
    Effect.gen(function* () {
      const database = yield* Effect.provide(fragile, Reactivity.layer)
      const { deliver, storedIds } = yield* startReceivers(database.client)
      assert.deepStrictEqual((yield* deliver("evt_before")).body, { received: true })
      database.go()
      for (const id of ["evt_away", "evt_away", "evt_before"]) {
        const refused = yield* deliver(id)
        assert.deepStrictEqual([refused.status, refused.hasRetryAfter], [503, true])
        assert.propertyVal(refused.body, "code", "service_unavailable")
      }
      database.comeBack()
      // The provider sends again what was not taken; the pool needs a moment to connect anew.
      let taken = yield* deliver("evt_away")
      for (let tries = 0; tries < 20 && taken.status !== 200; tries++) {
        yield* Effect.sleep("100 millis")
        taken = yield* deliver("evt_away")
      }
      assert.deepStrictEqual(taken.body, { received: true })
      assert.deepStrictEqual((yield* deliver("evt_before")).body, { received: true, duplicate: true })
      assert.sameMembers(yield* storedIds, ["evt_before", "evt_away"])
    }).pipe(Effect.scoped),
  60_000
)
