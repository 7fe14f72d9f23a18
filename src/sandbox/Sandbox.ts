/**
 * A stand-in for the payment provider, in this process, on a loopback port of its own: the provider's API for the calls
 * that the gateway makes, hosted payment pages, and signed events to the two webhook receivers. The gateway runs against it
 * unchanged, with this host and port. State is in the database (`sandbox_*`), so it outlives restarts.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import type { SecureRandom } from "effect/crypto"
import { FetchHttpClient, HttpRouter, HttpServer, type HttpServerError } from "effect/http"
import { NetAddress } from "effect/net"
import type { SqlClient, SqlError } from "effect/sql"
import { createServer } from "node:http"
import { apiRoutes } from "./SandboxApi.ts"
import { dashboardRoutes } from "./SandboxDashboard.ts"
import { SandboxDisputes } from "./SandboxDisputes.ts"
import { SandboxedService } from "./SandboxedService.ts"
import { SandboxEvents } from "./SandboxEvents.ts"
import { SandboxFaults } from "./SandboxFaults.ts"
import { onboardingRoutes } from "./SandboxOnboarding.ts"
import { pageRoutes } from "./SandboxPages.ts"
import { SandboxPayments } from "./SandboxPayments.ts"
import { SandboxPlatform } from "./SandboxPlatform.ts"
import { platformRoutes } from "./SandboxPlatformApi.ts"
import { SandboxRefunds } from "./SandboxRefunds.ts"

const host = "127.0.0.1"
/** At the longest between two looks for work: another process may have written some. */
const idleMs = 5_000

// The loop waits in real time, also where a test's clock stands still or jumps. The test's clock decides what is due.
const pause = (ms: number) =>
  Effect.provideService(Effect.sleep(Math.min(Math.max(50, ms), idleMs)), Clock.Clock, Clock.Clock.defaultValue())

export class Sandbox extends Context.Service<
  Sandbox,
  {
    readonly host: string
    /** The port that it listens on. */
    readonly port: number
    /** `http://127.0.0.1:PORT` */
    readonly url: string
    /** Expires and settles what is due, and delivers the events that are due. The background loop does it too; tests call it. */
    readonly work: Effect.Effect<void, SqlError.SqlError>
  }
>()("playroom/sandbox/Sandbox") {
  /** Listens, and delivers in the background for as long as the layer lives. */
  static readonly layer: Layer.Layer<
    Sandbox | SandboxFaults,
    HttpServerError.ServeError | SqlError.SqlError,
    SandboxedService | SqlClient.SqlClient | SecureRandom.SecureRandom
  > = Layer.suspend(() => {
    const state = SandboxRefunds.layer.pipe(
      Layer.provideMerge(SandboxDisputes.layer),
      Layer.provideMerge(SandboxPayments.layer),
      Layer.provideMerge(Layer.mergeAll(SandboxEvents.layer, SandboxPlatform.layer)),
      Layer.provide(FetchHttpClient.layer),
      Layer.provideMerge(SandboxFaults.layer)
    )
    const server = Layer.unwrap(
      Effect.map(SandboxedService, ({ port }) =>
        NodeHttpServer.layerServer(createServer, { host, port, gracefulShutdownTimeout: "1 second" })
      )
    )

    const address = Effect.map(HttpServer.HttpServer, ({ address }) => {
      const port = NetAddress.isUnixPathAddress(address) ? 0 : address.port
      return { host, port, url: `http://${host}:${port}` }
    })

    const routes = Layer.unwrap(
      Effect.map(address, ({ url }) =>
        Layer.mergeAll(
          apiRoutes((id) => `${url}/pay/${id}`),
          platformRoutes((account) => `${url}/onboard/${account}`),
          onboardingRoutes,
          pageRoutes,
          dashboardRoutes
        )
      )
    )
    const serving = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true })

    const working = Layer.effect(
      Sandbox,
      Effect.gen(function* () {
        const payments = yield* SandboxPayments
        const events = yield* SandboxEvents
        const turn = yield* Semaphore.make(1)
        const work = turn.withPermit(
          Effect.gen(function* () {
            yield* payments.expireAndSettleDue
            while ((yield* events.deliverDue) > 0);
          })
        )
        const wait = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const due = Math.min((yield* payments.nextDue) ?? Infinity, (yield* events.nextDue) ?? Infinity, now + idleMs)
          yield* Effect.race(pause(due - now), events.written)
        })
        yield* Effect.forkScoped(
          Effect.forever(
            Effect.andThen(work, wait).pipe(
              Effect.catchCause((cause) =>
                Effect.andThen(Effect.logWarning("Sandbox: looking for work failed", cause), pause(idleMs))
              )
            )
          )
        )
        return Sandbox.of({ ...(yield* address), work })
      })
    )

    return Layer.merge(working, serving).pipe(Layer.provide(server), Layer.provideMerge(state))
  })
}
