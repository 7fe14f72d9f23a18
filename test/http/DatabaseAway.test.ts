import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as PgClient from "@effect/sql-pg/PgClient"
import { PGlite } from "@electric-sql/pglite"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { Reactivity } from "effect/reactivity"
import { createHmac } from "node:crypto"
import { createConnection } from "node:net"
import { Duplex } from "node:stream"
import { BackendSessions } from "../../src/database/BackendSessions.ts"
import { embeddedOptions } from "../../src/database/EmbeddedPostgres.ts"
import { Migrations } from "../../src/database/Migrations.ts"
import { Readiness } from "../../src/database/Readiness.ts"
import { Draining } from "../../src/http/Draining.ts"
import { HttpRoutes } from "../../src/http/Routes.ts"
import { listener, serve } from "../../src/http/Server.ts"
import { paymentServices } from "../../src/payment/PaymentLayers.ts"
import { EventRecords } from "../../src/payment/events/EventRecords.ts"
import { bookingServices } from "../support/BookingWorld.ts"
import { scriptedGateway } from "../support/ScriptedGateway.ts"
import { copiedCluster, copiedDatabase, serverUrl } from "../support/TestDatabase.ts"

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

const event = (id: string) =>
  JSON.stringify({
    id,
    object: "event",
    api_version: "2026-10-28.endive",
    created: 1,
    livemode: false,
    type: "invoice.paid",
    data: { object: { object: "invoice" } }
  })

it.live(
  "an event that comes while the database is away is asked for again with 503, and taken when it is back",
  () =>
    Effect.gen(function* () {
      const database = yield* Effect.provide(fragile, Reactivity.layer)
      const context = yield* Layer.build(
        serve(HttpRoutes).pipe(
          Layer.provideMerge(listener({ host: "127.0.0.1", port: 0 })),
          Layer.provideMerge(Draining.layer),
          Layer.provideMerge(paymentServices),
          Layer.provideMerge(scriptedGateway),
          Layer.provideMerge(bookingServices()),
          Layer.provide(Readiness.layer.pipe(Layer.provideMerge(Migrations.layer))),
          Layer.provideMerge(database.client),
          Layer.provide(NodeHttpServer.layerHttpServices)
        )
      )
      const base = yield* HttpServer.addressFormattedWith(Effect.succeed).pipe(Effect.provideContext(context))
      const deliver = (id: string) => {
        const body = event(id)
        const t = Math.floor(Date.now() / 1000)
        const v1 = createHmac("sha256", "whsec_test_platform").update(`${t}.${body}`).digest("hex")
        return Effect.promise(() =>
          fetch(`${base}/api/PaymentWebhook/Handle`, {
            method: "POST",
            body,
            headers: { "payment-signature": `t=${t},v1=${v1}` }
          }).then(async (response) => ({
            status: response.status,
            retry: response.headers.has("retry-after"),
            body: (await response.json()) as unknown
          }))
        )
      }
      assert.deepStrictEqual((yield* deliver("evt_before")).body, { received: true })
      database.go()
      for (const id of ["evt_away", "evt_away", "evt_before"]) {
        const refused = yield* deliver(id)
        assert.deepStrictEqual([refused.status, refused.retry], [503, true])
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
      const stored = yield* EventRecords.use((records) => records.list()).pipe(Effect.provideContext(context))
      assert.sameMembers(
        stored.map(({ event_id }) => event_id),
        ["evt_before", "evt_away"]
      )
    }).pipe(Effect.scoped),
  60_000
)
