/** The one place that decides which Layer stands behind which port. Only `Program.ts` and tests import it. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { AppConfig, type Settings } from "./AppConfig.ts"
import { hostInUrl } from "./AppConfigRules.ts"
import { EventLoop } from "./EventLoop.ts"
import { Gauges } from "./Gauges.ts"
import { Observability } from "./Observability.ts"
import { ApiKeys } from "./access/ApiKeys.ts"
import { RateLimits } from "./access/RateLimits.ts"
import { BookingList } from "./booking/BookingList.ts"
import { BookingOptions } from "./booking/BookingOptions.ts"
import { BookingRecords } from "./booking/BookingRecords.ts"
import { Bookings } from "./booking/Bookings.ts"
import { Claims } from "./booking/Claims.ts"
import { Occupancy } from "./booking/Occupancy.ts"
import { PlayroomSearch } from "./search/PlayroomSearch.ts"
import { factsForSearch } from "./booking/FactsForSearch.ts"
import { releaseForImport } from "./booking/ReleaseForImport.ts"
import { Catalogue } from "./catalogue/Catalogue.ts"
import { FreshFacts } from "./catalogue/FreshFacts.ts"
import { CatalogueFile } from "./catalogue/file/CatalogueFile.ts"
import { Operators } from "./catalogue/Operators.ts"
import { commandDatabaseLayer, databaseLayer } from "./database/Database.ts"
import { Migrations } from "./database/Migrations.ts"
import { Readiness } from "./database/Readiness.ts"
import { Upkeep } from "./database/Upkeep.ts"
import { Draining } from "./http/Draining.ts"
import { PublishedTools } from "./http/pages/Tools.ts"
import { HttpRoutes } from "./http/Routes.ts"
import { listener, serve } from "./http/Server.ts"
import { McpEndpoint } from "./mcp/McpEndpoint.ts"
import { ToolCalls } from "./mcp/ToolCalls.ts"
import { listedTools } from "./mcp/ToolList.ts"
import { toolHandlers } from "./mcp/ToolHandlers.ts"
import { Onboarding } from "./payment/Onboarding.ts"
import { paymentServices, paymentWorkers } from "./payment/PaymentLayers.ts"
import { ProviderHealth } from "./payment/provider/ProviderHealth.ts"
import { ProviderSetup } from "./payment/ProviderSetup.ts"
import { Sandbox } from "./sandbox/Sandbox.ts"
import { StripeGateway } from "./payment/provider/StripeGateway.ts"

const catalogue = Layer.mergeAll(Catalogue.layer, Operators.layer)

const booking = Layer.mergeAll(Bookings.layer, PlayroomSearch.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(Claims.layer, BookingOptions.layer)),
  Layer.provideMerge(BookingRecords.layer),
  Layer.provideMerge(Occupancy.layer)
)

const sandboxHost = "127.0.0.1"
/** Any key will do for the sandbox; it only has to look like a test key. */
const sandboxKey = Redacted.make("sk_test_sandbox")

/** The sandbox provider in this process, and the gateway that talks to it: the same client and code as for the real one. */
const sandbox = ({ host, port }: Settings) =>
  Layer.unwrap(
    Effect.map(Sandbox, (provider) =>
      StripeGateway.layer({ secretKey: sandboxKey, host: provider.host, port: provider.port, protocol: "http" })
    )
  ).pipe(Layer.provide(Sandbox.layer({ deliverTo: Effect.succeed(`http://${hostInUrl(host)}:${port}`) })))

const servingGateway = Layer.unwrap(
  Effect.map(AppConfig, (settings) =>
    settings.provider.kind === "stripe"
      ? StripeGateway.layer({ secretKey: settings.provider.secretKey })
      : sandbox(settings)
  )
).pipe(Layer.provide(ProviderHealth.layer))

/** For commands: the sandbox is the one of the running service. Nobody is told how calls end, as that needs the database. */
const commandGateway = Layer.unwrap(
  Effect.map(AppConfig, ({ provider, sandboxPort }) =>
    provider.kind === "stripe"
      ? StripeGateway.layer({ secretKey: provider.secretKey })
      : StripeGateway.layer({ secretKey: sandboxKey, host: sandboxHost, port: sandboxPort, protocol: "http" })
  )
)

const platform = Layer.mergeAll(SecureRandom.layerWebCrypto, NodeHttpServer.layerHttpServices)

/**
 * The demo catalogue, on the embedded database only, and never over someone's data; nor where payments are live: its accounts are
 * the sandbox's, so that whoever booked there could not pay.
 */
const demo = Layer.effectDiscard(
  Effect.gen(function* () {
    const { database, provider } = yield* AppConfig
    const live = provider.kind === "stripe" && provider.livemode
    if (database.kind === "embedded" && !live) yield* CatalogueFile.use((file) => file.loadDemo)
  })
)

/** What tools, receivers and commands call. Open: the gateway, the catalogue, the database, the settings. */
const services = Layer.mergeAll(
  paymentServices,
  ApiKeys.layer,
  CatalogueFile.layer.pipe(Layer.provide([releaseForImport, factsForSearch]))
).pipe(Layer.provideMerge(booking))

const commandServices = Layer.mergeAll(BookingList.layer, Onboarding.layer).pipe(
  Layer.provideMerge(services),
  Layer.provideMerge(commandGateway.pipe(Layer.provide(ProviderHealth.layer))),
  Layer.provideMerge(catalogue),
  Layer.provideMerge(Migrations.layer),
  Layer.provideMerge(commandDatabaseLayer),
  Layer.provideMerge(platform)
)

const factsWorker = FreshFacts.worker.pipe(Layer.provide(FreshFacts.layer), Layer.provide(factsForSearch))

const servingServices = Layer.mergeAll(paymentWorkers, demo, Upkeep.layer, factsWorker, Readiness.layer).pipe(
  Layer.provideMerge(services),
  Layer.provideMerge(servingGateway),
  Layer.provideMerge(catalogue),
  Layer.provideMerge(Migrations.layer),
  Layer.provideMerge(databaseLayer),
  Layer.provideMerge(platform)
)

const tools = ToolCalls.layer.pipe(Layer.provideMerge(Layer.mergeAll(toolHandlers, RateLimits.layer)))

const routes = Layer.mergeAll(
  HttpRoutes.pipe(Layer.provide(Layer.succeed(PublishedTools, listedTools))),
  McpEndpoint.layer.pipe(Layer.provide(tools))
)

const http = serve(routes).pipe(
  Layer.provideMerge(Layer.unwrap(Effect.map(AppConfig, ({ host, port }) => listener({ host, port })))),
  Layer.provideMerge(Draining.layer)
)

export const App = {
  /** The service: listens when everything below it is ready, and goes down in the opposite order. Open: the settings. */
  serve: Layer.mergeAll(http, Observability.management.pipe(Layer.provide(Gauges.layer)), EventLoop.layer).pipe(
    Layer.provideMerge(servingServices),
    Layer.provideMerge(Observability.layer)
  ),
  /** What commands use. Open: the settings. */
  commands: commandServices,
  /** What setting up the provider uses: no database. Open: the settings, which may lack webhook secrets. */
  setup: ProviderSetup.layer.pipe(Layer.provide(commandGateway))
}
