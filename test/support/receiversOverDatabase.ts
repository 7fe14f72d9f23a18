/** The whole HTTP side on a port of its own, over a database that a test can take away or lock, and deliveries to the platform's receiver. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
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
import { pageViews } from "../../src/surfaces/web/frame/PageTable.ts"
import { paymentServices } from "../../src/domain/payment/PaymentLayers.ts"
import { bookingServices } from "./BookingWorld.ts"
import { signatureHeader } from "./providerEvents.ts"
import { scriptedGateway } from "./ScriptedGateway.ts"

/** Listens until the scope closes; `context` holds the services. */
export const startReceivers = Effect.fnUntraced(function* <E, R>(database: Layer.Layer<SqlClient.SqlClient, E, R>) {
  const context = yield* Layer.build(
    serveRoutes(routes).pipe(
      Layer.provideMerge(listener({ host: "127.0.0.1", port: 0 })),
      Layer.provideMerge(Draining.layer),
      Layer.provide(RateLimits.layer),
      Layer.provide(Layer.mock(Grants, {})),
      Layer.provideMerge(Layer.merge(paymentServices, pageViews)),
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
