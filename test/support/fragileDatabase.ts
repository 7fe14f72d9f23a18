/**
 * A database whose connections can be cut, and refused until it is back: embedded, or on the server that the tests run
 * on.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, Redacted } from "effect"
import { createConnection } from "node:net"
import { Duplex } from "node:stream"
import { BackendSessions } from "../../src/platform/database/BackendSessions.ts"
import { countTransactions } from "../../src/platform/database/Transactions.ts"
import { ownBackend } from "./EmbeddedDatabases.ts"
import { copiedDatabase, serverUrl } from "./TestDatabase.ts"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { HttpServer } from "effect/http"
import type { SqlClient } from "effect/sql"
import { Grants } from "../../src/domain/oauth/Grants.ts"
import { RateLimits } from "../../src/platform/access/RateLimits.ts"
import { Migrations } from "../../src/platform/database/Migrations.ts"
import { Readiness } from "../../src/platform/database/Readiness.ts"
import { Draining } from "../../src/surfaces/http/Ending.ts"
import { listener } from "../../src/surfaces/http/Server.ts"
import { routes, serveRoutes } from "../../src/surfaces/web/Routes.ts"
import { EventRecords } from "../../src/domain/payment/events/EventRecords.ts"
import { ShownBookings } from "../../src/surfaces/web/family/ShownBookings.ts"
import { ShownRooms } from "../../src/surfaces/web/landing/ShownRooms.ts"
import { PlayroomSearch } from "../../src/domain/search/PlayroomSearch.ts"
import { paymentServices } from "../../src/domain/payment/PaymentLayers.ts"
import { bookingServices } from "./BookingWorld.ts"
import { signatureHeader } from "./providerEvents.ts"
import { scriptedGateway } from "./ScriptedGateway.ts"

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

// The whole HTTP side on a port of its own, over a database that a test can take away or lock, and deliveries to the
// platform's receiver.

/** Listens until the scope closes; `context` holds the services. */
export const startReceivers = Effect.fnUntraced(function* <E, R>(database: Layer.Layer<SqlClient.SqlClient, E, R>) {
  const context = yield* Layer.build(
    serveRoutes(routes).pipe(
      Layer.provideMerge(listener({ host: "127.0.0.1", port: 0 })),
      Layer.provideMerge(Draining.layer),
      Layer.provide(RateLimits.layer),
      Layer.provide(Layer.mock(Grants, {})),
      Layer.provide(ShownRooms.layer.pipe(Layer.provide(PlayroomSearch.layer))),
      Layer.provideMerge(Layer.merge(paymentServices, ShownBookings.layer)),
      Layer.provideMerge(scriptedGateway),
      Layer.provideMerge(bookingServices()),
      Layer.provide(Readiness.layer.pipe(Layer.provideMerge(Migrations.layer))),
      Layer.provideMerge(database),
      Layer.provide(NodeHttpServer.layerHttpServices)
    )
  )
  const base = yield* HttpServer.addressFormattedWith(Effect.succeed).pipe(Effect.provideContext(context))
  /** Delivers a signed `invoice.paid` event of this id. */
  const deliver = (id: string) => {
    const body = JSON.stringify({
      id,
      object: "event",
      api_version: "2026-10-28.endive",
      created: 1,
      livemode: false,
      type: "invoice.paid",
      data: { object: { object: "invoice" } }
    })
    const signature = signatureHeader(body, "whsec_test_platform", Math.floor(Date.now() / 1000))
    return Effect.promise(() =>
      fetch(`${base}/api/PaymentWebhook/Handle`, {
        method: "POST",
        body,
        headers: { "payment-signature": signature }
      }).then(async (response) => ({
        status: response.status,
        hasRetryAfter: response.headers.has("retry-after"),
        body: (await response.json()) as unknown
      }))
    )
  }
  /** The ids of all events in the database. */
  const storedIds = EventRecords.use((records) => records.list()).pipe(
    Effect.map((events) => events.map(({ event_id }) => event_id)),
    Effect.provideContext(context)
  )
  return { context, deliver, storedIds }
})
