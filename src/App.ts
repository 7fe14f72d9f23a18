/**
 * Composes the layers: repository, payment gateway, authentication, routes. This is the only file that picks the layer
 * behind a port. Only `Program.ts` and tests import it.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { PrometheusMetrics } from "effect/observability"
import { SqlClient } from "effect/sql"
import { AppConfig, type Settings } from "./platform/config/AppConfig.ts"
import { hostInUrl } from "./platform/config/Variables.ts"
import { EventLoop } from "./ops/process/EventLoop.ts"
import { Audit, auditWorker } from "./ops/audit/Audit.ts"
import { DatabaseTransfer } from "./ops/transfer/DatabaseTransfer.ts"
import { makeGauges } from "./ops/attention/Gauges.ts"
import { lastSaid, management, metricsPrefix } from "./surfaces/http/Management.ts"
import { Observability } from "./platform/telemetry/Observability.ts"
import { useNewerRules } from "./platform/time/ZoneInfo.ts"
import { ApiKeys } from "./platform/access/ApiKeys.ts"
import { Authentication } from "./platform/access/Authentication.ts"
import { PublicDocuments } from "./platform/access/PublicDocuments.ts"
import { ConnectKeys } from "./domain/oauth/ConnectKeys.ts"
import { Grants } from "./domain/oauth/Grants.ts"
import { RateLimits } from "./platform/access/RateLimits.ts"
import { CalendarFeeds } from "./domain/calendars/CalendarFeeds.ts"
import { calendarWorker } from "./domain/calendars/CalendarWorker.ts"
import { BookingList } from "./domain/booking/BookingList.ts"
import { BookingOptions } from "./domain/availability/BookingOptions.ts"
import { BookingRecords } from "./domain/booking/BookingRecords.ts"
import { DueBookings } from "./domain/booking/DueBookings.ts"
import { Bookings, waitingWorker } from "./domain/booking/Bookings.ts"
import { LetterOutbox } from "./domain/booking/LetterOutbox.ts"
import { Claims } from "./domain/booking/Claims.ts"
import { WaitingList } from "./domain/booking/WaitingList.ts"
import { wallClockWorker } from "./domain/booking/WallClock.ts"
import { PlayroomSearch, publicReads } from "./domain/search/PlayroomSearch.ts"
import { Catalogue } from "./domain/catalogue/Catalogue.ts"
import { searchFactsWorker } from "./domain/search/SearchFacts.ts"
import { CatalogueFile } from "./domain/import/CatalogueFile.ts"
import { Operators } from "./domain/catalogue/Operators.ts"
import { commandDatabaseLayer, databaseLayer } from "./platform/database/Database.ts"
import { Migrations } from "./platform/database/Migrations.ts"
import { Readiness } from "./platform/database/Readiness.ts"
import { ReadReplica } from "./platform/database/ReadReplica.ts"
import { Maintenance } from "./platform/database/Maintenance.ts"
import { Draining, hindranceWith } from "./surfaces/http/Ending.ts"
import { paymentServices, paymentWorkers } from "./domain/payment/PaymentLayers.ts"
import { ProviderHealth } from "./domain/payment/provider/ProviderHealth.ts"
import { Persons } from "./domain/people/privacy/Persons.ts"
import { retentionWorker } from "./domain/people/privacy/Retention.ts"
import { Staff } from "./domain/people/staff/Staff.ts"
import { receiverPaths, WebhookSecrets } from "./domain/payment/provider/Receivers.ts"
import { SandboxedService } from "./extras/sandbox/Events.ts"
import { keepLetter } from "./extras/sandbox/Letters.ts"
import { sandboxPayers } from "./extras/sandbox/Payers.ts"
import { Sandbox } from "./extras/sandbox/Sandbox.ts"
import { StripeGateway } from "./domain/payment/provider/StripeGateway.ts"

/** The clocks of this process go by the newest rules that there are. */
const clocks = Layer.effectDiscard(Effect.map(AppConfig, ({ timeZoneData }) => useNewerRules(timeZoneData)))

const platform = Layer.mergeAll(SecureRandom.layerWebCrypto, NodeHttpServer.layerHttpServices, clocks)

// Repository

/** Services over the database: catalogue, capacity, bookings, staff. Requires `SqlClient`. */
const repository = Layer.mergeAll(
  Bookings.layer,
  BookingRecords.layer,
  DueBookings.layer,
  LetterOutbox.layer,
  Claims.layer,
  WaitingList.layer,
  BookingOptions.layer,
  PlayroomSearch.layer,
  Catalogue.layer,
  Operators.layer,
  CatalogueFile.layer,
  CalendarFeeds.layer,
  BookingList.layer,
  Staff.layer
)

/** A database, migrated before anything else uses it. */
const migrated = <E, R>(database: Layer.Layer<SqlClient.SqlClient, E, R>) =>
  Layer.provideMerge(Migrations.layer, database)

/**
 * Imports the demo catalogue into an empty embedded database. Never with live payments: its accounts exist in the
 * sandbox only, so bookings could not be paid.
 */
const demoCatalogue = Layer.effectDiscard(
  Effect.gen(function* () {
    const { database, provider } = yield* AppConfig
    const live = provider.kind === "stripe" && provider.livemode
    if (database.kind === "embedded" && !live) yield* CatalogueFile.use((file) => file.loadDemo)
  })
)

// Payment gateway

const sandboxHost = "127.0.0.1"
/** The sandbox takes any key that looks like a test key. */
const sandboxKey = Redacted.make("sk_test_sandbox")

/** What the sandbox needs to know about this service. `address` is its origin, without a trailing slash. */
const sandboxedService = (address: string) =>
  Layer.effect(
    SandboxedService,
    Effect.gen(function* () {
      const { sandboxPort } = yield* AppConfig
      const operators = yield* Operators
      const secrets = yield* WebhookSecrets
      return SandboxedService.of({
        port: sandboxPort,
        receivers: {
          platform: { url: `${address}${receiverPaths.platform}`, secrets: secrets.platform },
          connected: { url: `${address}${receiverPaths.connected}`, secrets: secrets.connected }
        },
        accountName: (account) =>
          Effect.map(
            operators.byConnectedAccount(account),
            Option.match({ onNone: () => account, onSome: ({ name }) => name })
          ),
        deliveriesAtOnce: 1,
        longestPage: 100
      })
    })
  ).pipe(Layer.provide([Operators.layer, WebhookSecrets.layer]))

/** The sandbox provider in this process, behind the same client as the real provider. */
const sandboxGateway = ({ host, port }: Settings) =>
  Layer.unwrap(
    Effect.map(Sandbox, (provider) =>
      StripeGateway.layer({ secretKey: sandboxKey, host: provider.host, port: provider.port, protocol: "http" })
    )
  ).pipe(Layer.provide(Sandbox.layer), Layer.provide(sandboxedService(`http://${hostInUrl(host)}:${port}`)))

const paymentGateway = Layer.unwrap(
  Effect.map(AppConfig, (settings) =>
    settings.provider.kind === "stripe"
      ? StripeGateway.layer({ secretKey: settings.provider.secretKey })
      : sandboxGateway(settings)
  )
).pipe(Layer.provide(ProviderHealth.layer))

/**
 * The gateway for commands. They reach the sandbox in the running service. If no service runs, that is no failure of a
 * provider, so it is not stored as one.
 */
const commandGateway = Layer.unwrap(
  Effect.map(AppConfig, ({ provider, sandboxPort }) =>
    provider.kind === "stripe"
      ? StripeGateway.layer({ secretKey: provider.secretKey })
      : StripeGateway.layer({ secretKey: sandboxKey, host: sandboxHost, port: sandboxPort, protocol: "http" }).pipe(
          Layer.provide(ProviderHealth.layerWithoutDatabase)
        )
  )
)

// Authentication

/** Identifies callers by API key or access token, and limits their rate. */
const authentication = Layer.mergeAll(
  Authentication.layer.pipe(Layer.provide(Grants.accessTokens)),
  Grants.layer,
  ApiKeys.layer
).pipe(Layer.provideMerge(RateLimits.layer))

// Routes

/** Sign-in. Its library is a sixth of all modules, so it is loaded only if sign-in is enabled. */
const connect = Layer.unwrap(
  Effect.gen(function* () {
    const { connect: ways } = yield* AppConfig
    if (ways.length === 0) return Layer.empty
    const { ConnectRoutes } = yield* Effect.promise(() => import("./surfaces/web/connect/ConnectRoutes.ts"))
    return ConnectRoutes.layer.pipe(Layer.provide([ConnectKeys.layer, PublicDocuments.layer]))
  })
)

/** What answers requests. Commands do not load it: they start in two thirds of the time. */
const server = Layer.unwrap(
  Effect.gen(function* () {
    const { host, port } = yield* AppConfig
    const [
      { listener },
      { IdleStatement },
      { routes, serveRoutes },
      { ShownBookings },
      { ShownRooms },
      { PublishedTools },
      { describedTools },
      { McpEndpoint },
      { ToolCalls }
    ] = yield* Effect.promise(() =>
      Promise.all([
        import("./surfaces/http/Server.ts"),
        import("./surfaces/http/Admission.ts"),
        import("./surfaces/web/Routes.ts"),
        import("./surfaces/web/family/ShownBookings.ts"),
        import("./surfaces/web/landing/ShownRooms.ts"),
        import("./surfaces/web/landing/Docs.ts"),
        import("./surfaces/mcp/tools/ToolList.ts"),
        import("./surfaces/mcp/transport/McpEndpoint.ts"),
        import("./surfaces/mcp/tools/ToolCalls.ts")
      ])
    )
    // The public tools and pages read from the replica, if there is one.
    const reads = publicReads.pipe(Layer.provide(ReadReplica.layer))
    const toolCalls = ToolCalls.layer.pipe(Layer.provide(reads))
    const shownRooms = ShownRooms.layer.pipe(Layer.provide(reads))
    const mcp = Layer.mergeAll(McpEndpoint.layer, McpEndpoint.layerConnect).pipe(Layer.provide(toolCalls))
    return serveRoutes(Layer.mergeAll(routes, mcp, connect)).pipe(
      Layer.provide([ShownBookings.layer, shownRooms, Layer.succeed(PublishedTools, describedTools)]),
      Layer.provide(
        Layer.effect(
          IdleStatement,
          SqlClient.SqlClient.use((sql) => Effect.succeed(Effect.withTracerEnabled(sql`select 1`, false)))
        )
      ),
      Layer.provideMerge(listener({ host, port })),
      Layer.provideMerge(Draining.layer)
    )
  })
)

// Letters

/** What sends letters to families. It is loaded only if there are any. */
const letters = Layer.unwrap(
  Effect.gen(function* () {
    const { letters: kind } = yield* AppConfig
    if (kind.kind === "off") return Layer.empty
    const [{ letterWorker }, { MailTransport, MailUnavailable }, { smtpTransport }] = yield* Effect.promise(() =>
      Promise.all([
        import("./surfaces/letters/LetterDelivery.ts"),
        import("./surfaces/letters/LetterDelivery.ts"),
        import("./surfaces/letters/SmtpTransport.ts")
      ])
    )
    const toSandbox = Layer.effect(
      MailTransport,
      SqlClient.SqlClient.use((sql) =>
        Effect.succeed(
          MailTransport.of({
            from: kind.from.address,
            send: (letter) =>
              keepLetter(letter).pipe(
                Effect.provideService(SqlClient.SqlClient, sql),
                Effect.mapError(() => new MailUnavailable({ reason: "the sandbox's database does not answer" }))
              )
          })
        )
      )
    )
    const transport = kind.kind === "smtp" ? smtpTransport(kind.server, kind.from) : toSandbox
    return letterWorker.pipe(Layer.provide(transport))
  })
)

// Background work

/** Covers the sandbox's records with any provider: the database may have been used with the sandbox before. */
const persons = Persons.layer(sandboxPayers)
const personalData = Persons.worker.pipe(Layer.provide(persons))

const workers = Layer.mergeAll(
  paymentWorkers,
  letters,
  personalData,
  auditWorker.pipe(Layer.provide(Audit.layer)),
  retentionWorker,
  demoCatalogue,
  Maintenance.layer,
  searchFactsWorker,
  wallClockWorker,
  waitingWorker,
  calendarWorker.pipe(Layer.provide(PublicDocuments.layer)),
  Readiness.layer
)

// Metrics and probes

/** Gauges are read at each request. */
const watched = Layer.unwrap(
  Effect.map(makeGauges, (readGauges) =>
    management({
      text: Effect.andThen(readGauges, PrometheusMetrics.format({ prefix: metricsPrefix })),
      hindrance: lastSaid(hindranceWith(Readiness.hindrance), "The service is starting.")
    })
  )
).pipe(Layer.provide(Draining.layer))

/** Requires the settings, and loggers and a tracer. */
const service = Layer.mergeAll(server, watched, EventLoop.layer).pipe(
  Layer.provideMerge(workers),
  Layer.provideMerge(authentication),
  Layer.provideMerge(Layer.merge(repository, paymentServices)),
  Layer.provideMerge(paymentGateway),
  Layer.provideMerge(migrated(databaseLayer)),
  Layer.provideMerge(platform)
)

export const App = {
  /** The service. It listens once everything it needs is ready, and stops in reverse order. Requires the settings. */
  serve: service.pipe(Layer.provideMerge(Observability.layer)),
  /** The same, with loggers and a tracer left to the caller. */
  service,
  /** The services of commands. Requires the settings. */
  commands: Layer.mergeAll(
    repository,
    paymentServices,
    ApiKeys.layer,
    Grants.layer,
    ConnectKeys.layer,
    persons,
    PublicDocuments.layer,
    Audit.layer
  ).pipe(
    Layer.provideMerge(commandGateway.pipe(Layer.provide(ProviderHealth.layer))),
    Layer.provideMerge(migrated(commandDatabaseLayer)),
    Layer.provideMerge(platform),
    Layer.provideMerge(Observability.quiet)
  ),
  /** The database as it is, for commands that copy it or take it into use again. Requires the settings. */
  database: DatabaseTransfer.layer.pipe(
    Layer.provide(commandDatabaseLayer),
    Layer.provideMerge(platform),
    Layer.provideMerge(Observability.quiet)
  ),
  /** The services of `setup`: no database. Requires the settings; webhook secrets may be missing. */
  setup: commandGateway.pipe(
    Layer.provide(ProviderHealth.layerWithoutDatabase),
    Layer.provideMerge(Observability.quiet)
  )
}
