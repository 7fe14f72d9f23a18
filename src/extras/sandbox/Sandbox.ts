/**
 * A fake payment provider in this process, on its own loopback port: the API calls that the gateway makes, hosted
 * payment pages, and signed events to the two webhook receivers. The gateway is the real one, with this host and port.
 * State is in the database's schema `sandbox`, so it survives restarts.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Clock, Context, Effect, Layer, Schema, Semaphore } from "effect"
import { FetchHttpClient, HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { NetAddress } from "effect/net"
import { SqlClient, type SqlError } from "effect/sql"
import { createServer } from "node:http"
import { loopbackHosts } from "../../platform/access/ClientAddress.ts"
import { migrateSchema } from "../../platform/database/Migrations.ts"
import { InstantFromDate } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { apiRoutes } from "./Api.ts"
import type { State } from "./Endpoint.ts"
import { Events, SandboxedService } from "./Events.ts"
import { Faults } from "./Faults.ts"
import { letterRoutes } from "./Letters.ts"
import { pageRoutes } from "./Pages.ts"
import { expireAndSettleDue } from "./Payments.ts"
import { settlePendingRefunds } from "./Refunds.ts"
import { switchRoutes } from "./Switches.ts"

const host = "127.0.0.1"
/** Maximum time between two polls: another process may have stored work. */
const maxIdleMs = 5_000

// The loop waits in real time, even if a test's clock stands still. The test's clock decides what is due.
const pause = (ms: number) =>
  Effect.provideService(Effect.sleep(Math.min(Math.max(50, ms), maxIdleMs)), Clock.Clock, Clock.Clock.defaultValue())

/** Creates the sandbox's tables, if missing. A server has them only with a sandbox. */
export const migrateSandbox = migrateSchema({
  name: "sandbox",
  folder: new URL("../../../sql/sandbox/", import.meta.url)
})

const times = decodeRows(Schema.Tuple([Schema.Struct({ at: Schema.NullOr(InstantFromDate) })]))

/** When work is due next. */
const nextDue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [{ at }] = yield* times(sql`select least(
    (select min(expires_at) from sandbox.session where status = 'open'),
    (select min(settles_at) from sandbox.session where settles_at is not null),
    (select min(next_attempt_at) from sandbox.delivery where next_attempt_at is not null)) as at`)
  return at ?? Infinity
})

/** Milliseconds; a client that keeps its connections for a shorter time never uses one that is being closed. */
const keepAliveTimeout = 65_000

const server = Layer.unwrap(
  Effect.gen(function* () {
    const { port } = yield* SandboxedService
    return NodeHttpServer.layerServer(() => createServer({ keepAliveTimeout }), {
      host,
      port,
      gracefulShutdownTimeout: "1 second"
    })
  })
)

const address = Effect.map(HttpServer.HttpServer, ({ address }) => {
  const port = NetAddress.isUnixPathAddress(address) ? 0 : address.port
  return { host, port, url: `http://${host}:${port}` }
})

/** Answers say the sandbox's own time, not that of Node. */
const dated = HttpRouter.middleware(
  (answer) =>
    Effect.zipWith(answer, Clock.currentTimeMillis, (response, now) =>
      HttpServerResponse.setHeader(response, "date", new Date(now).toUTCString())
    ),
  { global: true }
)

const serving = HttpRouter.serve(
  Layer.unwrap(
    Effect.map(address, ({ url }) =>
      Layer.mergeAll(dated, loopbackHosts, apiRoutes(url), pageRoutes, letterRoutes, switchRoutes)
    )
  ),
  { disableLogger: true, disableListenLog: true }
)

export class Sandbox extends Context.Service<
  Sandbox,
  {
    readonly host: string
    /** The port that it listens on. */
    readonly port: number
    /** `http://127.0.0.1:PORT` */
    readonly url: string
    /** Expires, settles and delivers what is due. The background loop does it too; tests call it. */
    readonly work: Effect.Effect<void, SqlError.SqlError>
  }
>()("playroom/sandbox/Sandbox") {
  /** Listens, and delivers in the background for the layer's lifetime. `Faults` are a dependency. */
  static readonly layerNoDeps = Layer.effect(
    Sandbox,
    Effect.gen(function* () {
      const state = yield* Effect.context<State>()
      const events = yield* Events
      const turn = yield* Semaphore.make(1)
      const work = turn.withPermit(
        Effect.gen(function* () {
          yield* Effect.provide(Effect.andThen(expireAndSettleDue, settlePendingRefunds), state)
          while ((yield* events.deliverDue) > 0);
        })
      )
      const wait = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        yield* Effect.race(pause((yield* Effect.provide(nextDue, state)) - now), events.written)
      })
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.andThen(work, wait).pipe(
            Effect.catchCause((cause) =>
              Effect.andThen(Effect.logWarning("Sandbox: looking for work failed", cause), pause(maxIdleMs))
            )
          )
        )
      )
      return Sandbox.of({ ...(yield* address), work })
    })
  ).pipe(
    Layer.merge(serving),
    Layer.provide(server),
    Layer.provideMerge(Events.layer),
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(Layer.effectDiscard(migrateSandbox))
  )

  /** With the switches for faults. */
  static readonly layer = Sandbox.layerNoDeps.pipe(Layer.provideMerge(Faults.layer))
}
