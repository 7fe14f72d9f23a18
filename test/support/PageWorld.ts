/** The pages for people over the payment services of `PaymentWorld.ts`: a service in this process, on a port of its own. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { AppConfig, type Settings } from "../../src/platform/config/AppConfig.ts"
import { Grants } from "../../src/domain/oauth/Grants.ts"
import { RateLimits } from "../../src/platform/access/RateLimits.ts"
import { Readiness } from "../../src/platform/database/Readiness.ts"
import { Draining } from "../../src/surfaces/http/Ending.ts"
import { listener } from "../../src/surfaces/http/Server.ts"
import { pageViews } from "../../src/surfaces/web/frame/PageTable.ts"
import { routes, serveRoutes } from "../../src/surfaces/web/Routes.ts"
import { paymentWorld } from "./PaymentWorld.ts"
import { testSettings } from "./testSettings.ts"

/** Where the service listens: `http://127.0.0.1:PORT`. */
export class PageAddress extends Context.Service<PageAddress, string>()("test/PageAddress") {}

/** Serves the pages at a port; at a free one, if none is given. */
const pageServer = (port = 0) =>
  Layer.effect(PageAddress, HttpServer.addressFormattedWith(Effect.succeed)).pipe(
    Layer.provideMerge(
      serveRoutes(routes).pipe(
        Layer.provideMerge(listener({ host: "127.0.0.1", port })),
        Layer.provide([
          Draining.layer,
          Layer.mock(Grants, { ofGuests: () => Effect.succeed([]) }),
          RateLimits.layerInMemory,
          Layer.succeed(Readiness, { state: Effect.succeed("ready" as const) }),
          NodeHttpServer.layerHttpServices
        ])
      )
    )
  )

/** Another node over the same database, until the scope ends: its address. */
export const anotherPageServer = (settings: Partial<Settings>) =>
  Effect.map(
    Layer.build(
      Layer.fresh(pageServer()).pipe(
        Layer.provide(Layer.fresh(pageViews)),
        Layer.provide(Layer.succeed(AppConfig, testSettings(settings)))
      )
    ),
    (context) => Context.get(context, PageAddress)
  )

/** Everything, at `PaymentWorld.now`, with a server; at a free port, if none is given. */
export const pageWorld = (settings: Partial<Settings> = {}, port = 0) =>
  pageServer(port).pipe(Layer.provideMerge(paymentWorld(settings)))
